/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* sRGB's bytes as light by arithmetic, two at a time. */
#ifndef FOVEA_KERNELS_IMAGE_LIGHT_BYTES_CUH
#define FOVEA_KERNELS_IMAGE_LIGHT_BYTES_CUH

#include "kernels/cuda/halves.cuh"

/* Converts two levels of sRGB's 255, each the bits of a half, to light by a polynomial of degree
 * five that is off by less than 0.07 levels (tests/fit/fits.py). A table's halves
 * are off by 0.04, but lanes that look up bytes have bank conflicts. */
static __device__ __forceinline__ __half2 light_of_bytes(uint32_t two)
{
    const __half2 x = __hmul2(half2_of(two), __float2half2_rn(32768.0f)); /* levels / 512 */
    __half2 sum =
        __hfma2(x, __float2half2_rn(0.087585449f * 32), __float2half2_rn(-0.30883789f * 16));
    sum = __hfma2(x, sum, __float2half2_rn(0.671875f * 8));
    sum = __hfma2(x, sum, __float2half2_rn(0.52490234f * 4));
    sum = __hfma2(x, sum, __float2half2_rn(0.032592773f * 2));
    sum = __hfma2(x, sum, __float2half2_rn(0.00092744827f));
    const uint32_t dark = __hle2_mask(x, __float2half2_rn(10.0f / 512));
    const uint32_t line = bits_of(__hmul2(x, __float2half2_rn(512.0f / (12.92f * 255.0f))));
    return half2_of((line & dark) | (bits_of(sum) & ~dark));
}

#endif
