/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Chooses what is in focus, from the costs of patch sizes under the gaze. C and CUDA include it. */
#pragma once

#include "fovea_lightfield.h"
#include "kernels/operator/focus.h"

#define LIGHTFIELD_SURE 0.1 /* something is seen where costs differ by such a part */

struct lightfield_focusing {
    double first_px, step_px; /* patch sizes that are looked at */
    int32_t size_count;
    int32_t is_blind; /* 1: there is no gaze */
    struct operator_follow follow; /* of patch sizes in px */
};

/* The number of the least cost, of equal ones the last. They lie `pitch` apart; how sure it is says
 * the least of those whose patch size is a pixel or more away. */
HOST_DEVICE int lightfield_least(const float *costs, int64_t pitch, int count, double step_px,
                                 float *out_confidence)
{
    int best = count - 1;
    float least = costs[best * pitch];
    float other = __builtin_inff();
    for (int n = best - 1; n >= 0; n--) {
        const float cost = costs[n * pitch];
        best = cost < least ? n : best;
        least = cost < least ? cost : least;
    }
    for (int n = 0; n < count; n++) {
        const float cost = costs[n * pitch];
        if (fabs((double)(n - best)) * step_px > 1.0 - 1e-6 && cost < other) {
            other = cost;
        }
    }
    *out_confidence = other > 0.0f && isfinite(other) ? 1.0f - least / other : 0.0f;
    return best;
}

/* The patch size of the least cost; NaN: none is seen. */
HOST_DEVICE double lightfield_seen(const struct lightfield_focusing *how, int best,
                                   float confidence)
{
    return !how->is_blind && (double)confidence >= LIGHTFIELD_SURE
               ? how->first_px + best * how->step_px
               : (double)__builtin_nanf("");
}

/* Moves the focus on, and returns the patch size. It is one of this frame's even where the frame
 * before looked at others: a picture's tiles have room for these alone. */
HOST_DEVICE double lightfield_focus(const struct lightfield_focusing *how, double seen,
                                    struct operator_focus *focus)
{
    const double last_px = how->first_px + (how->size_count - 1) * how->step_px;
    focus->diopters = fmin(fmax(focus->diopters, how->first_px), last_px);
    focus->wanted_diopters = fmin(fmax(focus->wanted_diopters, how->first_px), last_px);
    return operator_focus_follow(&how->follow, seen, focus);
}

#ifndef __cplusplus
static inline struct lightfield_focusing lightfield_focusing_of(
    const struct fovea_lightfield_refocusing *refocusing, uint32_t size_count)
{
    return (struct lightfield_focusing){
        .first_px = refocusing->first_px,
        .step_px = refocusing->step_px,
        .size_count = (int32_t)size_count,
        .is_blind = refocusing->foveation == NULL,
        .follow = {.elapsed_s = refocusing->elapsed_s,
                   .left = operator_left_after(refocusing->elapsed_s, refocusing->focus_time_s),
                   .hysteresis = refocusing->focus_hysteresis_px,
                   .start = 0.5 * (refocusing->first_px + refocusing->last_px)},
    };
}
#endif
