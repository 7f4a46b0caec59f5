/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "times.h"

#include "support/clock.h"

struct bench_times bench_times_of(double *us, size_t count)
{
    if (count == 0) {
        return (struct bench_times){0};
    }
    return (struct bench_times){.median_us = quantile(us, count, 0.5),
                                .p10_us = quantile(us, count, 0.1),
                                .p90_us = quantile(us, count, 0.9),
                                .count = count};
}
