/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Levels by matrix products: a warp makes 16 x 16 samples from 40 x 40 of the level below. */
#pragma once

#include "pixel.cuh"
#include "product.cuh"

/* ---- Levels in memory */

/* The window of a level's tile as a lane reads it. Beyond the margins the level is constant: the
 * outermost pairs stand for all that lies there. CONSTANT: nobody writes there meanwhile. */
template <int CHANNELS, int STEPS, bool CONSTANT> struct node_window {
    const char *rows[STEPS];
    uint32_t fours[STEPS / 2];
    uint32_t last;
    uint32_t left, right; /* a bit for each four that lies beyond the level */
    bool crosses; /* in any lane */

    template <typename Word> DEVICE Word read(const char *from)
    {
        if constexpr (CONSTANT) {
            return __ldg((const Word *)from);
        } else {
            return *(const Word *)from;
        }
    }
    MEMBER uint2 four(int j, int i, int c) const
    {
        return read<uint2>(rows[j] + fours[i] + 8 * c);
    }
    MEMBER uint2 repeated(uint2 words, int i) const
    {
        return make_uint2((right >> i & 1u) != 0 ? words.y : words.x,
                          (left >> i & 1u) != 0 ? words.x : words.y);
    }
    MEMBER uint32_t pair(int j, int c) const
    {
        return read<uint32_t>(rows[j] + last + 8 * c);
    }
};

/* Returns where the levels of this block's image begin. */
DEVICE char *levels_of_image(const gauss_nodes &nodes)
{
    return (char *)(nodes.samples + blockIdx.z * nodes.next_bytes);
}

/* A level of this block's image. */
template <int CHANNELS> struct node_level {
    static const int four_bytes = 8 * CHANNELS;

    char *first;
    int fours;
    int rows;

    MEMBER node_level(const gauss_nodes &nodes, char *levels, int k)
        : first(levels + (int64_t)nodes.levels[k].first * four_bytes), fours(nodes.levels[k].fours),
          rows(nodes.levels[k].rows)
    {
    }

    /* The bytes of a level of the largest pictures fill 32 bits. */
    MEMBER char *four_at(int row, int four) const
    {
        return first + (uint32_t)(row * fours + four) * (uint32_t)four_bytes;
    }
    MEMBER char *row_at(int y) const
    {
        const int row = min(max(y + GAUSS_NODES_MARGIN, 0), rows - 1);
        return first + (uint32_t)row * (uint32_t)(fours * four_bytes);
    }
    /* Returns where the pair that has sample x lies in its row. */
    MEMBER uint32_t pair_at(int x, int beside = GAUSS_NODES_MARGIN) const
    {
        const int pair = min(max((x + beside) >> 1, 0), 2 * fours - 1);
        return (uint32_t)(pair / 2 * four_bytes + pair % 2 * 4);
    }
    /* Returns channel c of sample (x, y) of a level with GAUSS_NODES_MARGIN beside each edge, as
     * levels of floats have. */
    __device__ float value(int x, int y, int c) const
    {
        const char *pair = row_at(y) + pair_at(x) + 8 * c;
        return __half2float(__ushort_as_half(((const uint16_t *)pair)[x & 1]));
    }

    /* Opens the window whose whole pairs of steps begin at (x, y), multiples of four. The level has
     * so many samples beside each edge. */
    template <int STEPS, bool CONSTANT>
    MEMBER void open(int x, int early_x, int y, int early_y,
                     node_window<CHANNELS, STEPS, CONSTANT> &window,
                     int beside = GAUSS_NODES_MARGIN) const
    {
        const node_lane lane;
        const int whole = STEPS / 2 * 16;
        const int begin = (x + beside) / 4;
#pragma unroll
        for (int j = 0; j < STEPS; j++) {
            const bool is_last = j == STEPS - 1 && STEPS % 2 != 0;
            const int row = is_last ? gauss_nodes_last(whole, early_y, lane.row)
                                    : j / 2 * 16 + j % 2 * 2 + lane.place();
            window.rows[j] = row_at(y + row);
        }
        window.left = window.right = 0;
        window.crosses = begin < 0 || begin + STEPS / 2 * 4 > fours;
#pragma unroll
        for (int i = 0; i < STEPS / 2; i++) {
            const int four = begin + 4 * i + lane.pair;
            window.fours[i] = (uint32_t)(min(max(four, 0), fours - 1) * four_bytes);
            window.left |= four < 0 ? 1u << i : 0u;
            window.right |= four >= fours ? 1u << i : 0u;
        }
        window.last = pair_at(x + gauss_nodes_last(whole, early_x, 2 * lane.pair), beside);
    }
};

/* Stores a channel of the tile's samples that the level has. */
template <int CHANNELS>
DEVICE void store_samples(const node_level<CHANNELS> &level, int tile_x, int tile_y, int c,
                          const node_float_sums (&outputs)[2])
{
    const node_lane lane;
    const int four = NODES_TILE / 4 * tile_x + lane.pair;
    const int row = NODES_TILE * tile_y + lane.place();
    char *to = level.four_at(row, four) + 8 * c;
    if (four < level.fours && row < level.rows) {
        *(uint2 *)to = make_uint2(outputs[0].upper(), outputs[1].upper());
    }
    if (four < level.fours && row + 2 < level.rows) {
        *(uint2 *)(to + (uint32_t)(2 * level.fours * node_level<CHANNELS>::four_bytes)) =
            make_uint2(outputs[0].lower(), outputs[1].lower());
    }
}

/* Sums a channel's samples of a tile one by one, from (x, y) of what lies below on: matrix products
 * would spread values that are not finite over all of it. */
template <int CHANNELS, typename Below>
static __device__ __noinline__ void sum_samples(const node_level<CHANNELS> level, int tile_x,
                                                int tile_y, int c, const Below below, int x, int y)
{
    const float taps[6] = {1.0f / 32, 5.0f / 32, 10.0f / 32, 10.0f / 32, 5.0f / 32, 1.0f / 32};
    const int before = GAUSS_NODES_BEFORE_BELOW - 2;
    for (int i = (int)threadIdx.x % 32; i < NODES_TILE * NODES_TILE; i += 32) {
        const int column = NODES_TILE * tile_x + i % NODES_TILE;
        const int row = NODES_TILE * tile_y + i / NODES_TILE;
        float sum = 0.0f;
        for (int k = 0; k < 36; k++) {
            const float value = below.value(x + before + 2 * (i % NODES_TILE) + k % 6,
                                            y + before + 2 * (i / NODES_TILE) + k / 6, c);
            sum = fmaf(taps[k % 6] * taps[k / 6], value, sum);
        }
        if (column < 4 * level.fours && row < level.rows) {
            char *to = level.four_at(row, column / 4) + 8 * c;
            ((uint16_t *)to)[column % 4] = __half_as_ushort(__float2half_rn(sum));
        }
    }
}

/* Makes a channel of a warp's tile of a level from a window; (x, y) is the first sample of what
 * lies below. */
template <bool FLOATS, int CHANNELS, typename Window, typename Below>
DEVICE void make_samples(const node_level<CHANNELS> &level, int tile_x, int tile_y, int c,
                         const node_matrix<GAUSS_NODES_STEPS_BELOW> &by, const Window &window,
                         const Below &below, int x, int y)
{
    node_channel<GAUSS_NODES_STEPS_BELOW> samples;
    node_float_sums outputs[2];
    samples.load(window, c);
    if (window.crosses) {
        samples.repeat_edges(window);
    }
    node_product<node_float_sums>(by, by, samples, outputs);
    const float(&values)[2][4] = *(const float(*)[2][4])outputs;
    if (FLOATS && !all_finite(values)) {
        sum_samples(level, tile_x, tile_y, c, below, x, y);
    } else {
        store_samples(level, tile_x, tile_y, c, outputs);
    }
}

/* Returns the first sample below for a tile of a level, whose own first sample is a margin
 * outside. */
DEVICE int first_below(int tile, int margin = GAUSS_NODES_MARGIN)
{
    return 2 * (NODES_TILE * tile - margin) - GAUSS_NODES_BEFORE_BELOW;
}

/* ---- Level 1 from the picture: a block makes 2 x 2 tiles from 72 x 72 pixels, loaded as runs of
 * four */

const int NODES_LEVEL_ROWS = 72;
typedef node_stage<NODES_LEVEL_ROWS / 4, NODES_LEVEL_ROWS, 40, NODES_THREADS> node_level_stage;
static_assert(4 * node_level_stage::plane == GAUSS_NODES_STAGE_BYTES, "what a launch asks for");

template <bool FLOATS, int CHANNELS, typename Pixel, typename Image>
DEVICE void make_level_1(const gauss_frame &frame, const gauss_nodes &nodes, const Image &src,
                         node_lights<Pixel> &lights, uint32_t *memory)
{
    const node_level<CHANNELS> level(nodes, levels_of_image(nodes), 1);
    const int left = level.rows - 2 * NODES_TILE * (int)blockIdx.y;
    const node_level_stage stage = {memory, first_below(2 * (int)blockIdx.x),
                                    first_below(2 * (int)blockIdx.y)};
    stage.template fill<Pixel, CHANNELS>(frame, src, lights, min(2 * left + 8, NODES_LEVEL_ROWS));
    const int warp = (int)threadIdx.x / 32;
    if (NODES_TILE * (warp / 2) >= left ||
        NODES_TILE / 4 * (2 * (int)blockIdx.x + warp % 2) >= level.fours) {
        return;
    }
    const int x = 2 * NODES_TILE * (warp % 2);
    const int y = 2 * NODES_TILE * (warp / 2);
    const node_lane lane;
    const node_matrix<GAUSS_NODES_STEPS_BELOW> taps(nodes.matrices, 0);
    const auto window = stage.open(x, y, lane.row, lane.pair);
    /* Each is the same code, which the multiprocessor has to fetch first. */
#pragma unroll 1
    for (int c = 0; c < CHANNELS; c++) {
        make_samples<FLOATS>(level, 2 * (int)blockIdx.x + warp % 2, 2 * (int)blockIdx.y + warp / 2,
                             c, taps, window, stage, x, y);
    }
}

/* ---- Further levels: blocks share a level's tiles, or one block makes several levels in turn */

DEVICE int tiles_along(int samples)
{
    return (samples + NODES_TILE - 1) / NODES_TILE;
}

/* Makes levels from `first` to `last` by so many warps, of which this is number `warp`: each a tile
 * at a time, or of a tile AT_ONCE channels, where there are more warps than tiles. */
template <int CHANNELS, int AT_ONCE, bool FLOATS>
DEVICE void make_levels(const gauss_nodes &nodes, char *levels, int first, int last, int warp,
                        int warps)
{
    const node_matrix<GAUSS_NODES_STEPS_BELOW> taps(nodes.matrices, 0);
#pragma unroll 1
    for (int k = first; k <= last; k++) {
        const node_level<CHANNELS> level(nodes, levels, k);
        const node_level<CHANNELS> below(nodes, levels, k - 1);
        const int columns = tiles_along(4 * level.fours);
        const int count = columns * tiles_along(level.rows) * (CHANNELS / AT_ONCE);
#pragma unroll 1
        for (int i = warp; i < count; i += warps) {
            const int tile_y = i / (CHANNELS / AT_ONCE) / columns;
            const int tile_x = i / (CHANNELS / AT_ONCE) - tile_y * columns;
            const int x = first_below(tile_x, nodes.beside);
            const int y = first_below(tile_y);
            const int begin = i % (CHANNELS / AT_ONCE) * AT_ONCE;
            node_window<CHANNELS, GAUSS_NODES_STEPS_BELOW, false> window;
            below.open(x, 0, y, 0, window, nodes.beside);
#pragma unroll
            for (int c = 0; c < AT_ONCE; c++) {
                make_samples<FLOATS>(level, tile_x, tile_y, begin + c, taps, window, below, x, y);
            }
        }
        __syncthreads();
    }
}
