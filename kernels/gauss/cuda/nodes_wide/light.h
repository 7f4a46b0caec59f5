/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Nodes of wide light for pixels of whole numbers, as their kernels see them: struct gauss_nodes,
 * whose matrices have these nodes behind the taps of levels, and their matrices of halves behind
 * those. Levels lie as those of other nodes, level 0 too. Shared by C and CUDA C. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_LIGHT_H
#define FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_LIGHT_H

#include "kernels/gauss/cuda/nodes/params.h"

/* What a tile sees of a node's level along an axis is pairs of steps, 16 samples each in the order
 * of gauss_nodes_place. The tails of weights are below what halves hold: these are multiplied by a
 * power of two. */
struct gauss_light_node {
    int32_t level;
    int32_t before; /* samples before the four that has the tile's first, a multiple of four */
    int32_t pairs;
    /* its first pair among all; as many for each further phase of a tile on the level follow */
    int32_t matrix;
    float unscale; /* 1 / that power */
    float root; /* of it */
};

#define GAUSS_LIGHT_PAIR_BYTES (2 * GAUSS_NODES_STEP_BYTES)
#define GAUSS_LIGHT_NODES_AT (GAUSS_NODES_STEPS_BELOW * GAUSS_NODES_STEP_BYTES)
#define GAUSS_LIGHT_MATRICES_AT                                                                    \
    (GAUSS_LIGHT_NODES_AT + GAUSS_LADDER_NODES * (int)sizeof(struct gauss_light_node))

/* Returns the first sample that a tile's window on a node's level has along an axis. */
HOST_DEVICE int32_t gauss_light_window(const struct gauss_light_node *node, int32_t tile_px)
{
    return (tile_px >> node->level & ~3) - node->before;
}

#endif
