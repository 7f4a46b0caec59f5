/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_clock.h"

#include "gaze_source.h"

#include <math.h>

#define WINDOW_NS (2 * GAZE_NS_PER_S)
#define RESTART_NS GAZE_NS_PER_S
#define SENDER_MAX_S 4e9 /* so many seconds are nanoseconds that can be added */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void begin(struct gaze_clock *clock, int64_t apart_ns, int64_t arrival_ns)
{
    clock->known = true;
    clock->apart_ns = apart_ns;
    clock->apart_before_ns = apart_ns;
    clock->window_end_ns = gaze_time_add(arrival_ns, WINDOW_NS);
}

static void learn(struct gaze_clock *clock, int64_t apart_ns, int64_t arrival_ns)
{
    const int64_t jump_ns = gaze_time_sub(apart_ns, clock->apart_ns);
    if (!clock->known || jump_ns > RESTART_NS || jump_ns < -RESTART_NS) {
        begin(clock, apart_ns, arrival_ns);
    } else if (arrival_ns >= clock->window_end_ns) {
        clock->apart_before_ns = clock->apart_ns;
        clock->apart_ns = apart_ns;
        clock->window_end_ns = gaze_time_add(arrival_ns, WINDOW_NS);
    } else {
        clock->apart_ns = least(clock->apart_ns, apart_ns);
    }
}

bool gaze_clock_place(struct gaze_clock *clock, double sender_s, int64_t arrival_ns,
                      int64_t *out_t_ns)
{
    *out_t_ns = arrival_ns;
    if (!(fabs(sender_s) <= SENDER_MAX_S)) {
        return true;
    }
    const int64_t sender_ns = llround(sender_s * 1e9);
    const int64_t behind_ns = clock->newest_ns - sender_ns;
    if (clock->known && behind_ns > 0 && behind_ns <= RESTART_NS) {
        return false;
    }
    learn(clock, gaze_time_sub(arrival_ns, sender_ns), arrival_ns);
    clock->newest_ns = sender_ns;
    const int64_t placed_ns =
        gaze_time_add(sender_ns, least(clock->apart_ns, clock->apart_before_ns));
    const int64_t t_ns = placed_ns > clock->last_ns ? placed_ns : clock->last_ns;
    *out_t_ns = least(t_ns, arrival_ns);
    clock->last_ns = *out_t_ns;
    return true;
}
