/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Products of 16 x 16 weights with samples, in a warp's registers. Lane 4 g + t of m16n8k16 holds
 * rows g and g + 8 and pairs of columns from 2 t on. Weights come from the host in lane order.
 *
 * The result of a product is, register for register, the left operand of a next one over its
 * columns, with weights on the right: two products filter along x, then along y, and the result
 * lies transposed. It can also be the right operand of a product over its rows, with registers in
 * other places. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_MMA_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_MMA_CUH

#include "kernels/cuda/mma.cuh"

typedef mma_halves small_result;

static __device__ __forceinline__ void small_multiply(small_result &sum, const uint4 &weights,
                                                      uint32_t first, uint32_t second)
{
    const uint32_t a[4] = {weights.x, weights.y, weights.z, weights.w};
    mma_add(sum, a, first, second);
}

/* Filters the columns of `first` and `second`, with eight columns of weights. */
static __device__ __forceinline__ void small_multiply_next(small_result &sum,
                                                           const small_result &first,
                                                           const small_result &second, uint32_t b0,
                                                           uint32_t b1)
{
    const uint32_t a[4] = {first.x, first.y, second.x, second.y};
    mma_add(sum, a, b0, b1);
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
