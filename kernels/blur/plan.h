/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The plan of the operator blur for pictures of one size: the numbers that each engine works with,
 * which follow from sigma. It is made once for settings and a size, and every backend reads it. */
#pragma once

#include "blur.h"
#include "kernels/gauss/gauss.h"
#include "kernels/operator/operator.h"
#include "passes.h"

struct blur_engine;

/* The sigmas that an engine takes. */
struct blur_range {
    const char *name; /* the word */
    double most_sigma_px;
    double most_pictured_px; /* the largest sigma of pictures of them; 0: it takes none */
    double most_vulkan_px; /* the largest whose passes fit in BLUR_MOST_PASSES; 0: it has none */
};

/* A mean of 2 half_px + 1 places whose outermost neighbours on both sides count `end` each. */
struct blur_box {
    int32_t half_px;
    double end; /* 0 .. 1 */
    double scale; /* one over the sum of the weights */
};

static inline int32_t blur_box_reach(const struct blur_box *box)
{
    return box->half_px + (box->end > 0.0 ? 1 : 0);
}

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
    double rate; /* up to 1/6 */
    double edge; /* 0: heat flows everywhere alike */
};

#define BLUR_MOST_LEVELS 8

/* The picture goes down so many levels; [side, 1 - 2 side, side] three times adds there what is
 * left of sigma. */
struct blur_pyramid {
    int32_t levels;
    double side;
};

#define BLUR_WIDEN_REACH 3 /* of what is added at the coarsest */

/* Weights around the middle one, by rows; their sum is 1. */
struct blur_kernel {
    int32_t reach_x_px;
    int32_t reach_y_px;
    double *weights; /* (2 reach_x_px + 1) (2 reach_y_px + 1) */
};

struct blur_plan {
    struct gauss_plan machine; /* begins with the operator's plan; of others than the Gaussian its
                                    light and alpha alone count, and it copies where sigma is 0 */
    const struct blur_engine *engine; /* NULL: the machine runs */
    struct blur_numbers numbers;
    struct shared_data *table; /* a share of the numbers'; NULL: there is none */
    bool has_sigmas; /* frames come with pictures of sigmas, and numbers.sigma_px is the largest */
    /* One of these is set, the engine's. */
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

struct blur_range blur_range_of(uint32_t engine);
/* Numbers of other engines do not count. The table is the settings'. */
struct blur_numbers blur_numbers_of(const struct operator_plan_desc *desc);
/* Does as operator_api.plan_complain. */
bool blur_complain(const struct operator_plan_desc *desc, char *out, size_t bytes);
/* True where nothing is blurred. */
static inline bool blur_copies(const struct blur_numbers *numbers)
{
    return !(numbers->sigma_px > 0.0) && !(numbers->radius_px > 0.0);
}
/* Does as operator_api.plan_lacks. */
bool blur_numbers_lack(const struct blur_numbers *numbers, bool has_sigmas,
                       enum fovea_backend backend, char *out, size_t bytes);

/* These are what has that standard deviation, in pixels. */
struct blur_box blur_box_of(double sigma_px);
struct blur_tent blur_tent_of(double sigma_px);
struct blur_heat blur_heat_of(double sigma_px);
struct blur_pyramid blur_pyramid_of(double sigma_px);
/* Returns a level of it: samples from `first` to the last ones of both axes. Those further out, as
 * the picture repeats its edges, are like the outermost of these. Level 0 is the picture. */
struct blur_pass_level blur_level_of(const struct blur_plan *plan, int32_t number);
static inline int32_t blur_level_rows(const struct blur_pass_level *level)
{
    return level->last_y - level->first + 1;
}
/* Samples of the levels from 1 on that lie before one; behind the last comes it again, widened. */
int32_t blur_level_samples_before(const struct blur_plan *plan, int32_t number);
/* Gives the taps from the middle one on. */
void blur_pyramid_taps(const struct blur_pyramid *pyramid, float out_taps[BLUR_WIDEN_REACH + 1]);
/* Makes it of the shape or the table, scaled as the numbers have it. FOVEA_ERROR_OUT_OF_MEMORY. */
FOVEA_MUST_CHECK enum fovea_result blur_kernel_make(const struct blur_numbers *numbers,
                                                    struct blur_kernel *out_kernel);

/* Folds a kernel: weights further out than the picture is wide or high read its edge from
 * everywhere, and come to lie on the outermost weights that a picture of that size needs, which
 * changes no pixel. FOVEA_ERROR_OUT_OF_MEMORY, and the kernel is as it was. */
FOVEA_MUST_CHECK enum fovea_result blur_kernel_fold(uint32_t width_px, uint32_t height_px,
                                                    struct blur_kernel *kernel);

/* Tiles of transforms are no larger. */
#define BLUR_KERNEL_MOST_REACH_PX 900
/* A table's weights that are 0 count too. */
bool blur_kernel_reaches_too_far(const struct blur_numbers *numbers, int32_t *out_reach_px);
