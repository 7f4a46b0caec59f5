/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method by tensor cores (foveate_bands.cu): shapes, limits and parameters. C and
 * CUDA C share them. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_BANDS_PARAMS_H
#define FOVEA_KERNELS_FOVEATE_CUDA_BANDS_PARAMS_H

#include "kernels/foveate/cuda/common/params.h"

#define FOVEATE_BANDS_WARPS 8

/* A block makes as many whole fragments as fit into so many pixels, at least one. */
#define FOVEATE_BANDS_WIDTH_PX 64
#define FOVEATE_BANDS_HEIGHT_PX 64 /* less if the window would not fit */
#define FOVEATE_BANDS_MAX_FRAGMENT_PX 64
/* The smallest fragment has 4 px. */
#define FOVEATE_BANDS_MAX_FRAGMENTS (FOVEATE_BANDS_WIDTH_PX / 4 * (FOVEATE_BANDS_HEIGHT_PX / 4))
#define FOVEATE_BANDS_MAX_RADIUS_PX 36

/* A filter as an operand: taps from FIRST_TAP from the centre on, zeros beyond the filter, in pairs
 * of neighbours. Table m has the pairs that begin at places 4 i + m, so that the pair two taps on
 * is two tables on. The tables' length puts lanes that read different ones into different banks. */
#define FOVEATE_BANDS_FIRST_TAP (-72)
#define FOVEATE_BANDS_PAIRS 40
struct foveate_bands_filter {
    uint16_t pairs[6][FOVEATE_BANDS_PAIRS][2];
    float begin; /* A sum of bytes + 1024 begins with it, to become levels less 128. */
    float reserved[3];
};

/* A block's fragments, and its window of words at the plan's largest radius, with three more
 * columns on the left, because runs of four begin there. Rows are odd in units of 64 bytes, so that
 * the same sixteen pixels of two neighbouring rows lie in different banks. */
struct foveate_bands_shape {
    int32_t fragments_x;
    int32_t fragments_y;
    int32_t rows;
    int32_t pitch_bytes;
};

HOST_DEVICE struct foveate_bands_shape foveate_bands_shape_of(int32_t fragment_px,
                                                              int32_t height_px, int32_t radius_px)
{
    struct foveate_bands_shape shape;
    const int32_t across = FOVEATE_BANDS_WIDTH_PX / fragment_px;
    const int32_t down = height_px / fragment_px;
    shape.fragments_x = across > 0 ? across : 1;
    shape.fragments_y = down > 0 ? down : 1;
    shape.rows = shape.fragments_y * fragment_px + 2 * radius_px;
    const int32_t columns = shape.fragments_x * fragment_px + 2 * radius_px + 3;
    const int32_t sixteens = (columns + 15) / 16;
    shape.pitch_bytes = (sixteens + 1 - sixteens % 2) * 64;
    return shape;
}

/* Operands of the last row read so many bytes beyond it: the rest of a unit's 32 columns, and of
 * their last 16 inputs. */
#define FOVEATE_BANDS_BYTES_BEYOND 192

HOST_DEVICE int32_t foveate_bands_bytes(const struct foveate_bands_shape *shape)
{
    return shape->rows * shape->pitch_bytes + FOVEATE_BANDS_BYTES_BEYOND;
}

/* The plan on the device. */
struct foveate_bands {
    struct foveate_cuda_tables tables;
    uint64_t filters; /* struct foveate_bands_filter for each ring */
    int32_t radius_px; /* the largest filter's; -1: this plan is not for bands */
    struct foveate_bands_shape shape; /* its blocks' shape */
};

struct foveate_bands_linear_params {
    struct foveate_frame frame;
    struct foveate_bands bands;
    struct foveate_cuda_batch batch;
    struct image_linear src;
    struct image_linear dst;
};

struct foveate_bands_surface_params {
    struct foveate_frame frame;
    struct foveate_bands bands;
    struct foveate_cuda_batch batch;
    uint64_t src;
    uint64_t dst;
};

#endif
