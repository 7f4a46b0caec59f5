/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_state.h"

#include <math.h>

#define RAD_PER_DEG (3.14159265358979323846 / 180.0)

static void direction_of(const double deg[2], double out[3])
{
    out[0] = tan(deg[0] * RAD_PER_DEG);
    out[1] = tan(deg[1] * RAD_PER_DEG);
    out[2] = 1.0;
}

double gaze_angle_deg(const double a_deg[2], const double b_deg[2])
{
    double a[3];
    double b[3];
    direction_of(a_deg, a);
    direction_of(b_deg, b);
    /* The cross product of b and what is left of a: right for small angles too. */
    const double d[3] = {a[0] - b[0], a[1] - b[1], 0.0};
    const double x = d[1] * b[2];
    const double y = -d[0] * b[2];
    const double z = d[0] * b[1] - d[1] * b[0];
    const double cross = sqrt(x * x + y * y + z * z);
    return atan2(cross, a[0] * b[0] + a[1] * b[1] + 1.0) / RAD_PER_DEG;
}

double gaze_velocity_deg_s(const struct gaze_past *past, int64_t window_ns)
{
    if (past->count < 2) {
        return 0.0;
    }
    const struct gaze_look *now = gaze_past_at(past, 0);
    const struct gaze_look *then = gaze_past_at(past, gaze_past_back(past, 0, window_ns));
    const double step_s = (double)gaze_time_sub(now->t_ns, then->t_ns) * 1e-9;
    return gaze_angle_deg(now->deg, then->deg) / step_s;
}
