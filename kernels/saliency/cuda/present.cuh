/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Bins that something has. Planes between two of them are like the first one. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_PRESENT_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_PRESENT_CUH

#include "params.h"

#define MASK_WORDS (SALIENCY_BINS / 32)

struct alignas(16) present_bins {
    uint32_t mask[MASK_WORDS];
    int list[SALIENCY_BINS + 1]; /* in order, and SALIENCY_BINS - 1 behind the last one */
    unsigned char rank[SALIENCY_BINS];
};
static_assert(sizeof(present_bins) == SALIENCY_CUDA_PRESENT_BYTES, "");

static __device__ __forceinline__ int clamped(int value, int low, int high)
{
    return min(max(value, low), high);
}

/* Returns four bins of a row that begin at x; those beyond its ends are the outermost. */
static __device__ __forceinline__ uint32_t load_four(const unsigned char *row, int x, int width)
{
    uint32_t four = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        four |= (uint32_t)row[clamped(x + k, 0, width - 1)] << 8 * k;
    }
    return four;
}

/* Adds the bins of four pixels, from column `x` on, that lie from `first` on and before `end`. */
static __device__ __forceinline__ void add_bits(uint32_t four, int x, int first, int end,
                                                uint32_t (&mask)[MASK_WORDS])
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t bin = four >> 8 * k & 255u;
        const uint32_t bit = x + k >= first && x + k < end ? 1u << bin % 32 : 0u;
#pragma unroll
        for (uint32_t word = 0; word < MASK_WORDS; word++) {
            mask[word] |= bin / 32 == word ? bit : 0u;
        }
    }
}

/* The bits of all lanes. */
static __device__ __forceinline__ uint32_t bits_of_warp(uint32_t bits)
{
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        bits |= __shfl_xor_sync(~0u, bits, lanes);
    }
    return bits;
}

/* By the block's first SALIENCY_BINS threads, between two barriers. How many: the result. */
static __device__ __forceinline__ int rank_bins(present_bins &bins, int thread)
{
    int before = 0;
    int count = 0;
#pragma unroll
    for (int word = 0; word < MASK_WORDS; word++) {
        const uint32_t mask = bins.mask[word];
        if (word < thread / 32) {
            before += __popc(mask);
        } else if (word == thread / 32) {
            before += __popc(mask & ((1u << thread % 32) - 1u));
        }
        count += __popc(mask);
    }
    if (thread < SALIENCY_BINS) {
        bins.rank[thread] = (unsigned char)before;
        if ((bins.mask[thread / 32] >> thread % 32 & 1u) != 0) {
            bins.list[before] = thread;
        }
    }
    if (thread == 0) {
        bins.list[count] = SALIENCY_BINS - 1;
    }
    return count;
}

#endif
