/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameter blocks of blur's CUDA kernels, by value. Device pointers and surface objects are
 * 64-bit numbers. Included by C and CUDA. Block z of a grid works on image z of a batch. */
#ifndef FOVEA_KERNELS_BLUR_CUDA_PARAMS_H
#define FOVEA_KERNELS_BLUR_CUDA_PARAMS_H

#include "kernels/blur/passes.h"
#include "kernels/image/image_linear.h"

#define BLUR_CUDA_SIDE_X 32 /* threads of a block that loads or stores, a pixel each */
#define BLUR_CUDA_SIDE_Y 8

/* Images become samples, and samples images. */
struct blur_image_frame {
    int32_t width_px;
    int32_t height_px;
    int32_t origin_x_px; /* where the view starts in surfaces; linear images begin there */
    int32_t origin_y_px;
    int32_t light; /* IMAGE_LIGHT_*; STORED of float formats too */
    float light_value;
    int32_t averages_alpha; /* 0: it is the source's, bit for bit */
    int32_t reserved;
    uint64_t light_samples; /* float[]: a display's */
    uint64_t samples; /* float4[]: the view's of the first image */
    int64_t next_samples; /* to the next image's */
    int64_t src_next_bytes; /* linear images only */
    int64_t dst_next_bytes;
};

struct blur_linear_params {
    struct blur_image_frame frame;
    struct image_linear src;
    struct image_linear dst;
};

struct blur_surface_params {
    struct blur_image_frame frame;
    uint64_t src;
    uint64_t dst;
};

/* The engine fft transforms these: a plane of numbers for each channel, each row as long as the
 * width and two numbers more. Column i is the picture's until its width, then its last one again,
 * and the first one again where the kernel comes round; rows likewise. */
struct blur_planes {
    int32_t width;
    int32_t height;
    int32_t reach_x_px;
    int32_t reach_y_px;
    int32_t count; /* of an image */
    int32_t precise; /* double[], else float[] */
    uint64_t at;
};

struct blur_planes_linear_params {
    struct blur_image_frame frame;
    struct blur_planes planes;
    struct image_linear src;
    struct image_linear dst;
};

struct blur_planes_surface_params {
    struct blur_image_frame frame;
    struct blur_planes planes;
    uint64_t src;
    uint64_t dst;
};

#define BLUR_FFT_THREADS 256 /* of a block that multiplies, a complex number of each plane each */

struct blur_fft_product_params {
    uint64_t planes; /* complex, of width / 2 + 1 a row */
    uint64_t kernel; /* one such plane */
    int64_t numbers; /* of a plane */
    int32_t count;
    int32_t reserved;
};

struct blur_pass_params {
    union blur_constants constants;
    uint64_t samples; /* float4[]: of the first image */
    int64_t next_samples;
};

#endif
