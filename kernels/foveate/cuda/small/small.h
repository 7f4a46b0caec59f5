/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method for small pictures in linear memory, one block each (foveate_small.cu): which
 * plans and formats take it, its tables, its launch. Every call pushes the device.
 *
 * Plans: pictures of 24 to 128 pixels along either axis and laws by distance or angle (no maps)
 * that change by at most 0.8 px of sigma across 4 x 4 pixels and leave no more than 32 tiles of 16
 * x 16 pixels around the gaze below a sigma of 1.9: the paper's law at 106 to 128 pixels. Formats:
 * RGBA8, RGB8, R8. Devices: those with tensor cores for halves and code for them
 * (foveate/cuda/common/code.h), and enough shared memory for a block. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_SMALL_H
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_SMALL_H

#include "kernels/foveate/cuda/common/slice.h"
#include "plan.h"

struct foveate_cuda_small_kernels {
    CUmodule module;
    /* [1]: for linear light */
    CUfunction r8[2];
    CUfunction rgb8[2];
    CUfunction rgba8[2]; /* alpha is kept */
    CUfunction rgba8_alpha[2];
    int32_t most_shared_bytes; /* 0: this device has none */
};

/* If it fails, unload frees what it has loaded. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_small_load(
    const struct cuda_device *device, struct foveate_cuda_small_kernels *out_kernels);
void foveate_cuda_small_unload(const struct cuda_device *device,
                               struct foveate_cuda_small_kernels *kernels);

/* Uploads the tables of a plan that foveate_small_fits. */
bool foveate_cuda_small_takes(const struct foveate_cuda_small_kernels *kernels,
                              const struct foveate_small *small, enum fovea_format format,
                              bool blur_alpha);

struct foveate_cuda_small_run {
    const struct cuda_device *device;
    const struct foveate_cuda_small_kernels *kernels;
    const struct foveate_small *small;
    const struct foveate_frame *frame;
    CUstream stream;
};

FOVEA_MUST_CHECK enum fovea_result foveate_cuda_small_linear(
    const struct foveate_cuda_small_run *run, enum fovea_format format,
    const struct foveate_cuda_slice *slice);

#endif
