/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Levels by products: a warp makes 16 x 16 samples from the 40 x 40 of the level below that they are the means of. */
#ifndef FOVEA_KERNELS_FOVEATE_NODES_LEVELS_CUH
#define FOVEA_KERNELS_FOVEATE_NODES_LEVELS_CUH

#include "pixel.cuh"
#include "product.cuh"

const int NODES_TILE = FOVEATE_NODES_TILE_PX;
const int NODES_WARPS = FOVEATE_NODES_WARPS;
const int NODES_THREADS = 32 * NODES_WARPS;

/* Where a lane's part of products is. */
struct node_lane {
    int row; /* of eight */
    int pair; /* of four */

    __device__ __forceinline__ node_lane()
        : row((int)threadIdx.x % 32 / 4), pair((int)threadIdx.x % 4)
    {
    }
};

/* A level of this block's image. */
template <typename Pair> struct node_level {
    Pair *first;
    int pairs;
    int rows;

    __device__ __forceinline__ node_level(const foveate_nodes &nodes, int k)
        : first((Pair *)(nodes.samples + blockIdx.z * nodes.next_bytes) + nodes.levels[k].first),
          pairs(nodes.levels[k].pairs), rows(nodes.levels[k].rows)
    {
    }

    /* The window whose first sample is (x, y), x even. Beyond the margins the level is constant. */
    template <int STEPS>
    __device__ __forceinline__ void open(int x, int y, node_window<Pair, STEPS> &window) const
    {
        const node_lane lane;
        window.first = first;
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            const int row = y + FOVEATE_NODES_MARGIN + 8 * i + lane.row;
            const int pair = (x + FOVEATE_NODES_MARGIN) / 2 + 4 * i + lane.pair;
            window.rows[i] = (uint32_t)(min(max(row, 0), rows - 1) * pairs);
            window.columns[i] = (uint32_t)min(max(pair, 0), pairs - 1);
        }
    }
};

/* The tile's samples that the level has. */
template <int CHANNELS, typename Pair>
static __device__ __forceinline__ void store_samples(const node_level<Pair> &level, int tile_x,
                                                     int tile_y,
                                                     const node_outputs<CHANNELS> &outputs)
{
    const node_lane lane;
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const int pair = NODES_TILE / 2 * tile_x + 4 * half + lane.pair;
            const int row = NODES_TILE * tile_y + 8 * r + lane.row;
            uint32_t words[4] = {};
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                words[c] = mma_rounded(outputs.of[c][half][2 * r], outputs.of[c][half][2 * r + 1]);
            }
            if (pair < level.pairs && row < level.rows) {
                level.first[row * level.pairs + pair] = Pair::make(words);
            }
        }
    }
}

/* The first of the samples below for the samples of a tile of a level, whose first one is a margin outside. */
static __device__ __forceinline__ int first_below(int tile)
{
    return 2 * (NODES_TILE * tile - FOVEATE_NODES_MARGIN) - FOVEATE_NODES_BEFORE_BELOW;
}

/* ---- Level 1 from the picture. A block makes 2 x 2 tiles from 68 x 68 pixels in shared memory, by runs of four 72 wide. */

const int NODES_STAGE_RUNS = 18;
const int NODES_STAGE_ROWS = 68;
const int NODES_STAGE_PITCH =
    2 * NODES_STAGE_RUNS; /* 64 bytes off a multiple of 128 where pairs have 16 */
const int NODES_STAGE_ABOVE = 2; /* rows of a tile's window that weigh nothing and are not there */

/* A warp's tile from the `rows` rows that its block has staged. */
template <int CHANNELS, typename Pair>
static __device__ __forceinline__ void make_tile_of_level_1(const node_level<Pair> &level,
                                                            uint64_t matrices, const Pair *stage,
                                                            int rows)
{
    const node_lane lane;
    const int warp = (int)threadIdx.x / 32;
    node_window<Pair, FOVEATE_NODES_STEPS_BELOW> window;
    window.first = stage;
#pragma unroll
    for (int i = 0; i < FOVEATE_NODES_STEPS_BELOW; i++) {
        const int row = 2 * NODES_TILE * (warp / 2) + 8 * i + lane.row - NODES_STAGE_ABOVE;
        window.rows[i] = (uint32_t)(min(max(row, 0), rows - 1) * NODES_STAGE_PITCH);
        window.columns[i] = (uint32_t)(NODES_TILE * (warp % 2) + 4 * i + lane.pair);
    }
    const node_matrix<FOVEATE_NODES_STEPS_BELOW> taps(matrices, 0);
    node_outputs<CHANNELS> outputs;
    node_product<node_float_sums>(taps, taps, window, outputs);
    store_samples(level, 2 * (int)blockIdx.x + warp % 2, 2 * (int)blockIdx.y + warp / 2, outputs);
}

template <typename Pixel, typename Pair, typename Image>
static __device__ __forceinline__ void make_level_1(const foveate_frame &frame,
                                                    const foveate_nodes &nodes, const Image &src)
{
    __shared__ Pair stage[NODES_STAGE_ROWS * NODES_STAGE_PITCH];
    const node_level<Pair> level(nodes, 1);
    const int left = level.rows - 2 * NODES_TILE * (int)blockIdx.y;
    const node_stage<NODES_STAGE_RUNS, NODES_STAGE_PITCH, NODES_THREADS> window = {
        first_below(2 * (int)blockIdx.x), first_below(2 * (int)blockIdx.y) + NODES_STAGE_ABOVE,
        min(2 * left + 4, NODES_STAGE_ROWS)};
    window.template fill<Pixel>(frame, src, stage);
    const int warp = (int)threadIdx.x / 32;
    if (NODES_TILE * (warp / 2) >= left ||
        NODES_TILE / 2 * (2 * (int)blockIdx.x + warp % 2) >= level.pairs) {
        return;
    }
    if (node_format<Pixel>::has_alpha && frame.blur_alpha) {
        make_tile_of_level_1<4>(level, nodes.matrices, stage, window.rows);
    } else {
        make_tile_of_level_1<Pixel::colors>(level, nodes.matrices, stage, window.rows);
    }
}

/* ---- Further levels. Blocks share a level's tiles, or one block makes several levels one after another. */

static __device__ __forceinline__ int tiles_along(int samples)
{
    return (samples + NODES_TILE - 1) / NODES_TILE;
}

template <int CHANNELS, typename Pair>
static __device__ __forceinline__ void make_tile_of_level(const foveate_nodes &nodes, int k,
                                                          int tile_x, int tile_y)
{
    node_window<Pair, FOVEATE_NODES_STEPS_BELOW> window;
    node_level<Pair>(nodes, k - 1).open(first_below(tile_x), first_below(tile_y), window);
    const node_matrix<FOVEATE_NODES_STEPS_BELOW> taps(nodes.matrices, 0);
    node_outputs<CHANNELS> outputs;
    node_product<node_float_sums>(taps, taps, window, outputs);
    store_samples(node_level<Pair>(nodes, k), tile_x, tile_y, outputs);
}

template <int CHANNELS, typename Pair>
static __device__ __forceinline__ void make_levels(const foveate_nodes_levels_params &params)
{
    const int warps = (int)(blockDim.x / 32 * gridDim.x);
    const int warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int k = params.first; k <= params.last; k++) {
        const foveate_nodes_level &level = params.nodes.levels[k];
        const int columns = tiles_along(2 * level.pairs);
        const int count = columns * tiles_along(level.rows);
        for (int tile = warp; tile < count; tile += warps) {
            make_tile_of_level<CHANNELS, Pair>(params.nodes, k, tile % columns, tile / columns);
        }
        __syncthreads();
    }
}

#endif
