/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_rate.h"

/* 32 buckets a second. A bucket's word holds its number along time above COUNT_BITS, so that one
 * load tells whether its count is of now or of an earlier turn of the ring. */
#define BUCKET_NS INT64_C(31250000)
#define BUCKETS_PER_S 32
#define COUNT_BITS 24
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)

/* Returns how far t_ns is into its bucket. */
static int64_t bucket_offset_ns(int64_t t_ns)
{
    const int64_t rest = t_ns % BUCKET_NS;
    return rest < 0 ? rest + BUCKET_NS : rest;
}

static int64_t bucket_number(int64_t t_ns)
{
    return t_ns / BUCKET_NS - (t_ns % BUCKET_NS < 0);
}

static uint64_t bucket_tag(int64_t number)
{
    return (uint64_t)number << COUNT_BITS;
}

void gaze_rate_add(struct gaze_rate *rate, int64_t t_ns)
{
    const int64_t number = bucket_number(t_ns);
    _Atomic uint64_t *bucket = &rate->buckets[(uint64_t)number % GAZE_RATE_BUCKETS];
    const uint64_t old = atomic_load_explicit(bucket, memory_order_relaxed);
    uint64_t count = (old & ~COUNT_MASK) == bucket_tag(number) ? old & COUNT_MASK : 0;
    count += count < COUNT_MASK;
    atomic_store_explicit(bucket, bucket_tag(number) | count, memory_order_relaxed);
}

static double count_in(struct gaze_rate *rate, int64_t number)
{
    const uint64_t word = atomic_load_explicit(&rate->buckets[(uint64_t)number % GAZE_RATE_BUCKETS],
                                               memory_order_relaxed);
    return (word & ~COUNT_MASK) == bucket_tag(number) ? (double)(word & COUNT_MASK) : 0.0;
}

double gaze_rate_hz(struct gaze_rate *rate, int64_t t_ns)
{
    const int64_t newest = bucket_number(t_ns);
    double count = 0.0;
    for (int64_t age = 0; age < BUCKETS_PER_S; age++) {
        count += count_in(rate, newest - age);
    }
    /* The second begins inside the oldest bucket. */
    const double past = (double)bucket_offset_ns(t_ns) / (double)BUCKET_NS;
    return count + count_in(rate, newest - BUCKETS_PER_S) * (1.0 - past);
}
