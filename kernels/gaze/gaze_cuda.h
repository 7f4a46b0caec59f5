/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A batch's gazes as the kernels read them, in a table on the device. Those of host memory travel in
 * the parameters of launches, which the driver copies: no staging memory that anybody would have to
 * wait for. The device is pushed around every call. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_GAZE_H
#define FOVEA_KERNELS_FOVEATE_CUDA_GAZE_H

#include "kernels/foveate/cuda/common/kernels.h"

#define FOVEATE_CUDA_GAZE_BYTES 8 /* of an image, in the table */

struct foveate_cuda_gaze_kernels {
    CUmodule module;
    CUfunction put;
    CUfunction take;
};

/* What is loaded when it fails is there for unload. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_gaze_load(
    const struct cuda_device *device, struct foveate_cuda_gaze_kernels *out_kernels);
void foveate_cuda_gaze_unload(const struct cuda_device *device,
                              struct foveate_cuda_gaze_kernels *kernels);

struct foveate_cuda_gaze_run {
    const struct cuda_device *device;
    const struct foveate_cuda_gaze_kernels *kernels;
    const struct foveate_frame *frame; /* whose size uv refers to */
    CUstream stream;
    CUdeviceptr table;
    const float *gazes_uv; /* two for each image */
    uint32_t count;
};

/* From host memory, finite. They are copied when it returns. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_gaze_put(const struct foveate_cuda_gaze_run *run);
/* From device memory, on the stream; FOVEATE_GAZE_NONE for one that is not finite. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_gaze_take(const struct foveate_cuda_gaze_run *run);

#endif
