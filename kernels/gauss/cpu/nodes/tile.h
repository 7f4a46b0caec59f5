/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A tile of the node way and its parts. */
#ifndef FOVEA_KERNELS_GAUSS_CPU_NODES_TILE_H
#define FOVEA_KERNELS_GAUSS_CPU_NODES_TILE_H

#include "kernels/gauss/cpu/common/lanes.h"
#include "nodes.h"

#define GAUSS_CPU_NODE_PIXELS (GAUSS_CPU_NODE_PX * GAUSS_CPU_NODE_PX)

#define gauss_cpu_node_places GAUSS_CPU_NAME(gauss_cpu_node_places)
#define gauss_cpu_node_weigh GAUSS_CPU_NAME(gauss_cpu_node_weigh)
#define gauss_cpu_node_across GAUSS_CPU_NAME(gauss_cpu_node_across)
#define gauss_cpu_node_down GAUSS_CPU_NAME(gauss_cpu_node_down)
#define gauss_cpu_node_write GAUSS_CPU_NAME(gauss_cpu_node_write)

/* Values of a tile's pixels, one row of 16 after the other. */
struct gauss_cpu_node_tile {
    const struct gauss_cpu_picture *picture;
    int32_t x_px, y_px;
    int32_t width_px, height_px; /* clipped to the picture */
    int32_t blend; /* enum gauss_blend; wide: square roots of light are blended */
    bool is_wide; /* the plan's ladder is that of wide light, whatever the pixels are */
    struct gauss_tile_nodes nodes;
    float *sigma_px;
    float *places; /* places of sigma on the ladder */
    float *firsts; /* the first of the tile's nodes that the pixel blends */
    float *weights; /* its weights and those after it: GAUSS_LADDER_TOGETHER times all pixels */
    float *pixels; /* results: rows of one channel after those of the other */
    float lowest, highest; /* place */
};

/* Finds sigma_px, places and their range, for pixels that lie in the picture. */
void gauss_cpu_node_places(struct gauss_cpu_node_tile *tile);
/* nodes is known. */
void gauss_cpu_node_weigh(const struct gauss_cpu_node_tile *tile);

/* Rows of the samples of a level that a tile sees, and the first of each. */
struct gauss_cpu_node_window {
    const float *const *rows; /* the first channel of each */
    ptrdiff_t plane; /* floats to the next channel */
    int32_t count; /* rows */
    int32_t skip; /* samples in each row before the first that counts */
};

/* Sums samples to 16 pixels a row and channel. */
void gauss_cpu_node_across(const struct gauss_cpu_node_window *window,
                           const struct gauss_cpu_node *node,
                           const struct gauss_cpu_node_phase *phase, int32_t channels, float *out);

struct gauss_cpu_node_rows {
    const struct gauss_cpu_node *node;
    const struct gauss_cpu_node_phase *phase; /* along y */
    const float *across;
    int32_t across_first; /* the row of the tile's window that it begins with */
    int32_t first_y, end_y; /* rows of the tile to add to */
    int32_t index; /* index of the node among the tile's */
};

/* Adds a node, times its weights, to the tile's pixels. */
void gauss_cpu_node_down(const struct gauss_cpu_node_tile *tile,
                         const struct gauss_cpu_node_rows *rows);

/* Writes the tile to the picture; pixels of no blur are copied. `values` has memory for 16 pixels.
 * Returns false, with nothing written, if values are not finite. */
bool gauss_cpu_node_write(const struct gauss_cpu_node_tile *tile, float *values);

#endif
