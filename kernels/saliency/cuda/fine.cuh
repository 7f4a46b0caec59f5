/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0: the sums of the processor's, in another order. A thread has a pixel and a column of
 * shared memory with a number for each bin that the block's pixels and their surrounds have. It
 * adds the kernel's weight of each pixel around its own to that pixel's bin; the numbers' sums up
 * to a bin are F - G of its plane. Four threads share two pixels and their columns, each with every
 * fourth row of the kernel; a warp's 32 columns are in 32 banks. Additions to shared memory bound
 * it: (2 reach + 1)^2 a pixel and scale, whatever the picture has. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_FINE_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_FINE_CUH

#include "kernels/cuda/ptx.cuh"
#include "present.cuh"

#define REGION_PITCH SALIENCY_CUDA_REGION_PITCH
#define FINE_THREADS (SALIENCY_CUDA_FINE_PARTS * SALIENCY_CUDA_THREADS)
#define REGION_ROWS (SALIENCY_CUDA_ROWS + 2 * SALIENCY_FINE_REACH)

/* As large as the reach wants it (SALIENCY_CUDA_FINE_BYTES). */
struct fine_memory {
    int32_t sums[SALIENCY_BINS * SALIENCY_CUDA_THREADS];
    uint32_t region[REGION_ROWS * REGION_PITCH / 4]; /* ranks of bins */
    present_bins bins;
    alignas(16) int32_t kernel[(2 * SALIENCY_FINE_REACH + 1) * SALIENCY_CUDA_FINE_PITCH];
};
static_assert(sizeof(fine_memory) == SALIENCY_CUDA_FINE_BYTES(SALIENCY_FINE_REACH), "");

static __device__ __forceinline__ int clamped(int value, int low, int high)
{
    return min(max(value, low), high);
}

/* The bins of the block's pixels and of those around them, and then their ranks. */
static __device__ __forceinline__ int load_region(const saliency_cuda_frame &frame,
                                                  fine_memory &memory, int thread)
{
    const int left = (int)blockIdx.x * SALIENCY_CUDA_SEGMENT - frame.fine_reach;
    const int top = (int)blockIdx.y * SALIENCY_CUDA_ROWS - frame.fine_reach;
    const int bytes = (SALIENCY_CUDA_ROWS + 2 * frame.fine_reach) * REGION_PITCH;
    const unsigned char *bins =
        (const unsigned char *)frame.bins + (int64_t)blockIdx.z * frame.width_px * frame.height_px;
    unsigned char *region = (unsigned char *)memory.region;
    if (thread < MASK_WORDS) {
        memory.bins.mask[thread] = 0;
    }
    __syncthreads();
    uint32_t own[MASK_WORDS] = {};
    for (int i = thread; i < bytes; i += FINE_THREADS) {
        const int x = clamped(left + i % REGION_PITCH, 0, frame.width_px - 1);
        const int y = clamped(top + i / REGION_PITCH, 0, frame.height_px - 1);
        const unsigned char bin = bins[(int64_t)y * frame.width_px + x];
        region[i] = bin;
#pragma unroll
        for (int word = 0; word < MASK_WORDS; word++) {
            own[word] |= bin / 32 == word ? 1u << bin % 32 : 0u;
        }
    }
#pragma unroll
    for (int word = 0; word < MASK_WORDS; word++) {
        const uint32_t warps = bits_of_warp(own[word]);
        if (thread % 32 == 0) {
            atomicOr(&memory.bins.mask[word], warps);
        }
    }
    __syncthreads();
    const int count = rank_bins(memory.bins, thread);
    __syncthreads();
    for (int i = thread; i < bytes; i += FINE_THREADS) {
        region[i] = memory.bins.rank[region[i]];
    }
    return count;
}

/* The thread's numbers, as an address of shared memory: a bin's is so many columns behind the one
 * before, which is one instruction. */
static __device__ __forceinline__ uint32_t address_of(const int32_t *sums)
{
    return (uint32_t)__cvta_generic_to_shared(sums);
}

template <uint32_t COLUMNS>
static __device__ __forceinline__ void add_four(uint32_t sums, uint32_t ranks, int4 weight)
{
    ptx_add_shared(sums + __byte_perm(ranks, 0, 0x4440) * 4u * COLUMNS, weight.x);
    ptx_add_shared(sums + __byte_perm(ranks, 0, 0x4441) * 4u * COLUMNS, weight.y);
    ptx_add_shared(sums + __byte_perm(ranks, 0, 0x4442) * 4u * COLUMNS, weight.z);
    ptx_add_shared(sums + __byte_perm(ranks, 0, 0x4443) * 4u * COLUMNS, weight.w);
}

/* Two pixels, of rows that have one row between them, share what is read of the kernel; four warps
 * share a pixel. Pixels of four words behind each other are under way at once. */
#define PAIRS (SALIENCY_CUDA_ROWS / 2)
#define SHARES (FINE_THREADS / 32 / PAIRS)

static __device__ __forceinline__ void add_window(const fine_memory &memory, int reach,
                                                  int fine_reach)
{
    const int pair = (int)threadIdx.y % PAIRS;
    const int share = (int)threadIdx.y / PAIRS;
    const int corner = (pair + share) * REGION_PITCH + (int)threadIdx.x +
                       (fine_reach - reach) * (REGION_PITCH + 1);
    const unsigned bits = (unsigned)(corner % 4) * 8u;
    const int fours = (2 * reach + 4) / 4;
    const uint32_t upper = address_of(memory.sums + pair * 32 + threadIdx.x);
    const uint32_t lower = upper + PAIRS * 32u * 4u;
    const uint32_t *words = memory.region + corner / 4;
    const int4 *weights = (const int4 *)memory.kernel + share * (SALIENCY_CUDA_FINE_PITCH / 4);
    for (int row = share; row <= 2 * reach; row += SHARES) {
        const uint32_t *below = words + PAIRS * (REGION_PITCH / 4);
        uint32_t word = words[0];
        uint32_t word_below = below[0];
#pragma unroll 4
        for (int i = 0; i < fours; i++) {
            const int4 weight = weights[i];
            const uint32_t next = words[i + 1];
            const uint32_t next_below = below[i + 1];
            add_four<SALIENCY_CUDA_THREADS>(upper, __funnelshift_r(word, next, bits), weight);
            add_four<SALIENCY_CUDA_THREADS>(lower, __funnelshift_r(word_below, next_below, bits),
                                            weight);
            word = next;
            word_below = next_below;
        }
        words += SHARES * (REGION_PITCH / 4);
        weights += SHARES * (SALIENCY_CUDA_FINE_PITCH / 4);
    }
}

/* The absolute values of the part's planes. */
static __device__ __forceinline__ int32_t sum_planes(const present_bins &bins, int count,
                                                     const int32_t *sums)
{
    const int part = (int)threadIdx.y / SALIENCY_CUDA_ROWS;
    const int first = count * part / SALIENCY_CUDA_FINE_PARTS;
    const int end = count * (part + 1) / SALIENCY_CUDA_FINE_PARTS;
    int32_t plane = 0;
    int32_t total = 0;
    for (int i = 0; i < first; i++) {
        plane += sums[i * SALIENCY_CUDA_THREADS];
    }
    for (int i = first; i < end; i++) {
        plane += sums[i * SALIENCY_CUDA_THREADS];
        total += abs(plane) * (bins.list[i + 1] - bins.list[i]);
    }
    return total;
}

static __device__ __forceinline__ void make_fine(const saliency_cuda_frame &frame,
                                                 fine_memory &memory)
{
    const int thread = (int)(threadIdx.y * SALIENCY_CUDA_SEGMENT + threadIdx.x);
    const int x = (int)blockIdx.x * SALIENCY_CUDA_SEGMENT + (int)threadIdx.x;
    const int y = (int)(blockIdx.y * SALIENCY_CUDA_ROWS + threadIdx.y % SALIENCY_CUDA_ROWS);
    const int count = load_region(frame, memory, thread);
    int32_t *sums = memory.sums + thread % SALIENCY_CUDA_THREADS;
    if (count == 1) {
        return;
    }
    for (uint32_t number = 0; number < frame.levels[0].scale_end; number++) {
        const saliency_cuda_scale &scale = frame.scales[number];
        const int numbers = (2 * scale.reach + 1) * SALIENCY_CUDA_FINE_PITCH;
        __syncthreads();
        for (int i = thread; i < numbers; i += FINE_THREADS) {
            memory.kernel[i] = ((const int32_t *)frame.kernels)[scale.kernel + i];
        }
        for (int i = thread / SALIENCY_CUDA_THREADS; i < count; i += SALIENCY_CUDA_FINE_PARTS) {
            sums[i * SALIENCY_CUDA_THREADS] = 0;
        }
        __syncthreads();
        add_window(memory, scale.reach, frame.fine_reach);
        __syncthreads();
        if (x < frame.width_px && y < frame.height_px) {
            int32_t *response = (int32_t *)frame.responses +
                                blockIdx.z / frame.channels * frame.response_count + scale.offset;
            atomicAdd(&response[(int64_t)y * scale.width + x],
                      sum_planes(memory.bins, count, sums));
        }
    }
}

#endif
