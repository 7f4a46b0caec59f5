/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The picture: a warp makes a tile of 16 x 16 pixels. It evaluates each pixel's sigma, makes the
 * nodes that any pixel needs from the levels, or the narrowest from the picture, and adds them up
 * with each pixel's weights. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_NODES_PICTURE_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_NODES_PICTURE_CUH

#include "blend.cuh"
#include "gather.cuh"
#include "write.cuh"

/* ---- Adding up */

/* Adds the tile's node i, from its window. */
template <typename Sums, int CHANNELS, int STEPS, typename Window>
static __device__ __forceinline__ void add_node(const node_places &places,
                                                const foveate_tile_nodes &chosen, int i,
                                                const node_matrix<STEPS> &across,
                                                const node_matrix<STEPS> &down,
                                                const Window &window,
                                                float (&sums)[CHANNELS][NODES_PIXELS])
{
    float weights[NODES_PIXELS];
    find_weights(places, chosen, i, weights);
    node_outputs<CHANNELS> outputs;
    node_product<Sums>(across, down, window, outputs);
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
#pragma unroll
        for (int k = 0; k < NODES_PIXELS; k++) {
            sums[c][k] = fmaf(weights[k], outputs.of[c][k / 4][k % 4], sums[c][k]);
        }
    }
}

/* Returns where a node's matrices for a tile begin along an axis; on coarse levels they depend on
 * the tile's phase. */
static __device__ __forceinline__ int matrix_at(const foveate_nodes &nodes, int level, int node,
                                                int tile)
{
    const int phases = foveate_nodes_phases(level);
    const foveate_nodes_span &span = nodes.spans[level];
    return span.step + ((node - span.first) * phases + (tile & (phases - 1))) * FOVEATE_NODES_STEPS;
}

/* Adds the tile's nodes from the i-th on, which is not on level 0. */
template <typename Sums, int CHANNELS, typename Pair>
static __device__ __forceinline__ void add_far(const foveate_nodes &nodes, const node_tile &tile,
                                               const node_places &places,
                                               const foveate_tile_nodes &chosen, int i,
                                               float (&sums)[CHANNELS][NODES_PIXELS])
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
        node_window<Pair, FOVEATE_NODES_STEPS> window;
        node_level<Pair>(nodes, level)
            .open(foveate_nodes_window(level, tile_x), foveate_nodes_window(level, tile_y), window);
        const node_constant_window<Pair, FOVEATE_NODES_STEPS> samples = {window};
        const int end = nodes.spans[level + 1].first;
#pragma unroll 1
        do {
            const node_matrix<FOVEATE_NODES_STEPS> across(nodes.matrices,
                                                          matrix_at(nodes, level, node, tile_x));
            const node_matrix<FOVEATE_NODES_STEPS> down(nodes.matrices,
                                                        matrix_at(nodes, level, node, tile_y));
            add_node<Sums>(places, chosen, i, across, down, samples, sums);
            node += chosen.apart;
            i++;
        } while (i < chosen.count && node < end);
    }
}

/* ---- The picture itself as level 0: a block's window of 48 x 48 pixels in shared memory */

const int NODES_NEAR_PX = 8 * FOVEATE_NODES_STEPS_0 + NODES_TILE;
const int NODES_NEAR_PITCH =
    NODES_NEAR_PX / 2 + 4; /* so that two rows of a load lie in different banks */
const int NODES_NEAR_PAIRS = NODES_NEAR_PX * NODES_NEAR_PITCH;

/* Adds the nodes of level 0, which come first. Returns the index of the first other one. */
template <typename Sums, int CHANNELS, typename Pair>
static __device__ __forceinline__ int add_near(const foveate_nodes &nodes, const Pair *stage,
                                               const node_places &places,
                                               const foveate_tile_nodes &chosen,
                                               float (&sums)[CHANNELS][NODES_PIXELS])
{
    const node_lane lane;
    const int warp = (int)threadIdx.x / 32;
    node_window<Pair, FOVEATE_NODES_STEPS_0> window;
    window.first = stage + NODES_TILE * (warp / 2) * NODES_NEAR_PITCH + NODES_TILE / 2 * (warp % 2);
#pragma unroll
    for (int i = 0; i < FOVEATE_NODES_STEPS_0; i++) {
        window.rows[i] = (uint32_t)((8 * i + lane.row) * NODES_NEAR_PITCH);
        window.columns[i] = (uint32_t)(4 * i + lane.pair);
    }
    int i = 0;
    int node = chosen.first;
#pragma unroll 1
    for (; i < chosen.count && node < nodes.spans[1].first; i++, node += chosen.apart) {
        const node_matrix<FOVEATE_NODES_STEPS_0> matrix(
            nodes.matrices, nodes.spans[0].step + node * FOVEATE_NODES_STEPS_0);
        add_node<Sums>(places, chosen, i, matrix, matrix, window, sums);
    }
    return i;
}

/* ---- Floats that are not finite */

/* A level, or the picture. */
template <typename Pixel, typename Pair, typename Image> struct node_samples {
    const foveate_frame &frame;
    const Image &picture;
    node_level<Pair> level;
    bool is_level;

    __device__ float4 value(int x, int y) const
    {
        if (!is_level) {
            return Pixel::decode(picture.load(min(max(x, 0), frame.width_px - 1),
                                              min(max(y, 0), frame.height_px - 1)));
        }
        const Pair pair = level.pair_at(x, y);
        return make_float4(sample_of(pair, 0, x & 1), sample_of(pair, 1, x & 1),
                           sample_of(pair, 2, x & 1), sample_of(pair, 3, x & 1));
    }
};

/* ---- The tile */

/* Formats of at most 8 bits are summed in halves. */
template <typename Pixel> struct node_sums {
    typedef node_half_sums type;
    static const int blocks = 5; /* on a multiprocessor: more would cut their registers too short */
};
template <> struct node_sums<pixel<FOVEA_FORMAT_A2B10G10R10>> {
    typedef node_float_sums type;
    static const int blocks = 4;
};
template <>
struct node_sums<pixel<FOVEA_FORMAT_RGBA16F>> : node_sums<pixel<FOVEA_FORMAT_A2B10G10R10>> {
};
template <>
struct node_sums<pixel<FOVEA_FORMAT_RGB16F>> : node_sums<pixel<FOVEA_FORMAT_A2B10G10R10>> {
};
template <>
struct node_sums<pixel<FOVEA_FORMAT_R16F>> : node_sums<pixel<FOVEA_FORMAT_A2B10G10R10>> {
};

template <typename Pixel, int CHANNELS, typename Pair, typename Image>
static __device__ __forceinline__ void make_picture(const foveate_frame &frame,
                                                    const foveate_nodes &nodes, const Image &src,
                                                    const Image &dst)
{
    __shared__ Pair stage[NODES_NEAR_PAIRS];
    __shared__ uint32_t scratch[NODES_WARPS][NODES_SCRATCH_BYTES / 4];
    const int warp = (int)threadIdx.x / 32;
    node_tile tile;
    tile.x = NODES_TILE * (2 * (int)blockIdx.x + warp % 2);
    tile.y = NODES_TILE * (2 * (int)blockIdx.y + warp / 2);
    node_places places;
    find_places(frame, false, nodes, tile, places);
    const int blend =
        Pixel::white > 0 ? foveate_light_blend(frame.light) : (int)FOVEATE_BLEND_FLOATS;
    const foveate_tile_nodes chosen = choose_nodes(blend, places);
    const bool is_inside = tile.x < frame.width_px && tile.y < frame.height_px;
    const bool blurs = is_inside && places.highest > 0.0f;
    const bool is_near = blurs && chosen.first < nodes.spans[1].first;
    if (__syncthreads_or(is_near)) {
        const node_stage<NODES_NEAR_PX / 4, NODES_NEAR_PITCH, NODES_THREADS> window = {
            2 * NODES_TILE * (int)blockIdx.x - FOVEATE_NODES_BEFORE_0,
            2 * NODES_TILE * (int)blockIdx.y - FOVEATE_NODES_BEFORE_0, NODES_NEAR_PX};
        window.template fill<Pixel>(frame, src, stage);
    }
    if (!is_inside) {
        return;
    }
    typedef typename node_sums<Pixel>::type Sums;
    float sums[CHANNELS][NODES_PIXELS] = {};
    if (blurs) {
        const int i = is_near ? add_near<Sums>(nodes, stage, places, chosen, sums) : 0;
        add_far<Sums, CHANNELS, Pair>(nodes, tile, places, chosen, i, sums);
        if constexpr (Pixel::white == 0) {
            if (!all_finite(sums)) {
                const auto levels = [&](int k) {
                    return node_samples<Pixel, Pair, Image>{frame, src, {nodes, k}, k > 0};
                };
                sum_tile<Pixel>(frame, nodes, levels, IMAGE_LIGHT_STORED, src, dst, tile);
                return;
            }
        }
    }
    write_tile<Pixel>(frame, src, dst, tile, places, sums, (uint8_t *)scratch[warp]);
}

#endif
