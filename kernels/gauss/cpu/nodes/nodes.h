/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames on the cpu for every law: tiles of 16x16 pixels, each blended from nodes of the ladder
 * (gauss/plan/ladder.h), so that the cost of a pixel depends on sigma's range in its tile and
 * little on its slope.
 *
 * All levels lie in planes, level 0 too. A node's picture of a tile is two products with band
 * matrices: along y from the samples of its level to rows of pixels, a few at a time, which tiles
 * side by side share; then along x, where pixels multiply by their weight of the node. Rows that do
 * not need a node are left out. Pixels of no blur are copied.
 *
 * For wide light the square roots are blended (gauss/plan/ladder.h).
 *
 * This file is compiled several times, as gauss/cpu/common/lanes.h says. */
#pragma once

#include "kernels/gauss/cpu/common/picture.h"
#include "ladder.h"

/* The scratch memory of a worker begins at a cache line. */
size_t gauss_cpu_nodes_floats(void);

struct gauss_cpu_nodes {
    /* Reads rows of level 0 from the image; `values` has memory for one of them. */
    void (*read_rows)(const struct gauss_cpu_picture *picture, float *values, int32_t first_row,
                      int32_t end_row);
    /* Makes the tiles from row y_px on, all across the picture. */
    void (*tiles)(const struct gauss_cpu_picture *picture, const struct gauss_cpu_ladder *ladder,
                  float *scratch, int32_t y_px);
};

extern const struct gauss_cpu_nodes gauss_cpu_nodes_base;
#ifdef GAUSS_CPU_HAVE_AVX2
extern const struct gauss_cpu_nodes gauss_cpu_nodes_avx2;
extern const struct gauss_cpu_nodes gauss_cpu_nodes_avx512;
#endif

/* A tile of floats in which a value is not finite, which a node would spread over all of it, is
 * summed pixel by pixel, each from its own samples. This is slow, and rare. sigma_px has rows of 16
 * pixels; those that are 0 are copied. */
void gauss_cpu_node_gather(const struct gauss_cpu_picture *picture, const float *sigma_px,
                           int32_t x_px, int32_t y_px);
