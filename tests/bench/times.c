/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "times.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const double *sorted, size_t count, double p)
{
    return sorted[(size_t)(p * (double)(count - 1) + 0.5)];
}

struct bench_times bench_times_of(double *us, size_t count)
{
    if (count == 0) {
        return (struct bench_times){0};
    }
    qsort(us, count, sizeof *us, compare);
    return (struct bench_times){.median_us = percentile(us, count, 0.5),
                                .p10_us = percentile(us, count, 0.1),
                                .p90_us = percentile(us, count, 0.9),
                                .count = count};
}
