/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Coarser levels, from planes to responses: a block has a tile of a level's samples and every n-th
 * plane of those that differ there. A plane is blurred along rows, then along columns, and has its
 * Laplacian taken, for each scale of the level. A number of shared memory is read once for
 * the sums of a thread that it has a weight for; columns stay in registers, and their neighbours
 * are other lanes. A thread keeps the sums of |d| of its samples, whole numbers, and adds them to
 * the response at the end. Multiplications and additions bound it, 63 of each pass for each sample
 * and plane of three scales. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_FILTER_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_FILTER_CUH

#include "kernels/cuda/copy.cuh"
#include "levels.cuh"

#define RUN 8 /* samples of a row that a thread blurs at once */
#define BLURRED (SALIENCY_CUDA_STRIP + 2) /* rows of a column that a thread blurs */
#define PLANE_PITCH SALIENCY_CUDA_PLANE_PITCH
#define LINE_PITCH SALIENCY_CUDA_LINE_PITCH

struct filter_memory {
    present_bins bins;
    float plane[1]; /* from `reach` samples before the lines, and then the lines */
};

static __device__ __forceinline__ float *lines_of(const saliency_cuda_frame &frame,
                                                  filter_memory &memory)
{
    return memory.plane + frame.plane_rows * PLANE_PITCH;
}

struct filter_tile {
    int level;
    int x, y; /* first sample that is written, counted from the response's first */
    int width, height; /* samples that are written */
    int reach; /* of the level's scales */
};

static __device__ __forceinline__ filter_tile tile_of_block(const saliency_cuda_frame &frame)
{
    int number = (int)blockIdx.x;
    int level = 0;
    while (number >= frame.levels[level].tile_end) {
        level++;
    }
    const saliency_cuda_level &at = frame.levels[level];
    number -= level > 0 ? frame.levels[level - 1].tile_end : 0;
    filter_tile tile = {level,
                        number % at.tiles_across * SALIENCY_CUDA_TILE_WIDTH,
                        number / at.tiles_across * SALIENCY_CUDA_TILE_HEIGHT,
                        0,
                        0,
                        0};
    tile.width = min(SALIENCY_CUDA_TILE_WIDTH, at.x.out_count - tile.x);
    tile.height = min(SALIENCY_CUDA_TILE_HEIGHT, at.y.out_count - tile.y);
    for (uint32_t i = at.scale_first; i < at.scale_end; i++) {
        tile.reach = max(tile.reach, frame.scales[i].reach);
    }
    return tile;
}

/* The sample of the planes at a place that counts from the response's first; those beyond are like
 * the outermost. */
static __device__ __forceinline__ int sample_at(const saliency_cuda_axis &axis, int place)
{
    return clamped(axis.out_first + place - axis.first, 0, axis.count - 1);
}

/* Returns which planes differ in the tile, by bins of the samples that it reads. */
static __device__ __forceinline__ int find_planes(const saliency_cuda_frame &frame,
                                                  const filter_tile &tile, filter_memory &memory)
{
    const saliency_cuda_level &level = frame.levels[tile.level];
    const int thread = (int)threadIdx.x;
    const int margin = tile.reach + 1;
    const int left = sample_at(level.x, tile.x - margin) / SALIENCY_CUDA_SEGMENT;
    const int across =
        sample_at(level.x, tile.x + tile.width + margin) / SALIENCY_CUDA_SEGMENT - left + 1;
    const int top = sample_at(level.y, tile.y - margin);
    const int down = sample_at(level.y, tile.y + tile.height + margin) - top + 1;
    if (thread < MASK_WORDS) {
        memory.bins.mask[thread] = 0;
    }
    __syncthreads();
    for (int i = thread; i < MASK_WORDS * across * down; i += SALIENCY_CUDA_FILTER_THREADS) {
        const int word = i % MASK_WORDS;
        const int segment = left + i / MASK_WORDS % across;
        const int row = top + i / MASK_WORDS / across;
        atomicOr(&memory.bins.mask[word],
                 mask_at(frame, level, segment * SALIENCY_CUDA_SEGMENT, row)[word]);
    }
    __syncthreads();
    const int count = rank_bins(memory.bins, thread);
    __syncthreads();
    return count;
}

/* To be waited for. */
static __device__ __forceinline__ void begin_plane(const saliency_cuda_frame &frame,
                                                   const filter_tile &tile, int bin,
                                                   filter_memory &memory)
{
    const saliency_cuda_level &level = frame.levels[tile.level];
    const float *plane = plane_at(frame, level, 0, 0) + (int64_t)bin * level.pitch * level.y.count;
    const int width = tile.width + 2 + 2 * tile.reach;
    const int height = tile.height + 2 + 2 * tile.reach;
    for (int row = (int)threadIdx.x / 32; row < height; row += SALIENCY_CUDA_FILTER_THREADS / 32) {
        const float *from =
            plane + (int64_t)sample_at(level.y, tile.y - 1 - tile.reach + row) * level.pitch;
        for (int i = (int)threadIdx.x % 32; i < width; i += 32) {
            copy_word_begin(&memory.plane[row * PLANE_PITCH + i],
                            from + sample_at(level.x, tile.x - 1 - tile.reach + i));
        }
    }
}

/* `COUNT` sums along a line, in the processor's order: `in` is REACH numbers before the first one's
 * own. */
template <int REACH, int COUNT>
static __device__ __forceinline__ void gauss(const float *in, int step, const float *weights,
                                             float out[COUNT])
{
    float values[COUNT + 2 * REACH];
#pragma unroll
    for (int i = 0; i < COUNT + 2 * REACH; i++) {
        values[i] = in[i * step];
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        out[i] = weights[0] * values[i + REACH];
    }
#pragma unroll
    for (int k = 1; k <= REACH; k++) {
        const float weight = weights[k];
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            out[i] += weight * (values[i + REACH - k] + values[i + REACH + k]);
        }
    }
}

template <int REACH>
static __device__ __forceinline__ void get_weights(const saliency_cuda_scale &scale,
                                                   float out[REACH + 1])
{
#pragma unroll
    for (int i = 0; i <= REACH; i++) {
        out[i] = scale.weights[i];
    }
}

/* Returns 2^16 / count, rounded up: item * part_of(count) / 2^16 is item / count for all items. */
static __device__ __forceinline__ uint32_t part_of(int count)
{
    static_assert((SALIENCY_CUDA_TILE_ROWS + 2 * SALIENCY_COARSE_REACH) *
                          (SALIENCY_CUDA_TILE_ROWS + 2 * SALIENCY_COARSE_REACH) *
                          (SALIENCY_CUDA_COLUMNS / RUN) <
                      1 << 16,
                  "an item is less than 2^16 / count");
    return (uint32_t)(65535.5f / (float)count) + 1u;
}

/* Neighbouring threads have neighbouring rows. */
template <int REACH>
static __device__ __forceinline__ void gauss_rows(const saliency_cuda_scale &scale,
                                                  const filter_tile &tile, const float *plane,
                                                  float *lines)
{
    const int rows = tile.height + 2 + 2 * REACH;
    const int runs = (tile.width + 2 + RUN - 1) / RUN;
    const int within = tile.reach - REACH; /* the plane's margin is that of the largest scale */
    const uint32_t part = part_of(rows);
    float weights[REACH + 1];
    get_weights<REACH>(scale, weights);
    for (int item = (int)threadIdx.x; item < rows * runs; item += SALIENCY_CUDA_FILTER_THREADS) {
        const int run = (int)((uint32_t)item * part >> 16);
        const int row = item - run * rows;
        const int column = run * RUN;
        float sums[RUN];
        gauss<REACH, RUN>(plane + (row + within) * PLANE_PITCH + column + within, 1, weights, sums);
#pragma unroll
        for (int i = 0; i < RUN; i++) {
            lines[row * LINE_PITCH + column + i] = sums[i];
        }
    }
}

/* The thread's column of the lines, and its first output row of the tile. */
static __device__ __forceinline__ int column_of_thread()
{
    return (int)(threadIdx.x / 32 % 2 * (SALIENCY_CUDA_SEGMENT - 2) + threadIdx.x % 32);
}

static __device__ __forceinline__ int row_of_thread()
{
    return (int)threadIdx.x / 64 * SALIENCY_CUDA_STRIP;
}

/* Whether the thread's warp has any that are written. */
static __device__ __forceinline__ bool has_samples(const filter_tile &tile)
{
    return column_of_thread() - (int)threadIdx.x % 32 < tile.width && row_of_thread() < tile.height;
}

/* Second differences across, of neighbouring lanes. */
static __device__ __forceinline__ float across(float middle)
{
    return (__shfl_up_sync(~0u, middle, 1) - middle) + (__shfl_down_sync(~0u, middle, 1) - middle);
}

/* Six times the Laplacian of nine samples, as kernels/saliency/cpu/loops.c has it. */
static __device__ __forceinline__ void add_laplace(const float column[BLURRED], float gain,
                                                   int planes, int32_t total[SALIENCY_CUDA_STRIP])
{
    float x_above = across(column[0]);
    float x = across(column[1]);
#pragma unroll
    for (int i = 0; i < SALIENCY_CUDA_STRIP; i++) {
        const float x_below = across(column[i + 2]);
        const float y = (column[i] - column[i + 1]) + (column[i + 2] - column[i + 1]);
        const float xy = (x_above - x) + (x_below - x);
        const float value = ((x + y) + xy * (1.0f / 6.0f)) * gain;
        total[i] += planes * (int)(fabsf(value) + 0.5f);
        x_above = x;
        x = x_below;
    }
}

template <int REACH>
static __device__ __forceinline__ void add_columns(const saliency_cuda_scale &scale,
                                                   const float *lines, int planes,
                                                   int32_t total[SALIENCY_CUDA_STRIP])
{
    float weights[REACH + 1];
    float column[BLURRED];
    get_weights<REACH>(scale, weights);
    gauss<REACH, BLURRED>(lines + row_of_thread() * LINE_PITCH + column_of_thread(), LINE_PITCH,
                          weights, column);
    add_laplace(column, scale.gain, planes, total);
}

/* Calls what(reach) with the scale's reach as a constant. */
#define OF_REACH(reach, what)                                                                      \
    switch (reach) {                                                                               \
        OF_REACH_CASE(7, what)                                                                     \
        OF_REACH_CASE(8, what)                                                                     \
        OF_REACH_CASE(9, what)                                                                     \
        OF_REACH_CASE(10, what)                                                                    \
        OF_REACH_CASE(11, what)                                                                    \
        OF_REACH_CASE(12, what)                                                                    \
        OF_REACH_CASE(13, what)                                                                    \
        OF_REACH_CASE(14, what)                                                                    \
        OF_REACH_CASE(15, what)                                                                    \
    default:                                                                                       \
        static_assert(SALIENCY_COARSE_REACH == 16, "the largest that there is");                   \
        what(16);                                                                                  \
    }
#define OF_REACH_CASE(number, what)                                                                \
    case number:                                                                                   \
        what(number);                                                                              \
        break;

/* Makes those of all scales, whose lines lie behind each other. */
static __device__ __forceinline__ void gauss_rows_of(const saliency_cuda_scale *scales, int count,
                                                     const filter_tile &tile, const float *plane,
                                                     float *lines)
{
    for (int k = 0; k < count; k++) {
#define ROWS(number) gauss_rows<number>(scales[k], tile, plane, lines)
        OF_REACH(scales[k].reach, ROWS)
#undef ROWS
        lines += (SALIENCY_CUDA_TILE_ROWS + 2 * scales[k].reach) * LINE_PITCH;
    }
}

static __device__ __forceinline__ void add_scales(
    const saliency_cuda_scale *scales, int count, int planes, const float *lines,
    int32_t total[SALIENCY_PER_OCTAVE][SALIENCY_CUDA_STRIP])
{
#pragma unroll
    for (int k = 0; k < SALIENCY_PER_OCTAVE; k++) {
        if (k < count) {
#define COLUMNS(number) add_columns<number>(scales[k], lines, planes, total[k])
            OF_REACH(scales[k].reach, COLUMNS)
#undef COLUMNS
            lines += (SALIENCY_CUDA_TILE_ROWS + 2 * scales[k].reach) * LINE_PITCH;
        }
    }
}

static __device__ __forceinline__ void write_totals(const saliency_cuda_frame &frame,
                                                    const filter_tile &tile,
                                                    const saliency_cuda_scale &scale,
                                                    const int32_t total[SALIENCY_CUDA_STRIP])
{
    const int lane = (int)threadIdx.x % 32;
    const int x = tile.x - 1 + column_of_thread();
    const uint32_t image = (frame.layer_first + blockIdx.z) / (uint32_t)frame.channels;
    int32_t *response =
        (int32_t *)frame.responses + image * frame.response_count + scale.offset + x;
    if (lane == 0 || lane == 31 || x >= scale.width) {
        return;
    }
#pragma unroll
    for (int i = 0; i < SALIENCY_CUDA_STRIP; i++) {
        const int y = tile.y + row_of_thread() + i;
        if (y < scale.height) {
            atomicAdd(&response[(int64_t)y * scale.width], total[i]);
        }
    }
}

/* Behind the last bin of all a plane is one value, and its d is 0. A plane is on its way while the
 * one before it is blurred along columns. */
static __device__ __forceinline__ void make_filtered(const saliency_cuda_frame &frame,
                                                     filter_memory &memory)
{
    const filter_tile tile = tile_of_block(frame);
    const saliency_cuda_level &level = frame.levels[tile.level];
    const saliency_cuda_scale *scales = frame.scales + level.scale_first;
    const int scale_count = (int)(level.scale_end - level.scale_first);
    const int last = find_planes(frame, tile, memory) - 1;
    const int *bins = memory.bins.list;
    float *lines = lines_of(frame, memory);
    int32_t total[SALIENCY_PER_OCTAVE][SALIENCY_CUDA_STRIP] = {};
    int i = (int)blockIdx.y;
    if (i >= last) {
        return;
    }
    begin_plane(frame, tile, bins[i], memory);
    for (; i < last; i += (int)gridDim.y) {
        copy_wait();
        __syncthreads();
        gauss_rows_of(scales, scale_count, tile, memory.plane, lines);
        __syncthreads();
        if (i + (int)gridDim.y < last) {
            begin_plane(frame, tile, bins[i + (int)gridDim.y], memory);
        }
        if (has_samples(tile)) {
            add_scales(scales, scale_count, bins[i + 1] - bins[i], lines, total);
        }
    }
#pragma unroll
    for (int k = 0; k < SALIENCY_PER_OCTAVE; k++) {
        if (k < scale_count) {
            write_totals(frame, tile, scales[k], total[k]);
        }
    }
}

#endif
