/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The twin of kernels/cuda/ptx_bytes.cuh for the host. With g = lane / 4 and t = lane % 4; see
 * cuda/mma.cuh. */
#pragma once

#include "cuda_host.h"

#include <string.h>

/* 16 x 32 by 32 x 8; what is not there is 0. */
struct cuda_host_signed_product {
    uint32_t a[4], b[2];
    int32_t d[4];
    bool mixed; /* the bytes of a have no signs */

    static void put(uint32_t word, bool without_sign, int16_t *out)
    {
        for (int part = 0; part < 4; part++) {
            const uint8_t byte = (uint8_t)(word >> 8 * part);
            out[part] = without_sign ? byte : (int8_t)byte;
        }
    }

    static void make(void *const brought[32], uint32_t)
    {
        int16_t a[16][32], b[8][32];
        for (int lane = 0; lane < 32; lane++) {
            const cuda_host_signed_product *of = (const cuda_host_signed_product *)brought[lane];
            if (!of) {
                cuda_host_fail("a product of matrices without lane %d", lane);
            }
            for (int i = 0; i < 4; i++) {
                put(of->a[i], of->mixed, &a[lane / 4 + 8 * (i % 2)][16 * (i / 2) + 4 * (lane % 4)]);
            }
            for (int i = 0; i < 2; i++) {
                put(of->b[i], false, &b[lane / 4][16 * i + 4 * (lane % 4)]);
            }
        }
        for (int lane = 0; lane < 32; lane++) {
            cuda_host_signed_product *of = (cuda_host_signed_product *)brought[lane];
            for (int i = 0; i < 4; i++) {
                const int16_t *row = a[lane / 4 + 8 * (i / 2)];
                const int16_t *column = b[lane % 4 * 2 + i % 2];
                int32_t sum = 0;
                for (int k = 0; k < 32; k++) {
                    sum += row[k] * column[k];
                }
                of->d[i] = (int32_t)((uint32_t)of->d[i] + (uint32_t)sum);
            }
        }
    }
};

static inline void ptx_mma_16832_signed(int32_t (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2,
                                        uint32_t a3, uint32_t b0, uint32_t b1)
{
    cuda_host_signed_product product = {
        {a0, a1, a2, a3}, {b0, b1}, {d[0], d[1], d[2], d[3]}, false};
    cuda_host_warp(~0u, cuda_host_signed_product::make, &product);
    memcpy(d, product.d, sizeof product.d);
}
static inline void ptx_mma_16832_signed(int32_t (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2,
                                        uint32_t a3, uint32_t b0, uint32_t b1, int32_t c)
{
    d[0] = d[1] = d[2] = d[3] = c;
    ptx_mma_16832_signed(d, a0, a1, a2, a3, b0, b1);
}
static inline void ptx_mma_16816_signed(int32_t (&d)[4], uint32_t a0, uint32_t a1, uint32_t b)
{
    ptx_mma_16832_signed(d, a0, a1, 0, 0, b, 0);
}
static inline void ptx_mma_16832_mixed(int32_t (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2,
                                       uint32_t a3, uint32_t b0, uint32_t b1)
{
    cuda_host_signed_product product = {{a0, a1, a2, a3}, {b0, b1}, {d[0], d[1], d[2], d[3]}, true};
    cuda_host_warp(~0u, cuda_host_signed_product::make, &product);
    memcpy(d, product.d, sizeof product.d);
}
static inline void ptx_mma_16816_mixed(int32_t (&d)[4], uint32_t a0, uint32_t a1, uint32_t b)
{
    ptx_mma_16832_mixed(d, a0, a1, 0, 0, b, 0);
}
static inline uint32_t ptx_signs_of_bytes(uint32_t bytes)
{
    return (bytes >> 7 & 0x01010101u) * 255u;
}
