/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* planes.h on a CUDA device. The device is pushed around every call. */
#ifndef FOVEA_KERNELS_IMAGE_PLANES_CUDA_H
#define FOVEA_KERNELS_IMAGE_PLANES_CUDA_H

#include "kernels/cuda/cuda_device.h"
#include "planes.h"

/* By the bytes of a sample: 1, 2, 4. */
struct planes_cuda_kernels {
    CUmodule module;
    CUfunction pack[3];
    CUfunction unpack[3];
};

/* If it fails, unload frees what it has loaded. */
FOVEA_MUST_CHECK enum fovea_result planes_cuda_load(const struct cuda_device *device,
                                                    struct planes_cuda_kernels *out_kernels);
void planes_cuda_unload(const struct cuda_device *device, struct planes_cuda_kernels *kernels);

FOVEA_MUST_CHECK enum fovea_result planes_cuda_pack(const struct cuda_device *device,
                                                    const struct planes_cuda_kernels *kernels,
                                                    const struct planes *planes,
                                                    enum fovea_format format, CUstream stream);
FOVEA_MUST_CHECK enum fovea_result planes_cuda_unpack(const struct cuda_device *device,
                                                      const struct planes_cuda_kernels *kernels,
                                                      const struct planes *planes,
                                                      enum fovea_format format, CUstream stream);

#endif
