/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The picture from nodes in floats, for 32-bit floats: a warp makes a tile of 16 x 16 pixels. The
 * products take floats of 11 bits, whose exponents cover floats and the weights of tails in wide
 * light; for wide light, square roots are blended (gauss/plan/ladder.h). */
#pragma once

#include "kernels/gauss/cuda/nodes/blend.cuh"
#include "kernels/gauss/cuda/nodes/write.cuh"

/* ---- Levels, whose channels lie side by side: floats have four floats a sample. Tiles have four
 * halves, and their coarsest levels made here */

struct half_sample {
    uint2 halves;

    static __device__ half_sample of(float4 v)
    {
        const __half2 xy = __floats2half2_rn(v.x, v.y);
        const __half2 zw = __floats2half2_rn(v.z, v.w);
        return {make_uint2(*(const uint32_t *)&xy, *(const uint32_t *)&zw)};
    }
    __device__ float4 value() const
    {
        const float2 xy = __half22float2(*(const __half2 *)&halves.x);
        const float2 zw = __half22float2(*(const __half2 *)&halves.y);
        return make_float4(xy.x, xy.y, zw.x, zw.y);
    }
};

struct float_sample {
    float4 floats;

    static __device__ float_sample of(float4 v)
    {
        return {v};
    }
    __device__ float4 value() const
    {
        return floats;
    }
};

template <typename Sample> struct sample_level {
    Sample *origin; /* sample (0, 0) */
    int pitch;
    int first; /* along either axis */
    int last_x;
    int last_y;

    __device__ sample_level(const gauss_cuda_smooth &smooth, int k)
    {
        const gauss_level &level = smooth.levels[k];
        const int margin = gauss_level_margin(k);
        pitch = level.pitch;
        first = -margin;
        last_x = level.width + margin - 1;
        last_y = level.height + margin - 1;
        origin = (Sample *)smooth.samples + blockIdx.z * smooth.next_samples + level.first +
                 margin * pitch + margin;
        if (k == 0 && smooth.picture) {
            origin = (Sample *)(smooth.picture + blockIdx.z * smooth.picture_next_bytes);
            pitch = smooth.picture_pitch;
        }
    }

    __device__ float4 value(int x, int y) const
    {
        return row(y)[column(x)].value();
    }
    /* Rows and columns of any number; beyond the margins the picture is constant. */
    __device__ Sample *row(int y) const
    {
        return origin + (ptrdiff_t)min(max(y, first), last_y) * pitch;
    }
    __device__ int column(int x) const
    {
        return min(max(x, first), last_x);
    }
    /* Returns how many samples lie before a row; plus a column, it is a sample's index. */
    __device__ int row_at(int y) const
    {
        return min(max(y, first), last_y) * pitch;
    }
    /* Nobody writes there meanwhile. */
    __device__ float4 load(int at) const
    {
        return __ldg((const float4 *)ptx_mad_wide(at, (int)sizeof(float4), (const char *)origin));
    }
};

/* ---- Products */

/* D += A B of 16 x 8 by 8 x 8. A lane's values of A are rows g and g + 8 of column 2t, then of
 * column 2t + 1; of B rows 2t and 2t + 1 of column g; of D as in cuda/mma.cuh. */
DEVICE void multiply_by_shuffles(float (&d)[4], const float4 &a, float b0, float b1)
{
    const int lane = (int)threadIdx.x % 32;
    const int row = lane & ~3;
    const int column = lane % 4 * 8;
    const auto add = [&](float upper_of, float lower_of, float b, int pair) {
        const float upper = __shfl_sync(~0u, upper_of, row + pair);
        const float lower = __shfl_sync(~0u, lower_of, row + pair);
        const float first = __shfl_sync(~0u, b, column + pair);
        const float second = __shfl_sync(~0u, b, column + 4 + pair);
        d[0] = fmaf(upper, first, d[0]);
        d[1] = fmaf(upper, second, d[1]);
        d[2] = fmaf(lower, first, d[2]);
        d[3] = fmaf(lower, second, d[3]);
    };
    /* Unrolled at each of its many places, it would take the compiler minutes. */
#pragma unroll 1
    for (int pair = 0; pair < 4; pair++) {
        add(a.x, a.y, b0, pair);
        add(a.z, a.w, b1, pair);
    }
}

DEVICE void wide_multiply(float (&d)[4], const float4 &a, float b0, float b1)
{
#if __CUDA_ARCH__ >= 800
    const uint32_t words[4] = {__float_as_uint(a.x), __float_as_uint(a.y), __float_as_uint(a.z),
                               __float_as_uint(a.w)};
    ptx_mma_1688_tf32(d, words, __float_as_uint(b0), __float_as_uint(b1));
#else
    multiply_by_shuffles(d, a, b0, b1);
#endif
}

/* Rounds to the 11 bits that the product uses. */
DEVICE float wide_rounded(float value)
{
#if __CUDA_ARCH__ >= 800
    return __uint_as_float(ptx_tf32(value));
#else
    return value;
#endif
}

DEVICE float4 operand_of(const float4 &v)
{
    return make_float4(wide_rounded(v.x), wide_rounded(v.y), wide_rounded(v.z), wide_rounded(v.w));
}

/* A node's window for a tile: where a lane's samples and weights begin. */
struct wide_window {
    sample_level<float_sample> level;
    int x, y;
    int steps;
    const float4 *across;
    const float4 *down;

    MEMBER wide_window(const gauss_cuda_smooth &smooth, const gauss_wide_node &node,
                       const node_tile &tile)
        : level(smooth, node.level), x(gauss_wide_window(&node, tile.x) + 2 * tile.lane.pair),
          y(gauss_wide_window(&node, tile.y) + tile.lane.row), steps(node.steps),
          across(matrix(smooth, node, tile.x)), down(matrix(smooth, node, tile.y))
    {
    }
    DEVICE const float4 *matrix(const gauss_cuda_smooth &smooth, const gauss_wide_node &node,
                                int px)
    {
        const int phase = px / NODES_TILE & (gauss_wide_phases(node.level) - 1);
        return (const float4 *)smooth.matrices + (node.matrix + phase * node.steps) * 32 +
               threadIdx.x % 32;
    }
};

/* The operands of a step of products along ROWS times eight rows. */
template <int ROWS> struct wide_step {
    float4 weights;
    float4 samples[ROWS][2];

    MEMBER void load(const wide_window &window, const int (&rows)[ROWS], int i)
    {
        const int first = window.level.column(window.x + 8 * i);
        const int second = window.level.column(window.x + 8 * i + 1);
        weights = __ldg(window.across + 32 * i);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            samples[r][0] = window.level.load(rows[r] + first);
            samples[r][1] = window.level.load(rows[r] + second);
        }
    }
};

/* Filters ROWS times eight rows of samples from step j on: the product across, and its part of the
 * one down. A step's loads are issued while the step before is multiplied. */
template <int ROWS, int CHANNELS>
DEVICE void add_rows(const wide_window &window, int j, float (&outputs)[CHANNELS][2][4])
{
    int rows[ROWS];
    float transposed[ROWS][CHANNELS][4] = {};
    wide_step<ROWS> next;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        rows[r] = window.level.row_at(window.y + 8 * (j + r));
    }
    next.load(window, rows, 0);
#pragma unroll 1
    for (int i = 1; i <= window.steps; i++) {
        const wide_step<ROWS> step = next;
        if (i < window.steps) {
            next.load(window, rows, i);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const float4 a = operand_of(step.samples[r][0]);
            const float4 b = operand_of(step.samples[r][1]);
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                wide_multiply(transposed[r][c], step.weights, channel_of(a, c), channel_of(b, c));
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const float4 weights = __ldg(window.down + 32 * (j + r));
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            const float *of = transposed[r][c];
            wide_multiply(outputs[c][0], weights, wide_rounded(of[0]), wide_rounded(of[1]));
            wide_multiply(outputs[c][1], weights, wide_rounded(of[2]), wide_rounded(of[3]));
        }
    }
}

template <int CHANNELS>
DEVICE void wide_product(const wide_window &window, float (&outputs)[CHANNELS][2][4])
{
    /* Takes eights of rows by threes, and the last four by twos. */
    int j = 0;
#pragma unroll 1
    for (; window.steps - j == 3 || window.steps - j > 4; j += 3) {
        add_rows<3>(window, j, outputs);
    }
#pragma unroll 1
    for (; j + 2 <= window.steps; j += 2) {
        add_rows<2>(window, j, outputs);
    }
    if (j < window.steps) {
        add_rows<1>(window, j, outputs);
    }
}

/* ---- Blending */

template <int CHANNELS>
DEVICE void blend_nodes(const gauss_frame &frame, const gauss_cuda_smooth &smooth,
                        const node_tile &tile, node_places &places,
                        float (&sums)[CHANNELS][NODES_PIXELS])
{
    /* The ladder of wide light has its nodes' distances, whatever the pixels are. */
    const int blend =
        (int)(image_light_is_wide(frame.light) ? GAUSS_BLEND_WIDE : GAUSS_BLEND_FLOATS);
    const bool is_light =
        frame.blur_alpha == GAUSS_WIDE_COLORS_AND_ALPHA || frame.blur_alpha == GAUSS_WIDE_COLORS;
    const int of_layers = frame.blur_alpha == GAUSS_WIDE_LAYERS ? 4 : 0;
    const int roots = blend != GAUSS_BLEND_WIDE ? 0 : is_light ? 3 : of_layers;
    const gauss_tile_nodes chosen = choose_nodes(blend, places);
#pragma unroll 1
    for (int i = 0; i < chosen.count; i++) {
        const int node = min(chosen.first + i * chosen.apart, smooth.node_count - 1);
        const wide_window window(smooth, ((const gauss_wide_node *)smooth.nodes)[node], tile);
        float outputs[CHANNELS][2][4] = {};
        wide_product(window, outputs);
        add_node(roots, 1.0f, 1.0f, places, chosen, i, outputs, sums);
    }
    if (roots > 0) {
        square_roots(roots, sums);
    }
}

/* ---- The tile */

template <typename Pixel, int CHANNELS, typename Image>
DEVICE void make_node_tile(const gauss_frame &frame, const gauss_cuda_smooth &smooth,
                           const Image &src, const Image &dst, const node_tile &tile)
{
    node_places places;
    float sums[CHANNELS][NODES_PIXELS] = {};
    find_places(frame, image_light_is_wide(frame.light), smooth, tile, places);
    if (places.highest > 0.0f) {
        blend_nodes<CHANNELS>(frame, smooth, tile, places, sums);
        if (!all_finite(sums)) {
            const auto levels = [&](int k) { return sample_level<float_sample>(smooth, k); };
            sum_tile<Pixel>(frame, smooth, levels, frame.light, src, dst, tile);
            return;
        }
    }
    typename Pixel::word words[NODES_PIXELS];
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        words[i] = Pixel::encode(colour_of(sums, i));
    }
    keep_sources<Pixel, CHANNELS>(frame, src, tile, places, words);
    store_tile<Pixel>(frame, dst, tile, words);
}

template <typename Pixel, typename Image>
DEVICE void make_wide_picture(const gauss_frame &frame, const gauss_cuda_smooth &smooth,
                              const Image &src, const Image &dst)
{
    const int warp = (int)threadIdx.x / 32;
    node_tile tile;
    tile.x = NODES_TILE * (2 * (int)blockIdx.x + warp % 2);
    tile.y = NODES_TILE * (2 * (int)blockIdx.y + warp / 2);
    if (tile.x >= frame.width_px || tile.y >= frame.height_px) {
        return;
    }
    const int count = Pixel::channels;
    if (count < 4 || frame.blur_alpha > 0) {
        make_node_tile<Pixel, count>(frame, smooth, src, dst, tile);
    } else if constexpr (count == 4) {
        make_node_tile<Pixel, 3>(frame, smooth, src, dst, tile);
    }
}
