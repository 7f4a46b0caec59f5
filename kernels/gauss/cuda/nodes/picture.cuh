/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The picture: a warp makes a tile of 16 x 16 pixels. It evaluates each pixel's sigma, makes the
 * nodes that any pixel needs from the levels, or the narrowest from the picture, and adds them up
 * with each pixel's weights. */
#pragma once

#include "blend.cuh"
#include "levels.cuh"
#include "write.cuh"

/* ---- A tile's sums: pixels weighted and added up, in halves or in floats */

template <int CHANNELS> struct node_half_tile {
    typedef node_half_sums products; /* what the first product is summed in */
    typedef node_half_sums outputs;
    typedef __half2 weights[NODES_PIXELS / 2];

    __half2 of[CHANNELS][NODES_PIXELS / 2];

    MEMBER void add(int c, const weights &by, const outputs (&outputs)[2])
    {
#pragma unroll
        for (int k = 0; k < NODES_PIXELS / 2; k++) {
            const uint32_t pair = k % 2 ? outputs[k / 2].lower() : outputs[k / 2].upper();
            of[c][k] = __hfma2(by[k], half2_of(pair), of[c][k]);
        }
    }
};

template <int CHANNELS> struct node_float_tile {
    typedef node_float_sums products;
    typedef node_float_sums outputs;
    typedef float weights[NODES_PIXELS];

    float of[CHANNELS][NODES_PIXELS];

    MEMBER void add(int c, const weights &by, const outputs (&outputs)[2])
    {
#pragma unroll
        for (int k = 0; k < NODES_PIXELS; k++) {
            of[c][k] = fmaf(by[k], outputs[k / 4].of[k % 4], of[c][k]);
        }
    }
};

/* Between the two: of light, halves are enough for a node, and not for its weight and the sum. */
template <int CHANNELS> struct node_light_tile {
    typedef node_half_sums products;
    typedef node_half_sums outputs;
    typedef float weights[NODES_PIXELS];

    float of[CHANNELS][NODES_PIXELS];

    MEMBER void add(int c, const weights &by, const outputs (&outputs)[2])
    {
#pragma unroll
        for (int k = 0; k < NODES_PIXELS; k += 2) {
            const uint32_t pair = k / 2 % 2 ? outputs[k / 4].lower() : outputs[k / 4].upper();
            const float2 two = __half22float2(half2_of(pair));
            of[c][k] = fmaf(by[k], two.x, of[c][k]);
            of[c][k + 1] = fmaf(by[k + 1], two.y, of[c][k + 1]);
        }
    }
};

/* Adds a channel of a node. */
template <typename Tile, int STEPS>
DEVICE void add_channel(Tile &sums, int c, const typename Tile::weights &weights,
                        const node_matrix<STEPS> &across, const node_matrix<STEPS> &down,
                        const node_channel<STEPS> &samples)
{
    typename Tile::outputs outputs[2];
    node_product<typename Tile::products>(across, down, samples, outputs);
    sums.add(c, weights, outputs);
}

/* Returns the bytes before a node's matrix for a tile along an axis; on coarse levels there is one
 * for each phase of a tile. */
DEVICE uint32_t matrix_at(const gauss_nodes &nodes, int level, int node, int tile)
{
    const int phases = gauss_nodes_phases(level);
    const gauss_nodes_span &span = nodes.spans[level];
    const int matrix = (node - span.first) * phases + (tile & (phases - 1));
    return (uint32_t)((span.step + matrix * GAUSS_NODES_STEPS) * GAUSS_NODES_STEP_BYTES);
}

/* Adds the tile's nodes from the i-th on, which is not on level 0. */
template <int CHANNELS, bool CONSTANT, typename Tile>
DEVICE void add_far(const gauss_nodes &nodes, char *levels, const node_tile &tile,
                    const node_places &places, const gauss_tile_nodes &chosen, int i, Tile &sums)
{
    const int tile_x = tile.x / NODES_TILE;
    const int tile_y = tile.y / NODES_TILE;
    int node = chosen.first + i * chosen.apart;
    int level = 1;
#pragma unroll 1
    while (i < chosen.count) {
        while (node >= nodes.spans[level + 1].first) {
            level++;
        }
        node_window<CHANNELS, GAUSS_NODES_STEPS, CONSTANT> window;
        node_level<CHANNELS>(nodes, levels, level)
            .open(gauss_nodes_window(level, tile_x), gauss_nodes_early(level, tile_x),
                  gauss_nodes_window(level, tile_y), gauss_nodes_early(level, tile_y), window);
        node_channel<GAUSS_NODES_STEPS> samples[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            samples[c].load(window, c);
        }
        /* The vote keeps the compiler from selecting in every tile. */
        if (__any_sync(~0u, window.crosses)) {
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                samples[c].repeat_edges(window);
            }
        }
        const int end = nodes.spans[level + 1].first;
        const uint32_t next_bytes = (uint32_t)(chosen.apart * gauss_nodes_phases(level) *
                                               GAUSS_NODES_STEPS * GAUSS_NODES_STEP_BYTES);
        uint32_t across_at = matrix_at(nodes, level, node, tile_x);
        uint32_t down_at = matrix_at(nodes, level, node, tile_y);
#pragma unroll 1
        do {
            const node_matrix<GAUSS_NODES_STEPS> across(nodes.matrices, across_at);
            const node_matrix<GAUSS_NODES_STEPS> down(nodes.matrices, down_at);
            typename Tile::weights weights;
            find_weights(places, chosen, i, weights);
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                add_channel(sums, c, weights, across, down, samples[c]);
            }
            node += chosen.apart;
            across_at += next_bytes;
            down_at += next_bytes;
            i++;
        } while (i < chosen.count && node < end);
    }
}

/* Adds the nodes of level 0, which come first. Returns the index of the first other one. */
template <int CHANNELS, typename Tile, typename Window>
DEVICE int add_near(const gauss_nodes &nodes, const Window &window, const node_places &places,
                    const gauss_tile_nodes &chosen, Tile &sums)
{
    int i = 0;
    int node = chosen.first;
#pragma unroll 1
    for (; i < chosen.count && node < nodes.spans[1].first; i++, node += chosen.apart) {
        const node_matrix<GAUSS_NODES_STEPS_0> matrix(
            nodes.matrices, (uint32_t)((nodes.spans[0].step + node * GAUSS_NODES_STEPS_0) *
                                       GAUSS_NODES_STEP_BYTES));
        typename Tile::weights weights;
        find_weights(places, chosen, i, weights);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            node_channel<GAUSS_NODES_STEPS_0> samples;
            samples.load(window, c);
            if (window.crosses) {
                samples.repeat_edges(window);
            }
            add_channel(sums, c, weights, matrix, matrix, samples);
        }
    }
    return i;
}

/* ---- Floats that are not finite */

/* A level, or the picture. */
template <typename Pixel, int CHANNELS, typename Image> struct node_samples {
    const gauss_frame &frame;
    const Image &picture;
    node_level<CHANNELS> level;
    bool is_level;

    __device__ float4 value(int x, int y) const
    {
        if (!is_level) {
            return Pixel::decode(picture.load(min(max(x, 0), frame.width_px - 1),
                                              min(max(y, 0), frame.height_px - 1)));
        }
        float v[4] = {};
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            v[c] = level.value(x, y, c);
        }
        return make_float4(v[0], v[1], v[2], v[3]);
    }
};

/* ---- The tile */

/* This chooses how sums are made: 8 bits of stored values in halves, 8 bits of light in part so. */
template <int CHANNELS, bool BYTES, bool LIGHT> struct node_sums {
    typedef node_float_tile<CHANNELS> type;
};
template <int CHANNELS> struct node_sums<CHANNELS, true, false> {
    typedef node_half_tile<CHANNELS> type;
};
template <int CHANNELS> struct node_sums<CHANNELS, true, true> {
    typedef node_light_tile<CHANNELS> type;
};

template <typename Pixel>
DEVICE gauss_tile_nodes find_nodes(const gauss_frame &frame, const gauss_nodes &nodes,
                                   const node_tile &tile, node_places &places)
{
    const int blend = Pixel::white > 0 ? gauss_light_blend(frame.light) : (int)GAUSS_BLEND_FLOATS;
    find_places(frame, false, nodes, tile, places);
    return choose_nodes(blend, places);
}

/* Makes a tile that lies in the picture, at least in part. Its pixels come from `window` where it
 * blends level 0. */
template <typename Pixel, bool LIGHT, int CHANNELS, bool CONSTANT, typename Image, typename Window>
DEVICE void make_tile(const gauss_frame &frame, const gauss_nodes &nodes, char *levels,
                      const Window &window, const Image &src, const Image &dst,
                      const node_tile &tile, const node_places &places,
                      const gauss_tile_nodes &chosen)
{
    typename node_sums<CHANNELS, Pixel::white == 255, LIGHT>::type sums = {};
    if (places.highest > 0.0f) {
        const int i = add_near<CHANNELS>(nodes, window, places, chosen, sums);
        add_far<CHANNELS, CONSTANT>(nodes, levels, tile, places, chosen, i, sums);
        if constexpr (Pixel::white == 0) {
            if (!all_finite(sums.of)) {
                const auto level_of = [&](int k) {
                    return node_samples<Pixel, CHANNELS, Image>{
                        frame, src, {nodes, levels, k}, k > 0};
                };
                sum_tile<Pixel>(frame, nodes, level_of, IMAGE_LIGHT_STORED, src, dst, tile);
                return;
            }
        }
    }
    write_tile<Pixel, CHANNELS>(frame, src, dst, tile, places, sums.of);
}

template <typename Pixel, int CHANNELS, bool CONSTANT, typename Image, typename Window>
DEVICE void make_any_tile(const gauss_frame &frame, const gauss_nodes &nodes, char *levels,
                          const Window &window, const Image &src, const Image &dst,
                          const node_tile &tile, const node_places &places,
                          const gauss_tile_nodes &chosen)
{
    if (Pixel::white == 255 && frame.light) {
        make_tile<Pixel, true, CHANNELS, CONSTANT>(frame, nodes, levels, window, src, dst, tile,
                                                   places, chosen);
    } else {
        make_tile<Pixel, false, CHANNELS, CONSTANT>(frame, nodes, levels, window, src, dst, tile,
                                                    places, chosen);
    }
}

/* ---- A block makes 2 x 2 tiles; level 0 is its window of 48 x 48 pixels in shared memory */

const int NODES_NEAR_PX = 8 * GAUSS_NODES_STEPS_0 + NODES_TILE;
typedef node_stage<NODES_NEAR_PX / 4, NODES_NEAR_PX, 24, NODES_THREADS> node_near_stage;

template <typename Pixel, int CHANNELS, typename Image>
DEVICE void make_picture(const gauss_frame &frame, const gauss_nodes &nodes, const Image &src,
                         const Image &dst)
{
    __shared__ __align__(16) uint32_t memory[CHANNELS * node_near_stage::plane];
    __shared__ node_lights<Pixel> lights;
    const int warp = (int)threadIdx.x / 32;
    node_tile tile;
    tile.x = NODES_TILE * (2 * (int)blockIdx.x + warp % 2);
    tile.y = NODES_TILE * (2 * (int)blockIdx.y + warp / 2);
    node_places places;
    const gauss_tile_nodes chosen = find_nodes<Pixel>(frame, nodes, tile, places);
    const bool is_inside = tile.x < frame.width_px && tile.y < frame.height_px;
    const bool blurs = is_inside && places.highest > 0.0f;
    const node_near_stage stage = {memory, 2 * NODES_TILE * (int)blockIdx.x - GAUSS_NODES_BEFORE,
                                   2 * NODES_TILE * (int)blockIdx.y - GAUSS_NODES_BEFORE};
    if (__syncthreads_or(blurs && chosen.first < nodes.spans[1].first)) {
        stage.template fill<Pixel, CHANNELS>(frame, src, lights, NODES_NEAR_PX);
    }
    if (is_inside) {
        const auto window = stage.open(NODES_TILE * (warp % 2), NODES_TILE * (warp / 2),
                                       tile.lane.row, tile.lane.pair);
        make_any_tile<Pixel, CHANNELS, true>(frame, nodes, levels_of_image(nodes), window, src, dst,
                                             tile, places, chosen);
    }
}

/* ---- A block makes a whole picture, whose levels lie in shared memory, level 0 too */

/* Fills level 0 with its margins. */
template <typename Pixel, bool LIGHT, int CHANNELS, typename Image>
DEVICE void fill_level_0(const gauss_frame &frame, const Image &src,
                         const node_lights<Pixel> &lights, const node_level<CHANNELS> &level)
{
    const float per_four = ptx_rcp((float)level.fours);
    const int count = level.fours * level.rows;
    const bool even = is_even(src, frame.width_px);
#pragma unroll 2
    for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x) {
        const int row = (int)(((float)i + 0.5f) * per_four);
        const int x = 4 * (i - row * level.fours) - GAUSS_NODES_MARGIN;
        const int y = row - GAUSS_NODES_MARGIN;
        node_run<Pixel> run;
        if (even) {
            run = even_run<Pixel>(frame, src, x, y);
        } else {
            run = run_of_pixels<Pixel>(frame, src, x, y);
            run.move_to(x, frame.width_px);
        }
        char *to = level.first + i * node_level<CHANNELS>::four_bytes;
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            *(uint2 *)(to + 8 * c) =
                make_uint2(pair_of_words<Pixel, LIGHT>(lights, run.of[0], run.of[1], c),
                           pair_of_words<Pixel, LIGHT>(lights, run.of[2], run.of[3], c));
        }
    }
    __syncthreads();
}

/* Takes the block's next tile for a warp: those at the gaze blend more nodes than others. */
DEVICE int next_tile(int *next)
{
    const int own = threadIdx.x % 32 == 0 ? atomicAdd(next, 1) : 0;
    return __shfl_sync(~0u, own, 0);
}

template <typename Pixel, int CHANNELS, typename Image>
DEVICE void make_whole(const gauss_frame &frame, const gauss_nodes &nodes, const Image &src,
                       const Image &dst, char *levels)
{
    __shared__ node_lights<Pixel> lights;
    __shared__ int next;
    const int warp = (int)threadIdx.x / 32;
    const int warps = (int)blockDim.x / 32;
    if (threadIdx.x == 0) {
        next = 0;
    }
    const node_level<CHANNELS> level_0(nodes, levels, 0);
    if (frame.light) {
        lights.fill();
        fill_level_0<Pixel, true>(frame, src, lights, level_0);
    } else {
        fill_level_0<Pixel, false>(frame, src, lights, level_0);
    }
    make_levels<CHANNELS, CHANNELS, false>(nodes, levels, 1, nodes.level_count - 1, warp, warps);
    const int columns = tiles_along(frame.width_px);
    const int count = columns * tiles_along(frame.height_px);
#pragma unroll 1
    for (int i = next_tile(&next); i < count; i = next_tile(&next)) {
        node_tile tile;
        tile.x = NODES_TILE * (i % columns);
        tile.y = NODES_TILE * (i / columns);
        node_places places;
        const gauss_tile_nodes chosen = find_nodes<Pixel>(frame, nodes, tile, places);
        node_window<CHANNELS, GAUSS_NODES_STEPS_0, false> window;
        level_0.open(tile.x - GAUSS_NODES_BEFORE, 0, tile.y - GAUSS_NODES_BEFORE, 0, window);
        make_any_tile<Pixel, CHANNELS, false>(frame, nodes, levels, window, src, dst, tile, places,
                                              chosen);
    }
}
