/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Two halves and the word that has their bits. */
#ifndef FOVEA_KERNELS_CUDA_HALVES_CUH
#define FOVEA_KERNELS_CUDA_HALVES_CUH

#include <cuda_fp16.h>
#include <stdint.h>

static __device__ __forceinline__ __half2 half2_of(uint32_t bits)
{
    return *(const __half2 *)&bits;
}

static __device__ __forceinline__ uint32_t bits_of(__half2 halves)
{
    return *(const uint32_t *)&halves;
}

#endif
