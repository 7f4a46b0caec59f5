/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fragments from levels: a warp makes a unit as a product D X A^T, whose rows are fragments' filters
 * (plan/foveate_fragment.h): row m of A has the weights of pixel column m of the unit, row m of D those of a pixel row of
 * fragment m / height. What such a row makes of other fragments' columns is left out. Fragments of different levels come
 * one after the other: rows that are not a level's are zero. */
#ifndef FOVEA_KERNELS_FOVEATE_NODES_FRAGMENTS_CUH
#define FOVEA_KERNELS_FOVEATE_NODES_FRAGMENTS_CUH

#include "foveate/cuda/nodes/nodes_fragments_params.h"
#include "foveate/cuda/nodes/nodes_levels.cuh"
#include "foveate/foveate_grid.h"

/* ---- Level 0: the picture as halves */

template <typename Pixel, bool LIGHT, typename Pair, typename Image>
static __device__ __forceinline__ void make_level_0_in(const foveate_frame &frame,
                                                       const node_level<Pair> &level,
                                                       const node_lights<Pixel> &lights,
                                                       const Image &src)
{
    const int pair = 2 * (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int first = FOVEATE_FRAGMENTS_LEVEL_ROWS * (int)blockIdx.y;
    const int end = min(first + FOVEATE_FRAGMENTS_LEVEL_ROWS, level.rows);
    const int x = 2 * pair - FOVEATE_NODES_MARGIN;
    for (int row = first; row < end && pair < level.pairs; row++) {
        node_run run = run_of_pixels(frame, src, x, row - FOVEATE_NODES_MARGIN);
        run.move_to(x, frame.width_px);
        Pair *to = level.first + row * level.pairs + pair;
        to[0] = pair_of_words<Pixel, LIGHT, Pair>(lights, run.of[0], run.of[1]);
        if (pair + 1 < level.pairs) {
            to[1] = pair_of_words<Pixel, LIGHT, Pair>(lights, run.of[2], run.of[3]);
        }
    }
}

template <typename Pixel, typename Pair, typename Image>
static __device__ __forceinline__ void make_level_0(const foveate_frame &frame,
                                                    const foveate_nodes &nodes, const Image &src)
{
    __shared__ node_lights<Pixel> lights;
    const node_level<Pair> level(nodes, 0);
    if (frame.light) {
        lights.fill();
        make_level_0_in<Pixel, true>(frame, level, lights, src);
    } else {
        make_level_0_in<Pixel, false>(frame, level, lights, src);
    }
}

/* ---- A unit */

struct fragment_unit {
    int x, y; /* its first pixel, which may lie outside the picture */
    int width, height; /* of each fragment, as far as the unit has it */
    int index_x, index_y; /* of the first fragment in the grid */
};

static __device__ __forceinline__ int unit_start(const foveate_fragments &fragments,
                                                 const foveate_frame &frame, int unit, int gaze_q8,
                                                 int &index, int &size)
{
    const int shift = foveate_grid_shift_px(gaze_q8, frame.fragment_px);
    const int inside = unit % fragments.parts * fragments.part_px;
    index = unit / fragments.parts;
    size = min(fragments.part_px, frame.fragment_px - inside);
    return foveate_grid_start_px(index, frame.fragment_px, shift) + inside;
}

/* The same for the whole warp. */
static __device__ __forceinline__ fragment_unit find_unit(const foveate_fragments &fragments,
                                                          const foveate_frame &frame, int unit_x,
                                                          int unit_y)
{
    fragment_unit unit;
    /* Fragments are together only where each of them is whole. */
    unit.x = unit_start(fragments, frame, unit_x * fragments.together, frame.gaze_x_q8,
                        unit.index_x, unit.width);
    unit.y = unit_start(fragments, frame, unit_y, frame.gaze_y_q8, unit.index_y, unit.height);
    return unit;
}

/* Lane i has the filter of fragment i; level -1: that one is copied, or there is none. */
static __device__ __forceinline__ foveate_fragment_filter
find_filter(const foveate_frame &frame, const foveate_nodes &nodes,
            const foveate_fragments &fragments, const fragment_unit &unit, int depth)
{
    const int lane = (int)threadIdx.x % 32;
    foveate_fragment_filter filter = {-1, 0, 0, 0};
    if (lane < fragments.together && frame.gaze_x_q8 != FOVEATE_GAZE_NONE) {
        const foveate_grid_filters grid = {(const foveate_ring *)fragments.rings, &nodes.law,
                                           (const float *)nodes.table};
        const int ring = foveate_grid_filter(&grid, &frame, unit.index_x + lane, unit.index_y);
        if (ring != FOVEATE_RING_NONE) {
            filter = ((const foveate_fragment_filter *)fragments.filters[depth])[ring];
        }
    }
    return filter;
}

/* ---- Rows of matrices: a lane has rows g and g + 8. */

struct fragment_row {
    int first; /* sample */
    int count; /* 0: the row is zero */
    const uint16_t *weights;

    /* What samples i and i + 1 weigh. */
    __device__ __forceinline__ uint32_t pair(int sample) const
    {
        const int i = sample - first;
        const uint32_t low = (unsigned)i < (unsigned)count ? __ldg(weights + i) : 0u;
        const uint32_t high = (unsigned)(i + 1) < (unsigned)count ? __ldg(weights + i + 1) : 0u;
        return low | high << 16;
    }
};

/* Of pixel px of fragment `owner`, if that is of this level. */
static __device__ __forceinline__ fragment_row find_row(const foveate_fragment_filter &own,
                                                        const uint16_t *weights, int owner, int px,
                                                        int level)
{
    foveate_fragment_filter filter;
    filter.level = __shfl_sync(~0u, own.level, owner % 32);
    filter.radius_px = __shfl_sync(~0u, own.radius_px, owner % 32);
    filter.count = __shfl_sync(~0u, own.count, owner % 32);
    filter.first = __shfl_sync(~0u, own.first, owner % 32);
    if (filter.level != level) {
        return {0, 0, weights};
    }
    return {foveate_fragment_first(&filter, px), filter.count,
            weights + foveate_fragment_row(&filter, px)};
}

/* Rows g and g + 8 of a matrix, and the samples that any of its 16 rows has. */
struct fragment_matrix {
    fragment_row rows[2];
    int begin; /* even */
    int steps; /* of 16 samples */

    __device__ __forceinline__ void see()
    {
        int low = 1 << 30;
        int high = -(1 << 30);
#pragma unroll
        for (int r = 0; r < 2; r++) {
            low = rows[r].count > 0 ? min(low, rows[r].first) : low;
            high = rows[r].count > 0 ? max(high, rows[r].first + rows[r].count) : high;
        }
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) {
            low = min(low, __shfl_xor_sync(~0u, low, distance));
            high = max(high, __shfl_xor_sync(~0u, high, distance));
        }
        begin = low & ~1;
        steps = (high - begin + 15) / 16;
    }
    /* As a product asks for step i: samples 2t and 2t + 1 of rows g and g + 8, then 8 samples on. */
    __device__ __forceinline__ uint4 step(int i, int pair) const
    {
        const int sample = begin + 16 * i + 2 * pair;
        return make_uint4(rows[0].pair(sample), rows[1].pair(sample), rows[0].pair(sample + 8),
                          rows[1].pair(sample + 8));
    }
};

static __device__ __forceinline__ void fragment_multiply(float (&d)[4], const uint4 &a, uint32_t b0,
                                                         uint32_t b1)
{
#if __CUDA_ARCH__ >= 800
    const uint32_t both[4] = {a.x, a.y, a.z, a.w};
    mma_add(d, both, b0, b1);
#else
    mma_add_of_8(d, make_uint2(a.x, a.y), b0);
    mma_add_of_8(d, make_uint2(a.z, a.w), b1);
#endif
}

/* ---- The product */

/* Samples of 16 rows of the window, and of each its pair of every eight columns. */
template <typename Pair> struct fragment_window {
    node_level<Pair> level;
    int rows[2];

    __device__ __forceinline__ void open(int first_row, const node_lane &lane)
    {
#pragma unroll
        for (int b = 0; b < 2; b++) {
            const int row = first_row + FOVEATE_NODES_MARGIN + 8 * b + lane.row;
            rows[b] = min(max(row, 0), level.rows - 1) * level.pairs;
        }
    }
    __device__ __forceinline__ Pair at(int b, int pair) const
    {
        return level.first[rows[b] + min(max(pair, 0), level.pairs - 1)];
    }
};

/* 16 rows of the window, summed along x: halves of the next product's other side. */
template <int CHANNELS, typename Pair>
static __device__ __forceinline__ void sum_across(const fragment_window<Pair> &window,
                                                  const fragment_matrix &across, const uint4 *steps,
                                                  const node_lane &lane,
                                                  uint32_t (&turned)[CHANNELS][2][2])
{
    float sums[2][CHANNELS][4] = {};
    const int first = (across.begin + FOVEATE_NODES_MARGIN) / 2 + lane.pair;
#pragma unroll 2
    for (int i = 0; i < across.steps; i++) {
        const uint4 a = steps[32 * i];
#pragma unroll
        for (int b = 0; b < 2; b++) {
            const Pair near = window.at(b, first + 8 * i);
            const Pair far = window.at(b, first + 8 * i + 4);
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                fragment_multiply(sums[b][c], a, near.channel(c), far.channel(c));
            }
        }
    }
#pragma unroll
    for (int b = 0; b < 2; b++) {
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            turned[c][0][b] = mma_rounded(sums[b][c][0], sums[b][c][1]);
            turned[c][1][b] = mma_rounded(sums[b][c][2], sums[b][c][3]);
        }
    }
}

/* Adds the fragments of a level. `steps` has room for a matrix's. */
template <int CHANNELS, typename Pair>
static __device__ __forceinline__ void add_level(const foveate_nodes &nodes,
                                                 const fragment_unit &unit,
                                                 const foveate_fragment_filter &filter,
                                                 const uint16_t *weights, int level, uint4 *steps,
                                                 node_outputs<CHANNELS> &outputs)
{
    const node_lane lane;
    fragment_matrix across;
    fragment_matrix down;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int m = lane.row + 8 * r;
        const int owner = m / unit.height;
        across.rows[r] = find_row(filter, weights, m / unit.width, unit.x + m, level);
        down.rows[r] = find_row(filter, weights, owner, unit.y + m - owner * unit.height, level);
    }
    across.see();
    down.see();
    __syncwarp();
    for (int i = 0; i < across.steps; i++) {
        steps[32 * i] = across.step(i, lane.pair);
    }
    fragment_window<Pair> window = {node_level<Pair>(nodes, level), {0, 0}};
#pragma unroll 1
    for (int j = 0; j < down.steps; j++) {
        window.open(down.begin + 16 * j, lane);
        uint32_t turned[CHANNELS][2][2];
        sum_across<CHANNELS>(window, across, steps, lane, turned);
        const uint4 a = down.step(j, lane.pair);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
#pragma unroll
            for (int half = 0; half < 2; half++) {
                fragment_multiply(outputs.of[c][half], a, turned[c][half][0], turned[c][half][1]);
            }
        }
    }
}

/* ---- Writing */

template <typename Pixel>
static __device__ __forceinline__ typename Pixel::word word_of_sample(float4 v, int light)
{
    const float middle = node_middle<Pixel>(0, light);
    const float4 moved =
        make_float4(v.x + middle, v.y + middle, v.z + middle, v.w + node_middle<Pixel>(3, light));
    return Pixel::encode(light ? light_to_levels<Pixel>(moved) : moved);
}

template <typename Pixel, int CHANNELS, typename Image>
static __device__ __forceinline__ void write_unit(const foveate_frame &frame, const Image &src,
                                                  const Image &dst, const fragment_unit &unit,
                                                  int together,
                                                  const foveate_fragment_filter &filter,
                                                  const node_outputs<CHANNELS> &outputs)
{
    const bool keeps_alpha = node_format<Pixel>::has_alpha && CHANNELS < 4;
    const node_lane lane;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int m = lane.row + 8 * r;
        const int owner = m / unit.height;
        const int y = unit.y + m - owner * unit.height;
        const bool copied = __shfl_sync(~0u, filter.level, owner % 32) < 0;
        for (int i = 0; i < 4; i++) {
            const int half = i / 2;
            const int n = 8 * half + 2 * lane.pair + i % 2;
            const int x = unit.x + n;
            if (owner >= together || n / unit.width != owner || x < 0 || y < 0 ||
                x >= frame.width_px || y >= frame.height_px) {
                continue;
            }
            typename Pixel::word word = {};
            if (copied || keeps_alpha) {
                word = src.load(x, y);
            }
            if (!copied) {
                const int k = 2 * r + i % 2;
                const float4 value =
                    make_float4(outputs.of[0][half][k],
                                CHANNELS > 1 ? outputs.of[CHANNELS > 1 ? 1 : 0][half][k] : 0.0f,
                                CHANNELS > 1 ? outputs.of[CHANNELS > 1 ? 2 : 0][half][k] : 0.0f,
                                CHANNELS > 3 ? outputs.of[CHANNELS > 3 ? 3 : 0][half][k] : 0.0f);
                const typename Pixel::word colour = word_of_sample<Pixel>(value, frame.light);
                word = keeps_alpha ? Pixel::keep_alpha(colour, word) : colour;
            }
            dst.store(x, y, word);
        }
    }
}

template <typename Pixel, int CHANNELS, typename Pair, typename Image>
static __device__ __forceinline__ void make_unit(const foveate_frame &frame,
                                                 const foveate_nodes &nodes,
                                                 const foveate_fragments &fragments,
                                                 const Image &src, const Image &dst, uint4 *steps)
{
    const int warp = (int)threadIdx.x / 32;
    const int lane = (int)threadIdx.x % 32;
    const int depth = Pixel::white > 255 ? 1 : 0;
    const fragment_unit unit =
        find_unit(fragments, frame, 2 * (int)blockIdx.x + warp % 2, 2 * (int)blockIdx.y + warp / 2);
    if (unit.x >= frame.width_px || unit.y >= frame.height_px ||
        unit.x + fragments.together * unit.width <= 0 || unit.y + unit.height <= 0) {
        return;
    }
    const foveate_fragment_filter filter = find_filter(frame, nodes, fragments, unit, depth);
    node_outputs<CHANNELS> outputs = {};
    uint4 *own = steps + warp * 32 * FOVEATE_FRAGMENTS_STEPS + lane;
    unsigned left = __ballot_sync(~0u, filter.level >= 0);
    while (left != 0) {
        const int level = __shfl_sync(~0u, filter.level, __ffs((int)left) - 1);
        add_level<CHANNELS, Pair>(nodes, unit, filter, (const uint16_t *)fragments.weights[depth],
                                  level, own, outputs);
        left &= ~__ballot_sync(~0u, filter.level == level);
    }
    write_unit<Pixel>(frame, src, dst, unit, fragments.together, filter, outputs);
}

#endif
