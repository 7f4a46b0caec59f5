/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Many threads push and many read: no sample is ever torn, lost from the count or out of order.
 * Also built for ThreadSanitizer, where the compiler has it. */
#include "support/clock.h"
#include "test_gaze_support.h"

#include "plugin/gaze/gaze_slot.h"

#include <sched.h>
#include <stdatomic.h>

#define PUSHERS 3
#define READERS 3
#define PUSHES 20000

struct stress {
    struct fovea_gaze_source *source;
    _Atomic int64_t clock;
    atomic_uint pushing;
    _Atomic uint64_t taken;
    atomic_uint torn;
    atomic_uint backwards;
};

/* y and the fraction of x follow from x's whole part: a mixture of two samples shows. */
static double whole_of(int64_t t)
{
    return (double)(t % 1000003);
}

static void *push_many(void *user)
{
    struct stress *stress = user;
    uint64_t taken = 0;
    for (int i = 0; i < PUSHES; i++) {
        const int64_t t_ns = atomic_fetch_add(&stress->clock, 1);
        const double whole = whole_of(t_ns);
        const struct fovea_gaze_sample sample = {
            .x = whole, .y = 2000000.0 - whole, .t_ns = t_ns, .confidence = 1};
        taken += fovea_gaze_source_push(stress->source, &sample) == FOVEA_OK;
    }
    atomic_fetch_add(&stress->taken, taken);
    atomic_fetch_sub(&stress->pushing, 1);
    return NULL;
}

/* An image of 1000003 x 2000000 pixels, so that nothing is clamped and pixels come back whole. */
static void *read_many(void *user)
{
    struct stress *stress = user;
    uint64_t last_count = 0;
    int64_t last_t_ns = -1;
    while (atomic_load(&stress->pushing) > 0) {
        struct fovea_gaze gaze;
        if (fovea_gaze_source_read(stress->source, INT64_C(1) << 40, 1000003, 2000000, &gaze) !=
            FOVEA_OK) {
            atomic_fetch_add(&stress->torn, 1);
            continue;
        }
        if (gaze.sample_count == 0) {
            continue;
        }
        const int64_t t_ns = (INT64_C(1) << 40) - gaze.age_ns;
        const double x = gaze.point.x_uv * 1000003;
        const double y = gaze.point.y_uv * 2000000;
        const bool whole = fabs(x - whole_of(t_ns)) < 1e-3 && fabs(y - (2000000.0 - x)) < 1e-3;
        atomic_fetch_add(&stress->torn, !whole);
        atomic_fetch_add(&stress->backwards,
                         gaze.sample_count < last_count || t_ns < last_t_ns ||
                             (gaze.sample_count == last_count && t_ns != last_t_ns));
        last_count = gaze.sample_count;
        last_t_ns = t_ns;
    }
    return NULL;
}

TEST(readers_see_whole_samples_in_order)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    settings.space = FOVEA_GAZE_SPACE_PIXELS;
    settings.fallback = FOVEA_GAZE_FALLBACK_LAST;
    struct stress stress = {.source = gaze_open(&settings)};
    atomic_store(&stress.pushing, PUSHERS);
    pthread_t threads[PUSHERS + READERS];
    for (int i = 0; i < PUSHERS + READERS; i++) {
        void *(*run)(void *) = i < PUSHERS ? push_many : read_many;
        threads[i] = test_thread(run, &stress);
    }
    for (int i = 0; i < PUSHERS + READERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(atomic_load(&stress.torn), 0);
    assert_int_equal(atomic_load(&stress.backwards), 0);
    const struct fovea_gaze gaze = gaze_at(stress.source, 0);
    assert_int_equal(gaze.sample_count, atomic_load(&stress.taken));
    assert_int_equal(gaze.sample_count + gaze.rejected_count, PUSHERS * PUSHES);
    assert_true(gaze.sample_count > 0);
    fovea_gaze_source_destroy(&stress.source);
}

struct slot_stress {
    struct gaze_slot slot;
    atomic_bool done;
    atomic_uint torn;
    _Atomic uint64_t reads;
};

static void *read_slot(void *user)
{
    struct slot_stress *stress = user;
    uint64_t last = 0;
    uint64_t reads = 0;
    do {
        uint64_t words[GAZE_SLOT_WORDS];
        if (!gaze_slot_read(&stress->slot, words)) {
            continue;
        }
        bool whole = words[0] >= last;
        for (int i = 1; i < GAZE_SLOT_WORDS; i++) {
            whole = whole && words[i] == words[0] * (uint64_t)(i + 1);
        }
        atomic_fetch_add(&stress->torn, !whole);
        last = words[0];
        reads++;
    } while (!atomic_load(&stress->done));
    atomic_fetch_add(&stress->reads, reads);
    return NULL;
}

TEST(a_slot_is_never_torn)
{
    static struct slot_stress stress;
    uint64_t words[GAZE_SLOT_WORDS];
    assert_false(gaze_slot_read(&stress.slot, words));
    pthread_t readers[READERS];
    for (int i = 0; i < READERS; i++) {
        readers[i] = test_thread(read_slot, &stress);
    }
    /* Long enough for readers to be put aside in the middle of a copy, many times. */
    const int64_t end_ns = fovea_time_ns() + 400 * MS;
    for (uint64_t n = 1; n % 1024 != 0 || fovea_time_ns() < end_ns; n++) {
        for (int i = 0; i < GAZE_SLOT_WORDS; i++) {
            words[i] = n * (uint64_t)(i + 1);
        }
        gaze_slot_publish(&stress.slot, words);
    }
    atomic_store(&stress.done, true);
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(readers[i], NULL), 0);
    }
    assert_int_equal(atomic_load(&stress.torn), 0);
    assert_true(atomic_load(&stress.reads) > 0);
}

/* A writer that was stopped in the middle, as the scheduler may do. */
TEST(a_stopped_writer_stops_no_reader)
{
    static struct gaze_slot slot;
    uint64_t words[GAZE_SLOT_WORDS] = {1, 2, 3, 4, 5, 6, 7};
    gaze_slot_publish(&slot, words);
    struct gaze_slot_copy *next = &slot.copies[2 % GAZE_SLOT_COPIES];
    atomic_store(&next->generation, 0);
    atomic_store(&next->words[0], 99);
    uint64_t seen[GAZE_SLOT_WORDS];
    assert_true(gaze_slot_read(&slot, seen));
    assert_memory_equal(seen, words, sizeof words);
}

struct ear {
    struct gaze_listener listener;
    atomic_bool listening;
    atomic_uint calls;
    atomic_uint uncalled_for; /* while nobody was listening */
    int64_t last_t_ns; /* guarded by the source: calls come one after the other */
    unsigned backwards;
};

static void hear(void *user, const struct fovea_gaze_sample *sample)
{
    struct ear *ear = user;
    atomic_fetch_add(&ear->calls, 1);
    atomic_fetch_add(&ear->uncalled_for, !atomic_load(&ear->listening));
    ear->backwards += sample->t_ns < ear->last_t_ns;
    ear->last_t_ns = sample->t_ns;
}

static struct ear *open_ear(struct fovea_gaze_source *source)
{
    struct ear *ear = test_memory(1, sizeof *ear);
    atomic_store(&ear->listening, true);
    ear->listener = (struct gaze_listener){.heard = hear, .user = ear};
    assert_ok(gaze_source_listen(source, &ear->listener));
    return ear;
}

/* How often it was called. */
static unsigned close_ear(struct fovea_gaze_source *source, struct ear *ear)
{
    gaze_source_unlisten(source, &ear->listener);
    atomic_store(&ear->listening, false);
    assert_int_equal(atomic_load(&ear->uncalled_for), 0);
    assert_int_equal(ear->backwards, 0);
    const unsigned calls = atomic_load(&ear->calls);
    free(ear);
    return calls;
}

/* A listener's memory may go as soon as it was taken away, whoever is pushing. */
TEST(a_listener_leaves_while_samples_arrive)
{
    const struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    struct stress stress = {.source = gaze_open(&settings)};
    struct ear *ear = open_ear(stress.source);
    atomic_store(&stress.pushing, PUSHERS);
    pthread_t threads[PUSHERS];
    for (int i = 0; i < PUSHERS; i++) {
        threads[i] = test_thread(push_many, &stress);
    }
    unsigned calls = 0;
    while (atomic_load(&stress.pushing) > 0) {
        while (atomic_load(&ear->calls) == 0 && atomic_load(&stress.pushing) > 0) {
            sched_yield();
        }
        calls += close_ear(stress.source, ear);
        ear = open_ear(stress.source);
    }
    for (int i = 0; i < PUSHERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    calls += close_ear(stress.source, ear);
    assert_true(calls > 0);
    fovea_gaze_source_destroy(&stress.source);
}

/* ---- One pushes while another does, who is slow ---- */

struct contention {
    struct fovea_gaze_source *source;
    struct gaze_listener listener;
    atomic_bool hears;
    int64_t work_ns; /* of the listener's: asleep, or busy */
    bool busy;
    bool real_time; /* the second one, which then runs on the same processor */
    int64_t passed_ns; /* until the second one was through */
    int64_t own_ns; /* of that: it ran */
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    assert_int_equal(clock_gettime(clock, &now), 0);
    return now.tv_sec * S + now.tv_nsec;
}

static void hear_slowly(void *user, const struct fovea_gaze_sample *sample)
{
    struct contention *contention = user;
    const struct timespec pause = {.tv_nsec = (long)contention->work_ns};
    if (sample->t_ns != 1) {
        return;
    }
    atomic_store(&contention->hears, true);
    if (!contention->busy) {
        nanosleep(&pause, NULL);
        return;
    }
    const int64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + contention->work_ns;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
    }
}

static void *push_first(void *user)
{
    struct contention *contention = user;
    const struct fovea_gaze_sample sample = {.x = 0.5, .y = 0.5, .t_ns = 1, .confidence = 1};
    assert_ok(fovea_gaze_source_push(contention->source, &sample));
    return NULL;
}

static void *push_second(void *user)
{
    struct contention *contention = user;
    const struct fovea_gaze_sample sample = {.x = 0.5, .y = 0.5, .t_ns = 2, .confidence = 1};
    while (!atomic_load(&contention->hears)) {
        rest_ms(1);
    }
    const int64_t start_ns = fovea_time_ns();
    const int64_t own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    assert_ok(fovea_gaze_source_push(contention->source, &sample));
    contention->own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - own_ns;
    contention->passed_ns = fovea_time_ns() - start_ns;
    return NULL;
}

/* False: this process may have no threads of real time. */
static bool start(struct contention *contention, pthread_t *thread, void *(*run)(void *),
                  bool real_time)
{
    pthread_attr_t attributes;
    const struct sched_param priority = {.sched_priority = real_time};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, real_time ? SCHED_FIFO : SCHED_OTHER);
    pthread_attr_setschedparam(&attributes, &priority);
    if (contention->real_time) {
        pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    }
    const bool started = pthread_create(thread, &attributes, run, contention) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

static bool meet(struct contention *contention)
{
    const struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    pthread_t first, second;
    contention->source = gaze_open(&settings);
    contention->listener = (struct gaze_listener){.heard = hear_slowly, .user = contention};
    assert_ok(gaze_source_listen(contention->source, &contention->listener));
    const bool met = start(contention, &second, push_second, contention->real_time);
    if (met) {
        assert_true(start(contention, &first, push_first, false));
        assert_int_equal(pthread_join(first, NULL), 0);
        assert_int_equal(pthread_join(second, NULL), 0);
    }
    gaze_source_unlisten(contention->source, &contention->listener);
    fovea_gaze_source_destroy(&contention->source);
    return met;
}

TEST(who_waits_for_another_sleeps)
{
    struct contention contention = {.work_ns = 200 * MS};
    assert_true(meet(&contention));
    assert_true(contention.passed_ns > 100 * MS);
    assert_true(contention.own_ns < 20 * MS);
}

/* It must let the one below it work, who has what it waits for. */
TEST(a_thread_of_real_time_gets_past_one_below_it)
{
    struct contention contention = {.work_ns = 20 * MS, .busy = true, .real_time = true};
    if (!meet(&contention)) {
        skip();
    }
    print_message("real time: %.1f ms, of which it ran %.2f ms\n",
                  (double)contention.passed_ns / MS, (double)contention.own_ns / MS);
    assert_true(contention.passed_ns < 500 * MS);
    assert_true(contention.own_ns < 20 * MS);
}
