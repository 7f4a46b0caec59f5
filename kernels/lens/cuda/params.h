/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameter blocks of lens's CUDA kernels, by value. Device pointers and surface objects are
 * 64-bit numbers. Included by C and CUDA. */
#ifndef FOVEA_KERNELS_LENS_CUDA_PARAMS_H
#define FOVEA_KERNELS_LENS_CUDA_PARAMS_H

#include "kernels/image/image_linear.h"
#include "kernels/lens/shape.h"

#define LENS_SIDE_X 32 /* threads of a block */
#define LENS_SIDE_Y 8
#define LENS_ROWS 4 /* pixels of a thread, one below the other */
#define LENS_LIGHT_ROWS 8 /* likewise where a block fills a table first */

/* Block z of a grid works on image z of a batch. */
struct lens_frame {
    struct lens_shape shape;
    int32_t origin_x_px; /* where the view starts in surfaces; linear images begin there */
    int32_t origin_y_px;
    int32_t light; /* IMAGE_LIGHT_* */
    float light_value;
    int32_t averages_alpha; /* 0: it is the nearest pixel's */
    int32_t colored; /* 1: colours come from different places */
    uint64_t samples; /* float[]: a display's */
    int64_t src_next_bytes; /* linear images only */
    int64_t dst_next_bytes;
};

struct lens_linear_params {
    struct lens_frame frame;
    struct image_linear src;
    struct image_linear dst;
};

struct lens_surface_params {
    struct lens_frame frame;
    uint64_t src;
    uint64_t dst;
};

#endif
