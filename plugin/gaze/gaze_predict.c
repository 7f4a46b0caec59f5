/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_predict.h"

#include <math.h>
#include <string.h>

#define FALLEN 0.9 /* of the fastest so far: less is no noise of it */

void gaze_predict_taylor(const struct gaze_past *past, int64_t ahead_ns, double out_deg[2])
{
    const struct gaze_look *now = gaze_past_at(past, 0);
    const struct gaze_look *then = gaze_past_at(past, gaze_past_back(past, 0, GAZE_TAYLOR_NS));
    const int64_t step_ns = gaze_time_sub(now->t_ns, then->t_ns);
    const double ahead = step_ns > 0 ? (double)ahead_ns / (double)step_ns : 0.0;
    for (int axis = 0; axis < 2; axis++) {
        out_deg[axis] = now->deg[axis] + ahead * (now->deg[axis] - then->deg[axis]);
    }
}

static double distance_deg(const double a_deg[2], const double b_deg[2])
{
    return hypot(a_deg[0] - b_deg[0], a_deg[1] - b_deg[1]);
}

static void begin(struct gaze_leap *leap, const struct gaze_past *past, int64_t window_ns)
{
    const struct gaze_look *start = gaze_past_at(past, gaze_past_back(past, 0, window_ns));
    *leap = (struct gaze_leap){.begun = true, .start_ns = start->t_ns};
    memcpy(leap->start_deg, start->deg, sizeof leap->start_deg);
}

/* The number of the sample at which the velocity rose through so much. */
static size_t rise_of(const struct gaze_leap *leap, const struct gaze_past *past, double deg_s)
{
    size_t rise = 0;
    for (size_t i = 0; i < past->count && gaze_past_at(past, i)->t_ns > leap->start_ns; i++) {
        rise = gaze_past_at(past, i)->deg_s >= deg_s ? i : rise;
    }
    return rise;
}

/* The velocity over a window is that in its middle. */
static void find_landing(struct gaze_leap *leap, const struct gaze_past *past, int64_t window_ns)
{
    const size_t rise = rise_of(leap, past, FALLEN * leap->peak_deg_s);
    const double *rise_deg = gaze_past_at(past, gaze_past_back(past, rise, window_ns / 2))->deg;
    const double *fall_deg = gaze_past_at(past, gaze_past_back(past, 0, window_ns / 2))->deg;
    for (int axis = 0; axis < 2; axis++) {
        leap->landing_deg[axis] = rise_deg[axis] + fall_deg[axis] - leap->start_deg[axis];
    }
    leap->is_known = true;
}

bool gaze_predict_landing(struct gaze_leap *leap, const struct gaze_past *past, int64_t window_ns,
                          double out_deg[2])
{
    const struct gaze_look *now = gaze_past_at(past, 0);
    if (!leap->begun) {
        begin(leap, past, window_ns);
    }
    leap->peak_deg_s = fmax(leap->peak_deg_s, now->deg_s);
    if (!leap->is_known && now->deg_s < FALLEN * leap->peak_deg_s) {
        find_landing(leap, past, window_ns);
    }
    if (!leap->is_known || distance_deg(now->deg, leap->start_deg) >
                               distance_deg(leap->landing_deg, leap->start_deg)) {
        return false;
    }
    memcpy(out_deg, leap->landing_deg, sizeof leap->landing_deg);
    return true;
}
