/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes of coarser levels: every sample of every plane, from the pixels that it has a weight for.
 * Whole numbers are added, the processor's in another order; those up to a bin are its plane's
 * sample, rounded to 12 bits, as a half.
 *
 * A block's four warps have every fourth row of pixels, and add to the same 32 columns of shared
 * memory, with a number a bin: 16 KiB, so that a multiprocessor has 40 warps whose memory is waited
 * for. Near: a lane has a sample and a column. Far, where a sample has thousands of pixels: a block
 * has 32 columns of pixels and a row of samples. Pixels of a column are added up by their bins, and
 * these numbers, times the columns' weights, for each sample.
 *
 * Additions to shared memory bound near levels, some (7.2 step)^2 a sample, 52 a pixel and level.
 * Of far ones there are 7.2, and 900 / step products. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_LEVELS_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_LEVELS_CUH

#include "kernels/cuda/ptx.cuh"
#include "present.cuh"

#include <cuda_fp16.h>

#define COLUMN_NUMBERS (SALIENCY_BINS * SALIENCY_CUDA_SEGMENT)

struct alignas(16) near_memory {
    int32_t sums[COLUMN_NUMBERS];
    int32_t weights[SALIENCY_CUDA_NEAR_WEIGHTS]; /* by distance, and zeros */
    uint32_t rows[SALIENCY_CUDA_ROWS][SALIENCY_CUDA_NEAR_WORDS]; /* bins, of a warp each */
    int32_t before[SALIENCY_CUDA_ROWS][SALIENCY_CUDA_SEGMENT];
};
static_assert(sizeof(near_memory) == SALIENCY_CUDA_NEAR_BYTES, "");

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

static __device__ __forceinline__ void add_four(uint32_t sums, uint32_t ranks, int4 weight)
{
    const uint32_t next = 4u * SALIENCY_CUDA_SEGMENT;
    ptx_add_shared(sums + __byte_perm(ranks, 0, 0x4440) * next, weight.x);
    ptx_add_shared(sums + __byte_perm(ranks, 0, 0x4441) * next, weight.y);
    ptx_add_shared(sums + __byte_perm(ranks, 0, 0x4442) * next, weight.z);
    ptx_add_shared(sums + __byte_perm(ranks, 0, 0x4443) * next, weight.w);
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
    const int segment = j * (level.pitch / SALIENCY_CUDA_SEGMENT) + i / SALIENCY_CUDA_SEGMENT;
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
        add_four(sums, __funnelshift_r(word, next, bits),
                 make_int4(weight * of.x, weight * of.y, weight * of.z, weight * of.w));
        word = next;
    }
}

/* i: the first of 32 numbers. */
static __device__ __forceinline__ void add_near(const saliency_cuda_frame &frame,
                                                const saliency_cuda_level &level,
                                                near_memory &memory, int i, int j)
{
    const unsigned char *bins = bins_of_layer(frame);
    const int reach = level.reach_px;
    const int fours = (2 * reach + 4) / 4;
    const int first = (level.x.first + i - SALIENCY_CUDA_PLANE_BEFORE) * level.step_px - reach;
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
    uint16_t *plane = plane_at(frame, level, i, j) + warp * 32 * next + threadIdx.x;
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
        plane[bit * next] = half_of(sum);
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

/* ---- Planes of far samples */

/* The number of the thread's bin and of all before it. */
static __device__ __forceinline__ int32_t sum_up_to(int32_t number, int32_t *before, int thread)
{
    int32_t sum = number;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        const int32_t other = __shfl_up_sync(~0u, sum, by);
        sum += thread % 32 >= by ? other : 0;
    }
    if (thread % 32 == 31) {
        before[thread / 32] = sum;
    }
    __syncthreads();
    for (int warp = 0; warp < thread / 32; warp++) {
        sum += before[warp];
    }
    return sum;
}

/* A block has a sample, and a thread a bin. */
static __device__ __forceinline__ void make_far_planes(const saliency_cuda_frame &frame,
                                                       int32_t *before)
{
    const int thread = (int)(threadIdx.y * SALIENCY_CUDA_SEGMENT + threadIdx.x);
    const int sample = (int)blockIdx.x;
    int number = 0;
    for (int i = 0; i < (int)frame.level_count; i++) {
        const saliency_cuda_level &at = frame.levels[i];
        number = at.step_px > SALIENCY_CUDA_NEAR_STEP && at.far <= sample ? i : number;
    }
    const saliency_cuda_level &level = frame.levels[number];
    const int i = (sample - level.far) % level.x.count;
    const int j = (sample - level.far) / level.x.count;
    const int32_t own = *far_sum_at(frame, sample, thread);
    const uint32_t mask = __ballot_sync(~0u, own != 0);
    const int at = i + SALIENCY_CUDA_PLANE_BEFORE;
    const int last = i < level.x.count - 1 ? at : level.stored - 1;
    const uint16_t half = half_of(sum_up_to(own, before, thread));
    uint16_t *row = plane_at(frame, level, 0, j) + (int64_t)thread * level.pitch * level.y.count;
    if (thread % 32 == 0) {
        atomicOr(&mask_at(frame, level, at, j)[thread / 32], mask);
    }
    for (int k = i > 0 ? at : 0; k <= last; k++) {
        row[k] = half;
    }
}

#endif
