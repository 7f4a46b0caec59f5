/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Many measurements of one thing: their median, and where the middle 80 % lie. */
#pragma once

#include <stddef.h>

struct bench_times {
    double median_us; /* 0: nothing was measured */
    double p10_us;
    double p90_us;
    size_t count;
};

/* Sorts them. */
struct bench_times bench_times_of(double *us, size_t count);
