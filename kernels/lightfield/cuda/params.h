/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Says what the kernels of light fields take. C and CUDA include it. */
#pragma once

#include "fovea_lightfield.h"
#include "kernels/image/image_linear.h"
#include "kernels/lightfield/focus.h"
#include "kernels/lightfield/sum_block.h"

/* Pixels of the picture: a block's, where nothing else is said. */
#define LIGHTFIELD_CUDA_WIDTH 32
#define LIGHTFIELD_CUDA_HEIGHT 8
#define LIGHTFIELD_CUDA_THREADS (LIGHTFIELD_CUDA_WIDTH * LIGHTFIELD_CUDA_HEIGHT)
#define LIGHTFIELD_CUDA_SIZES 256 /* LIGHTFIELD_SIZES_MAX */
#define LIGHTFIELD_CUDA_WINDOW 63 /* LIGHTFIELD_WINDOW_MAX_PX */
#define LIGHTFIELD_CUDA_LENSES 11 /* of a row that count, at most: 2 LIGHTFIELD_RANGE_MAX + 1 */

struct lightfield_cuda_raw {
    uint64_t data;
    int64_t row_stride_bytes;
    int32_t width_px, height_px;
    int32_t nearest; /* 1: the pixel that a place lies in */
    int32_t whole_pixels; /* 1: every pixel of four channels is aligned to its size */
    uint32_t lattices; /* mosaics: x + 2 y of the first red, two green and blue, two bits each */
    float most; /* of a channel */
};

/* Pixels of the picture beside each other, and lenses. */
struct lightfield_cuda_axis {
    double per_pixel, per_lens; /* 1 / pixels, 1 / lenses */
    int32_t pixels, lenses;
    int32_t each; /* pixels of a lens, where all have as many; 0: they have not */
    int32_t reserved;
};

struct lightfield_cuda_array {
    double pitch_x_px, pitch_y_px;
    double tall; /* pitch_y_px / pitch_x_px */
    double origin_x_px, origin_y_px;
    double cos, sin; /* of the array's rotation */
    double sign; /* -1: micro-images are the other way up */
    double reach_px; /* lenses so far away count that (2 away + 1) patch is no more */
    struct lightfield_cuda_axis across, down;
    int32_t columns, rows;
    int32_t hexagonal;
    int32_t reserved;
};

struct lightfield_cuda_picture {
    struct image_linear image;
    int32_t width_px, height_px;
    int32_t format; /* enum fovea_format */
    float scale; /* from the raw picture's levels to this one's */
    float opaque;
    int32_t reserved;
};

/* Says of how many lenses pixels are made, by their nearest lens's place in the picture. */
struct lightfield_cuda_rings {
    double gaze_x_px, gaze_y_px;
    double full_square, next_square; /* of distances, px */
    int32_t is_on; /* 0: all pixels of all */
    int32_t reserved;
};

struct lightfield_cuda_rendering {
    struct lightfield_cuda_raw raw;
    struct lightfield_cuda_array array;
    struct lightfield_cuda_picture dst;
    struct lightfield_cuda_rings rings;
    struct image_linear patches; /* R32F; data 0: patch_px everywhere */
    double patch_px;
    uint64_t focus; /* struct lightfield_cuda_focus, which has the patch size; 0: patch_px */
    float view_x_px, view_y_px;
    float factor; /* -1 / (2 sigma^2) */
    int32_t range;
};

struct lightfield_cuda_matching {
    struct lightfield_cuda_raw raw;
    struct lightfield_cuda_array array;
    struct lightfield_cuda_picture depth, confidence; /* data 0: none is wanted */
    struct lightfield_cuda_rings rings;
    double first_px, step_px;
    int32_t size_count;
    int32_t range;
    int32_t box;
    int32_t row_first, row_count; /* of the picture, that there are costs of */
    int32_t out_first, out_count; /* and those that are written now */
    int32_t reserved;
    uint64_t costs; /* float: of each patch size row_count rows */
    uint64_t boxes; /* the same, averaged */
};

/* Holds what the pixels of a search differ by from those of one lens. */
struct lightfield_cuda_difference {
    float sum, count;
};

/* In the device's memory: what has been in focus, of which all but the last begins as 0. */
struct lightfield_cuda_focus {
    struct operator_focus focus;
    double patch_px; /* that of the last search */
    uint32_t arrived; /* blocks of a search */
    uint32_t reserved;
    /* One lens has all patch sizes, then comes the next lens. */
    struct lightfield_cuda_difference
        differences[LIGHTFIELD_CUDA_SIZES * LIGHTFIELD_CUDA_LENSES * LIGHTFIELD_CUDA_LENSES];
};

struct lightfield_cuda_search {
    struct lightfield_cuda_raw raw;
    struct lightfield_cuda_array array;
    struct lightfield_focusing how;
    struct lightfield_cuda_picture patch; /* one pixel; data 0: it is not wanted */
    int32_t columns[2], rows[2]; /* of the square: first and end */
    int32_t range;
    int32_t reserved;
    uint64_t focus; /* struct lightfield_cuda_focus */
};

struct lightfield_cuda_sum {
    struct lightfield_cuda_raw raw;
    struct lightfield_cuda_array array;
    struct lightfield_cuda_picture dst;
    double shift, radius_px;
    double view_x_px, view_y_px;
    struct lightfield_sum_block block;
};
