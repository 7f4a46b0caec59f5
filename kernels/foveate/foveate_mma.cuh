/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Products of a warp's tensor core, sm_80 and later: D (16 x 8, float) += A (16 x 16) B (16 x 8), halves.
 *
 * With g = lane / 4 and t = lane % 4 a lane holds, two neighbours to a register:
 *   A   rows g and g + 8, columns 2t and 2t + 1, then the same 8 columns on
 *   B   rows 2t and 2t + 1, then 8 rows on, of column g
 *   D   row g, columns 2t and 2t + 1, then row g + 8
 * so that the D of two neighbours, rounded to halves, is the A of a next product (PTX ISA, mma.m16n8k16). */
#ifndef FOVEA_KERNELS_FOVEATE_MMA_CUH
#define FOVEA_KERNELS_FOVEATE_MMA_CUH

#include <stdint.h>

static __device__ __forceinline__ void mma_add(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                               uint32_t b1)
{
#if __CUDA_ARCH__ >= 800 /* older devices never run what uses it */
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/* Where a place of shared memory is, as mma_load_turned wants it. */
typedef uint32_t mma_place;
static __device__ __forceinline__ mma_place mma_place_of(const void *shared)
{
    return (mma_place)__cvta_generic_to_shared(shared);
}

/* Four squares of 8 x 8 halves from shared memory, each turned over its diagonal: lane 8 i + j says where
 * row j of square i lies, 16 bytes aligned to 16. Rows are B's rows, columns its columns. */
static __device__ __forceinline__ void mma_load_turned(uint32_t (&b)[4], mma_place row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                 : "r"(row)
                 : "memory");
}

#endif
