/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes of coarser levels: every sample of every plane, from the pixels that it has a weight for.
 * Whole numbers are added, the processor's in another order; those up to a bin are its plane's
 * sample, as a float.
 *
 * A block's four warps have every fourth row of pixels, and add to the same 32 columns of shared
 * memory, with a number a bin: 16 KiB, so that a multiprocessor has 40 warps whose memory is waited
 * for. Near: a lane has a sample and a column. Far, where a sample has thousands of pixels: a block
 * has one, and a lane every 32nd column of pixels.
 *
 * Additions to shared memory bound both: some (7.2 step)^2 a sample, 52 a pixel and level. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_LEVELS_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_LEVELS_CUH

#include "fine.cuh"

#define COLUMN_NUMBERS (SALIENCY_BINS * SALIENCY_CUDA_SEGMENT)

struct alignas(16) near_memory {
    int32_t sums[COLUMN_NUMBERS];
    int32_t weights[SALIENCY_CUDA_NEAR_WEIGHTS]; /* by distance, and zeros */
    uint32_t rows[SALIENCY_CUDA_ROWS][SALIENCY_CUDA_NEAR_WORDS]; /* bins, of a warp each */
    int32_t before[SALIENCY_CUDA_ROWS][SALIENCY_CUDA_SEGMENT];
};
static_assert(sizeof(near_memory) == SALIENCY_CUDA_NEAR_BYTES, "");

struct far_memory {
    int32_t sums[COLUMN_NUMBERS];
    int32_t weights[SALIENCY_CUDA_WEIGHTS]; /* of some rows */
    int32_t before[SALIENCY_CUDA_ROWS];
};
static_assert(sizeof(far_memory) == SALIENCY_CUDA_FAR_BYTES, "");

static __device__ __forceinline__ void clear_columns(int32_t *sums, int thread)
{
    for (int i = thread; i < COLUMN_NUMBERS; i += SALIENCY_CUDA_THREADS) {
        sums[i] = 0;
    }
}

struct sample_place {
    int level;
    int block; /* number among those of the level */
};

/* Levels with no block of this kind have the same end as the one before. */
static __device__ __forceinline__ sample_place place_of_block(const saliency_cuda_frame &frame,
                                                              bool near)
{
    int level = 0;
    int before = 0;
    const int block = (int)(gridDim.x - 1 - blockIdx.x); /* the longest first */
    for (; level < (int)frame.level_count; level++) {
        const saliency_cuda_level &at = frame.levels[level];
        if (at.step_px > 1 && (at.step_px <= SALIENCY_CUDA_NEAR_STEP) == near) {
            if (block < at.block_end) {
                break;
            }
            before = at.block_end;
        }
    }
    return {level, block - before};
}

static __device__ __forceinline__ const int32_t *taps_of(const saliency_cuda_frame &frame,
                                                         const saliency_cuda_level &level)
{
    return (const int32_t *)frame.taps + level.taps;
}

static __device__ __forceinline__ const unsigned char *bins_of_layer(
    const saliency_cuda_frame &frame)
{
    return (const unsigned char *)frame.bins +
           (int64_t)(frame.layer_first + blockIdx.z) * frame.width_px * frame.height_px;
}

/* The first plane's sample, and the mask of its segment. */
static __device__ __forceinline__ float *plane_at(const saliency_cuda_frame &frame,
                                                  const saliency_cuda_level &level, int i, int j)
{
    return (float *)frame.planes + blockIdx.z * frame.plane_samples + level.plane +
           (int64_t)j * level.pitch + i;
}

static __device__ __forceinline__ uint32_t *mask_at(const saliency_cuda_frame &frame,
                                                    const saliency_cuda_level &level, int i, int j)
{
    const int segment = j * (level.pitch / SALIENCY_CUDA_SEGMENT) + i / SALIENCY_CUDA_SEGMENT;
    return (uint32_t *)frame.masks_at +
           ((int64_t)blockIdx.z * frame.masks + level.mask + segment) * MASK_WORDS;
}

/* ---- Near */

/* Bins of a row's pixels from `first` on, of which those beyond its ends are the outermost. */
static __device__ __forceinline__ void load_row(const unsigned char *row, int first, int width,
                                                int bytes, uint32_t *out)
{
    unsigned char *to = (unsigned char *)out;
    for (int i = (int)threadIdx.x; i < bytes; i += SALIENCY_CUDA_SEGMENT) {
        to[i] = row[clamped(first + i, 0, width - 1)];
    }
}

/* `words` has the lane's first pixel in it. */
static __device__ __forceinline__ void add_near_row(const uint32_t *words, unsigned bits, int fours,
                                                    int32_t weight, const int4 *weights,
                                                    uint32_t sums)
{
    uint32_t word = words[0];
#pragma unroll 4
    for (int i = 0; i < fours; i++) {
        const uint32_t next = words[i + 1];
        const int4 of = weights[i];
        add_four<SALIENCY_CUDA_SEGMENT>(
            sums, __funnelshift_r(word, next, bits),
            make_int4(weight * of.x, weight * of.y, weight * of.z, weight * of.w));
        word = next;
    }
}

/* i: the first of 32 neighbours. */
static __device__ __forceinline__ void add_near(const saliency_cuda_frame &frame,
                                                const saliency_cuda_level &level,
                                                near_memory &memory, int i, int j)
{
    const unsigned char *bins = bins_of_layer(frame);
    const int reach = level.reach_px;
    const int fours = (2 * reach + 4) / 4;
    const int first = (level.x.first + i) * level.step_px - reach;
    const int y = (level.y.first + j) * level.step_px - reach;
    const int bytes = 4 * ((SALIENCY_CUDA_SEGMENT - 1) * level.step_px / 4 + fours + 1);
    const int at = (int)threadIdx.x * level.step_px;
    uint32_t *words = memory.rows[threadIdx.y];
    for (int row = (int)threadIdx.y; row <= 2 * reach; row += SALIENCY_CUDA_ROWS) {
        const int64_t pixels = (int64_t)clamped(y + row, 0, frame.height_px - 1) * frame.width_px;
        load_row(bins + pixels, first, frame.width_px, bytes, words);
        __syncwarp();
        add_near_row(words + at / 4, (unsigned)(at % 4) * 8u, fours, memory.weights[row],
                     (const int4 *)memory.weights, address_of(memory.sums + threadIdx.x));
        __syncwarp();
    }
}

/* A warp writes 32 planes' samples, after those of the warps before it, and which of their bins are
 * there. */
static __device__ __forceinline__ void write_near(const saliency_cuda_frame &frame,
                                                  const saliency_cuda_level &level, int i, int j,
                                                  near_memory &memory)
{
    const int64_t next = (int64_t)level.pitch * level.y.count;
    const int warp = (int)threadIdx.y;
    const int32_t *sums = memory.sums + warp * 32 * SALIENCY_CUDA_SEGMENT + threadIdx.x;
    float *plane = plane_at(frame, level, i, j) + warp * 32 * next + threadIdx.x;
    uint32_t own = 0;
    int32_t sum = 0;
    for (int bit = 0; bit < 32; bit++) {
        const int32_t number = sums[bit * SALIENCY_CUDA_SEGMENT];
        own |= (number != 0 ? 1u : 0u) << bit;
        sum += number;
    }
    memory.before[warp][threadIdx.x] = sum;
    const uint32_t mask = bits_of_warp(own);
    if (threadIdx.x == 0) {
        mask_at(frame, level, i, j)[warp] = mask;
    }
    __syncthreads();
    sum = 0;
    for (int before = 0; before < warp; before++) {
        sum += memory.before[before][threadIdx.x];
    }
    for (int bit = 0; bit < 32; bit++) {
        sum += sums[bit * SALIENCY_CUDA_SEGMENT];
        plane[bit * next] = (float)sum;
    }
}
static_assert(SALIENCY_CUDA_ROWS == MASK_WORDS, "a warp has a word of the mask");

static __device__ __forceinline__ void make_near(const saliency_cuda_frame &frame,
                                                 near_memory &memory)
{
    const sample_place place = place_of_block(frame, true);
    const saliency_cuda_level &level = frame.levels[place.level];
    const int thread = (int)(threadIdx.y * SALIENCY_CUDA_SEGMENT + threadIdx.x);
    const int across = level.pitch / SALIENCY_CUDA_SEGMENT;
    const int i = place.block % across * SALIENCY_CUDA_SEGMENT;
    const int j = place.block / across;
    if (thread < SALIENCY_CUDA_NEAR_WEIGHTS) {
        memory.weights[thread] = thread <= 2 * level.reach_px ? taps_of(frame, level)[thread] : 0;
    }
    clear_columns(memory.sums, thread);
    __syncthreads();
    add_near(frame, level, memory, i, j);
    __syncthreads();
    write_near(frame, level, i, j, memory);
}

/* ---- Far */

/* Pixels of an axis that a sample has weights for. */
struct far_span {
    int middle; /* the sample's place */
    int first, last;
    int reach, pixels;
};

static __device__ __forceinline__ far_span span_of(const saliency_cuda_axis &axis,
                                                   const saliency_cuda_level &level, int sample,
                                                   int pixels)
{
    const int middle = (axis.first + sample) * level.step_px;
    return {middle, clamped(middle - level.reach_px, 0, pixels - 1),
            clamped(middle + level.reach_px, 0, pixels - 1), level.reach_px, pixels};
}

/* The outermost pixels stand for all beyond them. */
static __device__ __forceinline__ int32_t weight_of(const far_span &span, const int32_t *sums,
                                                    int pixel)
{
    const int most = 2 * span.reach + 1;
    const int at = pixel - span.middle + span.reach;
    const int32_t before = pixel == 0 ? 0 : sums[clamped(at, 0, most)];
    return sums[pixel == span.pixels - 1 ? most : clamped(at + 1, 0, most)] - before;
}

#define FAR_ROWS 8 /* of a thread that are under way at once */
#define FAR_WEIGHTS (SALIENCY_CUDA_WEIGHTS - FAR_ROWS * SALIENCY_CUDA_ROWS)

/* Rows from `first` to `last`, whose weights are in memory, and zeros behind them. */
static __device__ __forceinline__ void add_rows(const unsigned char *bins, int width,
                                                const far_span &x, const int32_t *taps, int first,
                                                int last, const far_memory &memory, uint32_t sums)
{
    for (int column = x.first + (int)threadIdx.x; column <= x.last;
         column += SALIENCY_CUDA_SEGMENT) {
        const int32_t weight = weight_of(x, taps, column);
        const unsigned char *from = bins + column;
        for (int row = (int)threadIdx.y; row <= last - first;
             row += FAR_ROWS * SALIENCY_CUDA_ROWS) {
            uint32_t bin[FAR_ROWS];
#pragma unroll
            for (int i = 0; i < FAR_ROWS; i++) {
                const int at = min(first + row + i * SALIENCY_CUDA_ROWS, last);
                bin[i] = from[(uint32_t)(at * width)];
            }
#pragma unroll
            for (int i = 0; i < FAR_ROWS; i++) {
                ptx_add_shared(sums + bin[i] * (4u * SALIENCY_CUDA_SEGMENT),
                               weight * memory.weights[row + i * SALIENCY_CUDA_ROWS]);
            }
        }
    }
}

static __device__ __forceinline__ void add_far(const saliency_cuda_frame &frame,
                                               const saliency_cuda_level &level, int i, int j,
                                               far_memory &memory, int thread)
{
    const int32_t *taps = taps_of(frame, level);
    const far_span x = span_of(level.x, level, i, frame.width_px);
    const far_span y = span_of(level.y, level, j, frame.height_px);
    for (int first = y.first; first <= y.last; first += FAR_WEIGHTS) {
        const int last = min(first + FAR_WEIGHTS - 1, y.last);
        __syncthreads();
        const int rows = last - first + 1 + FAR_ROWS * SALIENCY_CUDA_ROWS;
        for (int row = thread; row < rows; row += SALIENCY_CUDA_THREADS) {
            memory.weights[row] = first + row <= last ? weight_of(y, taps, first + row) : 0;
        }
        __syncthreads();
        add_rows(bins_of_layer(frame), frame.width_px, x, taps, first, last, memory,
                 address_of(memory.sums + threadIdx.x));
    }
}

/* The number of the thread's bin and of all before it. */
static __device__ __forceinline__ int32_t sum_up_to(int32_t number, far_memory &memory, int thread)
{
    int32_t sum = number;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        const int32_t other = __shfl_up_sync(~0u, sum, by);
        sum += thread % 32 >= by ? other : 0;
    }
    if (thread % 32 == 31) {
        memory.before[thread / 32] = sum;
    }
    __syncthreads();
    for (int warp = 0; warp < thread / 32; warp++) {
        sum += memory.before[warp];
    }
    return sum;
}

static __device__ __forceinline__ void make_far(const saliency_cuda_frame &frame,
                                                far_memory &memory)
{
    const sample_place place = place_of_block(frame, false);
    const saliency_cuda_level &level = frame.levels[place.level];
    const int thread = (int)(threadIdx.y * SALIENCY_CUDA_SEGMENT + threadIdx.x);
    const int i = place.block % level.x.count;
    const int j = place.block / level.x.count;
    clear_columns(memory.sums, thread);
    add_far(frame, level, i, j, memory, thread);
    __syncthreads();
    int32_t number = 0;
    const int32_t *own = memory.sums + thread * SALIENCY_CUDA_SEGMENT;
    for (int k = 0; k < SALIENCY_CUDA_SEGMENT; k++) { /* no two threads at one bank */
        number += own[(k + thread) % SALIENCY_CUDA_SEGMENT];
    }
    const uint32_t mask = __ballot_sync(~0u, number != 0);
    if (thread % 32 == 0) {
        atomicOr(&mask_at(frame, level, i, j)[thread / 32], mask);
    }
    plane_at(frame, level, i, j)[(int64_t)thread * level.pitch * level.y.count] =
        (float)sum_up_to(number, memory, thread);
}

#endif
