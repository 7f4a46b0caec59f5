/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "clock.h"
#include "stand.h"

#include <stdio.h>

#define MAX_FRAMES 4096
#define WARM_UP 100 /* frames that are not counted: plans, kernels, clocks */

/* These parts of a frame are timed on the GPU. */
enum part {
    ADDED, /* from the end of drawing until it may be shown */
    FIRST, /* Fovea's first batch */
    BETWEEN, /* from its end to the second one's begin */
    SECOND,
    PART_COUNT,
};
static const char *const names[PART_COUNT] = {"added_us", "first_us", "between_us", "second_us"};

static double parts[PART_COUNT][MAX_FRAMES];
static uint32_t count, seen;
static double wall_start_s, cpu_start_s, thread_start_s;

static void start_clocks(void)
{
    wall_start_s = now_s();
    cpu_start_s = clock_ms(CLOCK_PROCESS_CPUTIME_ID) * 1e-3;
    thread_start_s = busy_ms() * 1e-3;
}

void stand_cost_begin(void)
{
    start_clocks();
}

static double span_us(uint64_t from_ns, uint64_t to_ns)
{
    return from_ns && to_ns ? (double)(int64_t)(to_ns - from_ns) * 1e-3 : 0.0;
}

void stand_cost_frame(const struct stand *stand, uint32_t image)
{
    struct screenless_times times;
    if (++seen == WARM_UP) {
        start_clocks();
    }
    if (seen <= WARM_UP || count == MAX_FRAMES || !stand->times_of(image, &times)) {
        return;
    }
    parts[ADDED][count] = span_us(times.drawn, times.shown);
    parts[FIRST][count] = span_us(times.begun[0], times.ended[0]);
    parts[BETWEEN][count] = span_us(times.ended[0], times.begun[1]);
    parts[SECOND][count] = span_us(times.begun[1], times.ended[1]);
    count++;
}

void stand_cost_end(uint32_t frames)
{
    if (frames > WARM_UP) {
        const double scale = 1e6 / (frames - WARM_UP);
        printf("frame_us %.3f\ncpu_us %.3f\nthread_us %.3f\n", (now_s() - wall_start_s) * scale,
               (clock_ms(CLOCK_PROCESS_CPUTIME_ID) * 1e-3 - cpu_start_s) * scale,
               (busy_ms() * 1e-3 - thread_start_s) * scale);
    }
    for (int i = 0; i < PART_COUNT && count > 0; i++) {
        printf("%s %.2f\n%s_p99 %.2f\n", names[i], quantile(parts[i], count, 0.5), names[i],
               quantile(parts[i], count, 0.99));
    }
}
