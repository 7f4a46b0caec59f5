/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "thread_steps.h"

#include <assert.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

/* Some 50 us: beyond that somebody else has the core that a chunk is made on. */
#define SPINS_BEFORE_YIELD 1024
/* Beyond that it does not come back by being asked for: a thread of a higher priority may be in its
 * way, which the one here may be itself, or a quota of the processor's time. */
#define SPINS_BEFORE_SLEEP (SPINS_BEFORE_YIELD + 64)
#define SLEEP_NS 50000

void thread_steps_clear(struct thread_steps *steps)
{
    steps->count = 0;
    atomic_store(&steps->next, 0);
    atomic_store(&steps->done, 0);
}

static int32_t first_of(const struct thread_steps *steps, int32_t step)
{
    return step > 0 ? steps->ends[step - 1] : 0;
}

void thread_steps_add(struct thread_steps *steps, int32_t chunk_count)
{
    assert(steps->count < THREAD_STEPS_MAX);
    steps->ends[steps->count] = first_of(steps, steps->count) + chunk_count;
    steps->count++;
}

static void wait_for(struct thread_steps *steps, int32_t count)
{
    for (int32_t spins = 0; atomic_load(&steps->done) < count;
         spins += spins < SPINS_BEFORE_SLEEP) {
        if (spins < SPINS_BEFORE_YIELD) {
            thread_pause();
        } else if (spins < SPINS_BEFORE_SLEEP) {
            sched_yield();
        } else {
            nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
        }
    }
}

/* Takes the next chunk, counted from its step's first; false: there is none. */
static bool take(struct thread_steps *steps, int32_t *out_step, int32_t *out_chunk)
{
    const int32_t chunk = atomic_fetch_add(&steps->next, 1);
    int32_t step = 0;
    while (step < steps->count && chunk >= steps->ends[step]) {
        step++;
    }
    if (step == steps->count) {
        return false;
    }
    wait_for(steps, first_of(steps, step));
    *out_step = step;
    *out_chunk = chunk - first_of(steps, step);
    return true;
}

struct job {
    struct thread_steps *steps;
    void (*fn)(void *user, uint32_t worker, int32_t step, int32_t chunk);
    void *user;
};

static void work(void *user, uint32_t worker)
{
    const struct job *job = user;
    int32_t step;
    int32_t chunk;
    while (take(job->steps, &step, &chunk)) {
        job->fn(job->user, worker, step, chunk);
        atomic_fetch_add(&job->steps->done, 1);
    }
}

void thread_steps_run(struct thread_steps *steps, struct thread_pool *pool, uint32_t worker_count,
                      void (*fn)(void *user, uint32_t worker, int32_t step, int32_t chunk),
                      void *user)
{
    struct job job = {steps, fn, user};
    thread_pool_share(pool, worker_count, work, &job);
}

struct chunks {
    int32_t count;
    void (*fn)(void *user, uint32_t worker, int32_t chunk);
    void *user;
    atomic_int next;
};

static void work_on_chunks(void *user, uint32_t worker)
{
    struct chunks *chunks = user;
    int32_t chunk;
    while ((chunk = atomic_fetch_add(&chunks->next, 1)) < chunks->count) {
        chunks->fn(chunks->user, worker, chunk);
    }
}

void thread_chunks_run(int32_t chunk_count, struct thread_pool *pool, uint32_t worker_count,
                       void (*fn)(void *user, uint32_t worker, int32_t chunk), void *user)
{
    struct chunks chunks = {.count = chunk_count, .fn = fn, .user = user};
    const uint32_t useful = chunk_count > 0 ? (uint32_t)chunk_count : 1;
    thread_pool_share(pool, useful < worker_count ? useful : worker_count, work_on_chunks, &chunks);
}
