/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A node of wide light (light.h) for a tile of 16 x 16 pixels: windows of its level, and a warp's
 * products. They take halves, as levels have them; weights are scaled, so that tails are seen. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_WINDOW_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_WINDOW_CUH

#include "kernels/gauss/cuda/nodes/levels.cuh"
#include "kernels/gauss/cuda/nodes/sigma.cuh"
#include "light.h"

/* ---- Windows. What tiles see of a level lies in shared memory, once for a block's tiles and for
 * all nodes of the level: lanes that read it from the level would look up a line for each row */

typedef node_stage<20, 80, 40, NODES_THREADS> light_stage;
static_assert(4 * light_stage::plane == GAUSS_LIGHT_PLANE_BYTES, "what a launch asks for");

/* Samples of a level from (x0, y0) to before (x1, y1), multiples of four. */
struct light_box {
    int level;
    int x0, y0, x1, y1;
};

/* Copies the box. A lane copies the same channels and fours of each row. */
template <int CHANNELS>
static __device__ __forceinline__ void fill_stage(const node_level<CHANNELS> &level,
                                                  const light_box &box, uint32_t *memory)
{
    const int rows_at_once = 4;
    const int units = (20 * CHANNELS + 31) / 32;
    const int warp = (int)threadIdx.x / 32;
    const int count = (box.x1 - box.x0) / 4 * CHANNELS;
#pragma unroll 1
    for (int y = warp; y < box.y1 - box.y0; y += rows_at_once * NODES_WARPS) {
        uint2 words[rows_at_once][units];
#pragma unroll
        for (int i = 0; i < rows_at_once * units; i++) {
            const int unit = (int)threadIdx.x % 32 + i % units * 32;
            const int four = (box.x0 + GAUSS_NODES_MARGIN) / 4 + unit / CHANNELS;
            const int inside = min(max(four, 0), level.fours - 1);
            const uint32_t at =
                (uint32_t)(inside * node_level<CHANNELS>::four_bytes + unit % CHANNELS * 8);
            uint2 own = make_uint2(0, 0);
            if (unit < count) {
                own =
                    __ldg((const uint2 *)(level.row_at(box.y0 + y + i / units * NODES_WARPS) + at));
            }
            /* Beyond the level its outermost pairs are repeated. */
            words[i / units][i % units] =
                make_uint2(four > inside ? own.y : own.x, four < inside ? own.x : own.y);
        }
#pragma unroll
        for (int i = 0; i < rows_at_once * units; i++) {
            const int unit = (int)threadIdx.x % 32 + i % units * 32;
            const int row = y + i / units * NODES_WARPS;
            if (unit < count && row < box.y1 - box.y0) {
                *(uint2 *)(memory + unit % CHANNELS * light_stage::plane +
                           light_stage::word_of(row) + unit / CHANNELS * 2) =
                    words[i / units][i % units];
            }
        }
    }
}

/* A window there, as a lane reads it: four samples of its row r of two, of 16 rows p, 16 columns
 * q. */
struct light_staged {
    const uint32_t *fours;

    __device__ __forceinline__ light_staged(const uint32_t *memory, const light_box &box, int x,
                                            int y, const node_lane &lane)
        : fours(memory + (y - box.y0) / 4 * light_stage::group + (x - box.x0) / 2 +
                light_stage::word_of(lane.place()) + 2 * lane.pair)
    {
    }
    __device__ __forceinline__ uint2 four(int p, int r, int q, int c) const
    {
        return *(const uint2 *)(fours + (p * 4 * light_stage::group + r * 2 * 40 +
                                         c * light_stage::plane + 8 * q));
    }
};

/* A window of more pairs: the widest blurs, on the coarsest level. */
template <int CHANNELS> struct light_unstaged {
    node_level<CHANNELS> level;
    int first, row;

    __device__ __forceinline__ uint2 four(int p, int r, int q, int c) const
    {
        const int place = first + 4 * q;
        const int inside = min(max(place, 0), level.fours - 1);
        const uint2 own =
            __ldg((const uint2 *)(level.row_at(row + 16 * p + 2 * r) +
                                  (uint32_t)(inside * node_level<CHANNELS>::four_bytes + 8 * c)));
        return make_uint2(place > inside ? own.y : own.x, place < inside ? own.x : own.y);
    }
};

/* ---- Products */

static __device__ __forceinline__ void light_multiply(float (&d)[4], const uint4 &a, uint32_t b0,
                                                      uint32_t b1)
{
#if __CUDA_ARCH__ >= 800
    const uint32_t words[4] = {a.x, a.y, a.z, a.w};
    mma_add(d, words, b0, b1);
#else
    mma_add_of_8(d, make_uint2(a.x, a.y), b0);
    mma_add_of_8(d, make_uint2(a.z, a.w), b1);
#endif
}

/* A node's weights for a tile, as a lane has them. */
struct light_weights {
    const uint4 *across;
    const uint4 *down;

    __device__ __forceinline__ light_weights(const gauss_nodes &nodes, const gauss_light_node &node,
                                             const node_tile &tile)
        : across(matrix(nodes, node, tile.x)), down(matrix(nodes, node, tile.y))
    {
    }
    static __device__ __forceinline__ const uint4 *matrix(const gauss_nodes &nodes,
                                                          const gauss_light_node &node, int px)
    {
        const int phase = px / NODES_TILE & (gauss_nodes_phases(node.level) - 1);
        return (const uint4 *)(nodes.matrices + GAUSS_LIGHT_MATRICES_AT) +
               (node.matrix + phase * node.pairs) * 32 + threadIdx.x % 32;
    }
};

/* Makes a node's pixels, times the square of its scale. A window has so many pairs of steps along
 * either axis, of which AT_ONCE are multiplied at once: where both are the same number the compiler
 * knows it. */
template <int AT_ONCE, int CHANNELS, typename Window>
static __device__ __forceinline__ void light_product(const Window &window,
                                                     const light_weights &weights, int pairs,
                                                     float unscale,
                                                     float (&outputs)[CHANNELS][2][4])
{
#pragma unroll 1
    for (int p = 0; p < pairs; p++) {
        const uint4 down = __ldg(weights.down + 32 * p);
        float filtered[2][CHANNELS][4] = {};
#pragma unroll 1
        for (int first = 0; first < pairs; first += AT_ONCE) {
#pragma unroll
            for (int q = first; q < first + AT_ONCE; q++) {
                const uint4 across = __ldg(weights.across + 32 * q);
#pragma unroll
                for (int i = 0; i < 2 * CHANNELS; i++) {
                    const uint2 words = window.four(p, i / CHANNELS, q, i % CHANNELS);
                    light_multiply(filtered[i / CHANNELS][i % CHANNELS], across, words.x, words.y);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 2 * CHANNELS; i++) {
            uint32_t b[2];
#pragma unroll
            for (int r = 0; r < 2; r++) {
                const float *of = &filtered[r][i / 2][i % 2 * 2];
                b[r] = mma_rounded(unscale * of[0], unscale * of[1]);
            }
            light_multiply(outputs[i / 2][i % 2], down, b[0], b[1]);
        }
    }
}

#endif
