/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The twin of kernels/cuda/ptx_bytes.cuh for the host. With g = lane / 4 and t = lane % 4; see
 * cuda/mma.cuh. */
#ifndef FOVEA_TESTS_CUDA_HOST_BYTES_H
#define FOVEA_TESTS_CUDA_HOST_BYTES_H

#include "cuda_host.h"

#include <string.h>

/* 16 x depth by depth x 8. */
struct cuda_host_signed_product {
    uint32_t a[4], b[2];
    int32_t d[4];
    int depth;

    static int32_t byte_at(uint32_t word, int part)
    {
        return (int8_t)(word >> 8 * part);
    }

    static void make(void *const brought[32], uint32_t)
    {
        int32_t a[16][32], b[8][32];
        cuda_host_signed_product *of[32];
        for (int lane = 0; lane < 32; lane++) {
            of[lane] = (cuda_host_signed_product *)brought[lane];
            if (!of[lane]) {
                cuda_host_fail("a product of matrices without lane %d", lane);
            }
            for (int part = 0; part < 4; part++) {
                const int column = 4 * (lane % 4) + part;
                for (int i = 0; i < of[lane]->depth / 8; i++) {
                    a[lane / 4 + 8 * (i % 2)][16 * (i / 2) + column] =
                        byte_at(of[lane]->a[i], part);
                }
                for (int i = 0; i < of[lane]->depth / 16; i++) {
                    b[lane / 4][16 * i + column] = byte_at(of[lane]->b[i], part);
                }
            }
        }
        for (int lane = 0; lane < 32; lane++) {
            for (int i = 0; i < 4; i++) {
                const int32_t *row = a[lane / 4 + 8 * (i / 2)];
                const int32_t *column = b[lane % 4 * 2 + i % 2];
                int32_t sum = 0;
                for (int k = 0; k < of[lane]->depth; k++) {
                    sum += row[k] * column[k];
                }
                of[lane]->d[i] = (int32_t)((uint32_t)of[lane]->d[i] + (uint32_t)sum);
            }
        }
    }
};

static inline void ptx_mma_16832_signed(int32_t (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2,
                                        uint32_t a3, uint32_t b0, uint32_t b1)
{
    cuda_host_signed_product product = {{a0, a1, a2, a3}, {b0, b1}, {d[0], d[1], d[2], d[3]}, 32};
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
    cuda_host_signed_product product = {{a0, a1}, {b}, {d[0], d[1], d[2], d[3]}, 16};
    cuda_host_warp(~0u, cuda_host_signed_product::make, &product);
    memcpy(d, product.d, sizeof product.d);
}

#endif
