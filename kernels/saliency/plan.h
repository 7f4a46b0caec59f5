/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A plan depends on the scales and the size of pictures alone. Scales below 4 px are summed at
 * every pixel, those above at the samples of a level: sigma is 2 to 4 of its steps (README.md). All
 * have a kernel of whole numbers, p(x) q(y) + q(x) p(y). */
#pragma once

#include "kernels/cuda/host_device.h"
#include "kernels/saliency/saliency.h"

/* With sigma_min_px 64 and 25 scales, sigmas up to 16384 px: steps up to 8192 */
#define SALIENCY_LEVELS_MAX 14
/* F - G of one bin has a range of 1, which is so many of the whole numbers that bins are added as:
 * no sum of three channels' overflows. */
#define SALIENCY_UNIT 2097152.0 /* 2^21 */
/* Lines, samples of coarser levels, and sums along a row by p or q, less half of p's sum at level
 * 0, are whole numbers up to 2^11 on both sides of 0, and so are halves. All sums of them are less
 * than 2^24, and so exact in floats, too. Products are in a unit that is so many bits finer: what
 * is left of a plane's |F - G| is added. */
#define SALIENCY_FINE_REACH 19 /* 4.4 sigma of less than 4 px, and more */
#define SALIENCY_FINE_SCALES_MAX 6
#define SALIENCY_FINE_SHIFT 2
#define SALIENCY_FINE_SUM 4096 /* of a line of p, at most; even */
#define SALIENCY_RUN_MAX 8 /* neighbours of a row in one bin that are added at once */
#define SALIENCY_FINE_PITCH 48 /* of kernels: 2 reach + SALIENCY_RUN_MAX */
#define SALIENCY_COARSE_REACH 18 /* 4.4 sigma of less than 4 steps */
#define SALIENCY_COARSE_SUM 8128 /* of a line of p, at most: 127 * 64 */
#define SALIENCY_COARSE_SHIFT 2
#define SALIENCY_SAMPLE_MIDDLE 2048 /* a sample where the plane has no pixel is minus this one */
/* A level's samples are the next finer one's, or pixels of 2048 on both sides of 0, times weights
 * along rows, and then along columns; both sums are rounded. The weights are binomials of 8. */
#define SALIENCY_HALF_REACH 4
#define SALIENCY_HALF_SHIFT 8 /* they come to 2^8 */
#define SALIENCY_ROW_SHIFT 13 /* from a row's sum to 12 bits */
#define SALIENCY_REACH 19 /* the larger of both */
#define SALIENCY_TAPS_MAX 8 /* samples of step 2 that a pixel adds to, along an axis */
#define SALIENCY_OUT_BEFORE 2 /* samples beyond the picture's edge, for interpolation */
#define SALIENCY_OUT_AFTER 3

/* Positions along an axis: sample i of a level is at pixel i * step. */
struct saliency_axis {
    int32_t pixels;
    int32_t first, last; /* samples of planes; those beyond are like them */
    int32_t out_first, out_last; /* samples of the response */
    /* Step 2 has them: the first sample that each pixel adds to, how many, and SALIENCY_TAPS_MAX
     * weights. A sample's weights come to 2^SALIENCY_HALF_SHIFT. */
    int32_t *tap_first;
    int32_t *tap_count;
    int32_t *taps;
};

/* Levels have steps of 1, 2, 4, ...; one may have no scales. */
struct saliency_level {
    int32_t step_px;
    uint32_t scale_first, scale_end;
    struct saliency_axis x, y;
};

struct saliency_scale {
    float sigma_px;
    int32_t level;
    int32_t reach;
    /* Sides of the lines whose products the kernel is */
    int32_t p[SALIENCY_REACH + 1], q[SALIENCY_REACH + 1];
    /* Level 0: kernels of 2 reach + 1 rows of SALIENCY_FINE_PITCH, of 1 pixel and of up to
     * SALIENCY_RUN_MAX beside each other */
    int32_t *kernels;
    int32_t width, height; /* of its response */
    size_t offset; /* of its response among those of all */
};

#define SALIENCY_OVERLAPS 32

struct saliency_plan {
    struct saliency_numbers numbers;
    /* How far discs may be from each other, by the ratio of their radii (saliency_overlap_reach) */
    float overlaps[SALIENCY_OVERLAPS + 1];
    int32_t width_px, height_px;
    int32_t fine_reach; /* of the scales of level 0 */
    uint32_t level_count;
    uint32_t scale_count;
    struct saliency_level levels[SALIENCY_LEVELS_MAX];
    struct saliency_scale scales[SALIENCY_SCALES_MAX];
    size_t response_count; /* numbers of all scales */
    size_t bytes; /* that it has allocated */
};

/* A weight by its distance, 0 .. SALIENCY_HALF_REACH */
HOST_DEVICE int32_t saliency_half_weight(int32_t distance)
{
    return distance == 0 ? 70 : distance == 1 ? 56 : distance == 2 ? 28 : distance == 3 ? 8 : 1;
}

static inline const int32_t *saliency_kernel_of(const struct saliency_scale *scale, int32_t run)
{
    return scale->kernels + (run - 1) * (2 * scale->reach + 1) * SALIENCY_FINE_PITCH;
}

/* How far from each other's centres two discs have the part `most` of the smaller one's area in
 * common, by the ratio of the smaller radius to the larger: in radii of the smaller one from the
 * larger one's edge. Below -1: they never have more. */
double saliency_overlap_reach(double most, double ratio);

FOVEA_MUST_CHECK enum fovea_result saliency_plan_create(const struct saliency_numbers *numbers,
                                                        uint32_t width_px, uint32_t height_px,
                                                        struct saliency_plan **out_plan);
void saliency_plan_destroy(struct saliency_plan **plan);
