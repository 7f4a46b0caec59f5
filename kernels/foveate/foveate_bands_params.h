/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method by tensor cores (foveate_bands.cu): shapes, limits and parameters. Shared by C and
 * CUDA C. */
#ifndef FOVEA_KERNELS_FOVEATE_BANDS_PARAMS_H
#define FOVEA_KERNELS_FOVEATE_BANDS_PARAMS_H

#include "foveate_cuda_params.h"

#define FOVEATE_BANDS_WARPS 8

/* A block makes whole fragments, as many as fit into so many pixels, at least one. */
#define FOVEATE_BANDS_WIDTH_PX 64
#define FOVEATE_BANDS_HEIGHT_PX 32
#define FOVEATE_BANDS_MAX_FRAGMENT_PX 64
/* For the smallest fragment. */
#define FOVEATE_BANDS_MAX_FRAGMENTS (FOVEATE_BANDS_WIDTH_PX / 4 * (FOVEATE_BANDS_HEIGHT_PX / 4))

/* Six products of depth 16 hold the rows of 16 outputs and of this on both sides. */
#define FOVEATE_BANDS_MAX_RADIUS_PX 36
#define FOVEATE_BANDS_MAX_DEPTH 6

/* What a block stages of a row, in halves for each channel: a region's pixels, its filters' reach, up to
 * three more on the left, where runs of four begin, and on the right what the last product reads beyond
 * its outputs. Odd in units of 16 bytes, times one or three channels, so that the same columns of eight
 * rows lie in different banks. */
#define FOVEATE_BANDS_COLUMNS_BEYOND 22
#define FOVEATE_BANDS_WINDOW_COLUMNS 168

/* A block's fragments, and the rows of its window at the plan's largest radius. */
struct foveate_bands_shape {
    int32_t fragments_x;
    int32_t fragments_y;
    int32_t rows;
};

FOVEATE_BOTH struct foveate_bands_shape foveate_bands_shape_of(int32_t fragment_px,
                                                               int32_t height_px, int32_t radius_px)
{
    struct foveate_bands_shape shape;
    const int32_t across = FOVEATE_BANDS_WIDTH_PX / fragment_px;
    const int32_t down = height_px / fragment_px;
    shape.fragments_x = across > 0 ? across : 1;
    shape.fragments_y = down > 0 ? down : 1;
    shape.rows = shape.fragments_y * fragment_px + 2 * radius_px;
    return shape;
}

FOVEATE_BOTH int32_t foveate_bands_bytes(const struct foveate_bands_shape *shape, int32_t channels)
{
    return channels * shape->rows * FOVEATE_BANDS_WINDOW_COLUMNS * 2;
}

/* The plan on the device. */
struct foveate_bands {
    struct foveate_cuda_tables tables;
    uint64_t half_taps; /* like tables.taps, in halves whose sums are 1 */
    int32_t radius_px; /* of the largest filter; -1: this plan is not for bands */
    int32_t height_px; /* a block's fragments lie within so many rows, or are one row of them */
};

struct foveate_bands_linear_params {
    struct foveate_frame frame;
    struct foveate_bands bands;
    struct foveate_cuda_batch batch;
    struct foveate_cuda_linear src;
    struct foveate_cuda_linear dst;
};

struct foveate_bands_surface_params {
    struct foveate_frame frame;
    struct foveate_bands bands;
    struct foveate_cuda_batch batch;
    uint64_t src;
    uint64_t dst;
};

#endif
