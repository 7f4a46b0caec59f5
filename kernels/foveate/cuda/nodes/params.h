/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameters of nodes.cu: the smooth method whatever the slope of sigma. Shared by C and CUDA
 * C.
 *
 * Levels are those of foveate/smooth.h from the first on, in halves; nodes and how pixels blend
 * them are those of foveate/plan/ladder.h. For a tile of 16 x 16 pixels a node's picture is D X
 * A^T: X the window of its level's samples around the tile, A and D rows of Gaussian weights at the
 * samples' exact distances from the tile's columns and rows, each of sum 1. So a product blurs and
 * enlarges at once. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_NODES_PARAMS_H
#define FOVEA_KERNELS_FOVEATE_CUDA_NODES_PARAMS_H

#include "kernels/foveate/cuda/common/params.h"
#include "kernels/foveate/plan/ladder.h"

#define FOVEATE_NODES_LEVELS 10 /* level 0, which is the picture and is not stored, included */
#define FOVEATE_NODES_TILE_PX 16
#define FOVEATE_NODES_MARGIN 4 /* samples beyond each edge; the outermost pair is constant */

/* Samples of a window along an axis, eights of them a step of a product: of level 0, of all others,
 * and of the level below for 16 samples of a level. Where they begin, seen from the tile's first
 * pixel or sample. */
#define FOVEATE_NODES_STEPS_0 4
#define FOVEATE_NODES_STEPS 3
#define FOVEATE_NODES_STEPS_BELOW 5
#define FOVEATE_NODES_BEFORE_0 8
#define FOVEATE_NODES_BEFORE_1 8
#define FOVEATE_NODES_BEFORE 10
#define FOVEATE_NODES_BEFORE_BELOW 4

#define FOVEATE_NODES_STEP_BYTES 256 /* of a matrix, 16 x 8 halves */

#define FOVEATE_NODES_WARPS 4 /* of a block; each makes a tile */
#define FOVEATE_NODES_LEVEL_WARPS 8 /* where further levels are made */

/* A level's pairs of samples; the first one holds samples -4 and -3 of row -4. */
struct foveate_nodes_level {
    int32_t first; /* among those of all levels */
    int32_t pairs; /* of a row */
    int32_t rows;
    int32_t reserved;
};

/* The nodes that are made of a level. */
struct foveate_nodes_span {
    int32_t first;
    int32_t step; /* of its matrices the first */
};

struct foveate_nodes {
    struct foveate_law law;
    struct foveate_nodes_level levels[FOVEATE_NODES_LEVELS];
    struct foveate_nodes_span
        spans[FOVEATE_NODES_LEVELS + 1]; /* the last one's `first` is no node's */
    int32_t level_count; /* level 0 included */
    float end; /* no place lies beyond */
    uint64_t table; /* float[law.table_count] */
    /* in steps, in the order of a warp's lanes; first those that make a level */
    uint64_t matrices;
    uint64_t samples; /* of levels from 1 on: four halves, one where there is one colour */
    int64_t next_bytes; /* from an image's levels to the next image's */
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
        /* levels that are made, each from the one below; more than one by one block alone */
        first;
    int32_t last;
};

/* The first sample of a tile's window on a level; even. */
HOST_DEVICE int32_t foveate_nodes_window(int32_t level, int32_t tile)
{
    const int32_t begin = FOVEATE_NODES_TILE_PX * tile >> level & ~1;
    return begin - (level == 0   ? FOVEATE_NODES_BEFORE_0
                    : level == 1 ? FOVEATE_NODES_BEFORE_1
                                 : FOVEATE_NODES_BEFORE);
}

/* Tiles lie in so many ways on a level's pairs. */
HOST_DEVICE int32_t foveate_nodes_phases(int32_t level)
{
    return level <= 3 ? 1 : 1 << (level - 3);
}

HOST_DEVICE int32_t foveate_nodes_steps(int32_t level)
{
    return level == 0 ? FOVEATE_NODES_STEPS_0 : FOVEATE_NODES_STEPS;
}

#endif
