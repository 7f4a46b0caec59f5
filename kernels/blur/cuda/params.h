/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameter blocks of blur's CUDA kernels, by value. Device pointers and surface objects are
 * 64-bit numbers. Included by C and CUDA. Block z of a grid works on image z of a batch. */
#pragma once

#include "kernels/blur/passes.h"
#include "kernels/image/image_linear.h"
#include "transform.h"

/* Threads of a block that loads or stores: each has a pixel, makes BLUR_HALVED samples of pixels,
 * or makes four pixels of samples. */
#define BLUR_CUDA_SIDE_X 32
#define BLUR_CUDA_SIDE_Y 8
#define BLUR_HALVED 8 /* samples of level 1 that a thread makes of pixels */

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

#define BLUR_BOX_EACH 17 /* places of a line that a thread makes */
#define BLUR_BOX_AROUND 2 /* parts of so many places on both sides of a line, which are 0 */
#define BLUR_BOX_MOST_THREADS 1024

/* Parts of lines that blocks put through boxes: threadIdx.y is the line, threadIdx.x the thread. */
struct blur_box_lines {
    int32_t half_px;
    int32_t reach_px; /* with the ends that count in part */
    int32_t boxes;
    int32_t margin; /* places on both sides of those that are made */
    int32_t made;
    int32_t line_places; /* of shared memory */
    float end;
    float scale;
    float inner; /* scale (1 - end) */
    float outer; /* scale end */
};

/* The work of kernels that read or write images. */
struct blur_image_work {
    struct blur_image_frame frame;
    struct blur_box_lines lines; /* of box */
    struct blur_level_constants level; /* of quasi */
};

struct blur_linear_params {
    struct blur_image_work work;
    struct image_linear src;
    struct image_linear dst;
};

struct blur_surface_params {
    struct blur_image_work work;
    uint64_t src;
    uint64_t dst;
};

/* The engine fft transforms these: a plane of complex numbers for each channel, whose real parts
 * are the upper half of the picture, and whose imaginary parts are the lower one, each with as much
 * around it as the kernel reaches. The kernel's numbers are real, so that both come back apart. */
struct blur_planes {
    struct blur_transform across; /* its length is that of a row in memory, too */
    struct blur_transform down;
    int32_t reach_x_px;
    int32_t reach_y_px;
    int32_t half_px; /* rows of the picture in a half; of an odd height the last is in one alone */
    int32_t rows; /* with those around them; a column's numbers beyond them are 0 */
    int32_t count; /* of an image */
    int32_t lines; /* rows of so many planes are in a block's shared memory at a time */
    int32_t precise; /* double precision, else single */
    int32_t reserved;
    uint64_t at;
};

struct blur_planes_params {
    struct blur_image_frame frame;
    struct blur_planes planes;
    struct image_linear src; /* of a surface, `data` is its object */
    struct image_linear dst;
    int32_t format; /* FOVEA_FORMAT_* */
    int32_t surfaces; /* 1; 0: linear images */
};

#define BLUR_FFT_MOST_THREADS 512 /* of a block that transforms a row, or long columns */
#define BLUR_FFT_COLUMN_THREADS 256 /* of one that transforms short columns */

/* Columns of planes that are transformed where they lie. */
struct blur_fft_columns_params {
    struct blur_transform transform;
    uint64_t at;
    int64_t next; /* complex numbers from a plane to the next */
    uint64_t kernel; /* a plane of all columns' numbers, by rows as these lie in a column */
    int32_t width; /* columns, and numbers of a row */
    int32_t rows; /* that are read, and 0 from there on */
    int32_t first_written;
    int32_t written; /* rows from there on */
    int32_t planes;
    int32_t reserved;
};

#define BLUR_CUDA_HEAT_MADE 48 /* pixels of a block, each way */
#define BLUR_CUDA_HEAT_THREADS 256

struct blur_pass_params {
    union blur_constants constants;
    uint64_t samples; /* float4[]: of the first image */
    int64_t next_samples;
    int32_t averages_alpha; /* heat's fourth number counts */
    int32_t reserved;
};
