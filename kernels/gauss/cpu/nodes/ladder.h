/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The ladder's nodes on the cpu: for a tile of 16 pixels along an axis the weights of the samples
 * that its pixels see, as floats. They are made once for a plan. */
#pragma once

#include "kernels/gauss/gauss.h"
#include "kernels/gauss/plan/ladder.h"

#define GAUSS_CPU_NODE_PX 16 /* a tile's side */
/* A tile has so many phases on the samples of the coarsest level, 64 pixels apart. */
#define GAUSS_CPU_NODE_PHASES 4

/* A tile's phase on a node's samples along one axis. */
struct gauss_cpu_node_phase {
    int32_t first; /* first sample that the tile sees, counted from sample x_px >> level */
    int32_t count; /* how many it sees */
    int32_t row_first[GAUSS_CPU_NODE_PX]; /* weights of each pixel, from `first` on */
    const float *columns; /* [count][16]: a sample's weights in each pixel */
};

struct gauss_cpu_node {
    int32_t level;
    int32_t taps;
    struct gauss_cpu_node_phase phases[GAUSS_CPU_NODE_PHASES];
};

struct gauss_cpu_ladder {
    struct gauss_cpu_node *nodes;
    int32_t count;
    float *memory;
};

/* Makes all nodes that the plan's sigmas can ask for. */
FOVEA_MUST_CHECK enum fovea_result gauss_cpu_ladder_init(struct gauss_cpu_ladder *ladder,
                                                         const struct gauss_plan *plan,
                                                         float sigma_max_px);
void gauss_cpu_ladder_finish(struct gauss_cpu_ladder *ladder);

static inline const struct gauss_cpu_node_phase *gauss_cpu_node_phase_at(
    const struct gauss_cpu_node *node, int32_t px)
{
    return &node->phases[(px & ((1 << node->level) - 1)) / GAUSS_CPU_NODE_PX];
}
