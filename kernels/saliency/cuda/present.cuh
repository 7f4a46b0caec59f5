/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Bins that something has. Planes between two of them are like the first one. */
#pragma once

#include "params.h"

#define MASK_WORDS (SALIENCY_BINS / 32)

#define STRIP_WIDTH SALIENCY_CUDA_STRIP_WIDTH
#define STRIP_HEIGHT SALIENCY_CUDA_STRIP_HEIGHT
#define STRIP_BLOCKS (STRIP_HEIGHT / 8) /* of rows that are wanted */
#define STRIP_THREADS (32 * SALIENCY_CUDA_STRIP_WARPS)

/* Samples of planes, and rows' sums of them, are halves of so much: these are as far apart as whole
 * numbers, up to 2048, so that a float is rounded to a whole number when it becomes a half. */
#define SAMPLE_UNIT 0x1p-24f

/* Returns the thread's number in a block that is 32 threads wide. */
DEVICE int block_thread()
{
    return (int)(threadIdx.y * 32 + threadIdx.x);
}

/* Returns the warp's number in a register that all lanes share. */
DEVICE int block_warp()
{
    return __shfl_sync(~0u, (int)threadIdx.y, 0);
}

struct present_bins {
    uint32_t mask[MASK_WORDS];
    int list[SALIENCY_BINS + 1]; /* in order, and SALIENCY_BINS - 1 behind the last one */
    int planes[SALIENCY_BINS + 1]; /* their numbers among the layer's */
};

/* The layer's bins, each of which has a plane at every coarser level */
DEVICE const uint32_t *present_of(const saliency_cuda_frame &frame, uint32_t layer)
{
    return (const uint32_t *)frame.present + layer * MASK_WORDS;
}

DEVICE int clamped(int value, int low, int high)
{
    return min(max(value, low), high);
}

/* Returns four bins of a row that begin at x; those beyond its ends are the outermost. */
DEVICE uint32_t load_four(const unsigned char *row, int x, int width)
{
    uint32_t four = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        four |= (uint32_t)row[clamped(x + k, 0, width - 1)] << 8 * k;
    }
    return four;
}

/* Adds the bins of four pixels, from column `x` on, that lie from `first` on and before `end`. */
DEVICE void add_bits(uint32_t four, int x, int first, int end, uint32_t (&mask)[MASK_WORDS])
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

/* Adds the bits of all threads to the mask. */
DEVICE void add_mask(present_bins &bins, const uint32_t (&own)[MASK_WORDS], int thread)
{
#pragma unroll
    for (int word = 0; word < MASK_WORDS; word++) {
        uint32_t bits = own[word];
#pragma unroll
        for (int lanes = 16; lanes > 0; lanes /= 2) {
            bits |= __shfl_xor_sync(~0u, bits, lanes);
        }
        if (thread % 32 == 0) {
            atomicOr(&bins.mask[word], bits);
        }
    }
}

/* Adds a word of each thread, number thread % MASK_WORDS, to the mask. */
DEVICE void add_word(present_bins &bins, uint32_t own, int thread)
{
#pragma unroll
    for (int lanes = 16; lanes >= MASK_WORDS; lanes /= 2) {
        own |= __shfl_xor_sync(~0u, own, lanes);
    }
    if (thread % 32 < MASK_WORDS) {
        atomicOr(&bins.mask[thread % MASK_WORDS], own);
    }
}

DEVICE int bins_below(const uint32_t *mask, int bin)
{
    int count = 0;
#pragma unroll
    for (int word = 0; word < MASK_WORDS; word++) {
        const uint32_t below = word < bin / 32 ? ~0u : word == bin / 32 ? (1u << bin % 32) - 1u : 0;
        count += __popc(mask[word] & below);
    }
    return count;
}

/* Lists a strip's bins, whose mask is there, behind a barrier; `all`: those that have planes. How
 * many: the result. */
DEVICE int list_bins(present_bins &bins, const uint32_t *all, int thread)
{
    const int count = bins_below(bins.mask, SALIENCY_BINS);
    if (thread < SALIENCY_BINS && (bins.mask[thread / 32] >> thread % 32 & 1u) != 0) {
        const int before = bins_below(bins.mask, thread);
        bins.list[before] = thread;
        bins.planes[before] = bins_below(all, thread);
    }
    if (thread == 0) {
        bins.list[count] = SALIENCY_BINS - 1;
        bins.planes[count] = bins_below(all, SALIENCY_BINS - 1);
    }
    __syncthreads();
    return __shfl_sync(~0u, count, 0);
}

DEVICE void clear_bins(present_bins &bins, int thread)
{
    if (thread < MASK_WORDS) {
        bins.mask[thread] = 0;
    }
}
