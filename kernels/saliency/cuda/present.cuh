/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Bins that something has. Planes between two of them are like the first one. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_PRESENT_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_PRESENT_CUH

#include "params.h"

#define MASK_WORDS (SALIENCY_BINS / 32)

#define STRIP_WIDTH SALIENCY_CUDA_STRIP_WIDTH
#define STRIP_HEIGHT SALIENCY_CUDA_STRIP_HEIGHT
#define STRIP_BLOCKS (STRIP_HEIGHT / 8) /* of rows that are wanted */
#define STRIP_THREADS (32 * SALIENCY_CUDA_STRIP_WARPS)
/* The most rows above and below a strip, and all of them */
#define STRIP_ABOVE SALIENCY_CUDA_STRIP_ABOVE(SALIENCY_REACH)
#define STRIP_ROWS (STRIP_HEIGHT + 2 * STRIP_ABOVE)
static_assert(STRIP_BLOCKS == 8 && STRIP_THREADS == 256, "eight threads for a word of a block");

struct present_bins {
    uint32_t rows[STRIP_ROWS][MASK_WORDS]; /* of the strip's rows and those around them */
    uint32_t blocks[STRIP_BLOCKS][MASK_WORDS]; /* of eight rows, and those that they reach */
    uint32_t mask[MASK_WORDS]; /* of the strip */
    int list[SALIENCY_BINS + 1]; /* in order, and SALIENCY_BINS - 1 behind the last one */
    /* For how many planes one counts, from its own on, in each eight rows; 0: like the one before
     */
    alignas(8) unsigned char like[SALIENCY_BINS][STRIP_BLOCKS];
};

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

/* Finds which bins each eight rows reach, and the strip. The rows' are there, behind a barrier. */
DEVICE void find_blocks(present_bins &bins, int reach, int thread)
{
    const int word = thread % MASK_WORDS;
    const int block = thread / MASK_WORDS % STRIP_BLOCKS;
    const int part = thread / (MASK_WORDS * STRIP_BLOCKS);
    uint32_t own = 0;
    for (int row = part; row < 8 + 2 * reach; row += 8) {
        own |= bins.rows[STRIP_ABOVE + 8 * block - reach + row][word];
    }
    atomicOr(&bins.blocks[block][word], own);
    atomicOr(&bins.mask[word], own);
}

/* The first bin from `bin` on that a mask has, or the last one of all. */
DEVICE int next_bin(const uint32_t (&mask)[MASK_WORDS], int bin)
{
    for (int word = bin / 32; word < MASK_WORDS; word++) {
        const uint32_t left = word == bin / 32 ? mask[word] & ~0u << bin % 32 : mask[word];
        if (left != 0) {
            return min(32 * word + __popc(~left & (left - 1u)), SALIENCY_BINS - 1);
        }
    }
    return SALIENCY_BINS - 1;
}

/* Lists a strip's bins, whose masks are there, behind a barrier. How many: the result. */
DEVICE int list_bins(present_bins &bins, int thread)
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
    if (thread < SALIENCY_BINS && (bins.mask[thread / 32] >> thread % 32 & 1u) != 0) {
        bins.list[before] = thread;
    }
    if (thread == 0) {
        bins.list[count] = SALIENCY_BINS - 1;
    }
    __syncthreads();
    for (int i = thread; i < count * STRIP_BLOCKS; i += STRIP_THREADS) {
        const auto &mask = bins.blocks[i % STRIP_BLOCKS];
        const int bin = bins.list[i / STRIP_BLOCKS];
        const bool has = (mask[bin / 32] >> bin % 32 & 1u) != 0;
        bins.like[i / STRIP_BLOCKS][i % STRIP_BLOCKS] =
            (unsigned char)(has && bin < SALIENCY_BINS - 1 ? next_bin(mask, bin + 1) - bin : 0);
    }
    __syncthreads();
    return __shfl_sync(~0u, count, 0);
}

DEVICE void clear_bins(present_bins &bins, int thread)
{
    if (thread < STRIP_BLOCKS * MASK_WORDS) {
        bins.blocks[thread / MASK_WORDS][thread % MASK_WORDS] = 0;
    }
    if (thread < MASK_WORDS) {
        bins.mask[thread] = 0;
    }
}

#endif
