/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The one place that says what the code of this build can do on this device.
 *
 * The device code is cut by the architecture that it is compiled for (__CUDA_ARCH__), and a card
 * also runs code that was compiled for older ones: its compute capability says nothing about what
 * is in a kernel. A build whose only code is PTX of 7.5 has no mma on a card of 9.0, and a kernel
 * that is launched for its mma writes where it must not. So the loaded function is asked what it
 * was compiled for. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_COMMON_CODE_H
#define FOVEA_KERNELS_GAUSS_CUDA_COMMON_CODE_H

#include "kernels/cuda/cuda_device.h"

struct gauss_cuda_code {
    int architecture; /* __CUDA_ARCH__ / 10 of the function: 75, 80, 90... */
    bool has_mma; /* tensor cores for halves and bytes: cuda/mma.cuh, gauss_tiles.cu */
    bool has_narrow_mma; /* mma_add_of_8 alone: gauss_nodes.cu */
};

/* The device is pushed. */
FOVEA_MUST_CHECK enum fovea_result gauss_cuda_code_of(const struct cuda_device *device,
                                                      CUfunction kernel,
                                                      struct gauss_cuda_code *out_code);

#endif
