/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method for 32-bit floats and for levels in any light: kernels by nodes in floats
 * (foveate_smooth.cu), and the launches of a frame. Every call pushes the device. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_NODES_WIDE_SMOOTH_H
#define FOVEA_KERNELS_FOVEATE_CUDA_NODES_WIDE_SMOOTH_H

#include "kernels/foveate/cuda/common/slice.h"

struct foveate_cuda_smooth_kernels {
    CUmodule module;
    struct cuda_kernels level; /* level 0 from a picture */
    struct cuda_kernels picture; /* a picture from the levels */
    CUfunction decimate_half;
    CUfunction decimate_float;
};

/* If it fails, unload frees what it has loaded. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_smooth_load(
    const struct cuda_device *device, struct foveate_cuda_smooth_kernels *out_kernels);
void foveate_cuda_smooth_unload(const struct cuda_device *device,
                                struct foveate_cuda_smooth_kernels *kernels);

/* Returns the bytes of a level's sample: for every format, or for those that surfaces have. */
size_t foveate_cuda_smooth_sample_bytes(bool surfaces_only);

/* Launches one frame or a slice of a batch: level 0, decimations, the pictures. On failure dst is
 * not written; launches that were made still use the levels. */
struct foveate_cuda_smooth_run {
    const struct cuda_device *device;
    const struct foveate_cuda_smooth_kernels *kernels;
    const struct foveate_cuda_smooth *smooth;
    const struct foveate_frame *frame;
    CUstream stream;
    CUdeviceptr gazes; /* for a surface; 0: the frame's own gaze */
};

FOVEA_MUST_CHECK enum fovea_result foveate_cuda_smooth_surface(
    const struct foveate_cuda_smooth_run *run, enum fovea_format format, CUsurfObject src,
    CUsurfObject dst);
/* Each image has its own levels, smooth->next_samples apart. If all images are one picture, its
 * levels are made once for all. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_smooth_linear(
    const struct foveate_cuda_smooth_run *run, enum fovea_format format,
    const struct foveate_cuda_slice *slice);

#endif
