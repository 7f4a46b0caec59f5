/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0: a block has a strip of 16 x 64 pixels and the bins around them, and a warp a scale and
 * every n-th plane that differs there (walk.cuh). */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_FINE_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_FINE_CUH

#include "walk.cuh"

#define FINE_WORDS (STRIP_COLUMNS / 4) /* of a row of pixels */
#define FINE_PITCH SALIENCY_CUDA_STRIP_PITCH(false)
static_assert(STRIP_THREADS % FINE_WORDS == 0, "a thread has a column of words");

struct fine_memory {
    present_bins bins;
    uint32_t region[STRIP_ROWS * FINE_PITCH]; /* bins of the pixels and of those around them */
};

/* The block's first pixel, its layer, and which share of the planes it has. */
struct fine_place {
    int x, y;
    int layer, share;
};

/* Four bins of a row that begin at x. */
static __device__ __forceinline__ uint32_t load_four(const unsigned char *row, int x, int width)
{
    uint32_t four = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        four |= (uint32_t)row[clamped(x + k, 0, width - 1)] << 8 * k;
    }
    return four;
}

/* Bins of four pixels, from column `x` of the block on, of which those within reach count. */
static __device__ __forceinline__ void add_bits(uint32_t four, int x, int reach,
                                                uint32_t (&mask)[MASK_WORDS])
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t bin = four >> 8 * k & 255u;
        const uint32_t bit = x + k >= -reach && x + k < STRIP_WIDTH + reach ? 1u << bin % 32 : 0u;
#pragma unroll
        for (uint32_t word = 0; word < MASK_WORDS; word++) {
            mask[word] |= bin / 32 == word ? bit : 0u;
        }
    }
}

/* The bins of the block's pixels and of those around them, and which of them kernels reach. How
 * many these are: the result. */
static __device__ __forceinline__ int load_region(const saliency_cuda_frame &frame,
                                                  const fine_place &place, fine_memory &memory,
                                                  int thread)
{
    const unsigned char *bins =
        (const unsigned char *)frame.bins + (int64_t)place.layer * frame.width_px * frame.height_px;
    const int reach = frame.fine_reach;
    const int word = thread % FINE_WORDS;
    const int x = 4 * word - STRIP_LEFT;
    uint32_t own[MASK_WORDS] = {};
    if (thread < MASK_WORDS) {
        memory.bins.mask[thread] = 0;
    }
    __syncthreads();
    for (int row = thread / FINE_WORDS; row < STRIP_ROWS; row += STRIP_THREADS / FINE_WORDS) {
        const int y = row - STRIP_ABOVE;
        const int64_t line = (int64_t)clamped(place.y + y, 0, frame.height_px - 1);
        const uint32_t four = load_four(bins + line * frame.width_px, place.x + x, frame.width_px);
        memory.region[row * FINE_PITCH + word] = four;
        if (y >= -reach && y < STRIP_HEIGHT + reach) {
            add_bits(four, x, reach, own);
        }
    }
#pragma unroll
    for (int i = 0; i < MASK_WORDS; i++) {
        const uint32_t warps = bits_of_warp(own[i]);
        if (thread % 32 == 0) {
            atomicOr(&memory.bins.mask[i], warps);
        }
    }
    __syncthreads();
    const int count = rank_bins(memory.bins, thread);
    __syncthreads();
    return count;
}

template <int COLUMNS, int ROWS>
static __device__ __forceinline__ void add_fine(const saliency_cuda_frame &frame,
                                                const fine_place &place,
                                                const saliency_cuda_scale &scale,
                                                const fine_memory &memory, int first, int step,
                                                int last)
{
    typedef plane_walk<COLUMNS, ROWS, false> walk_of;
    const int *list = memory.bins.list;
    const uint32_t *words = walk_of::words_of(memory.region, scale.reach);
    const int height = min(STRIP_HEIGHT, frame.height_px - place.y);
    walk_of walk;
    walk.load((const uint32_t *)frame.kernels + scale.kernel + threadIdx.x);
#pragma unroll 1
    for (int i = first; i < last; i += step) {
        walk.add_plane(words, (uint32_t)(list[i] | 128) * 0x01010101u, list[i + 1] - list[i],
                       height);
    }
    const uint64_t image = (uint64_t)(place.layer / frame.channels);
    walk.write((int32_t *)frame.responses + image * frame.response_count + scale.offset, scale,
               frame.width_px, frame.height_px, place.x, place.y);
}

/* Where scales are few, warps share the planes of one, as blocks do where these are few. */
static __device__ __forceinline__ void make_fine(const saliency_cuda_frame &frame,
                                                 fine_memory &memory)
{
    const int thread = (int)(threadIdx.y * 32 + threadIdx.x);
    const int blocks = (int)frame.fine_shares;
    const fine_place place = {(int)blockIdx.x * STRIP_WIDTH, (int)blockIdx.y * STRIP_HEIGHT,
                              (int)blockIdx.z / blocks, (int)blockIdx.z % blocks};
    const int last = load_region(frame, place, memory, thread) - 1;
    const int scales = (int)frame.levels[0].scale_end;
    const int shares = max(SALIENCY_CUDA_STRIP_WARPS / scales, 1);
    for (int part = (int)threadIdx.y; part < scales * shares; part += SALIENCY_CUDA_STRIP_WARPS) {
        const saliency_cuda_scale &scale = frame.scales[part / shares];
        const int first = place.share * shares + part % shares;
        if (first < last) {
            OF_REACH(scale.reach, add_fine, frame, place, scale, memory, first, shares * blocks,
                     last)
        }
    }
}

#endif
