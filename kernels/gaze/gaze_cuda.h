/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A batch's gazes as the kernels read them, in a table on the device. Those of host memory travel
 * in the parameters of launches, which the driver copies: no staging memory that anybody would have
 * to wait for. The device is pushed around every call. */
#pragma once

#include "kernels/cuda/cuda_device.h"

#define GAZE_CUDA_BYTES 8 /* bytes of an image's gaze in the table */

struct gaze_cuda_kernels {
    CUmodule module;
    CUfunction put;
    CUfunction take;
};

/* If it fails, unload frees what it has loaded. */
FOVEA_MUST_CHECK enum fovea_result gaze_cuda_load(const struct cuda_device *device,
                                                  struct gaze_cuda_kernels *out_kernels);
void gaze_cuda_unload(const struct cuda_device *device, struct gaze_cuda_kernels *kernels);

struct gaze_cuda_run {
    const struct cuda_device *device;
    const struct gaze_cuda_kernels *kernels;
    int32_t width_px; /* that uv refers to */
    int32_t height_px;
    CUstream stream;
    CUdeviceptr table;
    const float *gazes_uv; /* two for each entry; NULL: gaze_q8 for all */
    /* Entries come in groups of so many, whose uv lie `apart` entries from group to group. 0: one
     * after another. */
    uint32_t group;
    uint32_t apart;
    bool on_device; /* gazes_uv is, and is read on the stream; else it is finite */
    int32_t gaze_q8[2];
    uint32_t count; /* of entries */
};

/* Fills the table. Gazes of host memory are copied when it returns; of device memory one that is
 * not finite becomes GAZE_NONE. */
FOVEA_MUST_CHECK enum fovea_result gaze_cuda_fill(const struct gaze_cuda_run *run);

/* Fills the table with the gazes of `count` images, and `others` with the foveas beside them:
 * gazes_uv has so many foveas for each image, of which the gaze is the first. others 0: there are
 * none. `group` and `apart` do not count. */
FOVEA_MUST_CHECK enum fovea_result gaze_cuda_fill_foveas(const struct gaze_cuda_run *run,
                                                         uint32_t foveas, CUdeviceptr others);
