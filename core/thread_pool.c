/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "thread_pool.h"

#include "process.h"
#include "thread.h"
#include "thread_steps.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct worker {
    struct thread_pool *pool;
    pthread_t thread;
    uint32_t index;
};

struct thread_pool {
    pid_t process; /* whose threads these are */
    pthread_mutex_t mutex;
    pthread_cond_t work_came;
    pthread_cond_t work_done;
    thread_pool_fn fn;
    void *user;
    uint64_t generation; /* counts jobs */
    uint32_t limit; /* workers below this one take part in the job */
    uint32_t begun; /* threads that have begun the job */
    atomic_uint busy; /* threads that have not finished the job; changed with the mutex */
    bool quit;
    uint32_t thread_count; /* started, worker 0 not among them; written with the mutex */
    uint32_t thread_max;
    struct worker workers[];
};

/* A thread that came while a job was under way is not counted in it: its index is beyond the
 * limit. */
static bool wait_for_job(struct thread_pool *pool, uint32_t index, uint64_t done_generation)
{
    while (!pool->quit && (pool->generation == done_generation || index >= pool->limit)) {
        pthread_cond_wait(&pool->work_came, &pool->mutex);
    }
    return !pool->quit;
}

static void *worker_main(void *argument)
{
    const struct worker *worker = argument;
    struct thread_pool *pool = worker->pool;
    uint64_t generation = 0;
    pthread_mutex_lock(&pool->mutex);
    while (wait_for_job(pool, worker->index, generation)) {
        generation = pool->generation;
        pool->begun++;
        pthread_mutex_unlock(&pool->mutex);
        pool->fn(pool->user, worker->index);
        pthread_mutex_lock(&pool->mutex);
        if (atomic_fetch_sub(&pool->busy, 1) == 1) {
            pthread_cond_signal(&pool->work_done);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void start_threads(struct thread_pool *pool, uint32_t count)
{
    while (pool->thread_count < count) {
        struct worker *worker = &pool->workers[pool->thread_count];
        *worker = (struct worker){.pool = pool, .index = pool->thread_count + 1};
        if (thread_start(&worker->thread, worker_main, worker) != 0) {
            break;
        }
        pthread_mutex_lock(&pool->mutex);
        pool->thread_count++;
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void forget_threads(struct thread_pool *pool)
{
    pool->process = getpid();
    pool->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool->work_came = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool->work_done = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool->thread_count = 0;
    pool->limit = 0;
}

/* The child of a fork has none of its parent's threads, which may have held the mutex: it starts as
 * many of its own. */
static void be_of_this_process(struct thread_pool *pool)
{
    if (process_is_child_of(pool->process)) {
        const uint32_t count = pool->thread_count;
        forget_threads(pool);
        start_threads(pool, count);
    }
}

uint32_t thread_pool_grow(struct thread_pool *pool, uint32_t worker_count)
{
    be_of_this_process(pool);
    const uint32_t wanted = worker_count - 1;
    start_threads(pool, wanted < pool->thread_max ? wanted : pool->thread_max);
    return pool->thread_count + 1;
}

/* More would take what the system has for all programs, and help nobody. */
static uint32_t room_for(uint32_t wanted)
{
    const uint32_t cores = thread_pool_core_count();
    const uint32_t most = cores > THREAD_POOL_WORKERS ? cores : THREAD_POOL_WORKERS;
    return wanted == 0 ? cores : wanted < most ? wanted : most;
}

enum fovea_result thread_pool_create(uint32_t worker_max, struct thread_pool **out_pool)
{
    const uint32_t thread_max = room_for(worker_max) - 1;
    *out_pool = NULL;
    struct thread_pool *pool = calloc(1, sizeof *pool + thread_max * sizeof *pool->workers);
    if (!pool) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    forget_threads(pool);
    pool->thread_max = thread_max;
    *out_pool = pool;
    return FOVEA_OK;
}

void thread_pool_destroy(struct thread_pool **pool)
{
    if (!pool || !*pool) {
        return;
    }
    struct thread_pool *own = *pool;
    if (process_is_child_of(own->process)) {
        forget_threads(own);
    }
    pthread_mutex_lock(&own->mutex);
    own->quit = true;
    pthread_cond_broadcast(&own->work_came);
    pthread_mutex_unlock(&own->mutex);
    for (uint32_t i = 0; i < own->thread_count; i++) {
        pthread_join(own->workers[i].thread, NULL);
    }
    pthread_cond_destroy(&own->work_done);
    pthread_cond_destroy(&own->work_came);
    pthread_mutex_destroy(&own->mutex);
    free(own);
    *pool = NULL;
}

uint32_t thread_pool_worker_max(const struct thread_pool *pool)
{
    return pool->thread_max + 1;
}

/* Some 20 us: workers that are nearly done are not worth a sleep. */
#define SPINS_BEFORE_SLEEP 512

static void wait_for_workers(struct thread_pool *pool)
{
    for (int spins = 0; spins < SPINS_BEFORE_SLEEP && atomic_load(&pool->busy) > 0; spins++) {
        thread_pause();
    }
    if (atomic_load(&pool->busy) == 0) {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->busy) > 0) {
        pthread_cond_wait(&pool->work_done, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
}

/* The threads that take part. */
static uint32_t give_out(struct thread_pool *pool, uint32_t worker_count, thread_pool_fn fn,
                         void *user)
{
    be_of_this_process(pool);
    pthread_mutex_lock(&pool->mutex);
    const uint32_t there = pool->thread_count + 1;
    const uint32_t limit = worker_count < there ? worker_count : there;
    pool->fn = fn;
    pool->user = user;
    pool->limit = limit;
    pool->begun = 0;
    atomic_store(&pool->busy, limit - 1);
    pool->generation++;
    pthread_cond_broadcast(&pool->work_came);
    pthread_mutex_unlock(&pool->mutex);
    return limit - 1;
}

void thread_pool_run(struct thread_pool *pool, uint32_t worker_count, thread_pool_fn fn, void *user)
{
    const bool shared = worker_count > 1 && give_out(pool, worker_count, fn, user) > 0;
    fn(user, 0);
    if (shared) {
        wait_for_workers(pool);
    }
}

/* Threads that have not begun do not begin this job any more. */
static void dismiss_late(struct thread_pool *pool, uint32_t thread_count)
{
    pthread_mutex_lock(&pool->mutex);
    pool->limit = 0;
    atomic_fetch_sub(&pool->busy, thread_count - pool->begun);
    pthread_mutex_unlock(&pool->mutex);
}

void thread_pool_share(struct thread_pool *pool, uint32_t worker_count, thread_pool_fn fn,
                       void *user)
{
    const uint32_t threads = worker_count > 1 ? give_out(pool, worker_count, fn, user) : 0;
    fn(user, 0);
    if (threads > 0) {
        dismiss_late(pool, threads);
        wait_for_workers(pool);
    }
}

uint32_t thread_pool_core_count(void)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0) {
        return 1;
    }
    const int count = CPU_COUNT(&cores);
    return count > 0 ? (uint32_t)count : 1;
}
