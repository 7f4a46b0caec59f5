/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blur's CUDA files share this: kernels, and images that go through them. */
#pragma once

#include "kernels/blur/plan.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/operator/operator_cuda_base.h"
#include "params.h"

#define BLUR_CUDA_MOST_BATCH_BYTES ((uint64_t)512 << 20)
#define BLUR_CUDA_MOST_IN_A_GRID 65535 /* images */

#define BLUR_SAMPLE_BYTES 16

/* Who reads and writes pixels. */
enum blur_way {
    BLUR_WAY_SAMPLES, /* kernels that do nothing else */
    BLUR_WAY_LEVELS, /* quasi's that make level 1, and the picture of it */
    BLUR_WAY_BOXES, /* box's for rows and for columns, which make all */
    BLUR_WAY_PLANES, /* fft's */
    BLUR_WAY_PRECISE_PLANES, /* fft's in double precision */
    BLUR_WAYS
};

struct blur_fft_plan;

/* Each way has a first and a last kernel, by format; the second of two is in double precision. */
struct blur_kernels {
    CUmodule module, boxes; /* of engines with passes; NULL: nothing is there yet */
    CUmodule planes; /* of the engine fft; likewise */
    int shared_bytes; /* of a block at most */
    struct cuda_kernels first[BLUR_WAYS];
    struct cuda_kernels last[BLUR_WAYS];
    CUfunction works[BLUR_WORKS];
    CUfunction load[2], store[2], rows[2], columns[2], columns_there[2]; /* fft's */
};

/* Loads the kernels of passes, unless they are there. */
FOVEA_MUST_CHECK enum fovea_result blur_kernels_load(const struct cuda_device *device,
                                                     struct blur_kernels *kernels);
void blur_kernels_unload(const struct cuda_device *device, struct blur_kernels *kernels);

/* Images that are under way together. */
struct blur_run {
    struct blur_passes passes;
    const struct blur_kernels *kernels;
    const struct cuda_device *device;
    CUstream stream;
    uint32_t count;
    enum fovea_format format;
    bool surfaces; /* else linear images */
    struct image_linear src, dst; /* of the first; of a surface, `data` is its object */
    const struct blur_fft_plan *fft;
    uint64_t memory; /* of the first image */
    uint64_t next_bytes; /* to the next one's */
    struct blur_image_frame frame;
    /* blur_run_make fills the rest. */
    enum blur_way way;
    CUfunction first; /* of that way */
    CUfunction last;
    uint64_t between; /* samples between passes, behind which those of the view lie */
    bool averages_alpha;
    struct blur_image_work *work;
    enum fovea_result result;
};

struct blur_run blur_run_make(const struct blur_run *given);
FOVEA_MUST_CHECK enum fovea_result blur_run_images(struct blur_run *run);
/* Rows, then columns. */
FOVEA_MUST_CHECK enum fovea_result blur_run_boxes(struct blur_run *run);

static inline uint64_t blur_view_samples(const struct blur_plan *plan)
{
    return (uint64_t)plan->machine.width_px * plan->machine.height_px;
}
