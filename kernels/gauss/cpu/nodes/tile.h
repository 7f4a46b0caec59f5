/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A tile of the node way and its parts. */
#pragma once

#include "kernels/gauss/cpu/common/lanes.h"
#include "nodes.h"

#define GAUSS_CPU_NODE_PIXELS (GAUSS_CPU_NODE_PX * GAUSS_CPU_NODE_PX)

#define gauss_cpu_node_sigmas GAUSS_CPU_NAME(gauss_cpu_node_sigmas)
#define gauss_cpu_node_places GAUSS_CPU_NAME(gauss_cpu_node_places)
#define gauss_cpu_node_weigh GAUSS_CPU_NAME(gauss_cpu_node_weigh)
#define gauss_cpu_node_across GAUSS_CPU_NAME(gauss_cpu_node_across)
#define gauss_cpu_node_down GAUSS_CPU_NAME(gauss_cpu_node_down)
#define gauss_cpu_node_write GAUSS_CPU_NAME(gauss_cpu_node_write)

/* Rows of pixels that are made together, so that a sample serves them all. */
#define GAUSS_CPU_NODE_ROWS 4

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

/* Returns how many rows are made, of which some may lie below the picture. */
static inline int32_t gauss_cpu_node_rows(const struct gauss_cpu_node_tile *tile)
{
    const int32_t rows = tile->height_px + GAUSS_CPU_NODE_ROWS - 1;
    return rows - rows % GAUSS_CPU_NODE_ROWS;
}

/* Finds sigma_px of tiles side by side; `row` has memory for a row of their pixels. Pixels beyond
 * the picture are treated as its last ones. */
void gauss_cpu_node_sigmas(const struct gauss_cpu_node_tile *tiles, int32_t count, float *row);
/* sigma_px is known. Finds places and their range. Rows below the picture are treated as its last
 * one. */
void gauss_cpu_node_places(struct gauss_cpu_node_tile *tile);
/* nodes is known. */
void gauss_cpu_node_weigh(const struct gauss_cpu_node_tile *tile);

/* Tiles that are made together, so that samples averaged along y serve neighbours. */
#define GAUSS_CPU_NODE_TILES 16
/* A row of averaged samples has all that the tiles see, and a register or two more. */
#define GAUSS_CPU_NODE_PITCH                                                                       \
    (GAUSS_CPU_NODE_TILES * GAUSS_CPU_NODE_PX + GAUSS_LADDER_TAPS + 4 * GAUSS_CPU_NODE_PX)

/* Rows of samples of a level. */
struct gauss_cpu_node_window {
    const float *const *rows; /* sample 0 of the first channel of each */
    ptrdiff_t plane; /* floats to the next channel */
    int32_t count; /* rows */
    int32_t first; /* sample */
    const float *weights; /* a row's, in each of the rows of pixels */
    ptrdiff_t stride; /* to the next row's */
};

/* Averages samples along y to rows for GAUSS_CPU_NODE_ROWS rows of pixels: channels of the first,
 * then of the second. Up to a register more is written. */
void gauss_cpu_node_down(const struct gauss_cpu_node_window *window, int32_t samples,
                         int32_t channels, float *out);

/* Averages such rows along x, and adds them, times the weights of the tile's node `index`, to the
 * tile's pixels from row first_y on. `in` is the first sample that the tile sees. */
void gauss_cpu_node_across(const struct gauss_cpu_node_tile *tile,
                           const struct gauss_cpu_node *node, int32_t index, int32_t first_y,
                           const float *in);

/* Writes the tile to the picture; pixels of no blur are copied. `values` has memory for 16 pixels.
 * Returns false, with nothing written, if values are not finite. */
bool gauss_cpu_node_write(const struct gauss_cpu_node_tile *tile, float *values);
