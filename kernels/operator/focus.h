/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How what is in focus follows what is seen, as an eye accommodates. Included by C and CUDA. */
#pragma once

#include "kernels/cuda/host_device.h"
#include "operator.h"

#include <math.h>

/* The part of the way that is left after a time, of which a time constant leaves 1/e. */
HOST_DEVICE double operator_left_after(double elapsed_s, double time_s)
{
    return elapsed_s > 0.0 && time_s > 0.0 ? exp(-elapsed_s / time_s) : 0.0;
}

/* The focus comes nearer by a time constant, and what it goes to changes where that differs by more
 * than the hysteresis. Of diopters, or any measure of which equal steps look equal. */
struct operator_follow {
    double elapsed_s; /* since the frame before; 0: it follows on none, and is there at once */
    double left; /* of the way to what is wanted: operator_left_after */
    double hysteresis;
    double start; /* where nothing was in focus, and nothing is seen */
};

/* `seen` is NaN where nothing is: the focus then stays where it was in the frame before. */
HOST_DEVICE double operator_focus_follow(const struct operator_follow *how, double seen,
                                         struct operator_focus *focus)
{
    const bool follows = focus->is_there && how->elapsed_s > 0.0;
    const bool is_seen = isfinite(seen);
    double wanted = is_seen ? seen : how->start;
    if (follows && (!is_seen || fabs(wanted - focus->wanted_diopters) <= how->hysteresis)) {
        wanted = focus->wanted_diopters;
    }
    focus->diopters = wanted + (follows ? how->left * (focus->diopters - wanted) : 0.0);
    focus->wanted_diopters = wanted;
    focus->is_there = is_seen || follows;
    return focus->diopters;
}
