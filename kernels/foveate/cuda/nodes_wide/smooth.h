/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method's part of foveate_cuda for RGBA32F and for formats of levels in any light:
 * kernels by nodes in floats (foveate_smooth.cu), and the launches of a frame. The device is pushed
 * around every call. */
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

/* What is loaded when it fails is there for unload. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_smooth_load(
    const struct cuda_device *device, struct foveate_cuda_smooth_kernels *out_kernels);
void foveate_cuda_smooth_unload(const struct cuda_device *device,
                                struct foveate_cuda_smooth_kernels *kernels);

/* Bytes of a level's sample: for every format, or for those that surfaces have. */
size_t foveate_cuda_smooth_sample_bytes(bool surfaces_only);

/* One frame or a slice of a batch: level 0, decimations, the pictures. On failure dst is not
 * written; what was launched by then still uses the levels. */
struct foveate_cuda_smooth_run {
    const struct cuda_device *device;
    const struct foveate_cuda_smooth_kernels *kernels;
    const struct foveate_cuda_smooth *smooth;
    const struct foveate_frame *frame;
    CUstream stream;
    CUdeviceptr gazes; /* of a surface; 0: the frame's */
};

FOVEA_MUST_CHECK enum fovea_result foveate_cuda_smooth_surface(
    const struct foveate_cuda_smooth_run *run, enum fovea_format format, CUsurfObject src,
    CUsurfObject dst);
/* Each image has levels of its own, smooth->next_samples apart; where all of them are one picture,
 * its levels are made once for all. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_smooth_linear(
    const struct foveate_cuda_smooth_run *run, enum fovea_format format,
    const struct foveate_cuda_slice *slice);

#endif
