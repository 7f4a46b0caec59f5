/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameters of gauss_nodes.cu, the smooth method for any slope of sigma. C and CUDA C share
 * them.
 *
 * Levels are those of gauss/pyramid.h from the first on, in halves. Nodes, and how pixels blend
 * them, are those of gauss/plan/ladder.h. For a tile of 16 x 16 pixels a node's picture is D X
 * A^T. X is the window of its level's samples around the tile. A and D have rows of Gaussian
 * weights at the samples' exact distances from the tile's columns and rows; each row sums to 1. So
 * one product blurs and up-samples at once. */
#pragma once

#include "kernels/gauss/cuda/common/params.h"
#include "kernels/gauss/plan/ladder.h"

#define GAUSS_NODES_LEVELS 10 /* with level 0, the picture, which is not stored */
#define GAUSS_NODES_TILE_PX 16
/* Samples beyond each edge; the outermost pair is constant. Beside levels of wide light there are
 * more, and the outermost four is constant. */
#define GAUSS_NODES_MARGIN 4
#define GAUSS_LIGHT_BESIDE 8

/* Samples of a window along an axis; eight are a step of a product: on level 0, on all others, and
 * on the level below for 16 samples of a level. Two steps are 16 neighbours from a multiple of four
 * on, so that a lane reads four of a row at once. BEFORE_* count the samples from there to the
 * tile's first pixel or sample. */
#define GAUSS_NODES_STEPS_0 4
#define GAUSS_NODES_STEPS 3
#define GAUSS_NODES_STEPS_BELOW 5
#define GAUSS_NODES_BEFORE 8
#define GAUSS_NODES_BEFORE_BELOW 4

#define GAUSS_NODES_STEP_BYTES 256 /* of a matrix, 16 x 8 halves */

#define GAUSS_NODES_STAGE_BYTES 12672 /* of a channel in a block that makes level 1 */

#define GAUSS_NODES_WARPS 4 /* in a block; each makes a tile */
#define GAUSS_NODES_WHOLE_THREADS 768 /* of a multiprocessor's blocks that make whole pictures */
#define GAUSS_NODES_LEVEL_WARPS 8 /* in a block that makes further levels */
/* Once a level has so few tiles, one block makes it and all further ones: each launch costs
 * more. */
#define GAUSS_NODES_TILES_OF_A_BLOCK (3 * GAUSS_NODES_LEVEL_WARPS)

/* A level's samples by fours of a row, the first of which has sample -beside of row -4 first; a
 * four has its channels one after another. Threads read a level as 16 bytes. */
struct __attribute__((aligned(16))) gauss_nodes_level {
    int32_t first; /* among the fours of all levels */
    int32_t fours; /* of a row */
    int32_t rows;
};

/* The nodes that are made from a level. */
struct gauss_nodes_span {
    int32_t first;
    int32_t step; /* first of its matrices */
};

struct gauss_nodes {
    struct gauss_law law;
    struct gauss_nodes_level levels[GAUSS_NODES_LEVELS]; /* level 0 is the last in memory */
    /* The last span's `first` is one beyond the nodes. */
    struct gauss_nodes_span spans[GAUSS_NODES_LEVELS + 1];
    int32_t level_count; /* with level 0 */
    int32_t beside; /* samples beyond the left and the right edge of each level */
    float end; /* no place on the ladder lies beyond */
    /* A law by distance that is a line between its least and its largest sigma, all before the
     * ramp: sigma at the gaze, and what it grows by in a pixel. line_slope is 0 where the table
     * says more. */
    float line_px;
    float line_slope;
    float line_least_px;
    float line_most_px;
    uint64_t table; /* float[law.table_count] */
    /* matrices in steps, in the order of a warp's lanes; those that make a level come first */
    uint64_t matrices;
    uint64_t samples; /* levels from 1 on: as many halves a sample as channels are blurred */
    int64_t next_bytes; /* bytes from an image's levels to the next image's */
    struct gauss_cuda_sigmas sigmas; /* a run's */
    struct gauss_cuda_others others; /* a run's */
};

struct gauss_nodes_params {
    struct gauss_frame frame;
    struct gauss_nodes nodes;
    struct gauss_cuda_batch batch;
    struct image_linear src; /* of a surface, `data` is its object */
    struct image_linear dst;
};

struct gauss_nodes_levels_params {
    struct gauss_nodes nodes;
    /* Levels that are made, each from the one below; several are made by a single block. */
    int32_t first, last;
};

/* Returns which of 16 neighbours is number i of two steps, or of a tile's rows or columns: a lane,
 * which holds numbers 2t, 2t + 1, and those 8 on, has four neighbours. */
HOST_DEVICE int32_t gauss_nodes_place(int32_t i)
{
    return i % 8 / 2 * 4 + i / 8 * 2 + i % 2;
}

/* Returns the tile's first sample of a level, which is even. */
HOST_DEVICE int32_t gauss_nodes_begin(int32_t level, int32_t tile)
{
    return GAUSS_NODES_TILE_PX * tile >> level & ~1;
}

/* Returns the first of the samples that a tile's window on a level has in whole pairs of steps. */
HOST_DEVICE int32_t gauss_nodes_window(int32_t level, int32_t tile)
{
    return (gauss_nodes_begin(level, tile) - GAUSS_NODES_BEFORE) & ~3;
}

/* Returns how many of the samples of a third step come before those; the others come after. */
HOST_DEVICE int32_t gauss_nodes_early(int32_t level, int32_t tile)
{
    return level >= 2 && gauss_nodes_begin(level, tile) % 4 == 0 ? 2 : 0;
}

/* Returns where sample i of an odd last step lies, from the first of the `whole` samples in pairs
 * of steps on. */
HOST_DEVICE int32_t gauss_nodes_last(int32_t whole, int32_t early, int32_t i)
{
    return i < early ? i - early : whole - early + i;
}

/* Tiles have so many phases on a level's fours. */
HOST_DEVICE int32_t gauss_nodes_phases(int32_t level)
{
    return level <= 2 ? 1 : 1 << (level - 2);
}

HOST_DEVICE int32_t gauss_nodes_steps(int32_t level)
{
    return level == 0 ? GAUSS_NODES_STEPS_0 : GAUSS_NODES_STEPS;
}

/* Returns whether pixels of such a sigma, or of less, may blend a node of a level from 1 on: where
 * a tile's sigmas differ, a node of so much more. */
HOST_DEVICE bool gauss_nodes_may_take(float sigma_px, int32_t level)
{
    const float node_px = sigma_px > 0.0f ? 1.69f * sigma_px + 0.7f : 0.0f;
    const float left_px = GAUSS_RESIDUAL * (float)(1 << level);
    return node_px * node_px >= gauss_level_variance(level) + left_px * left_px;
}

/* ---- Nodes of 32-bit floats, and of whole numbers in wide light (nodes_wide/). Light has struct
 * gauss_nodes, whose matrices have these nodes behind the taps of levels, and their matrices of
 * halves behind those; its levels lie as those of other nodes, level 0 too */

/* A node for tiles of 16 x 16 pixels: the samples of its level that a tile sees along an axis, and
 * their weights for the tile's pixels. A step of a product has eight samples, and weights as floats
 * of 11 bits. In wide light it has 16, in the order of gauss_nodes_place, from a multiple of four
 * on, and weights as halves; their tails are below what halves hold, and are multiplied by a power
 * of two. A matrix lies in the order of a warp's lanes, as cuda/mma.cuh has its operand. */
struct gauss_wide_node {
    int32_t level;
    int32_t before; /* samples before the tile's first pixel's, x >> level, or before its four */
    int32_t steps;
    /* its first step among all; as many for each further phase of a tile on the level follow */
    int32_t matrix;
    float unscale; /* 1 / that power */
    float root; /* of it */
};

#define GAUSS_WIDE_THREADS 128 /* threads of a block, which makes 2 x 2 tiles */
#define GAUSS_WIDE_STEP_BYTES 512 /* 16 x 8 floats, or 16 x 16 halves */
#define GAUSS_WIDE_NODES_BYTES (GAUSS_LADDER_NODES * (int)sizeof(struct gauss_wide_node))
#define GAUSS_LIGHT_NODES_AT (GAUSS_NODES_STEPS_BELOW * GAUSS_NODES_STEP_BYTES)
#define GAUSS_LIGHT_MATRICES_AT (GAUSS_LIGHT_NODES_AT + GAUSS_WIDE_NODES_BYTES)

/* A tile has so many phases on a level's samples; on its fours it has gauss_nodes_phases. */
HOST_DEVICE int32_t gauss_wide_phases(int32_t level)
{
    return level <= 4 ? 1 : 1 << (level - 4);
}

/* Returns the first sample that a tile's window on a node's level has along an axis. */
HOST_DEVICE int32_t gauss_wide_window(const struct gauss_wide_node *node, int32_t tile_px)
{
    return (tile_px >> node->level) - node->before;
}

HOST_DEVICE int32_t gauss_light_window(const struct gauss_wide_node *node, int32_t tile_px)
{
    return (tile_px >> node->level & ~3) - node->before;
}
