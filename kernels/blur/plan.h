/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the operator blur does to pictures of one size, and the numbers that each engine works with,
 * which follow from sigma. Made once for settings and a size; every backend reads it. */
#ifndef FOVEA_KERNELS_BLUR_PLAN_H
#define FOVEA_KERNELS_BLUR_PLAN_H

#include "blur.h"
#include "kernels/foveate/foveate.h"

struct blur_engine;

/* A mean of 2 half_px + 1 places whose outermost neighbours on both sides count `end` each. */
struct blur_box {
    int32_t half_px;
    double end; /* 0 .. 1 */
    double scale; /* one over the sum of the weights */
};

/* A weight of max(0, radius_px - |d|) for the place d px away. */
struct blur_tent {
    double radius_px; /* 1 and more */
    int32_t reach_px; /* the whole pixels below it */
    double part; /* what is left of it: radius_px - reach_px */
    double scale; /* one over the sum of the weights */
};

/* Steps of v += rate (flow from the four neighbours). */
struct blur_heat {
    int32_t steps;
    double rate; /* up to 1/4 */
    double edge; /* 0: heat flows everywhere alike */
};

#define BLUR_MOST_LEVELS 8

/* The picture goes down so many levels; [side, 1 - 2 side, side] three times adds there what is
 * left of sigma. */
struct blur_pyramid {
    int32_t levels;
    double side;
};

/* Weights around the middle one, by rows; their sum is 1. */
struct blur_kernel {
    int32_t reach_px;
    double *weights; /* (2 reach_px + 1)^2 */
};

struct blur_plan {
    struct foveate_plan machine; /* begins with the operator's plan; of others than the Gaussian its
                                    light and alpha alone count, and it copies where sigma is 0 */
    const struct blur_engine *engine; /* NULL: the machine runs */
    struct blur_numbers numbers;
    bool has_sigmas; /* frames come with pictures of sigmas, and numbers.sigma_px is the largest */
    /* Of its engine. */
    struct blur_box box;
    struct blur_tent tent;
    struct blur_heat heat;
    struct blur_pyramid pyramid;
    struct blur_kernel kernel;
};

static inline const struct blur_plan *blur_plan_of(const struct operator_plan *plan)
{
    return (const struct blur_plan *)plan;
}

/* Of that standard deviation, in pixels. */
struct blur_box blur_box_of(double sigma_px);
struct blur_tent blur_tent_of(double sigma_px);
struct blur_heat blur_heat_of(double sigma_px);
struct blur_pyramid blur_pyramid_of(double sigma_px);
/* Of the shape or the file, scaled as the numbers have it. FOVEA_ERROR_OUT_OF_MEMORY. */
FOVEA_MUST_CHECK enum fovea_result blur_kernel_make(const struct blur_numbers *numbers,
                                                    struct blur_kernel *out_kernel);

#endif
