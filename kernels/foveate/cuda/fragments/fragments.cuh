/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fragments from levels: a warp makes a unit as a product D X A^T, whose rows are fragments'
 * filters (foveate/plan/fragment.h): row m of A has the weights of pixel column m of the unit, row
 * m of D those of a pixel row of fragment m / height. Results of a row for other fragments' columns
 * are dropped. Fragments of different levels are made in turn: rows of another level are zero. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_FRAGMENTS_FRAGMENTS_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_FRAGMENTS_FRAGMENTS_CUH

#include "kernels/foveate/cuda/nodes/levels.cuh"
#include "kernels/foveate/grid.h"
#include "params.h"

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
        node_run<Pixel> run = run_of_pixels<Pixel>(frame, src, x, row - FOVEATE_NODES_MARGIN);
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
    int x, y; /* first pixel, which may lie outside the picture */
    int width, height; /* each fragment's, as far as the unit has it */
    /* fragments; their filters are in lane `lane` of the warp and those after it */
    int together;
    int lane;
    int per_px;

    /* Returns which of them pixel m along an axis belongs to; `together` or more: none. */
    __device__ __forceinline__ int owner(int m, int size) const
    {
        return together > 1 ? m * per_px >> 16 : m < size ? 0 : 1;
    }
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

/* Level -1: the fragment is copied. */
static __device__ __forceinline__ foveate_fragment_filter
find_filter(const foveate_frame &frame, const foveate_nodes &nodes,
            const foveate_fragments &fragments, int index_x, int index_y, int depth)
{
    foveate_fragment_filter filter = {-1, 0, 0, 0};
    if (frame.gaze_x_q8 != GAZE_NONE) {
        const foveate_grid_filters grid = {(const foveate_ring *)fragments.rings, &nodes.law,
                                           (const float *)nodes.table};
        const int ring = foveate_grid_filter(&grid, &frame, index_x, index_y);
        if (ring != FOVEATE_RING_NONE) {
            filter = ((const foveate_fragment_filter *)fragments.filters[depth])[ring];
        }
    }
    return filter;
}

/* ---- Rows of matrices: a lane has rows g and g + 8. */

struct fragment_row {
    int first; /* sample; even */
    int count; /* even; 0: the row is zero */
    const uint16_t *weights;

    /* Returns the row of pixel px. */
    __device__ __forceinline__ void open(const foveate_fragment_filter &filter, const uint16_t *all,
                                         int px, bool is_there)
    {
        first = foveate_fragment_first(&filter, px) & ~1;
        count = is_there ? filter.count : 0;
        weights = all + filter.first + (px & ((2 << filter.level) - 1)) * filter.count;
    }
    /* Returns the weights of samples i and i + 1, i even. */
    __device__ __forceinline__ uint32_t pair(int sample) const
    {
        const int i = sample - first;
        return (unsigned)i < (unsigned)count ? __ldg((const uint32_t *)(weights + i)) : 0u;
    }
};

static __device__ __forceinline__ int least_of_warp(int value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(~0u, value);
#else
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        value = min(value, __shfl_xor_sync(~0u, value, distance));
    }
    return value;
#endif
}

/* Rows g and g + 8 of a matrix, and the samples that any of its 16 rows has. */
struct fragment_matrix {
    fragment_row rows[2];
    int begin; /* even */
    int steps; /* of 16 samples */

    __device__ __forceinline__ void see()
    {
        const int none = 1 << 30;
        int low = none;
        int minus_high = none;
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const bool some = rows[r].count > 0;
            low = some ? min(low, rows[r].first) : low;
            minus_high = some ? min(minus_high, -(rows[r].first + rows[r].count)) : minus_high;
        }
        begin = least_of_warp(low);
        steps = (15 - least_of_warp(minus_high) - begin) / 16;
    }
    /* Returns the operand of step i: samples 2t and 2t + 1 of rows g and g + 8, then 8 samples
     * on. */
    __device__ __forceinline__ uint4 step(int i, int pair) const
    {
        const int sample = begin + 16 * i + 2 * pair;
        return make_uint4(rows[0].pair(sample), rows[1].pair(sample), rows[0].pair(sample + 8),
                          rows[1].pair(sample + 8));
    }
};

/* The rows of pixels and columns, of the unit's fragments that have this level. */
static __device__ __forceinline__ void open_matrices(const fragment_unit &unit,
                                                     const foveate_fragment_filter &own,
                                                     const uint16_t *weights, int level,
                                                     fragment_matrix &across, fragment_matrix &down)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int m = (int)threadIdx.x % 32 / 4 + 8 * r;
        const int owner = unit.together > 1 ? unit.owner(m, 0) : 0;
        const int lane = unit.lane + min(owner, unit.together - 1);
        foveate_fragment_filter filter;
        filter.level = __shfl_sync(~0u, own.level, lane);
        filter.radius_px = __shfl_sync(~0u, own.radius_px, lane);
        filter.count = __shfl_sync(~0u, own.count, lane);
        filter.first = __shfl_sync(~0u, own.first, lane);
        const bool is_level = filter.level == level;
        filter.level = level;
        across.rows[r].open(filter, weights, unit.x + m,
                            is_level && unit.owner(m, unit.width) < unit.together);
        down.rows[r].open(filter, weights, unit.y + m - owner * unit.height,
                          is_level && unit.owner(m, unit.height) < unit.together);
    }
    across.see();
    down.see();
}

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

/* A lane's samples of 16 rows of the window: its pair of every eight columns. */
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

/* Sums 16 rows of the window along x: halves of the next product's operand. */
template <int CHANNELS, typename Pair>
static __device__ __forceinline__ void sum_across(const fragment_window<Pair> &window,
                                                  const fragment_matrix &across, const uint4 *steps,
                                                  const node_lane &lane,
                                                  uint32_t (&transposed)[CHANNELS][2][2])
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
            transposed[c][0][b] = mma_rounded(sums[b][c][0], sums[b][c][1]);
            transposed[c][1][b] = mma_rounded(sums[b][c][2], sums[b][c][3]);
        }
    }
}

/* Adds the fragments of a level. `steps` holds one matrix. */
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
    open_matrices(unit, filter, weights, level, across, down);
    __syncwarp();
    for (int i = 0; i < across.steps; i++) {
        steps[32 * i] = across.step(i, lane.pair);
    }
    fragment_window<Pair> window = {node_level<Pair>(nodes, level), {0, 0}};
#pragma unroll 1
    for (int j = 0; j < down.steps; j++) {
        window.open(down.begin + 16 * j, lane);
        uint32_t transposed[CHANNELS][2][2];
        sum_across<CHANNELS>(window, across, steps, lane, transposed);
        const uint4 a = down.step(j, lane.pair);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
#pragma unroll
            for (int half = 0; half < 2; half++) {
                fragment_multiply(outputs.of[c][half], a, transposed[c][half][0],
                                  transposed[c][half][1]);
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
                                                  const foveate_fragment_filter &filter,
                                                  const node_outputs<CHANNELS> &outputs)
{
    const bool keeps_alpha = CHANNELS == 3 && Pixel::channels == 4;
    const node_lane lane;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int m = lane.row + 8 * r;
        const int owner = unit.owner(m, unit.height);
        const int y = unit.y + m - owner * unit.height;
        const bool copied =
            __shfl_sync(~0u, filter.level, unit.lane + min(owner, unit.together - 1)) < 0;
        const bool is_row = owner < unit.together && y >= 0 && y < frame.height_px;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int half = i / 2;
            const int n = 8 * half + 2 * lane.pair + i % 2;
            const int x = unit.x + n;
            if (!is_row || unit.owner(n, unit.width) != owner || x < 0 || x >= frame.width_px) {
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

/* ---- The units of a warp, one after the other along x */

template <typename Pixel, int CHANNELS, typename Pair, typename Image>
static __device__ __forceinline__ void make_unit(const foveate_frame &frame,
                                                 const foveate_nodes &nodes,
                                                 const fragment_unit &unit,
                                                 const foveate_fragment_filter &filter,
                                                 const uint16_t *weights, const Image &src,
                                                 const Image &dst, uint4 *steps)
{
    node_outputs<CHANNELS> outputs = {};
    const unsigned all = ((1u << unit.together) - 1u) << unit.lane;
    unsigned left = __ballot_sync(~0u, filter.level >= 0) & all;
    while (left != 0) {
        const int level = __shfl_sync(~0u, filter.level, __ffs((int)left) - 1);
        add_level<CHANNELS, Pair>(nodes, unit, filter, weights, level, steps, outputs);
        left &= ~__ballot_sync(~0u, filter.level == level);
    }
    write_unit<Pixel>(frame, src, dst, unit, filter, outputs);
}

template <typename Pixel, int CHANNELS, typename Pair, typename Image>
static __device__ __forceinline__ void make_units(const foveate_frame &frame,
                                                  const foveate_nodes &nodes,
                                                  const foveate_fragments &fragments,
                                                  const Image &src, const Image &dst, uint4 *steps)
{
    const int warp = (int)threadIdx.x / 32;
    const int lane = (int)threadIdx.x % 32;
    const int depth = Pixel::white > 255 ? 1 : 0;
    const int first = FOVEATE_FRAGMENTS_UNITS * (int)blockIdx.x;
    fragment_unit unit;
    int index_x, index_y;
    unit.together = fragments.together;
    unit.per_px = fragments.per_px;
    unit.y = unit_start(fragments, frame, NODES_WARPS * (int)blockIdx.y + warp, frame.gaze_y_q8,
                        index_y, unit.height);
    if (unit.y >= frame.height_px || unit.y + unit.height <= 0) {
        return;
    }
    /* Units have several fragments only if each is whole: then a part is a fragment. */
    const int part = min(lane, FOVEATE_FRAGMENTS_UNITS * unit.together - 1);
    const foveate_fragment_filter filter = find_filter(
        frame, nodes, fragments, (first * unit.together + part) / fragments.parts, index_y, depth);
    const uint16_t *weights = (const uint16_t *)fragments.weights[depth];
    uint4 *own = steps + warp * 32 * FOVEATE_FRAGMENTS_STEPS + lane;
#pragma unroll 1
    for (int i = 0; i < FOVEATE_FRAGMENTS_UNITS; i++) {
        unit.lane = i * unit.together;
        unit.x = unit_start(fragments, frame, first * unit.together + unit.lane, frame.gaze_x_q8,
                            index_x, unit.width);
        if (unit.x < frame.width_px && unit.x + unit.together * unit.width > 0) {
            make_unit<Pixel, CHANNELS, Pair>(frame, nodes, unit, filter, weights, src, dst, own);
        }
    }
}

#endif
