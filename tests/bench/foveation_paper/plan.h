/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's processor makes this before its kernel runs: the filters, and which fragment has
 * which. And what that kernel is to make, in double precision.
 *
 * The paper prints alpha, e2, CT_0, the cutoff and 6 sigma for a filter's length. What the text at
 * hand lacks is the published program's: half the diagonal is 100 degrees, 30 cycles a degree are
 * Nyquist, and rings are 1.4 F apart. An even length becomes the next odd one. */
#pragma once

#include "foveation_paper.h"

#include <stdbool.h>
#include <stddef.h>

#define FOVEATION_FILTERS FOVEATION_PAPER_STARTS

struct foveation_law {
    double at_gaze_px; /* sigma = at the gaze + distance times slope, at least least */
    double slope;
    double least_px;
    double most_px; /* of half the diagonal, and beyond */
};

struct foveation_plan_desc {
    int32_t width_px, height_px;
    int32_t fragment_px; /* a multiple of 8 */
    double strength; /* times sigma */
    double gaze_px[2];
    bool shuffled; /* the grid's filters lie anywhere: f(x, y) instead of f(distance) */
    bool ramped; /* pixels by themselves: next to what is copied sigma begins at 0, as Fovea's does
                  */
    bool fixed; /* the grid begins at the corner, whatever the gaze */
};

struct foveation_plan {
    struct foveation_plan_desc desc;
    struct foveation_law law;
    int32_t filters; /* beside the copy */
    int32_t starts[FOVEATION_FILTERS]; /* starts[0] = 0 */
    float weights[FOVEATION_PAPER_WEIGHTS];
    double *exact; /* the weights in double precision */
    int32_t longest;
    int32_t columns, rows;
    int32_t first_x_px, first_y_px;
    uint16_t *grid;
};

struct foveation_law foveation_law_of(int32_t width_px, int32_t height_px, double strength);
double foveation_sigma_px(const struct foveation_law *law, double distance_px);

/* False: more weights than constant memory has, or no memory. */
bool foveation_plan_make(const struct foveation_plan_desc *desc, struct foveation_plan *out);
void foveation_plan_free(struct foveation_plan *plan);

/* Bytes of shared memory of a block. */
size_t foveation_tile_bytes(const struct foveation_plan *plan);
size_t foveation_result_bytes(const struct foveation_plan *plan);
/* Products a picture of 3 channels costs: what is within fragments and around them. */
double foveation_products(const struct foveation_plan *plan);

/* A channel of a pixel by the plan, unrounded. */
double foveation_exact(const struct foveation_plan *plan, const uint8_t *src, int32_t pixel_bytes,
                       int32_t x, int32_t y, int channel);
/* The same of a Gaussian of the pixel's own. */
double foveation_exact_pixelwise(const struct foveation_plan *plan, const uint8_t *src,
                                 int32_t pixel_bytes, int32_t x, int32_t y, int channel);
