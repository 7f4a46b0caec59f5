/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Matrix products of a warp's tensor core, sm_80 and later: D (16 x 8) += A (16 x 16) B (16 x 8),
 * of halves.
 *
 * With g = lane / 4 and t = lane % 4 a lane holds, two neighbours to a register of halves:
 *   A   rows g and g + 8, columns 2t and 2t + 1, then the same 8 columns on
 *   B   rows 2t and 2t + 1, then 8 rows on, of column g
 *   D   row g, columns 2t and 2t + 1, then row g + 8
 * (PTX ISA, mma.m16n8k16). So a D, as halves and transposed, is half of the B of a next product:
 * the rows that are held first, or those 8 on. As halves, with both lots of rows, it is half of the
 * A of a next product.
 *
 * For bytes, D (16 x 8) += A (16 x 32) B (32 x 8), in integers:
 *   A   rows g and g + 8, columns 4t to 4t + 3, then the same 16 columns on
 *   B   rows 4t to 4t + 3, then 16 rows on, of column g
 *   D   as above */
#pragma once

#include "ptx.cuh"

#include <cuda_fp16.h>
#include <stdint.h>

/* D in halves: x holds row g, y row g + 8. */
typedef uint2 mma_halves;

/* Older devices never run code that uses these, except the ones that are marked for sm_75. */

DEVICE void mma_add(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
#if __CUDA_ARCH__ >= 800
    ptx_mma_16816(d, a, b0, b1);
#endif
}

/* Begins a sum: its rows g begin with c0, rows g + 8 with c1. */
DEVICE void mma_begin(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1, float c0,
                      float c1)
{
#if __CUDA_ARCH__ >= 800
    ptx_mma_16816(d, a, b0, b1, c0, c1);
#endif
}

DEVICE void mma_add(mma_halves &d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
#if __CUDA_ARCH__ >= 800
    ptx_mma_16816(d, a, b0, b1);
#endif
}

/* A of 16 x 8, rows g in a.x, and B of 8 x 8, summed in floats; from sm_75 on. */
DEVICE void mma_add_of_8(float (&d)[4], const uint2 &a, uint32_t b)
{
#if __CUDA_ARCH__ >= 750
    ptx_mma_1688(d, a, b);
#endif
}

/* A of 16 x 8, the half of it that has `a` first, and B of 8 x 8; from sm_75 on. */
DEVICE void mma_add_of_8(mma_halves &d, const mma_halves &a, uint32_t b)
{
#if __CUDA_ARCH__ >= 750
    ptx_mma_1688(d, a, b);
#endif
}

/* Begins a sum, which starts at c. */
DEVICE void mma_begin_halves(mma_halves &d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                             mma_halves c)
{
#if __CUDA_ARCH__ >= 800
    ptx_mma_16816(d, a, b0, b1, c);
#endif
}

/* D in integers. */
struct mma_int_sums {
    int32_t of[4];
};

/* Begins a sum, which starts at c. */
DEVICE void mma_begin_bytes(mma_int_sums &d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                            int32_t c)
{
#if __CUDA_ARCH__ >= 800
    ptx_mma_16832(d.of, a, b0, b1, c);
#endif
}

DEVICE void mma_add_bytes(mma_int_sums &d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
#if __CUDA_ARCH__ >= 800
    ptx_mma_16832(d.of, a, b0, b1);
#endif
}

/* Transposes an 8 x 8 matrix of halves, held as rows of D are. */
DEVICE uint32_t mma_transposed(uint32_t pair)
{
    uint32_t transposed = 0;
#if __CUDA_ARCH__ >= 800
    transposed = ptx_movmatrix(pair);
#endif
    return transposed;
}

/* An address in shared memory. */
typedef uint32_t mma_place;
DEVICE mma_place mma_place_of(const void *shared)
{
    return (mma_place)__cvta_generic_to_shared(shared);
}

/* Loads four squares of 8 x 8 halves, transposed: each is half of a B. Lane l says where row l % 8
 * of square l / 8 begins, at a multiple of 16 bytes. */
DEVICE void mma_load_transposed(uint32_t (&squares)[4], mma_place row)
{
    ptx_ldmatrix_transposed(squares, row);
}

DEVICE uint32_t mma_rounded(float first, float second)
{
    const __half2 pair = __floats2half2_rn(first, second);
    return *(const uint32_t *)&pair;
}
