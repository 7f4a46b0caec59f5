/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* While images are drawn and shaders compiled GPUs rest, and their clocks fall: an H200's to a
 * quarter, for half a second after, or longer. So rounds are played without being measured, for as
 * long as the rest was, and on until the medians of two parts in a row agree. */

#include "support/clock.h"
#include "vulkan_bench.h"

#include <math.h>

#define REST_S 0.05 /* no clock falls before */
#define LEAST_S 0.8 /* after longer rests, too */
#define MOST_S 3.0
#define PART_S 0.1
#define PART_TIMES 1024
#define AGREE_WITHIN 0.01

static double part_us(const struct vulkan_rounds *rounds)
{
    double us[PART_TIMES];
    size_t count = 0;
    const double end_s = now_s() + PART_S;
    do {
        count += rounds->play(rounds->user, us + count);
    } while (count + rounds->most <= PART_TIMES && now_s() < end_s);
    return bench_times_of(us, count).median_us;
}

void vulkan_warm_up(struct vulkan_bench *b, const struct vulkan_rounds *rounds)
{
    const double begin_s = now_s();
    const double rest_s = begin_s - b->worked_s;
    if (b->bench->wishes.quick || b->is_cpu || rest_s < REST_S) {
        return;
    }
    const double least_s = begin_s + fmin(rest_s, LEAST_S);
    double before_us = 0.0;
    double us = part_us(rounds);
    do {
        before_us = us;
        us = part_us(rounds);
    } while (now_s() < least_s ||
             (fabs(us - before_us) > AGREE_WITHIN * us && now_s() < begin_s + MOST_S));
}

struct bench_times vulkan_time(struct vulkan_bench *b, const struct vulkan_rounds *rounds,
                               size_t count)
{
    double us[VULKAN_TIMES_MOST];
    (void)rounds->play(rounds->user, us); /* which compiles what it needs */
    vulkan_warm_up(b, rounds);
    const size_t measured = b->bench->wishes.quick || b->is_cpu ? 1 : count;
    size_t times = 0;
    for (size_t i = 0; i < measured; i++) {
        times += rounds->play(rounds->user, us + times);
    }
    b->worked_s = now_s();
    return bench_times_of(us, times);
}
