/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameter blocks of blur's CUDA kernels, by value. Device pointers and surface objects are
 * 64-bit numbers. Included by C and CUDA. */
#ifndef FOVEA_KERNELS_BLUR_CUDA_PARAMS_H
#define FOVEA_KERNELS_BLUR_CUDA_PARAMS_H

#include "kernels/blur/shape.h"
#include "kernels/image/image_linear.h"

#define BLUR_ROW_THREADS 128 /* samples of one row that a block makes */
#define BLUR_SIDE_X 32 /* a block's samples or pixels */
#define BLUR_SIDE_Y                                                                                \
    8 /* and of these each thread makes BLUR_ROWS of the result, one below the other */
#define BLUR_ROWS 4

/* Block z of a grid works on image z of a batch. */
struct blur_frame {
    struct blur_shape shape;
    int32_t origin_x_px; /* where the view starts in the images */
    int32_t origin_y_px;
    int32_t light; /* IMAGE_LIGHT_* */
    float light_value;
    int32_t averages_alpha; /* 0: copied */
    int32_t decimate_at; /* of the tables: where weights begin */
    int32_t upsample_at;
    uint64_t tables; /* float[]: a display's samples, weights to decimate, weights to upsample */
    uint64_t samples; /* float4[]: rows that are decimated, then the level */
    int64_t next_samples; /* from an image's to the next image's; 0: they are one picture */
    int64_t src_next_bytes; /* linear images only */
    int64_t dst_next_bytes;
};

struct blur_linear_params {
    struct blur_frame frame;
    struct image_linear src;
    struct image_linear dst;
};

struct blur_surface_params {
    struct blur_frame frame;
    uint64_t src;
    uint64_t dst;
};

#endif
