/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes of coarser levels: every sample of every plane, from the pixels that it has a weight for.
 * Whole numbers are added, the processor's in another order; those up to a bin are its plane's
 * sample, rounded to 12 bits, as a half. near.cuh has levels up to step 8, this file what both
 * share and the levels beyond, where a sample has thousands of pixels: a block has 32 columns of
 * pixels and a row of samples. Pixels of a column are added up by their bins, and these numbers,
 * times the columns' weights, for each sample. They are summed up to each bin by another kernel.
 *
 * A block's four warps have every fourth row of pixels, and add to the same 32 columns of shared
 * memory, with a number a bin: 16 KiB. There are 7.2 additions a pixel and level, and 900 / step
 * products. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_LEVELS_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_LEVELS_CUH

#include "kernels/cuda/ptx.cuh"
#include "present.cuh"

#include <cuda_fp16.h>

#define COLUMN_NUMBERS (SALIENCY_BINS * SALIENCY_CUDA_SEGMENT)

/* Samples that have weights for 32 columns of pixels: (31 + 2 reach) / step + 1, and those beyond
 * the picture's edge */
#define FAR_SAMPLES 12
static_assert(SALIENCY_CUDA_NEAR_STEP >= 8 && SALIENCY_CUDA_SEGMENT == 32, "31 / 16 + 7.2 + 2");

struct alignas(16) far_memory {
    int32_t sums[COLUMN_NUMBERS];
    int32_t weights[SALIENCY_CUDA_WEIGHTS]; /* of some rows */
    int32_t across[SALIENCY_CUDA_SEGMENT][FAR_SAMPLES]; /* of columns, for the samples */
};
static_assert(sizeof(far_memory) == SALIENCY_CUDA_FAR_BYTES, "");

/* A lane's numbers, as an address of shared memory: a bin's is so many columns behind the one
 * before, which is one instruction. */
static __device__ __forceinline__ uint32_t address_of(const int32_t *sums)
{
    return (uint32_t)__cvta_generic_to_shared(sums);
}

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

/* The first plane's number i of row j, and the mask of its segment. */
static __device__ __forceinline__ uint16_t *plane_at(const saliency_cuda_frame &frame,
                                                     const saliency_cuda_level &level, int i, int j)
{
    return (uint16_t *)frame.planes + blockIdx.z * frame.plane_samples + level.plane +
           (int64_t)j * level.pitch + i;
}

static __device__ __forceinline__ uint32_t *mask_at(const saliency_cuda_frame &frame,
                                                    const saliency_cuda_level &level, int i, int j)
{
    const int segment = j * (level.pitch / SALIENCY_CUDA_MASK_WIDTH) + i / SALIENCY_CUDA_MASK_WIDTH;
    return (uint32_t *)frame.masks_at +
           ((int64_t)blockIdx.z * frame.masks + level.mask + segment) * MASK_WORDS;
}

/* A plane's sample, of its sum, as a half. 3 * 2^22 and a whole number have that in their low bits,
 * which takes less time than an instruction that converts. */
static __device__ __forceinline__ uint16_t half_of(int32_t sum)
{
    const float large = __int_as_float(0x4b400000 + saliency_sample_of(sum));
    return __half_as_ushort(__float2half_rn(large - 12582912.0f));
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

/* Rows from `first` to `last` of the lane's column, whose weights are in memory, and zeros behind
 * them. */
static __device__ __forceinline__ void add_rows(const unsigned char *column, int width, int first,
                                                int last, const far_memory &memory, uint32_t sums)
{
    for (int row = (int)threadIdx.y; row <= last - first; row += FAR_ROWS * SALIENCY_CUDA_ROWS) {
        uint32_t bin[FAR_ROWS];
#pragma unroll
        for (int i = 0; i < FAR_ROWS; i++) {
            const int at = min(first + row + i * SALIENCY_CUDA_ROWS, last);
            bin[i] = column[(uint32_t)(at * width)];
        }
#pragma unroll
        for (int i = 0; i < FAR_ROWS; i++) {
            ptx_add_shared(sums + bin[i] * (4u * SALIENCY_CUDA_SEGMENT),
                           memory.weights[row + i * SALIENCY_CUDA_ROWS]);
        }
    }
}

/* Adds up by bins the weights, for row j of samples, of the pixels of 32 columns from x on. */
static __device__ __forceinline__ void add_columns_of(const saliency_cuda_frame &frame,
                                                      const saliency_cuda_level &level, int x,
                                                      int j, far_memory &memory, int thread)
{
    const int32_t *taps = taps_of(frame, level);
    const far_span y = span_of(level.y, level, j, frame.height_px);
    const int column = x + (int)threadIdx.x;
    for (int first = y.first; first <= y.last; first += FAR_WEIGHTS) {
        const int last = min(first + FAR_WEIGHTS - 1, y.last);
        __syncthreads();
        const int rows = last - first + 1 + FAR_ROWS * SALIENCY_CUDA_ROWS;
        for (int row = thread; row < rows; row += SALIENCY_CUDA_THREADS) {
            memory.weights[row] = first + row <= last ? weight_of(y, taps, first + row) : 0;
        }
        __syncthreads();
        if (column < frame.width_px) {
            add_rows(bins_of_layer(frame) + column, frame.width_px, first, last, memory,
                     address_of(memory.sums + threadIdx.x));
        }
    }
}

/* Numbers of a bin behind each other become those of a column behind each other. The result:
 * whether the thread's bin has any. */
static __device__ __forceinline__ bool transpose(int32_t *sums, int thread)
{
    int32_t own[SALIENCY_CUDA_SEGMENT];
    int32_t any = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SALIENCY_CUDA_SEGMENT; k++) { /* no two threads at one bank */
        own[k] = sums[thread * SALIENCY_CUDA_SEGMENT + (k + thread) % SALIENCY_CUDA_SEGMENT];
        any |= own[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SALIENCY_CUDA_SEGMENT; k++) {
        sums[(k + thread) % SALIENCY_CUDA_SEGMENT * SALIENCY_BINS + thread] = own[k];
    }
    __syncthreads();
    return any != 0;
}

/* Samples of a row that have weights for columns from x on. */
struct far_samples {
    int first, count;
};

static __device__ __forceinline__ far_samples samples_of(const saliency_cuda_frame &frame,
                                                         const saliency_cuda_level &level, int x)
{
    const int shift = __popc((uint32_t)level.step_px - 1u);
    const int next = x + SALIENCY_CUDA_SEGMENT;
    const int low = ((x - level.reach_px + level.step_px - 1) >> shift) - level.x.first;
    const int high = ((next - 1 + level.reach_px) >> shift) - level.x.first;
    const int first = x == 0 ? 0 : max(low, 0);
    const int last = next >= frame.width_px ? level.x.count - 1 : min(high, level.x.count - 1);
    return {first, last - first + 1};
}

static __device__ __forceinline__ void weigh_columns(const saliency_cuda_frame &frame,
                                                     const saliency_cuda_level &level, int x,
                                                     const far_samples &samples, far_memory &memory,
                                                     int thread)
{
    const int32_t *taps = taps_of(frame, level);
    for (int i = thread; i < SALIENCY_CUDA_SEGMENT * FAR_SAMPLES; i += SALIENCY_CUDA_THREADS) {
        const int sample = i / SALIENCY_CUDA_SEGMENT;
        const int column = i % SALIENCY_CUDA_SEGMENT;
        const far_span span = span_of(level.x, level, samples.first + sample, frame.width_px);
        const bool has = sample < samples.count && x + column < frame.width_px;
        memory.across[column][sample] = has ? weight_of(span, taps, x + column) : 0;
    }
}

/* The number of a bin, of a sample. */
static __device__ __forceinline__ int32_t *far_sum_at(const saliency_cuda_frame &frame, int sample,
                                                      int bin)
{
    return (int32_t *)frame.far_sums +
           ((int64_t)blockIdx.z * frame.far_samples + sample) * SALIENCY_BINS + bin;
}

/* The thread's bin, of all columns, for each of the samples. */
static __device__ __forceinline__ void add_samples(const saliency_cuda_frame &frame, int sample,
                                                   int count, const far_memory &memory, int thread)
{
    int32_t totals[FAR_SAMPLES] = {};
#pragma unroll 4
    for (int column = 0; column < SALIENCY_CUDA_SEGMENT; column++) {
        const int32_t number = memory.sums[column * SALIENCY_BINS + thread];
        const int4 *weights = (const int4 *)memory.across[column];
#pragma unroll
        for (int i = 0; i < FAR_SAMPLES / 4; i++) {
            totals[4 * i] += weights[i].x * number;
            totals[4 * i + 1] += weights[i].y * number;
            totals[4 * i + 2] += weights[i].z * number;
            totals[4 * i + 3] += weights[i].w * number;
        }
    }
#pragma unroll
    for (int i = 0; i < FAR_SAMPLES; i++) {
        if (i < count && totals[i] != 0) {
            atomicAdd(far_sum_at(frame, sample + i, thread), totals[i]);
        }
    }
}

static __device__ __forceinline__ void make_far(const saliency_cuda_frame &frame,
                                                far_memory &memory)
{
    const sample_place place = place_of_block(frame, false);
    const saliency_cuda_level &level = frame.levels[place.level];
    const int thread = (int)(threadIdx.y * SALIENCY_CUDA_SEGMENT + threadIdx.x);
    const int chunks = (frame.width_px + SALIENCY_CUDA_SEGMENT - 1) / SALIENCY_CUDA_SEGMENT;
    const int x = place.block % chunks * SALIENCY_CUDA_SEGMENT;
    const int j = place.block / chunks;
    const far_samples samples = samples_of(frame, level, x);
    clear_columns(memory.sums, thread);
    weigh_columns(frame, level, x, samples, memory, thread);
    add_columns_of(frame, level, x, j, memory, thread);
    if (__any_sync(~0u, transpose(memory.sums, thread))) {
        add_samples(frame, level.far + j * level.x.count + samples.first, samples.count, memory,
                    thread);
    }
}

/* ---- Planes of far samples: a block has 32 numbers of a row, and a warp every fourth of them */

#define FAR_PITCH (SALIENCY_CUDA_SEGMENT + 2) /* of a bin's */

struct far_planes_memory {
    uint16_t halves[SALIENCY_BINS * FAR_PITCH];
};

struct far_row {
    int level, i, j; /* the first number, and its row */
};

static __device__ __forceinline__ far_row far_row_of_block(const saliency_cuda_frame &frame)
{
    int number = (int)blockIdx.x;
    int level = 0;
    while (number >= frame.levels[level].far_row_end) {
        level++;
    }
    number -= level > 0 ? frame.levels[level - 1].far_row_end : 0;
    const int across = frame.levels[level].pitch / SALIENCY_CUDA_SEGMENT;
    return {level, number % across * SALIENCY_CUDA_SEGMENT, number / across};
}

/* Returns which of four bins there are, as bits of a mask's word that eight lanes share. */
static __device__ __forceinline__ uint32_t bits_of_four(const int4 &own)
{
    uint32_t bits = (own.x != 0 ? 1u : 0u) | (own.y != 0 ? 2u : 0u) | (own.z != 0 ? 4u : 0u) |
                    (own.w != 0 ? 8u : 0u);
    bits <<= threadIdx.x % 8 * 4;
#pragma unroll
    for (int lanes = 4; lanes > 0; lanes /= 2) {
        bits |= __shfl_xor_sync(~0u, bits, lanes);
    }
    return bits;
}

/* A lane has four bins: their planes' samples are the sums up to each. */
static __device__ __forceinline__ void add_up(const int4 &own, uint16_t *out)
{
    const int32_t four = own.x + own.y + own.z + own.w;
    int32_t sum = four;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        const int32_t other = __shfl_up_sync(~0u, sum, by);
        sum += (int)threadIdx.x >= by ? other : 0;
    }
    sum += own.x - four;
    out[0] = half_of(sum);
    out[FAR_PITCH] = half_of(sum + own.y);
    out[2 * FAR_PITCH] = half_of(sum + own.y + own.z);
    out[3 * FAR_PITCH] = half_of(sum + own.y + own.z + own.w);
}

static __device__ __forceinline__ void write_far(const saliency_cuda_frame &frame,
                                                 const saliency_cuda_level &level,
                                                 const far_row &row,
                                                 const far_planes_memory &memory, int thread)
{
    const int64_t next = (int64_t)level.pitch * level.y.count;
    uint16_t *plane = plane_at(frame, level, row.i, row.j);
    for (int i = thread; i < SALIENCY_BINS * SALIENCY_CUDA_SEGMENT / 2;
         i += SALIENCY_CUDA_THREADS) {
        const int bin = i / (SALIENCY_CUDA_SEGMENT / 2);
        const int at = i % (SALIENCY_CUDA_SEGMENT / 2) * 2;
        *(uint32_t *)(plane + bin * next + at) =
            *(const uint32_t *)&memory.halves[bin * FAR_PITCH + at];
    }
}

static __device__ __forceinline__ void make_far_planes(const saliency_cuda_frame &frame,
                                                       far_planes_memory &memory)
{
    const far_row row = far_row_of_block(frame);
    const saliency_cuda_level &level = frame.levels[row.level];
    const int lane = (int)threadIdx.x;
    uint32_t bits[2] = {0, 0};
#pragma unroll
    for (int i = 0; i < SALIENCY_CUDA_SEGMENT / SALIENCY_CUDA_ROWS; i++) {
        const int number = (int)threadIdx.y + SALIENCY_CUDA_ROWS * i;
        const int sample =
            clamped(row.i + number - SALIENCY_CUDA_PLANE_BEFORE, 0, level.x.count - 1);
        const int4 own =
            *(const int4 *)far_sum_at(frame, level.far + row.j * level.x.count + sample, 4 * lane);
        bits[i / (SALIENCY_CUDA_MASK_WIDTH / SALIENCY_CUDA_ROWS)] |= bits_of_four(own);
        add_up(own, &memory.halves[4 * lane * FAR_PITCH + number]);
    }
    if (lane % 8 == 0) {
        atomicOr(&mask_at(frame, level, row.i, row.j)[lane / 8], bits[0]);
        atomicOr(&mask_at(frame, level, row.i + SALIENCY_CUDA_MASK_WIDTH, row.j)[lane / 8],
                 bits[1]);
    }
    __syncthreads();
    write_far(frame, level, row, memory, (int)threadIdx.y * 32 + lane);
}

#endif
