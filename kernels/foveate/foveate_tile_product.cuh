/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Products of small matrices of halves on tensor cores, a warp together. Lane 4 g + t holds of a result,
 * 16 x 8, the columns 2 t and 2 t + 1 of rows g and g + 8; of the first factor the same of every 8 x 8; of
 * the second, which lies transposed, rows 2 t and 2 t + 1 of column g. So two results side by side are
 * again a first factor. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_PRODUCT_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_PRODUCT_CUH

#include <cuda_fp16.h>
#include <stdint.h>

struct tile_block {
    uint32_t of[2];
};

/* sum + a b, a of 16 x 8. */
static __device__ __forceinline__ tile_block add_product_8(const tile_block &sum, uint32_t a0,
                                                           uint32_t a1, uint32_t b0)
{
    tile_block out;
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3},{%4},{%5,%6};"
        : "=r"(out.of[0]), "=r"(out.of[1])
        : "r"(a0), "r"(a1), "r"(b0), "r"(sum.of[0]), "r"(sum.of[1]));
    return out;
}

/* The same, a of 16 x 16: two of 16 x 8 beside each other. */
static __device__ __forceinline__ tile_block add_product_16(const tile_block &sum, uint32_t a0,
                                                            uint32_t a1, uint32_t a2, uint32_t a3,
                                                            uint32_t b0, uint32_t b1)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    return add_product_8(add_product_8(sum, a0, a1, b0), a2, a3, b1);
#else
    tile_block out;
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
        "{%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9};"
        : "=r"(out.of[0]), "=r"(out.of[1])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(sum.of[0]), "r"(sum.of[1]));
    return out;
#endif
}

/* Four second factors of 8 x 8: lane 8 i + k gives the address in shared memory of column k of the i-th. */
static __device__ __forceinline__ void load_factors(const __half *column, uint32_t (&out)[4])
{
    const uint32_t address = (uint32_t)__cvta_generic_to_shared(column);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(address)
                 : "memory");
}

#endif
