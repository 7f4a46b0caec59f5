/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The places of this block's image that are as sharp as its gaze. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_COMMON_OTHERS_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_COMMON_OTHERS_CUH

#include "params.h"

static __device__ __forceinline__ int2 other_q8(const gauss_cuda_others &others, int k)
{
    if (others.table) {
        return ((const int2 *)others.table)[blockIdx.z * others.of.count + k];
    }
    return make_int2(others.of.q8[k][0], others.of.q8[k][1]);
}

#endif
