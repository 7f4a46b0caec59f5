/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Work in steps on a pool: each piece is made once, and no step begins before those in front of it
 * are done, with more threads than there are cores and with fewer pieces than threads. Threads that
 * come too late for a job leave it alone. */

#include "cmocka_all.h"
#include "core/thread_pool.h"
#include "core/thread_steps.h"
#include "process_counts.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MOST_PIECES 40

struct work {
    struct thread_steps steps;
    int32_t pieces[THREAD_STEPS_MAX]; /* of each step */
    int32_t step; /* that is under way, where pieces are of none */
    atomic_int made[THREAD_STEPS_MAX][MOST_PIECES];
    atomic_int done[THREAD_STEPS_MAX];
    /* Written by the pieces of a step, read by those of the next: what ThreadSanitizer is to look
     * at. */
    int32_t values[THREAD_STEPS_MAX][MOST_PIECES];
    atomic_int too_early;
};

static void make(struct work *work, int32_t step, int32_t piece)
{
    for (int32_t before = 0; before < step; before++) {
        if (atomic_load(&work->done[before]) != work->pieces[before]) {
            atomic_fetch_add(&work->too_early, 1);
        }
    }
    int32_t sum = 1;
    for (int32_t i = 0; step > 0 && i < work->pieces[step - 1]; i++) {
        sum += work->values[step - 1][i];
    }
    work->values[step][piece] = sum % 1000;
    atomic_fetch_add(&work->made[step][piece], 1);
    atomic_fetch_add(&work->done[step], 1);
}

static void make_piece(void *user, uint32_t worker, int32_t step, int32_t piece)
{
    make(user, step, piece);
}

static void make_of_step(void *user, uint32_t worker, int32_t piece)
{
    struct work *work = user;
    make(work, work->step, piece);
}

static void begin(struct work *work, const int32_t *pieces, size_t count)
{
    memset(work, 0, sizeof *work);
    thread_steps_clear(&work->steps);
    for (size_t i = 0; i < count; i++) {
        work->pieces[i] = pieces[i];
        thread_steps_add(&work->steps, pieces[i]);
    }
}

static void end(const struct work *work, size_t count)
{
    assert_int_equal(atomic_load(&work->too_early), 0);
    for (size_t s = 0; s < count; s++) {
        for (int32_t p = 0; p < work->pieces[s]; p++) {
            assert_int_equal(atomic_load(&work->made[s][p]), 1);
        }
    }
}

/* Steps at once, and then one after the other as pieces of no steps. */
static void run_on(struct thread_pool *pool, uint32_t workers, struct work *work,
                   const int32_t *pieces, size_t count)
{
    begin(work, pieces, count);
    thread_steps_run(&work->steps, pool, workers, make_piece, work);
    end(work, count);
    begin(work, pieces, count);
    for (; work->step < (int32_t)count; work->step++) {
        thread_chunks_run(pieces[work->step], pool, workers, make_of_step, work);
    }
    end(work, count);
}

static void run(struct thread_pool *pool, struct work *work, const int32_t *pieces, size_t count)
{
    run_on(pool, thread_pool_worker_max(pool), work, pieces, count);
}

static const int32_t shapes[][THREAD_STEPS_MAX] = {
    {1, 1, 1, 1, 1, 1, 1, 1}, {0, 3, 0, 0, 7, 1, 0, 2},    {40, 1, 40, 1, 40, 1, 40, 1},
    {0, 0, 0, 0, 0, 0, 0, 0}, {5, 40, 3, 17, 1, 0, 9, 40},
};

TEST(every_piece_is_made_once_and_in_its_step)
{
    static const uint32_t workers[] = {1, 2, 3, 16};
    OWNED(owned_free) struct work *work = malloc(sizeof *work);
    assert_non_null(work);
    for (size_t w = 0; w < COUNT(workers); w++) {
        OWNED(thread_pool_destroy) struct thread_pool *pool = NULL;
        assert_ok(thread_pool_create(workers[w], &pool));
        assert_int_equal(thread_pool_grow(pool, workers[w]), workers[w]);
        for (int round = 0; round < 200; round++) {
            run(pool, work, shapes[(size_t)round % COUNT(shapes)], THREAD_STEPS_MAX);
        }
        run(pool, work, shapes[0], 0);
    }
}

/* Right after a run its threads may be awake still. */
TEST(pools_may_go_right_after_a_run)
{
    OWNED(owned_free) struct work *work = malloc(sizeof *work);
    assert_non_null(work);
    for (int round = 0; round < 100; round++) {
        OWNED(thread_pool_destroy) struct thread_pool *pool = NULL;
        assert_ok(thread_pool_create(4, &pool));
        assert_int_equal(thread_pool_grow(pool, 4), 4);
        run(pool, work, shapes[1], THREAD_STEPS_MAX);
    }
}

static void note_worker(void *user, uint32_t worker)
{
    atomic_int *runs = user;
    atomic_fetch_add(&runs[worker], 1);
}

/* Plans of different sizes use one pool so, one after the other. */
TEST(no_more_workers_take_part_than_are_asked_for)
{
    static const uint32_t wanted[] = {1, 8, 2, 5, 1, 8, 3};
    struct thread_pool *pool = NULL;
    assert_ok(thread_pool_create(6, &pool));
    const long before = process_count().threads;
    uint32_t there = 1;
    for (size_t i = 0; i < 50 * COUNT(wanted); i++) {
        atomic_int runs[8] = {0};
        const uint32_t count = wanted[i % COUNT(wanted)];
        there = thread_pool_grow(pool, count);
        thread_pool_run(pool, count, note_worker, runs);
        for (uint32_t worker = 0; worker < 8; worker++) {
            assert_int_equal(atomic_load(&runs[worker]), worker < count && worker < there);
        }
    }
    assert_int_equal(there, 6);
    assert_int_equal(process_count().threads, before + 5);
    thread_pool_destroy(&pool);
    assert_int_equal(process_count().threads, before);
}

/* ThreadSanitizer ends a child of fork that starts threads, if it is not told otherwise. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

TEST(a_child_of_fork_has_threads_of_its_own)
{
    OWNED(thread_pool_destroy) struct thread_pool *pool = NULL;
    atomic_int runs[4] = {0};
    int status = 0;
    assert_ok(thread_pool_create(4, &pool));
    assert_int_equal(thread_pool_grow(pool, 4), 4);
    thread_pool_run(pool, 4, note_worker, runs);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20); /* it would wait for its parent's threads for ever */
        thread_pool_run(pool, 4, note_worker, runs);
        thread_pool_destroy(&pool);
        _exit(runs[0] + runs[1] + runs[2] + runs[3]);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, W_EXITCODE(8, 0));
    thread_pool_run(pool, 4, note_worker, runs);
    assert_int_equal(runs[0] + runs[1] + runs[2] + runs[3], 8);
}

struct shared {
    bool waits; /* worker 0, for another one to begin */
    atomic_int begun[8];
    atomic_int ended[8];
};

static void begin_and_end(void *user, uint32_t worker)
{
    struct shared *shared = user;
    atomic_fetch_add(&shared->begun[worker], 1);
    while (worker == 0 && shared->waits && atomic_load(&shared->begun[1]) == 0 &&
           atomic_load(&shared->begun[2]) == 0) {
        sched_yield();
    }
    if (worker > 0) {
        sched_yield();
    }
    atomic_fetch_add(&shared->ended[worker], 1);
}

/* Memory of a job may go when thread_pool_share returns: AddressSanitizer sees a late thread. */
TEST(threads_that_are_late_leave_a_job_alone)
{
    OWNED(thread_pool_destroy) struct thread_pool *pool = NULL;
    assert_ok(thread_pool_create(3, &pool));
    assert_int_equal(thread_pool_grow(pool, 3), 3);
    for (int round = 0; round < 2000; round++) {
        OWNED(owned_free) struct shared *shared = calloc(1, sizeof *shared);
        assert_non_null(shared);
        shared->waits = round % 3 == 0;
        thread_pool_share(pool, 1 + (uint32_t)(round % 3 == 0 ? 2 : round % 2), begin_and_end,
                          shared);
        assert_int_equal(atomic_load(&shared->begun[0]), 1);
        assert_true(!shared->waits ||
                    atomic_load(&shared->begun[1]) + atomic_load(&shared->begun[2]) > 0);
        for (int worker = 0; worker < 3; worker++) {
            const int begun = atomic_load(&shared->begun[worker]);
            assert_in_range(begun, 0, 1);
            assert_int_equal(atomic_load(&shared->ended[worker]), begun);
        }
    }
}

struct runner {
    struct thread_pool *pool;
    atomic_bool stop;
};

static void *run_until_stopped(void *user)
{
    struct runner *runner = user;
    OWNED(owned_free) struct work *work = malloc(sizeof *work);
    for (int round = 0; work && !atomic_load(&runner->stop); round++) {
        run_on(runner->pool, 1 + (uint32_t)round % 24, work, shapes[(size_t)round % COUNT(shapes)],
               THREAD_STEPS_MAX);
    }
    return NULL;
}

TEST(no_number_of_workers_takes_all_threads_of_the_system)
{
    OWNED(thread_pool_destroy) struct thread_pool *pool = NULL;
    assert_int_equal(thread_pool_create(UINT32_MAX, &pool), FOVEA_OK);
    assert_in_range(thread_pool_worker_max(pool), THREAD_POOL_WORKERS, CPU_SETSIZE);
}

/* A plan is made on one thread while jobs of others run on another. */
TEST(a_pool_grows_while_it_works)
{
    for (int round = 0; round < 20; round++) {
        struct runner runner = {0};
        pthread_t thread;
        assert_ok(thread_pool_create(24, &runner.pool));
        thread = test_thread(run_until_stopped, &runner);
        for (uint32_t count = 1; count <= 30; count++) {
            assert_int_equal(thread_pool_grow(runner.pool, count), count < 24 ? count : 24);
            sched_yield();
        }
        atomic_store(&runner.stop, true);
        pthread_join(thread, NULL);
        thread_pool_destroy(&runner.pool);
    }
}

static void *guarded;

static void open_guarded(int signal)
{
    mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
}

static void write_guarded(void *user, uint32_t worker)
{
    if (worker > 0) {
        *(volatile int *)guarded = 7;
    }
}

/* Layers that record what is written to mapped memory have such a handler. */
TEST(a_fault_of_a_worker_comes_to_the_programs_handler)
{
    struct sigaction before;
    const struct sigaction own = {.sa_handler = open_guarded};
    struct thread_pool *pool = NULL;
    guarded = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(guarded, MAP_FAILED);
    assert_int_equal(sigaction(SIGSEGV, &own, &before), 0);
    assert_ok(thread_pool_create(2, &pool));
    assert_int_equal(thread_pool_grow(pool, 2), 2);
    thread_pool_run(pool, 2, write_guarded, NULL);
    thread_pool_destroy(&pool);
    sigaction(SIGSEGV, &before, NULL);
    assert_int_equal(*(const int *)guarded, 7);
    munmap(guarded, 4096);
}
