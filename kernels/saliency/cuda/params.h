/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* CSDD's kernels on CUDA take these. Included by C and CUDA. A layer is one channel of one image;
 * images are behind each other, and so are layers. */
#pragma once

#include "kernels/image/image_linear.h"
#include "kernels/saliency/plan.h"

#define SALIENCY_CUDA_THREADS 128 /* of a block of saliency_bins, _present and _report */
#define SALIENCY_CUDA_PRESENT_PIXELS 8192 /* a block's, whole rounds of its threads' four */
#define SALIENCY_CUDA_SEGMENT 32 /* neighbours of a row: a warp's */
#define SALIENCY_CUDA_ROWS 4 /* of SALIENCY_CUDA_SEGMENT pixels or samples: a block's */

/* Strips of pixels, or of coarser levels' samples, and by a kernel's reach the eights of them that
 * 16 columns have weights for, those that 8 rows have, and where these begin. */
#define SALIENCY_CUDA_STRIP_WARPS 8
#define SALIENCY_CUDA_STRIP_WIDTH 16
#define SALIENCY_CUDA_STRIP_HEIGHT 64
#define SALIENCY_CUDA_STRIP_COLUMNS(reach)                                                         \
    ((reach) <= 8 ? 4 : (reach) <= 12 ? 5 : (reach) <= 16 ? 6 : 8)
#define SALIENCY_CUDA_STRIP_LEFT(reach) (4 * SALIENCY_CUDA_STRIP_COLUMNS(reach) - 8)
#define SALIENCY_CUDA_STRIP_ROWS(reach)                                                            \
    ((reach) <= 8 ? 3 : (reach) <= 12 ? 4 : (reach) <= 16 ? 5 : 6)
#define SALIENCY_CUDA_STRIP_ABOVE(reach) (4 * SALIENCY_CUDA_STRIP_ROWS(reach) - 4)
/* Words of a scale: of p and q, a register of all lanes after the other, of rows and then of
 * columns. */
#define SALIENCY_CUDA_KERNEL_WORDS(reach)                                                          \
    (4 * (SALIENCY_CUDA_STRIP_COLUMNS(reach) + SALIENCY_CUDA_STRIP_ROWS(reach)) * 32)

/* Planes of coarser levels: strips of SALIENCY_CUDA_SEGMENT samples and so many rows */
#define SALIENCY_CUDA_PLANE_HEIGHT 16
#define SALIENCY_CUDA_MASK_WIDTH 16 /* samples of a row that have one mask */

/* A row of a plane has the first sample so many times more, so that strips begin at whole fours,
 * and the last one until its last four is nothing else. */
#define SALIENCY_CUDA_PLANE_BEFORE 6

#define SALIENCY_CUDA_MAXIMA_WIDTH 32
#define SALIENCY_CUDA_MAXIMA_HEIGHT 16
#define SALIENCY_CUDA_MAXIMA_ROWS 8 /* of threads */

struct saliency_cuda_axis {
    int32_t first, count; /* samples of the picture made coarse */
    int32_t out_first, out_count; /* of the response */
};

struct saliency_cuda_level {
    int32_t step_px;
    uint32_t scale_first, scale_end;
    struct saliency_cuda_axis x, y;
    int32_t pitch; /* numbers of a plane's row, whole segments */
    int32_t stored; /* of them with samples, whole fours */
    int32_t strips_across, strip_end; /* number behind that of its last strip */
    int32_t mask; /* its first row's first mask */
    uint64_t plane; /* of its first plane, in a layer's samples */
};

struct saliency_cuda_scale {
    float sigma_px;
    int32_t level;
    int32_t reach;
    int32_t p_sum; /* of its line of p */
    int32_t kernel; /* its first word among the kernels of all scales */
    int32_t width, height;
    uint64_t offset; /* of its response */
};

/* Every launch's parameters begin so, and most have nothing else. */
struct saliency_cuda_frame {
    int32_t width_px, height_px;
    int32_t channels;
    int32_t fine_reach;
    uint32_t level_count, scale_count;
    uint32_t level; /* whose planes are made */
    uint32_t layer_first; /* of those whose samples there is memory for at once */
    uint32_t candidate_most; /* of an image */
    float threshold;
    int32_t masks; /* of a layer */
    uint64_t bins; /* bytes: the bin of every pixel of every layer */
    uint64_t kernels; /* uint32_t */
    uint64_t planes; /* halves: samples of layers from layer_first on, of bins that these have */
    uint64_t plane_samples; /* of a layer */
    uint64_t masks_at; /* 4 uint32_t each: bins that SALIENCY_CUDA_MASK_WIDTH samples have */
    uint64_t present; /* 4 uint32_t each: bins that a layer has */
    uint64_t responses; /* int32_t */
    uint64_t response_count; /* of an image */
    uint64_t candidates;
    uint64_t counts; /* uint32_t: how many each image has, and may have no place for */
    struct saliency_cuda_level levels[SALIENCY_LEVELS_MAX];
    struct saliency_cuda_scale scales[SALIENCY_SCALES_MAX];
};

struct saliency_cuda_image {
    struct image_linear src;
    int64_t next_bytes;
    int32_t width_px, height_px;
    float most; /* levels 0 .. most */
    float bin; /* of which a bin of I1 has so many */
    uint64_t bins;
};

/* The first candidates of each image, and how many there are, to where the processor reads. */
struct saliency_cuda_report {
    uint64_t candidates;
    uint64_t counts;
    uint64_t out_candidates;
    uint64_t out_counts;
    uint32_t candidate_most;
    uint32_t out_most;
};
