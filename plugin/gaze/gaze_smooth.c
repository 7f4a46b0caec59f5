/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_smooth.h"

#include <math.h>

#define TWO_PI (2.0 * 3.14159265358979323846)

static double share_of_new(double cutoff_hz, double step_s)
{
    return 1.0 / (1.0 + 1.0 / (TWO_PI * cutoff_hz * step_s));
}

double gaze_one_euro_pass(struct gaze_one_euro *filter, const struct gaze_one_euro_desc *desc,
                          double value, double step_s)
{
    if (!filter->begun) {
        *filter = (struct gaze_one_euro){.begun = true, .value = value};
        return value;
    }
    const double slope = (value - filter->value) / step_s;
    const double slope_share = share_of_new(desc->derivative_cutoff_hz, step_s);
    filter->slope += slope_share * (slope - filter->slope);
    const double cutoff_hz = desc->min_cutoff_hz + desc->beta * fabs(filter->slope);
    filter->value += share_of_new(cutoff_hz, step_s) * (value - filter->value);
    return filter->value;
}

static void insert(double *sorted, size_t count, double value)
{
    size_t at = count;
    for (; at > 0 && sorted[at - 1] > value; at--) {
        sorted[at] = sorted[at - 1];
    }
    sorted[at] = value;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

double gaze_median(const struct gaze_past *past, int axis, int64_t window_ns, size_t most_count)
{
    double sorted[GAZE_PAST_MEDIAN] = {gaze_past_at(past, 0)->deg[axis]};
    size_t count = 1;
    const size_t most = least(least(most_count, past->count), GAZE_PAST_MEDIAN);
    const int64_t first_ns = gaze_time_sub(gaze_past_at(past, 0)->t_ns, window_ns);
    for (; count < most; count++) {
        const struct gaze_look *look = gaze_past_at(past, count);
        if (look->t_ns < first_ns) {
            break;
        }
        insert(sorted, count, look->deg[axis]);
    }
    return 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
}
