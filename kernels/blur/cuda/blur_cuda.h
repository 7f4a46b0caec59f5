/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blur's CUDA files share this: the engine fft as an operator of its own, whose plans are those
 * that choose it. */
#ifndef FOVEA_KERNELS_BLUR_CUDA_BLUR_CUDA_H
#define FOVEA_KERNELS_BLUR_CUDA_BLUR_CUDA_H

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/operator/operator_cuda_base.h"
#include "params.h"

#define BLUR_CUDA_MOST_BATCH_BYTES ((uint64_t)512 << 20)
#define BLUR_CUDA_MOST_IN_A_GRID 65535 /* along z */

extern const struct operator_cuda_api blur_fft_cuda;

/* Boxes of pictures of levels, whose light is theirs or sRGB's: two kernels instead of passes. */
struct blur_box_cuda {
    CUmodule module; /* NULL: nothing is there yet */
    int32_t shared_bytes; /* of a block at most */
    struct cuda_kernels rows;
    struct cuda_kernels columns;
};

struct blur_plan;

FOVEA_MUST_CHECK enum fovea_result blur_box_cuda_load(const struct cuda_device *device,
                                                      struct blur_box_cuda *box);
/* Whether they make such a picture. */
bool blur_box_cuda_makes(const struct blur_plan *plan, int32_t light, enum fovea_format format);
struct blur_box_run {
    const struct blur_plan *plan;
    CUfunction kernels[2]; /* rows, columns */
    CUstream stream;
    uint32_t count;
};
/* Sets `lines`, which are in `params`. The frame has its samples, half as large as others'. */
FOVEA_MUST_CHECK enum fovea_result blur_box_cuda_run(const struct cuda_device *device,
                                                     const struct blur_box_cuda *box,
                                                     const struct blur_box_run *run,
                                                     struct blur_box_lines *lines, void *params);

/* Without samples. */
struct blur_image_frame blur_cuda_frame_of(const struct operator_cuda_run *run,
                                           enum fovea_format format, uint64_t light_samples);

#endif
