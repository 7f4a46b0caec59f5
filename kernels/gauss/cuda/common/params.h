/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameter blocks of the CUDA kernels, by value. Shared by C and CUDA C: device pointers and
 * surface objects are 64-bit numbers. */
#pragma once

#include "kernels/gauss/frame.h"
#include "kernels/image/image_linear.h"

/* A block of the smooth method's kernels: pixels or samples across and down, a thread each. */
#define GAUSS_CUDA_BLOCK_WIDTH 32
#define GAUSS_CUDA_BLOCK_HEIGHT 8

/* Block z of a grid works on image z of a batch. A frame alone is a batch of one, its gaze the
 * frame's. */
struct gauss_cuda_batch {
    uint64_t gazes; /* int32_t[2] for each image: x and y in q8; 0: the frame's for all */
    int64_t src_next_bytes; /* linear images only */
    int64_t dst_next_bytes;
};

/* Places of a view that are as sharp as its gaze. */
struct gauss_cuda_others {
    uint64_t table; /* int32_t[of.count][2] for each image, in q8; 0: of.q8 for all */
    struct gaze_others of;
    int32_t reserved;
};

/* A frame's picture of sigmas, or a batch's first, for a law of such pictures. */
struct gauss_cuda_sigmas {
    uint64_t data; /* of the view's top left pixel */
    int64_t row_stride_bytes;
    int64_t next_bytes; /* to the next image's; 0: one for all */
    int32_t pixel_stride_bytes;
    int32_t are_halves; /* else 32-bit floats */
    uint64_t wanted; /* uint32_t for each image: 0 where it is not made; 0: all are */
};

/* blur_alpha of the frame where a picture of floats is wide light, each channel nothing or
 * more: all channels are averaged, and blended by their roots, as the light of pixels is
 * (gauss/plan/ladder.h); the coverage too, by which it is divided. */
#define GAUSS_WIDE_LAYERS 2
/* The same, but alpha is averaged as it is, and not by its root. */
#define GAUSS_WIDE_COLORS_AND_ALPHA 3
/* The same of colours alone: alpha is kept. */
#define GAUSS_WIDE_COLORS (-1)

/* The plan of the smooth method on the device. */
struct gauss_cuda_smooth {
    struct gauss_law law;
    struct gauss_level levels[GAUSS_MAX_LEVELS];
    int32_t level_count; /* 0: every pixel is copied */
    int32_t picture_pitch; /* pixels */
    uint64_t picture; /* is level 0 where its pixels are samples; 0: a copy of it is made */
    int64_t picture_next_bytes;
    uint64_t table; /* float[law.table_count], then the display's samples */
    uint64_t samples; /* all levels, half or float as the format needs */
    int64_t next_samples; /* bytes from an image's levels to the next image's */
    uint64_t nodes; /* struct gauss_wide_node[node_count] (nodes/params.h) */
    uint64_t matrices;
    int32_t node_count;
    float end; /* no place of the ladder lies beyond */
    struct gauss_cuda_sigmas sigmas; /* a run's */
    struct gauss_cuda_others others; /* a run's */
};

struct gauss_cuda_smooth_params {
    struct gauss_frame frame;
    struct gauss_cuda_smooth smooth;
    struct gauss_cuda_batch batch;
    struct image_linear src; /* of a surface, `data` is its object */
    struct image_linear dst;
};

struct gauss_cuda_decimate_params {
    struct gauss_cuda_smooth smooth;
    int32_t level; /* the one that is written, from the one below */
    int32_t reserved;
};
