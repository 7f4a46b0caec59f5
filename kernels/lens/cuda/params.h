/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameter blocks of lens's CUDA kernels, by value. Device pointers and surface objects are
 * 64-bit numbers. Included by C and CUDA. */
#pragma once

#include "kernels/image/image_linear.h"
#include "kernels/lens/shape.h"

#define LENS_SIDE_X 32 /* threads of a block */
#define LENS_SIDE_Y 8
/* Likewise either way in RGBA8's kernels on surfaces. 32 bytes of an array hold four pixels across
 * and two down: a warp of one row would write half of each. */
#define LENS_SURFACE_SIDE 16
#define LENS_ROWS 4 /* pixels of a thread, one below the other */
#define LENS_BYTE_ROWS 2 /* likewise in the kernels of RGBA8 (pixels.cuh) */
#define LENS_TABLE_ROWS 8 /* likewise where a block fills a table first */

/* The kernels of RGBA8 take this of the shape, since their places are whole numbers of steps
 * (spot.cuh). */
struct lens_fixed {
    int32_t bits; /* a pixel has 2^bits steps; from 8 to 16 */
    int32_t is_even; /* 1: no odd power of r */
    float first_x_px; /* the first pixel's centre, from the centre */
    float first_y_px;
    uint32_t half; /* of a pixel, in steps */
    uint32_t width; /* of the picture, in steps */
    uint32_t height;
    uint32_t blank; /* the pixel that is shown where there is no source */
    float steps_a_px; /* 2^bits */
    float terms[LENS_COLORS * LENS_POWERS]; /* a polynomial's, for r in px, times 2^bits */
};

/* Block z of a grid works on image z of a batch. */
struct lens_frame {
    struct lens_shape shape;
    int32_t origin_x_px; /* where the view starts in surfaces; linear images begin there */
    int32_t origin_y_px;
    int32_t light; /* IMAGE_LIGHT_* */
    float light_value;
    int32_t samples_across; /* a pixel is the mean of so many places either way */
    int32_t averages_alpha; /* 0: it is the nearest pixel's */
    int32_t colored; /* 1: colours come from different places */
    float most; /* struct lens_plan's */
    uint64_t samples; /* float[]: a display's */
    uint64_t moves; /* float[]: of a grid, x and y in pixels at its points */
    int64_t src_next_bytes; /* linear images only */
    int64_t dst_next_bytes;
    struct lens_fixed fixed;
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
