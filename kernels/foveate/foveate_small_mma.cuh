/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Products of 16 x 16 weights with samples, in registers of a warp. Lane 4 g + t of m16n8k16 holds rows g and
 * g + 8 and pairs of columns from 2 t on. Weights are always the left matrix, made by the host in lane order.
 * What a product gives is, register for register, the right matrix of the next one, transposed: so two
 * products in a row filter along x, then along y, and the result lies as the samples did. */
#ifndef FOVEA_KERNELS_FOVEATE_SMALL_MMA_CUH
#define FOVEA_KERNELS_FOVEATE_SMALL_MMA_CUH

#include "foveate_mma.cuh"

typedef mma_halves small_result;

static __device__ __forceinline__ void small_multiply(small_result &sum, const uint4 &weights,
                                                      uint32_t first, uint32_t second)
{
    const uint32_t a[4] = {weights.x, weights.y, weights.z, weights.w};
    mma_add_halves(sum, a, first, second);
}

static __device__ __forceinline__ uint32_t bits_of_pair(__half2 v)
{
    return *(const uint32_t *)&v;
}

static __device__ __forceinline__ __half2 pair_of_bits(uint32_t v)
{
    return *(const __half2 *)&v;
}

#endif
