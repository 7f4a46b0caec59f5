/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0: the sums of the processor's, in another order. A thread has a pixel and a column of
 * shared memory with a number for each bin that the block's pixels and their surrounds have. It
 * adds the kernel's weight of each pixel around its own to that pixel's bin; the numbers' sums up
 * to a bin are F - G of its plane. A thread has four pixels below each other, and their columns,
 * which the block's eight warps share: each has four columns of the kernel, whose weights stay in
 * registers from row to row. A warp's 32 columns are in 32 banks. Additions to shared memory bound
 * it: (2 reach + 1)^2 a pixel and scale without the kernel's zeros, whatever the picture has. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_FINE_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_FINE_CUH

#include "kernels/cuda/ptx.cuh"
#include "present.cuh"

#define REGION_PITCH SALIENCY_CUDA_REGION_PITCH
#define FINE_THREADS (SALIENCY_CUDA_FINE_PARTS * SALIENCY_CUDA_THREADS)
#define REGION_ROWS (SALIENCY_CUDA_ROWS + 2 * SALIENCY_FINE_REACH)

/* This is as large as the reach wants it (SALIENCY_CUDA_FINE_BYTES). */
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

/* Four neighbours of a row, for the thread's pixels from FIRST to END. */
template <int FIRST, int END>
static __device__ __forceinline__ void add_row(uint32_t sums, uint32_t ranks,
                                               const int4 weights[SALIENCY_CUDA_ROWS])
{
    const uint32_t next = 4u * SALIENCY_CUDA_THREADS;
    const uint32_t x = sums + __byte_perm(ranks, 0, 0x4440) * next;
    const uint32_t y = sums + __byte_perm(ranks, 0, 0x4441) * next;
    const uint32_t z = sums + __byte_perm(ranks, 0, 0x4442) * next;
    const uint32_t w = sums + __byte_perm(ranks, 0, 0x4443) * next;
#pragma unroll
    for (int i = FIRST; i < END; i++) {
        const uint32_t pixel = 4u * SALIENCY_CUDA_SEGMENT * (uint32_t)i;
        ptx_add_shared(x + pixel, weights[i].x);
        ptx_add_shared(y + pixel, weights[i].y);
        ptx_add_shared(z + pixel, weights[i].z);
        ptx_add_shared(w + pixel, weights[i].w);
    }
}

/* Goes down four columns of the kernel: a row of neighbours has the weights of a row for the first
 * of the thread's pixels, and of the row above for the next. */
struct fine_walk {
    const uint32_t *words;
    const int4 *kernel;
    unsigned bits;
    int4 weights[SALIENCY_CUDA_ROWS]; /* of each pixel */

    __device__ __forceinline__ uint32_t next_ranks()
    {
        const uint32_t ranks = __funnelshift_r(words[0], words[1], bits);
        words += REGION_PITCH / 4;
        return ranks;
    }

    __device__ __forceinline__ void move_down()
    {
#pragma unroll
        for (int i = SALIENCY_CUDA_ROWS - 1; i > 0; i--) {
            weights[i] = weights[i - 1];
        }
    }

    __device__ __forceinline__ void next_weights()
    {
        move_down();
        weights[0] = *kernel;
        kernel += SALIENCY_CUDA_FINE_PITCH / 4;
    }
};
static_assert(SALIENCY_CUDA_ROWS == 4, "rows begin and end one by one");

/* rows: of the kernel, 3 or more */
static __device__ __forceinline__ void walk_down(fine_walk &walk, int rows, uint32_t sums)
{
    walk.next_weights();
    add_row<0, 1>(sums, walk.next_ranks(), walk.weights);
    walk.next_weights();
    add_row<0, 2>(sums, walk.next_ranks(), walk.weights);
    walk.next_weights();
    add_row<0, 3>(sums, walk.next_ranks(), walk.weights);
#pragma unroll 4
    for (int row = 3; row < rows; row++) {
        walk.next_weights();
        add_row<0, 4>(sums, walk.next_ranks(), walk.weights);
    }
    walk.move_down();
    add_row<1, 4>(sums, walk.next_ranks(), walk.weights);
    walk.move_down();
    add_row<2, 4>(sums, walk.next_ranks(), walk.weights);
    walk.move_down();
    add_row<3, 4>(sums, walk.next_ranks(), walk.weights);
}

/* A warp has four columns of the kernel, whose rows of zeros at both ends are left out. */
static __device__ __forceinline__ void add_window(const saliency_cuda_frame &frame,
                                                  const fine_memory &memory, uint32_t scale)
{
    const int reach = frame.scales[scale].reach;
    const int fours = (2 * reach + 4) / 4;
    const int margin = frame.fine_reach - reach;
    for (int four = (int)threadIdx.y; four < fours; four += FINE_THREADS / 32) {
        const int skipped = frame.fine_skipped[scale][four];
        const int corner = (margin + skipped) * REGION_PITCH + margin + 4 * four + (int)threadIdx.x;
        fine_walk walk = {memory.region + corner / 4,
                          (const int4 *)memory.kernel + skipped * (SALIENCY_CUDA_FINE_PITCH / 4) +
                              four,
                          (unsigned)(corner % 4) * 8u,
                          {}};
        walk_down(walk, 2 * (reach - skipped) + 1, address_of(memory.sums + threadIdx.x));
    }
}

/* The absolute values of the part's planes. A kernel's weights come to 0, and so do all numbers:
 * the second part begins at the last one. */
static __device__ __forceinline__ int32_t sum_planes(const present_bins &bins, int count,
                                                     const int32_t *sums)
{
    const int middle = count / SALIENCY_CUDA_FINE_PARTS;
    int32_t plane = 0;
    int32_t total = 0;
    if (threadIdx.y < SALIENCY_CUDA_ROWS) {
        for (int i = 0; i < middle; i++) {
            plane += sums[i * SALIENCY_CUDA_THREADS];
            total += abs(plane) * (bins.list[i + 1] - bins.list[i]);
        }
        return total;
    }
    for (int i = count - 1; i > middle; i--) {
        plane += sums[i * SALIENCY_CUDA_THREADS];
        total += abs(plane) * (bins.list[i] - bins.list[i - 1]);
    }
    return total;
}
static_assert(SALIENCY_CUDA_FINE_PARTS == 2, "one from the first bin, one from the last");

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
        add_window(frame, memory, number);
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
