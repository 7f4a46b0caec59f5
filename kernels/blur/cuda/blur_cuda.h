/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blur's CUDA files share this: the engine fft as an operator of its own, whose plans are those
 * that choose it. */
#ifndef FOVEA_KERNELS_BLUR_CUDA_BLUR_CUDA_H
#define FOVEA_KERNELS_BLUR_CUDA_BLUR_CUDA_H

#include "kernels/operator/operator_cuda_base.h"
#include "params.h"

#define BLUR_CUDA_MOST_BATCH_BYTES ((uint64_t)512 << 20)
#define BLUR_CUDA_MOST_IN_A_GRID 65535 /* along z */

extern const struct operator_cuda_api blur_fft_cuda;

/* Without samples. */
struct blur_image_frame blur_cuda_frame_of(const struct operator_cuda_run *run,
                                           enum fovea_format format, uint64_t light_samples);

#endif
