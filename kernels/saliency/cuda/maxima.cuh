/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Candidates, as kernels/saliency/cpu/maxima.c finds them, and with the same roundings: of equal
 * responses they have the same bits. A block has a tile of pixels and goes up the scales with three
 * of them in shared memory. Memory bounds it: 16 responses a pixel. */
#pragma once

#include "kernels/saliency/candidate.h"
#include "present.cuh"

#define MAXIMA_THREADS (SALIENCY_CUDA_MAXIMA_WIDTH * SALIENCY_CUDA_MAXIMA_ROWS)
/* Whole pairs of pixels, of which both lie between the same samples of every coarser level */
#define AREA_BEFORE 2
#define AREA_WIDTH (SALIENCY_CUDA_MAXIMA_WIDTH + 2 * AREA_BEFORE)
#define AREA_HEIGHT (SALIENCY_CUDA_MAXIMA_HEIGHT + 2 * AREA_BEFORE)
#define PAIRS_ACROSS (AREA_WIDTH / 2)
#define PAIRS_DOWN (AREA_HEIGHT / 2)
#define NODES (SALIENCY_OUT_BEFORE + 1 + SALIENCY_OUT_AFTER)
#define SAMPLE_ROWS (PAIRS_DOWN + NODES)
#define NO_NEIGHBOUR (-1.0f)
#define UNIT ((float)(1.0 / (SALIENCY_UNIT * SALIENCY_BINS)))

struct maxima_memory {
    float planes[3][AREA_HEIGHT * AREA_WIDTH]; /* of scale i in planes[i % 3] */
    float2 samples[SAMPLE_ROWS * PAIRS_ACROSS]; /* interpolated along rows */
    /* A level's weights of the area's columns and rows, one node after the other */
    float2 across[NODES * PAIRS_ACROSS];
    float2 down[NODES * PAIRS_DOWN];
};

/* ---- Interpolation */

DEVICE float product(float a, float b, float c)
{
    return __fmul_rn(__fmul_rn(a, b), c);
}

/* The weights of the samples -2 .. 3 at t in 0 .. 1. */
DEVICE void weigh(float t, float out[NODES])
{
    const float a = t + 2.0f;
    const float b = t + 1.0f;
    const float c = t - 1.0f;
    const float d = t - 2.0f;
    const float e = t - 3.0f;
    const float ab = __fmul_rn(a, b);
    const float de = __fmul_rn(d, e);
    const float tc = __fmul_rn(t, c);
    out[0] = __fmul_rn(product(b, tc, de), -1.0f / 120.0f);
    out[1] = __fmul_rn(product(a, tc, de), 1.0f / 24.0f);
    out[2] = __fmul_rn(product(ab, c, de), -1.0f / 12.0f);
    out[3] = __fmul_rn(product(ab, t, de), 1.0f / 12.0f);
    out[4] = __fmul_rn(product(ab, tc, e), -1.0f / 24.0f);
    out[5] = __fmul_rn(product(ab, tc, d), 1.0f / 120.0f);
}

/* Interpolates at both pixels of a pair; `in` are `step` apart, `weights` `next`. */
template <typename Number>
DEVICE float2 interpolated(const Number *in, int step, const float2 *weights, int next)
{
    float2 sum;
#pragma unroll
    for (int i = 0; i < NODES; i++) {
        const float node = (float)in[i * step];
        const float2 weight = weights[i * next];
        const float2 part = make_float2(__fmul_rn(weight.x, node), __fmul_rn(weight.y, node));
        sum = i == 0 ? part : make_float2(__fadd_rn(sum.x, part.x), __fadd_rn(sum.y, part.y));
    }
    return sum;
}

/* The tile's corner is at (2, 2) of an area. */
struct maxima_tile {
    int x, y;
    int thread;
};

DEVICE const int32_t *responses_of(const saliency_cuda_frame &frame,
                                   const saliency_cuda_scale &scale)
{
    return (const int32_t *)frame.responses + blockIdx.z * frame.response_count + scale.offset;
}

/* A pixel of the picture, wherever the area ends. */
DEVICE int pixel_at(int at, int count)
{
    return clamped(at, 0, count - 1);
}

DEVICE bool is_outside(const saliency_cuda_frame &frame, const maxima_tile &tile, int at)
{
    const int x = tile.x - AREA_BEFORE + at % AREA_WIDTH;
    const int y = tile.y - AREA_BEFORE + at / AREA_WIDTH;
    return x < 0 || y < 0 || x >= frame.width_px || y >= frame.height_px;
}

DEVICE void fill_fine(const saliency_cuda_frame &frame, const maxima_tile &tile,
                      const saliency_cuda_scale &scale, float *out)
{
    const int32_t *response = responses_of(frame, scale);
    for (int at = tile.thread; at < AREA_WIDTH * AREA_HEIGHT; at += MAXIMA_THREADS) {
        const int x = tile.x - AREA_BEFORE + at % AREA_WIDTH;
        const int y = tile.y - AREA_BEFORE + at / AREA_WIDTH;
        out[at] = is_outside(frame, tile, at)
                      ? NO_NEIGHBOUR
                      : __fmul_rn((float)response[(int64_t)y * scale.width + x], UNIT);
    }
}

DEVICE void weigh_line(int first, int count, int step, int thread, int size, float *out)
{
    if (thread >= 0 && thread < size) {
        float weights[NODES];
        weigh((float)(pixel_at(first + thread, count) % step) / (float)step, weights);
#pragma unroll
        for (int i = 0; i < NODES; i++) {
            out[i * size + thread] = weights[i];
        }
    }
}

/* Other threads have columns than have rows. */
DEVICE void weigh_area(const saliency_cuda_frame &frame, const maxima_tile &tile, int step,
                       maxima_memory &memory)
{
    static_assert(AREA_WIDTH <= 64 && AREA_HEIGHT <= MAXIMA_THREADS - 64, "");
    weigh_line(tile.x - AREA_BEFORE, frame.width_px, step, tile.thread, AREA_WIDTH,
               (float *)memory.across);
    weigh_line(tile.y - AREA_BEFORE, frame.height_px, step, tile.thread - 64, AREA_HEIGHT,
               (float *)memory.down);
    __syncthreads();
}

/* Rows first, then columns; a barrier between them. */
DEVICE void fill_coarse(const saliency_cuda_frame &frame, const maxima_tile &tile,
                        const saliency_cuda_scale &scale, maxima_memory &memory, float *out)
{
    const int shift = __popc((uint32_t)frame.levels[scale.level].step_px - 1u);
    const int32_t *response = responses_of(frame, scale);
    const int top = tile.y - AREA_BEFORE;
    const int first = pixel_at(top, frame.height_px) >> shift;
    const int rows = (pixel_at(top + AREA_HEIGHT - 1, frame.height_px) >> shift) - first + NODES;
    for (int i = tile.thread; i < rows * PAIRS_ACROSS; i += MAXIMA_THREADS) {
        const int pair = i % PAIRS_ACROSS;
        const int x = pixel_at(tile.x - AREA_BEFORE + 2 * pair, frame.width_px) >> shift;
        const int32_t *row = response + (int64_t)(first + i / PAIRS_ACROSS) * scale.width;
        memory.samples[i] = interpolated(row + x, 1, memory.across + pair, PAIRS_ACROSS);
    }
    __syncthreads();
    for (int i = tile.thread; i < AREA_WIDTH * PAIRS_DOWN; i += MAXIMA_THREADS) {
        const int pair = i / AREA_WIDTH;
        const int at = 2 * pair * AREA_WIDTH + i % AREA_WIDTH;
        const int y = pixel_at(top + 2 * pair, frame.height_px) >> shift;
        const float *in = (const float *)memory.samples + (y - first) * AREA_WIDTH + i % AREA_WIDTH;
        const float2 two = interpolated(in, AREA_WIDTH, memory.down + pair, PAIRS_DOWN);
        out[at] = is_outside(frame, tile, at) ? NO_NEIGHBOUR : __fmul_rn(two.x, UNIT);
        out[at + AREA_WIDTH] =
            is_outside(frame, tile, at + AREA_WIDTH) ? NO_NEIGHBOUR : __fmul_rn(two.y, UNIT);
    }
}

/* ---- Candidates */

/* Above those before it, not below those after it. */
DEVICE bool is_above(const float *at, const float *below, const float *above)
{
    const float value = *at;
    bool is = value > at[-1] && value >= at[1] && value > below[0] && value >= above[0];
    for (int x = -1; x <= 1 && is; x++) {
        is = value > at[x - AREA_WIDTH] && value >= at[x + AREA_WIDTH];
        for (int y = -AREA_WIDTH; y <= AREA_WIDTH; y += AREA_WIDTH) {
            is = is && value > below[x + y] && value >= above[x + y];
        }
    }
    return is;
}

/* The top of the parabola through three values: where, -0.5 .. 0.5, and how much above the middle.
 */
DEVICE float2 top_of(float before, float middle, float after)
{
    const float slope = __fmul_rn(after - before, 0.5f);
    const float curvature = __fadd_rn(middle - before, middle - after);
    if (before == NO_NEIGHBOUR || after == NO_NEIGHBOUR || !(curvature > 0.0f)) {
        return make_float2(0.0f, 0.0f);
    }
    const float at = slope / curvature;
    return make_float2(at, product(slope, at, 0.5f));
}

DEVICE float one_and(float u, float factor)
{
    return __fadd_rn(1.0f, __fmul_rn(u, factor));
}

/* 2^(t / 3), to 1e-7 for |t| up to 0.5. */
DEVICE float scale_factor(float t)
{
    const float u = __fmul_rn(t, 0.23104906f); /* ln 2 / 3 */
    const float cubes = __fadd_rn(0.16666667f, __fmul_rn(u, 0.041666667f));
    return one_and(u, one_and(u, __fadd_rn(0.5f, __fmul_rn(u, cubes))));
}

DEVICE void add_candidate(const saliency_cuda_frame &frame, uint32_t scale, int x_px, int y_px,
                          const float *at, const float *below, const float *above)
{
    const float2 x = top_of(at[-1], *at, at[1]);
    const float2 y = top_of(at[-AREA_WIDTH], *at, at[AREA_WIDTH]);
    const float2 s = top_of(*below, *at, *above);
    const uint32_t number = atomicAdd((uint32_t *)frame.counts + blockIdx.z, 1u);
    if (number < frame.candidate_most) {
        saliency_candidate *out = (saliency_candidate *)frame.candidates +
                                  (uint64_t)blockIdx.z * frame.candidate_most + number;
        out->blob.x_px = (float)x_px + x.x;
        out->blob.y_px = (float)y_px + y.x;
        out->blob.sigma_px = __fmul_rn(frame.scales[scale].sigma_px, scale_factor(s.x));
        out->blob.strength = ((*at + x.y) + y.y) + s.y;
        out->scale = scale;
        out->place = (uint32_t)(y_px * frame.width_px + x_px);
    }
}

/* Finds those of the tile; the scale's neighbours are in memory, too. */
DEVICE void find_candidates(const saliency_cuda_frame &frame, const maxima_tile &tile,
                            uint32_t scale, const maxima_memory &memory)
{
    const int x = tile.x + (int)threadIdx.x;
    for (int row = (int)threadIdx.y; row < SALIENCY_CUDA_MAXIMA_HEIGHT;
         row += SALIENCY_CUDA_MAXIMA_ROWS) {
        const int at = (row + AREA_BEFORE) * AREA_WIDTH + (int)threadIdx.x + AREA_BEFORE;
        const float *own = memory.planes[scale % 3] + at;
        const float *below = memory.planes[(scale + 2) % 3] + at;
        const float *above = memory.planes[(scale + 1) % 3] + at;
        const bool inside = x < frame.width_px && tile.y + row < frame.height_px;
        if (inside && *own > frame.threshold && is_above(own, below, above)) {
            add_candidate(frame, scale, x, tile.y + row, own, below, above);
        }
    }
}

DEVICE void find_maxima(const saliency_cuda_frame &frame, maxima_memory &memory)
{
    const maxima_tile tile = {(int)blockIdx.x * SALIENCY_CUDA_MAXIMA_WIDTH,
                              (int)blockIdx.y * SALIENCY_CUDA_MAXIMA_HEIGHT,
                              (int)(threadIdx.y * SALIENCY_CUDA_MAXIMA_WIDTH + threadIdx.x)};
    for (uint32_t i = 0; i < frame.scale_count; i++) {
        const saliency_cuda_scale &scale = frame.scales[i];
        const saliency_cuda_level &level = frame.levels[scale.level];
        __syncthreads();
        if (level.step_px > 1) {
            if (i == level.scale_first) {
                weigh_area(frame, tile, level.step_px, memory);
            }
            fill_coarse(frame, tile, scale, memory, memory.planes[i % 3]);
        } else {
            fill_fine(frame, tile, scale, memory.planes[i % 3]);
        }
        __syncthreads();
        if (i >= 2) {
            find_candidates(frame, tile, i - 1, memory);
        }
    }
}

/* ---- Back to the processor: a block has an image */

DEVICE void report_candidates(const saliency_cuda_report &report)
{
    const uint32_t image = blockIdx.x;
    const uint32_t count = ((const uint32_t *)report.counts)[image];
    const uint32_t words = min(count, min(report.candidate_most, report.out_most)) *
                           (uint32_t)(sizeof(saliency_candidate) / 4);
    const uint32_t *from = (const uint32_t *)report.candidates +
                           (uint64_t)image * report.candidate_most * sizeof(saliency_candidate) / 4;
    uint32_t *to = (uint32_t *)report.out_candidates +
                   (uint64_t)image * report.out_most * sizeof(saliency_candidate) / 4;
    for (uint32_t i = threadIdx.x; i < words; i += SALIENCY_CUDA_THREADS) {
        to[i] = from[i];
    }
    if (threadIdx.x == 0) {
        ((uint32_t *)report.out_counts)[image] = count;
    }
}
