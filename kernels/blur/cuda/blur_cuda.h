/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blur's CUDA files share this: the engine fft as an operator of its own, whose plans are those
 * that choose it. */
#ifndef FOVEA_KERNELS_BLUR_CUDA_BLUR_CUDA_H
#define FOVEA_KERNELS_BLUR_CUDA_BLUR_CUDA_H

#include "kernels/blur/plan.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/operator/operator_cuda_base.h"
#include "params.h"

#define BLUR_CUDA_MOST_BATCH_BYTES ((uint64_t)512 << 20)
#define BLUR_CUDA_MOST_IN_A_GRID 65535 /* along z */

extern const struct operator_cuda_api blur_fft_cuda;

#define BLUR_SAMPLE_BYTES 16

/* Who reads and writes pixels. */
enum blur_way {
    BLUR_WAY_SAMPLES, /* kernels that do nothing else */
    BLUR_WAY_LEVELS, /* quasi's that make level 1, and the picture of it */
    BLUR_WAY_BOXES, /* box's for rows and for columns, which make all */
    BLUR_WAYS
};

struct blur_kernels {
    CUmodule module; /* NULL: nothing is there yet */
    CUmodule boxes;
    int32_t shared_bytes; /* of a block at most */
    struct cuda_kernels first[BLUR_WAYS];
    struct cuda_kernels last[BLUR_WAYS];
    CUfunction works[BLUR_WORKS];
};

FOVEA_MUST_CHECK enum fovea_result blur_kernels_load(const struct cuda_device *device,
                                                     struct blur_kernels *out);
void blur_kernels_unload(const struct cuda_device *device, struct blur_kernels *kernels);

/* Images that are under way together. */
struct blur_run {
    struct blur_passes passes;
    const struct blur_kernels *kernels;
    const struct cuda_device *device;
    CUstream stream;
    uint32_t count;
    enum blur_way way;
    CUfunction first; /* of that way */
    CUfunction last;
    uint64_t samples;
    uint64_t next_samples;
    uint64_t between; /* samples between passes, behind which those of the view lie */
    bool averages_alpha;
    struct blur_image_work *work;
    enum fovea_result result;
};

/* All but first and last; `samples` are those of one image. */
struct blur_run blur_run_make(const struct blur_plan *plan, const struct blur_kernels *kernels,
                              const struct cuda_device *device, CUstream stream,
                              const struct blur_image_frame *frame, enum fovea_format format,
                              uint64_t samples, uint64_t next_samples);
/* `work` is what parameters of kernels begin with. */
FOVEA_MUST_CHECK enum fovea_result blur_run_images(struct blur_run *run,
                                                   struct blur_image_work *work);
/* Rows, then columns. */
FOVEA_MUST_CHECK enum fovea_result blur_run_boxes(struct blur_run *run);

static inline uint64_t blur_view_samples(const struct blur_plan *plan)
{
    return (uint64_t)plan->machine.width_px * plan->machine.height_px;
}

/* Without samples. */
struct blur_image_frame blur_cuda_frame_of(const struct operator_cuda_run *run,
                                           enum fovea_format format, uint64_t light_samples);

#endif
