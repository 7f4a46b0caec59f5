/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* When the kernels of soft.cuh read the source as a texture, and what they take. */
#ifndef FOVEA_KERNELS_LENS_CUDA_SOFT_H
#define FOVEA_KERNELS_LENS_CUDA_SOFT_H

#include "kernels/lens/lens.h"
#include "kernels/operator/operator_cuda.h"
#include "params.h"

/* operator_cuda_api.reads_texture. */
bool lens_soft_reads(const struct operator_plan *plan);

/* Says whether it is there, and faster than bytes. */
bool lens_soft_serves(const struct lens_plan *plan, const struct operator_cuda_texture *texture);

/* Says what kernels take in a run whose texture serves; frame: the run's, of RGBA8. */
struct lens_soft lens_soft_of(const struct operator_cuda_run *run, const struct lens_frame *frame);

#endif
