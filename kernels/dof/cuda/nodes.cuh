/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The machine's nodes (gauss/cuda/nodes/) on layers of halves, which are made of colours and
 * offsets as they are read: of levels what is looked at, of pictures what is blurred. What is not
 * made holds what was there before, finite or not. Tiles that are made have such samples in their
 * windows, but do not weigh them: where one is not finite, their pixels are summed one by one
 * (write.cuh). */
#pragma once

#include "images.cuh"

/* ---- What is looked at. Beyond the edges a level goes on, by what is at them */

DEVICE int group_at(int px, int count)
{
    return min(max(px, 0) / DOF_CUDA_GROUP_PX, count - 1);
}

/* Whether a blurred pixel looks at some group of those with pixels from the first to the last. The
 * lanes of a warp look at one each. */
DEVICE bool is_looked_at(const dof_cuda_frame &frame, const uint8_t *reads, int first_x, int last_x,
                         int first_y, int last_y)
{
    const int left = group_at(first_x, frame.group_columns);
    const int top = group_at(first_y, frame.group_rows);
    const int columns = group_at(last_x, frame.group_columns) - left + 1;
    const int count = columns * (group_at(last_y, frame.group_rows) - top + 1);
    uint32_t any = 0;
    for (int i = (int)threadIdx.x % 32; i < count; i += 32) {
        any |= reads[(top + i / columns) * frame.group_columns + left + i % columns];
    }
    return __any_sync(~0u, any != 0);
}

/* The same of so many tiles of a level. */
DEVICE bool are_looked_at(const dof_cuda_frame &frame, const uint8_t *reads, int level, int tile_x,
                          int tile_y, int tiles)
{
    const int first_x = (NODES_TILE * tile_x - GAUSS_NODES_MARGIN) * (1 << level);
    const int first_y = (NODES_TILE * tile_y - GAUSS_NODES_MARGIN) * (1 << level);
    const int side = (NODES_TILE * tiles << level) - 1;
    return is_looked_at(frame, reads, first_x, first_x + side, first_y, first_y + side);
}

/* The largest sigma of the layer takes levels up to this. */
DEVICE bool takes_level(const dof_cuda_frame &frame, const dof_layer_place &layer, int level)
{
    return gauss_nodes_may_take(
        __uint_as_float(((const uint32_t *)frame.memory.largest)[layer.pair]), level);
}

template <int CHANNELS, typename Image>
DEVICE void make_layer_level_1(const dof_cuda_nodes_params &params, const dof_layer_place &layer,
                               uint32_t *memory)
{
    __shared__ node_lights<layer_pixel> lights;
    const uint8_t *reads = layer.reads(params.frame);
    if (!takes_level(params.frame, layer, 1) ||
        !are_looked_at(params.frame, reads, 1, 2 * (int)blockIdx.x, 2 * (int)blockIdx.y, 2)) {
        return;
    }
    make_level_1<true, CHANNELS, layer_pixel>(params.machine.frame, params.machine.nodes,
                                              Image(params.frame, layer), lights, memory);
}

/* A warp makes a channel of a tile at a time, as make_levels does. */
template <int CHANNELS>
DEVICE void make_layer_levels(const dof_cuda_nodes_params &params, const dof_layer_place &layer)
{
    const gauss_nodes &nodes = params.machine.nodes;
    const uint8_t *reads = layer.reads(params.frame);
    char *levels = layer.levels(nodes);
    const int warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int warps = (int)(blockDim.x / 32 * gridDim.x);
    const node_matrix<GAUSS_NODES_STEPS_BELOW> taps(nodes.matrices, 0);
#pragma unroll 1
    for (int k = params.first; k <= params.last && takes_level(params.frame, layer, k); k++) {
        const node_level<CHANNELS> level(nodes, levels, k);
        const node_level<CHANNELS> below(nodes, levels, k - 1);
        const int columns = tiles_along(4 * level.fours);
        const int count = columns * tiles_along(level.rows) * CHANNELS;
#pragma unroll 1
        for (int i = warp; i < count; i += warps) {
            const int tile_y = i / CHANNELS / columns;
            const int tile_x = i / CHANNELS - tile_y * columns;
            const int x = first_below(tile_x);
            const int y = first_below(tile_y);
            if (!are_looked_at(params.frame, reads, k, tile_x, tile_y, 1)) {
                continue;
            }
            node_window<CHANNELS, GAUSS_NODES_STEPS_BELOW, false> window;
            below.open(x, 0, y, 0, window);
            make_samples<true>(level, tile_x, tile_y, i % CHANNELS, taps, window, below, x, y);
        }
        __syncthreads();
    }
}

/* ---- The picture: t from the means, or a blurred layer. Rows of memory go on beyond the picture
 * by whole fours. A pixel at node 0 has what the layer has there */

DEVICE void write_tile(const gauss_frame &frame, const means_image &image, const means_plan &plan,
                       const node_tile &tile, const node_places &places,
                       const float (&sums)[MEANS_CHANNELS][NODES_PIXELS])
{
    float offsets_px[NODES_PIXELS];
    float reaches_px[NODES_PIXELS];
    uint32_t bits[NODES_PIXELS / 2];
    lane_values(image.offsets, frame, tile, offsets_px);
    plan.find(frame, tile, reaches_px);
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i += 2) {
        float near_px[2];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const bool copied = (places.copied >> (i + k) & 1u) != 0;
            const float near = dof_nearness(offsets_px[i + k]);
            near_px[k] = dof_near_sigma(offsets_px[i + k],
                                        copied ? -near * offsets_px[i + k] : sums[0][i + k],
                                        copied ? near : sums[1][i + k], reaches_px[i + k]);
        }
        bits[i / 2] = mma_rounded(near_px[0], near_px[1]);
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        if (tile.row(2 * r) < frame.height_px && tile.column(0) < frame.width_px) {
            *(uint2 *)image.near.at(tile.column(0), tile.row(2 * r)) =
                make_uint2(bits[r], bits[r + 2]);
        }
    }
}

DEVICE void words_of_layer(float (&sums)[LAYER_CHANNELS][NODES_PIXELS],
                           uint2 (&words)[NODES_PIXELS])
{
    words_of_sums<layer_pixel, LAYER_CHANNELS>(IMAGE_LIGHT_STORED, sums, words);
}

/* Sums in halves, by neighbours: of layers of bytes. */
DEVICE void words_of_layer(const __half2 (&sums)[LAYER_CHANNELS][NODES_PIXELS / 2],
                           uint2 (&words)[NODES_PIXELS])
{
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        const uint32_t which = i % 2 == 0 ? 0x5410u : 0x7632u;
        words[i] = make_uint2(__byte_perm(bits_of(sums[0][i / 2]), bits_of(sums[1][i / 2]), which),
                              __byte_perm(bits_of(sums[2][i / 2]), bits_of(sums[3][i / 2]), which));
    }
}

DEVICE bool all_finite(const __half2 (&sums)[LAYER_CHANNELS][NODES_PIXELS / 2])
{
    const __half2 zero = __float2half2_rn(0.0f);
    __half2 none = zero;
#pragma unroll
    for (int i = 0; i < LAYER_CHANNELS * NODES_PIXELS / 2; i++) {
        none = __hfma2(sums[i / (NODES_PIXELS / 2)][i % (NODES_PIXELS / 2)], zero, none);
    }
    return __all_sync(~0u, __hle2_mask(__habs2(none), zero) == ~0u);
}

template <typename Sums>
DEVICE void write_tile(const gauss_frame &frame, const layer_image &image, const layer_plan &,
                       const node_tile &tile, const node_places &places, Sums &sums)
{
    uint2 words[NODES_PIXELS];
    words_of_layer(sums, words);
    if (places.lowest == 0.0f) {
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            if ((places.copied >> i & 1u) != 0) {
                words[i] = image.load(min(tile.column(i), frame.width_px - 1),
                                      min(tile.row(i), frame.height_px - 1));
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        if (tile.row(2 * r) < frame.height_px && tile.column(0) < frame.width_px) {
            write_run_at((char *)image.made.at(tile.column(0), tile.row(2 * r)),
                         words_of_row(words, r));
        }
    }
}

/* Does make_tile; Tile says how sums are made. */
template <int CHANNELS, typename Tile, typename Image, typename Plan, typename Window>
DEVICE void make_layer_tile(const gauss_frame &frame, const gauss_nodes &nodes,
                            const Window &window, const Image &image, const Plan &plan,
                            const node_tile &tile, const node_places &places,
                            const gauss_tile_nodes &chosen)
{
    char *levels = plan.layer.levels(nodes);
    Tile sums = {};
    if (places.highest > 0.0f) {
        const int i = add_near<CHANNELS>(nodes, window, places, chosen, sums);
        add_far<CHANNELS, true>(nodes, levels, tile, places, chosen, i, sums);
        if (!all_finite(sums.of)) {
            const auto level_of = [&](int k) {
                return node_samples<layer_pixel, CHANNELS, Image>{
                    frame, image, {nodes, levels, k}, k > 0};
            };
            sum_tile<layer_pixel>(frame, plan, level_of, IMAGE_LIGHT_STORED, image, image, tile);
            return;
        }
    }
    write_tile(frame, image, plan, tile, places, sums.of);
}

/* Both layers of light are blended as floats where a pixel may be in focus, of which a thirtieth is
 * in its layer: what is beside it, and an error of that, is thirty times as large there. */
DEVICE int blend_of(const dof_cuda_nodes_params &params, const dof_layer_place &layer,
                    const node_places &places)
{
    const bool is_exact = layer.which != DOF_MEANS && params.frame.light != IMAGE_LIGHT_STORED;
    return is_exact && places.lowest < GAUSS_LADDER_FAR ? (int)GAUSS_BLEND_FLOATS : params.blend;
}

/* Does make_picture for a quarter of a group. */
template <int CHANNELS, typename Tile, typename Image, typename Plan>
DEVICE void make_layer_quarter(const dof_cuda_nodes_params &params, const Image &image,
                               const Plan &plan, int block_x, int block_y, uint32_t *memory,
                               node_lights<layer_pixel> &lights)
{
    const gauss_frame &frame = params.machine.frame;
    const gauss_nodes &nodes = params.machine.nodes;
    const int warp = (int)threadIdx.x / 32;
    node_tile tile;
    tile.x = NODES_TILE * (2 * block_x + warp % 2);
    tile.y = NODES_TILE * (2 * block_y + warp / 2);
    float sigmas[NODES_PIXELS] = {};
    if (plan.level_count > 0 && frame.gaze_x_q8 != GAZE_NONE) {
        find_sigmas(frame, plan, tile, sigmas);
    }
    node_places places;
    find_places(false, plan.end, sigmas, places);
    const gauss_tile_nodes chosen = choose_nodes(blend_of(params, plan.layer, places), places);
    const bool is_inside = tile.x < frame.width_px && tile.y < frame.height_px;
    const bool blurs = is_inside && places.highest > 0.0f;
    const node_near_stage stage = {memory, 2 * NODES_TILE * block_x - GAUSS_NODES_BEFORE,
                                   2 * NODES_TILE * block_y - GAUSS_NODES_BEFORE};
    if (__syncthreads_or(blurs && chosen.first < nodes.spans[1].first)) {
        stage.template fill<layer_pixel, CHANNELS>(frame, image, lights, NODES_NEAR_PX);
    }
    if (is_inside) {
        const auto window = stage.open(NODES_TILE * (warp % 2), NODES_TILE * (warp / 2),
                                       tile.lane.row, tile.lane.pair);
        make_layer_tile<CHANNELS, Tile>(frame, nodes, window, image, plan, tile, places, chosen);
    }
}

/* Blocks share the quarters of the list. */
template <int CHANNELS, typename Tile, typename Image, typename Plan>
DEVICE void make_layer_picture(const dof_cuda_nodes_params &params)
{
    __shared__ __align__(16) uint32_t memory[CHANNELS * node_near_stage::plane];
    __shared__ node_lights<layer_pixel> lights;
    const dof_layer_place layer(params);
    const Image image(params.frame, layer);
    const gauss_nodes &nodes = params.machine.nodes;
    const uint32_t count = *listed_of(params.frame, layer.pair);
#pragma unroll 1
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        const uint32_t entry = list_of(params.frame, layer.pair)[i];
        const int group = (int)(entry / DOF_CUDA_QUARTERS);
        const int quarter = (int)(entry % DOF_CUDA_QUARTERS);
        const int row = group / params.frame.group_columns;
        const int column = group - row * params.frame.group_columns;
        const bool reached = is_reached(quarters_of(params.frame, layer.image)[group], quarter);
        make_layer_quarter<CHANNELS, Tile>(
            params, image, Plan{params.frame, nodes.level_count, nodes.end, layer, reached},
            2 * column + quarter % 2, 2 * row + quarter / 2, memory, lights);
        __syncthreads();
    }
}
