/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* levels.h on a CUDA device. The device is pushed around every call. */
#ifndef FOVEA_KERNELS_IMAGE_LEVELS_CUDA_H
#define FOVEA_KERNELS_IMAGE_LEVELS_CUDA_H

#include "kernels/cuda/cuda_device.h"
#include "levels.h"

/* By channels: 1, 3, 4. */
struct levels_cuda_kernels {
    CUmodule module;
    CUfunction pack[3];
    CUfunction unpack[3];
};

/* If it fails, unload frees what it has loaded. */
FOVEA_MUST_CHECK enum fovea_result levels_cuda_load(const struct cuda_device *device,
                                                    struct levels_cuda_kernels *out_kernels);
void levels_cuda_unload(const struct cuda_device *device, struct levels_cuda_kernels *kernels);

FOVEA_MUST_CHECK enum fovea_result levels_cuda_pack(const struct cuda_device *device,
                                                    const struct levels_cuda_kernels *kernels,
                                                    const struct levels *levels, CUstream stream);
FOVEA_MUST_CHECK enum fovea_result levels_cuda_unpack(const struct cuda_device *device,
                                                      const struct levels_cuda_kernels *kernels,
                                                      const struct levels *levels, CUstream stream);

#endif
