/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameters of foveate_nodes.cu, the smooth method for any slope of sigma. C and CUDA C share
 * them.
 *
 * Levels are those of foveate/smooth.h from the first on, in halves. Nodes, and how pixels blend
 * them, are those of foveate/plan/ladder.h. For a tile of 16 x 16 pixels a node's picture is D X
 * A^T. X is the window of its level's samples around the tile. A and D have rows of Gaussian
 * weights at the samples' exact distances from the tile's columns and rows; each row sums to 1. So
 * one product blurs and up-samples at once. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_NODES_PARAMS_H
#define FOVEA_KERNELS_FOVEATE_CUDA_NODES_PARAMS_H

#include "kernels/foveate/cuda/common/params.h"
#include "kernels/foveate/plan/ladder.h"

#define FOVEATE_NODES_LEVELS 10 /* with level 0, the picture, which is not stored */
#define FOVEATE_NODES_TILE_PX 16
#define FOVEATE_NODES_MARGIN 4 /* samples beyond each edge; the outermost pair is constant */

/* Samples of a window along an axis; eight are a step of a product: on level 0, on all others, and
 * on the level below for 16 samples of a level. BEFORE_* count the samples from the window's first
 * to the tile's first pixel or sample. */
#define FOVEATE_NODES_STEPS_0 4
#define FOVEATE_NODES_STEPS 3
#define FOVEATE_NODES_STEPS_BELOW 5
#define FOVEATE_NODES_BEFORE_0 8
#define FOVEATE_NODES_BEFORE_1 8
#define FOVEATE_NODES_BEFORE 10
#define FOVEATE_NODES_BEFORE_BELOW 4

#define FOVEATE_NODES_STEP_BYTES 256 /* of a matrix, 16 x 8 halves */

#define FOVEATE_NODES_WARPS 4 /* in a block; each makes a tile */
#define FOVEATE_NODES_LEVEL_WARPS 8 /* in a block that makes further levels */

/* A level's pairs of samples; the first pair is samples -4 and -3 of row -4. */
struct foveate_nodes_level {
    int32_t first; /* among the pairs of all levels */
    int32_t pairs; /* pairs of a row */
    int32_t rows;
    int32_t reserved;
};

/* The nodes that are made from a level. */
struct foveate_nodes_span {
    int32_t first;
    int32_t step; /* first of its matrices */
};

struct foveate_nodes {
    struct foveate_law law;
    struct foveate_nodes_level levels[FOVEATE_NODES_LEVELS];
    struct foveate_nodes_span
        spans[FOVEATE_NODES_LEVELS + 1]; /* The last span's `first` is one beyond the nodes. */
    int32_t level_count; /* with level 0 */
    float end; /* no place on the ladder lies beyond */
    uint64_t table; /* float[law.table_count] */
    /* matrices in steps, in the order of a warp's lanes; those that make a level come first */
    uint64_t matrices;
    uint64_t samples; /* levels from 1 on: four halves a sample, or one of a grey picture */
    int64_t next_bytes; /* bytes from an image's levels to the next image's */
};

struct foveate_nodes_linear_params {
    struct foveate_frame frame;
    struct foveate_nodes nodes;
    struct foveate_cuda_batch batch;
    struct image_linear src;
    struct image_linear dst;
};

struct foveate_nodes_surface_params {
    struct foveate_frame frame;
    struct foveate_nodes nodes;
    struct foveate_cuda_batch batch;
    uint64_t src;
    uint64_t dst;
};

struct foveate_nodes_levels_params {
    struct foveate_nodes nodes;
    int32_t
        /* Levels that are made, each from the one below; several are made by a single block. */
        first;
    int32_t last;
};

/* Returns the first sample of a tile's window on a level, which is even. */
HOST_DEVICE int32_t foveate_nodes_window(int32_t level, int32_t tile)
{
    const int32_t begin = FOVEATE_NODES_TILE_PX * tile >> level & ~1;
    return begin - (level == 0   ? FOVEATE_NODES_BEFORE_0
                    : level == 1 ? FOVEATE_NODES_BEFORE_1
                                 : FOVEATE_NODES_BEFORE);
}

/* Tiles have so many phases on a level's pairs. */
HOST_DEVICE int32_t foveate_nodes_phases(int32_t level)
{
    return level <= 3 ? 1 : 1 << (level - 3);
}

HOST_DEVICE int32_t foveate_nodes_steps(int32_t level)
{
    return level == 0 ? FOVEATE_NODES_STEPS_0 : FOVEATE_NODES_STEPS;
}

#endif
