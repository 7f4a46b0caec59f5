/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Levels by matrix products: a warp makes 16 x 16 samples from 40 x 40 of the level below. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_NODES_LEVELS_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_NODES_LEVELS_CUH

#include "pixel.cuh"
#include "product.cuh"

const int NODES_TILE = FOVEATE_NODES_TILE_PX;
const int NODES_WARPS = FOVEATE_NODES_WARPS;
const int NODES_THREADS = 32 * NODES_WARPS;

/* A lane's place in an mma. */
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

    __device__ __forceinline__ node_level(Pair *pairs_of_all, int pairs_of_a_row, int count)
        : first(pairs_of_all), pairs(pairs_of_a_row), rows(count)
    {
    }
    __device__ __forceinline__ node_level(const foveate_nodes &nodes, int k)
        : first((Pair *)(nodes.samples + blockIdx.z * nodes.next_bytes) + nodes.levels[k].first),
          pairs(nodes.levels[k].pairs), rows(nodes.levels[k].rows)
    {
    }

    /* Returns the pair of sample (x, y). */
    __device__ Pair pair_at(int x, int y) const
    {
        const int row = min(max(y + FOVEATE_NODES_MARGIN, 0), rows - 1);
        return first[row * pairs + min(max((x + FOVEATE_NODES_MARGIN) >> 1, 0), pairs - 1)];
    }

    /* Opens the window whose first sample is (x, y), x even. Beyond the margins the level is
     * constant. */
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

/* Stores the tile's samples that the level has. */
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

template <int CHANNELS, typename Row>
static __device__ __forceinline__ bool all_finite(const Row (&rows)[CHANNELS])
{
    const float *values = (const float *)rows;
    float none = 0.0f;
#pragma unroll
    for (int i = 0; i < (int)(sizeof rows / sizeof(float)); i++) {
        none += values[i] * 0.0f;
    }
    return __all_sync(~0u, none == 0.0f);
}

/* Returns channel c of a pair's first or second sample. */
template <typename Pair>
static __device__ __forceinline__ float sample_of(const Pair &pair, int c, int second)
{
    return __half2float(__ushort_as_half((unsigned short)(pair.channel(c) >> 16 * second)));
}

/* Sums the samples of a tile one by one, from (x, y) of the level below on: matrix products would
 * spread values that are not finite over all of it. */
template <int CHANNELS, typename Pair>
static __device__ __noinline__ void sum_samples(const node_level<Pair> level, int tile_x,
                                                int tile_y, const node_level<Pair> below, int x,
                                                int y)
{
    const float taps[6] = {1.0f / 32, 5.0f / 32, 10.0f / 32, 10.0f / 32, 5.0f / 32, 1.0f / 32};
    const int before = FOVEATE_NODES_BEFORE_BELOW - 2;
    for (int i = (int)threadIdx.x % 32; i < NODES_TILE * NODES_TILE; i += 32) {
        const int column = NODES_TILE * tile_x + i % NODES_TILE;
        const int row = NODES_TILE * tile_y + i / NODES_TILE;
        float sums[CHANNELS] = {};
        for (int k = 0; k < 36; k++) {
            const int at = x + before + 2 * (i % NODES_TILE) + k % 6;
            const Pair pair = below.pair_at(at, y + before + 2 * (i / NODES_TILE) + k / 6);
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                sums[c] = fmaf(taps[k % 6] * taps[k / 6], sample_of(pair, c, at & 1), sums[c]);
            }
        }
        uint16_t *halves = (uint16_t *)(level.first + row * level.pairs + column / 2);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            if (column / 2 < level.pairs && row < level.rows) {
                halves[2 * c + column % 2] = __half_as_ushort(__float2half_rn(sums[c]));
            }
        }
    }
}

/* Writes a warp's tile of a level; (x, y) is its first sample of the level below. */
template <bool FLOATS, int CHANNELS, typename Pair>
static __device__ __forceinline__ void put_samples(const node_level<Pair> &level, int tile_x,
                                                   int tile_y,
                                                   const node_outputs<CHANNELS> &outputs,
                                                   const node_level<Pair> &below, int x, int y)
{
    if (FLOATS && !all_finite(outputs.of)) {
        sum_samples<CHANNELS>(level, tile_x, tile_y, below, x, y);
    } else {
        store_samples(level, tile_x, tile_y, outputs);
    }
}

/* Returns the first sample below for a tile of a level, whose own first sample is a margin
 * outside. */
static __device__ __forceinline__ int first_below(int tile)
{
    return 2 * (NODES_TILE * tile - FOVEATE_NODES_MARGIN) - FOVEATE_NODES_BEFORE_BELOW;
}

/* ---- Level 1 from the picture: a block makes 2 x 2 tiles from 68 x 68 pixels, loaded as runs of
 * four, 72 wide */

const int NODES_STAGE_RUNS = 18;
const int NODES_STAGE_ROWS = 68;
const int NODES_STAGE_PITCH =
    2 * NODES_STAGE_RUNS; /* 64 bytes off a multiple of 128, if a pair has 16 */
/* The first two rows of a tile's window have no weight and are not stored. */
const int NODES_STAGE_ABOVE = 2;

/* Makes a warp's tile from the `rows` rows that its block has staged. */
template <int CHANNELS, bool FLOATS, typename Pair>
static __device__ __forceinline__ void make_tile_of_level_1(const node_level<Pair> &level,
                                                            uint64_t matrices, Pair *stage,
                                                            int rows)
{
    const node_lane lane;
    const int warp = (int)threadIdx.x / 32;
    const int x = 2 * NODES_TILE * (warp % 2);
    const int y = 2 * NODES_TILE * (warp / 2) - NODES_STAGE_ABOVE;
    node_window<Pair, FOVEATE_NODES_STEPS_BELOW> window;
    window.first = stage;
#pragma unroll
    for (int i = 0; i < FOVEATE_NODES_STEPS_BELOW; i++) {
        window.rows[i] =
            (uint32_t)(min(max(y + 8 * i + lane.row, 0), rows - 1) * NODES_STAGE_PITCH);
        window.columns[i] = (uint32_t)(x / 2 + 4 * i + lane.pair);
    }
    const node_matrix<FOVEATE_NODES_STEPS_BELOW> taps(matrices, 0);
    node_outputs<CHANNELS> outputs;
    node_product<node_float_sums>(taps, taps, window, outputs);
    const node_level<Pair> below(stage, NODES_STAGE_PITCH, rows);
    put_samples<FLOATS>(level, 2 * (int)blockIdx.x + warp % 2, 2 * (int)blockIdx.y + warp / 2,
                        outputs, below, x - FOVEATE_NODES_MARGIN, y - FOVEATE_NODES_MARGIN);
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
    const int count = Pixel::channels;
    const bool floats = Pixel::white == 0;
    if (count < 4 || frame.blur_alpha) {
        make_tile_of_level_1<count, floats>(level, nodes.matrices, stage, window.rows);
    } else if constexpr (count == 4) {
        make_tile_of_level_1<3, floats>(level, nodes.matrices, stage, window.rows);
    }
}

/* ---- Further levels: blocks share a level's tiles, or one block makes several levels in turn */

static __device__ __forceinline__ int tiles_along(int samples)
{
    return (samples + NODES_TILE - 1) / NODES_TILE;
}

template <int CHANNELS, bool FLOATS, typename Pair>
static __device__ __forceinline__ void make_tile_of_level(const foveate_nodes &nodes, int k,
                                                          int tile_x, int tile_y)
{
    const int x = first_below(tile_x);
    const int y = first_below(tile_y);
    const node_level<Pair> below(nodes, k - 1);
    node_window<Pair, FOVEATE_NODES_STEPS_BELOW> window;
    below.open(x, y, window);
    const node_matrix<FOVEATE_NODES_STEPS_BELOW> taps(nodes.matrices, 0);
    node_outputs<CHANNELS> outputs;
    node_product<node_float_sums>(taps, taps, window, outputs);
    put_samples<FLOATS>(node_level<Pair>(nodes, k), tile_x, tile_y, outputs, below, x, y);
}

template <int CHANNELS, bool FLOATS, typename Pair>
static __device__ __forceinline__ void make_levels(const foveate_nodes_levels_params &params)
{
    const int warps = (int)(blockDim.x / 32 * gridDim.x);
    const int warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int k = params.first; k <= params.last; k++) {
        const foveate_nodes_level &level = params.nodes.levels[k];
        const int columns = tiles_along(2 * level.pairs);
        const int count = columns * tiles_along(level.rows);
        for (int tile = warp; tile < count; tile += warps) {
            make_tile_of_level<CHANNELS, FLOATS, Pair>(params.nodes, k, tile % columns,
                                                       tile / columns);
        }
        __syncthreads();
    }
}

#endif
