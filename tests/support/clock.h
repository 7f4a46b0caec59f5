/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Times and pauses of tests, and quantiles of many. */
#pragma once

#include <stdlib.h>
#include <time.h>

static inline void rest_ms(long ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

static inline double clock_ms(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static inline double now_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

static inline double now_us(void)
{
    return now_ms() * 1e3;
}

static inline double now_s(void)
{
    return now_ms() * 1e-3;
}

/* Returns the time of this thread alone, whoever else is at work. */
static inline double busy_ms(void)
{
    return clock_ms(CLOCK_THREAD_CPUTIME_ID);
}

static inline int clock_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* So far from the least of them, part 0, to the largest, 1. Sorts them. */
static inline double quantile(double *values, size_t count, double part)
{
    qsort(values, count, sizeof *values, clock_by_value);
    return values[(size_t)(part * (double)(count - 1) + 0.5)];
}
