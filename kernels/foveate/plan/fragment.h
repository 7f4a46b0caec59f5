/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method's filters on levels (foveate/smooth.h). A fragment is one node of sigma: its
 * truncated Gaussian is taken from the coarsest level that shows no difference, so that what a
 * fragment costs does not hang on sigma.
 *
 * A sample stands for the 2^k pixels of its own cell. What the filter has of a cell, summed pixel
 * by pixel so that the filter ends where it ends, is the sample's weight, sharpened along the
 * samples by [-c 1+2c -c]: variances add, the level's filter has 5/12 (4^k - 1) pixels squared and
 * a cell 1/12 (4^k - 1), and sharpening takes 2 c 4^k away, hence c = 1/4 - 1/4 4^-k. On level 0
 * that is the filter itself.
 *
 * How many samples of sigma must be left was measured, in double precision, for the edge of a half
 * plane, where the filter's last tap shows: 3 keep stored values within 0.06 levels of 255, and
 * linear light within 0.3 of the half level that there is, or 0.65 for the printed rule, whose last
 * tap is larger; the error falls with the rest. 10 bits in linear light ask for a quarter of it.
 * Wide light and floats are kept to a thousandth of what is darkest: for them there is level 0
 * only. */
#ifndef FOVEA_KERNELS_FOVEATE_PLAN_FRAGMENT_H
#define FOVEA_KERNELS_FOVEATE_PLAN_FRAGMENT_H

#include "kernels/foveate/frame.h"

struct foveate_plan;

#ifdef __cplusplus
extern "C" {
#endif

/* One ring's filter. C and CUDA C share it. */
struct foveate_fragment_filter {
    int32_t level;
    int32_t radius_px;
    int32_t count; /* samples that a pixel sees */
    uint32_t first; /* index of the weights; a row of `count` for each pixel of the level's cells */
};

/* Returns the first sample that a pixel sees. */
HOST_DEVICE int32_t foveate_fragment_first(const struct foveate_fragment_filter *filter, int32_t px)
{
    return ((px - filter->radius_px) >> filter->level) - (filter->level > 0 ? 1 : 0);
}

/* Returns where the weights of a pixel's samples begin. */
HOST_DEVICE uint32_t foveate_fragment_row(const struct foveate_fragment_filter *filter, int32_t px)
{
    return filter->first + (uint32_t)((px & ((1 << filter->level) - 1)) * filter->count);
}

/* ---- On the host: foveate/plan/fragment.c */

/* Returns whether a plan's fragments of UNORM pictures should come from levels on a GPU: its wide
 * filters, and small fragments, would cost more from pixels. */
bool foveate_fragments_pay(const struct foveate_plan *plan);

struct foveate_fragment_filters {
    struct foveate_fragment_filter *filters; /* one for each ring */
    float *weights;
    uint32_t weight_count;
    int32_t level_count; /* at least 1 */
    int32_t most_samples; /* samples that a fragment sees along an axis */
};

/* Makes filters for pictures of 8 or 10 bits a colour; the plan is a blockwise one that blurs, in
 * light that is not wide. */
FOVEA_MUST_CHECK enum fovea_result foveate_fragment_filters_init(
    struct foveate_fragment_filters *filters, const struct foveate_plan *plan, int32_t bits);
void foveate_fragment_filters_finish(struct foveate_fragment_filters *filters);

#ifdef __cplusplus
}
#endif

#endif
