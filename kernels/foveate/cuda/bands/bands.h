/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method by tensor cores (foveate_bands.cu). It needs a device and code for it of
 * compute capability 8.0 with enough shared memory, formats of 8 bits whose alpha is kept,
 * fragments up to 64 px, and filters up to 36 px on a side. All else takes the kernels of
 * foveate_cuda.cu. Every call pushes the device. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_BANDS_BANDS_H
#define FOVEA_KERNELS_FOVEATE_CUDA_BANDS_BANDS_H

#include "kernels/foveate/cuda/common/slice.h"
#include "params.h"

struct foveate_cuda_bands_kernels {
    CUmodule module;
    struct cuda_kernels kernels;
    int32_t window_bytes; /* a block's at most; 0: this device has none */
    int32_t half_bytes; /* the same if two blocks share a multiprocessor */
};

/* If it fails, unload frees what it has loaded. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_bands_load(
    const struct cuda_device *device, struct foveate_cuda_bands_kernels *out_kernels);
void foveate_cuda_bands_unload(const struct cuda_device *device,
                               struct foveate_cuda_bands_kernels *kernels);

/* Returns the shape of a plan's blocks; radius_px < 0: not for this plan. */
struct foveate_bands foveate_cuda_bands_plan(const struct foveate_cuda_bands_kernels *kernels,
                                             const struct foveate_plan *plan);
/* Writes the plan's filters for bands->filters and returns their bytes, or 0 if it needs none. */
size_t foveate_cuda_bands_filter_bytes(const struct foveate_bands *bands,
                                       const struct foveate_plan *plan);
void foveate_cuda_bands_fill_filters(const struct foveate_bands *bands,
                                     const struct foveate_plan *plan,
                                     struct foveate_bands_filter *out);

struct foveate_cuda_bands_run {
    const struct cuda_device *device;
    const struct foveate_cuda_bands_kernels *kernels;
    const struct foveate_bands *bands;
    const struct foveate_frame *frame;
    CUstream stream;
    CUdeviceptr gazes; /* for a surface; 0: the frame's own gaze */
};

bool foveate_cuda_bands_take(const struct foveate_bands *bands, const struct foveate_frame *frame,
                             enum fovea_format format);

FOVEA_MUST_CHECK enum fovea_result foveate_cuda_bands_surface(
    const struct foveate_cuda_bands_run *run, enum fovea_format format, CUsurfObject src,
    CUsurfObject dst);
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_bands_linear(
    const struct foveate_cuda_bands_run *run, enum fovea_format format,
    const struct foveate_cuda_slice *slice);

#endif
