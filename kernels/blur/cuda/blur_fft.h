/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Plans of the engine fft on a device. */
#ifndef FOVEA_KERNELS_BLUR_CUDA_BLUR_FFT_H
#define FOVEA_KERNELS_BLUR_CUDA_BLUR_FFT_H

#include "blur_cuda.h"

struct blur_fft_limits {
    int32_t shared_bytes; /* of a block at most */
};

struct blur_fft_plan {
    struct operator_cuda_plan base;
    bool runs; /* else a line is longer than a block holds, and there is nothing else */
    struct blur_planes planes; /* of one image, and the most of any format */
    uint64_t light_samples;
    uint64_t kernel;
    uint32_t columns; /* that a block transforms */
    uint64_t batch_bytes; /* of planes, that there is memory for */
};

/* All but what there is for batches; the kernel is not transformed yet. On failure the plan is
 * there to be retired. Where a line does not fit into a block's memory the plan does not run: the
 * log says so once, and every frame gets the plan's answer. */
FOVEA_MUST_CHECK enum fovea_result blur_fft_plan_make(struct operator_cuda *cuda,
                                                      const struct blur_fft_limits *limits,
                                                      const struct operator_plan *plan,
                                                      enum fovea_format format,
                                                      struct blur_fft_plan *made);
/* Does what operator_cuda_api says of it: one image has the plan's memory. */
FOVEA_MUST_CHECK enum fovea_result blur_fft_reserve(struct operator_cuda *cuda,
                                                    struct operator_cuda_plan *plan,
                                                    const struct operator_images *images);

static inline uint32_t blur_fft_number_bytes(const struct blur_planes *planes)
{
    return planes->precise ? 2 * sizeof(double) : 2 * sizeof(float);
}

/* Planes of an image of that format, and what each takes. */
uint32_t blur_fft_planes_in(const struct blur_fft_plan *plan, enum fovea_format format);
uint64_t blur_fft_plane_bytes(const struct blur_fft_plan *plan);

#endif
