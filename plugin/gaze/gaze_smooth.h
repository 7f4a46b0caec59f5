/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Filters of one number that comes at times of its own. */
#pragma once

#include "gaze_past.h"

struct gaze_one_euro_desc {
    double min_cutoff_hz;
    double beta; /* Hz for each unit a second */
    double derivative_cutoff_hz;
};

/* Zeroed: no number yet. */
struct gaze_one_euro {
    bool begun;
    double value;
    double slope; /* a second */
};

/* The 1 Euro filter (Casiez, Roussel and Vogel 2012): a low pass whose cutoff rises with the
 * filtered speed. step_s is above 0, and not read for the first number. */
double gaze_one_euro_pass(struct gaze_one_euro *filter, const struct gaze_one_euro_desc *desc,
                          double value, double step_s);

/* The median of an axis of the past: the newest back to window_ns before it, but no more than
 * most_count, nor than GAZE_PAST_MEDIAN; of an even number the mean of the middle two. There is one
 * at least. */
double gaze_median(const struct gaze_past *past, int axis, int64_t window_ns, size_t most_count);
