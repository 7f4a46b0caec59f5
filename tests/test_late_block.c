/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The block that carries the newest gaze to a frame that is already queued: no reader ever sees
 * half of one sample and half of another. Also built for ThreadSanitizer, where the compiler has
 * it. */
#include "cmocka_all.h"
#include "kernels/gauss/gauss.h"
#include "kernels/gaze/late.h"

#include <stdatomic.h>
#include <time.h>

#define READERS 3
#define SAMPLES 200000

static struct late_own own_at(int64_t t_ns)
{
    const struct operator_frame frame = {
        .width_px = 640, .height_px = 480, .gaze_x_q8 = -5, .gaze_y_q8 = -7};
    return late_own_make(&frame, t_ns);
}

static struct late_sample sample_at(int32_t x_q8, int32_t y_q8, int64_t t_ns)
{
    return (struct late_sample){
        .gaze_x_q8 = x_q8, .gaze_y_q8 = y_q8, .width_px = 640, .height_px = 480, .t_ns = t_ns};
}

static void assert_latched(const uint32_t *latched, int32_t x_q8, int32_t y_q8, int64_t t_ns,
                           bool taken)
{
    assert_int_equal((int32_t)latched[LATCHED_GAZE_X], x_q8);
    assert_int_equal((int32_t)latched[LATCHED_GAZE_Y], y_q8);
    assert_int_equal(late_join(latched[LATCHED_T_LOW], latched[LATCHED_T_HIGH]), t_ns);
    assert_int_equal(latched[LATCHED_TAKEN], taken);
}

TEST(a_newer_sample_is_taken)
{
    uint32_t block[LATE_WORDS] = {0};
    uint32_t latched[LATCHED_WORDS];
    struct late_writer writer = {.block = block};
    const int64_t own_ns = INT64_C(5) << 32;
    const struct late_own own = own_at(own_ns);
    late_latch(block, &own, 77, latched);
    assert_latched(latched, -5, -7, own_ns, false);
    assert_int_equal(latched[LATCHED_CLOCK_LOW], 77);

    /* Older, of the same time, and newer: by the low word, by the high one, and far. */
    const int64_t times_ns[] = {
        own_ns - 1, own_ns,   own_ns + 1, own_ns + (INT64_C(1) << 32), own_ns - (INT64_C(1) << 32),
        -1,         INT64_MAX};
    for (size_t i = 0; i < sizeof times_ns / sizeof times_ns[0]; i++) {
        const bool newer = times_ns[i] > own_ns;
        const struct late_sample sample = sample_at(-300, 1 << 20, times_ns[i]);
        late_write(&writer, &sample);
        late_latch(block, &own, 0, latched);
        assert_latched(latched, newer ? -300 : -5, newer ? 1 << 20 : -7,
                       newer ? times_ns[i] : own_ns, newer);
    }
}

TEST(a_sample_for_another_size_is_left)
{
    uint32_t block[LATE_WORDS] = {0};
    uint32_t latched[LATCHED_WORDS];
    struct late_writer writer = {.block = block};
    const struct late_own own = own_at(10);
    for (int i = 0; i < 3; i++) {
        struct late_sample sample = sample_at(1, 2, 20);
        sample.width_px += i == 1;
        sample.height_px += i == 2;
        late_write(&writer, &sample);
        late_latch(block, &own, 0, latched);
        assert_int_equal(latched[LATCHED_TAKEN], i == 0);
    }
}

/* A device that is not told in what order the host wrote may see this: any word older than the
 * rest. */
TEST(a_mixture_is_never_taken)
{
    uint32_t old[LATE_WORDS] = {0};
    uint32_t mixed[LATE_WORDS] = {0};
    uint32_t latched[LATCHED_WORDS];
    struct late_writer before = {.block = old};
    struct late_writer after = {.block = mixed, .sequence = 2};
    const struct late_sample first = sample_at(1000, 1000, 20);
    const struct late_sample second = sample_at(2000, 2000, INT64_C(30) << 32);
    const struct late_own own = own_at(10);
    late_write(&before, &first);
    for (unsigned stale = 0; stale < 1u << LATE_WORDS; stale++) {
        late_write(&after, &second);
        bool same_as_old = true;
        bool same_as_new = true;
        for (int i = 0; i < LATE_WORDS; i++) {
            const uint32_t new = mixed[i];
            mixed[i] = (stale >> i & 1u) ? old[i] : new;
            same_as_old = same_as_old && mixed[i] == old[i];
            same_as_new = same_as_new && mixed[i] == new;
        }
        late_latch(mixed, &own, 0, latched);
        assert_int_equal(latched[LATCHED_TAKEN], same_as_old || same_as_new);
    }
}

TEST(a_writer_that_stops_half_way_stops_no_frame)
{
    uint32_t block[LATE_WORDS] = {0};
    uint32_t latched[LATCHED_WORDS];
    struct late_writer writer = {.block = block};
    const struct late_sample sample = sample_at(1, 2, 20);
    const struct late_own own = own_at(10);
    late_write(&writer, &sample);
    block[LATE_SEQUENCE]++;
    late_latch(block, &own, 0, latched);
    assert_latched(latched, -5, -7, 10, false);
}

TEST(the_sequence_never_comes_back_to_nothing)
{
    uint32_t block[LATE_WORDS] = {0};
    uint32_t latched[LATCHED_WORDS];
    struct late_writer writer = {.block = block, .sequence = UINT32_MAX - 5};
    const struct late_own own = own_at(10);
    for (int64_t i = 0; i < 6; i++) {
        const struct late_sample sample = sample_at(1, 2, 20 + i);
        late_write(&writer, &sample);
        assert_int_not_equal(block[LATE_SEQUENCE], 0);
        late_latch(block, &own, 0, latched);
        assert_latched(latched, 1, 2, 20 + i, true);
    }
}

struct hammer {
    uint32_t block[LATE_WORDS];
    atomic_bool done;
    atomic_uint torn;
    atomic_bool taken; /* by a reader at least */
};

/* x, y and the time are of one sample, and times only rise. */
static void *read_many(void *user)
{
    struct hammer *hammer = user;
    const struct late_own own = own_at(0);
    int64_t last_ns = 0;
    do {
        uint32_t latched[LATCHED_WORDS];
        late_latch(hammer->block, &own, 0, latched);
        if (!latched[LATCHED_TAKEN]) {
            continue;
        }
        const int64_t t_ns = late_join(latched[LATCHED_T_LOW], latched[LATCHED_T_HIGH]);
        const uint32_t x = latched[LATCHED_GAZE_X];
        const bool whole = latched[LATCHED_GAZE_Y] == x && t_ns % SAMPLES == (int64_t)x;
        atomic_fetch_add(&hammer->torn, !whole || t_ns < last_ns);
        last_ns = t_ns;
        atomic_store_explicit(&hammer->taken, true, memory_order_relaxed);
    } while (!atomic_load(&hammer->done));
    return NULL;
}

TEST(readers_see_whole_samples)
{
    static struct hammer hammer;
    pthread_t readers[READERS];
    for (int i = 0; i < READERS; i++) {
        readers[i] = test_thread(read_many, &hammer);
    }
    struct late_writer writer = {.block = hammer.block};
    const time_t end_s = time(NULL) + 2; /* readers are put aside in the middle of a copy */
    for (int64_t i = 1; i % 1024 != 0 || time(NULL) < end_s || !atomic_load(&hammer.taken); i++) {
        const int32_t x = (int32_t)(i % SAMPLES);
        /* Both halves of the time change often. */
        const struct late_sample sample = sample_at(x, x, i * (INT64_C(1) << 16) * SAMPLES + x);
        late_write(&writer, &sample);
    }
    atomic_store(&hammer.done, true);
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(readers[i], NULL), 0);
    }
    assert_int_equal(atomic_load(&hammer.torn), 0);
}
