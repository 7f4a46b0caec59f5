/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameter block of the gradients' CUDA kernels, by value; a kernel reads what it needs.
 * Device pointers are 64-bit numbers. Included by C and CUDA. */
#pragma once

#include "kernels/gauss/frame.h"
#include "kernels/image/image_linear.h"
#include "tables.h"

#define GAUSS_GRADIENT_SIDE_X 32 /* of a block of threads, one a sample or pixel */
#define GAUSS_GRADIENT_SIDE_Y 8
#define GAUSS_GRADIENT_GAZE_THREADS 256 /* a power of two; a block a fovea */

/* One of the tables' bands, from plane to plane; places are floats from an image's scratch memory
 * on. Planes lie channel after channel, in rows without gaps. */
struct gauss_gradient_band_params {
    int64_t in;
    int64_t out;
    int32_t in_width, in_height;
    int32_t out_width, out_height;
    int32_t first_row; /* of the tables' rows */
    int32_t adds; /* to what is in out */
    int32_t node; /* whose weights count, where any do */
    int32_t reserved;
};

struct gauss_gradient_law {
    struct gauss_law law;
    int32_t fragment_px; /* 0: no steps */
    int32_t looks_at_gaze; /* 0: sigma is the table's, or the picture's */
    uint64_t table; /* float[] */
};

/* Block z of a grid works on image z of a slice. */
struct gauss_gradient_params {
    int32_t width, height;
    int32_t channels; /* averaged channels */
    int32_t node_count;
    uint64_t scratch; /* float[] */
    int64_t next_floats; /* to the next image's scratch memory */
    int64_t places; /* in it: of pixels */
    int64_t derivative; /* of dst; then two doubles a pixel, which it adds to its gaze's */
    int64_t dots; /* then the fovea that owns the pixel */
    uint64_t rows; /* struct gauss_gradient_row[] */
    uint64_t weights; /* float[] */
    struct gauss_gradient_band_params band;
    struct image_linear image; /* that is read */
    struct image_linear written;
    int64_t image_next_bytes;
    int64_t written_next_bytes;
    struct gauss_gradient_law law;
    uint64_t gazes; /* int2[] in q8 */
    uint64_t others; /* int2[other_count] in q8 for each image */
    int32_t other_count; /* foveas of an image beside its gaze */
    int32_t reserved;
    uint64_t d_gazes_uv; /* float2[1 + other_count] for each image */
    struct image_linear sigmas; /* of a law of pictures of sigmas */
    int64_t sigmas_next_bytes;
    int32_t sigmas_are_halves; /* else 32-bit floats */
    int32_t reserved_2;
    uint64_t d_sigmas; /* float[] of the slice's first image */
};
