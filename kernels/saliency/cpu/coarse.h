/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A worker has these of a tile of a coarser level. planes.c makes planes, coarse.c responses. */
#pragma once

#include "saliency_cpu.h"

#define MARGIN SALIENCY_COARSE_REACH /* samples on each side that a response reads */
#define ROWS (SALIENCY_COARSE_ROWS + 2 * MARGIN)
#define COLUMNS (SALIENCY_TILE_WIDTH + 2 * MARGIN)
#define SUM_BEFORE SALIENCY_TAPS_MAX
#define SUM_PITCH (SUM_BEFORE + COLUMNS + 2 * SALIENCY_TAPS_MAX)
#define PLANE_PITCH (COLUMNS + 2 * SALIENCY_REGISTER)
#define LINE_PITCH SALIENCY_TILE_WIDTH

#define HALF_COLUMNS 256 /* of a coarser level, that are made at once */
#define HALF_ROWS 8 /* pairs of the finer level's, of which five are needed at once */

/* A tile has one of each axis. */
struct span {
    int32_t first, count; /* samples of the response */
    int32_t low, high; /* samples of the plane that they read and that the axis has */
    int32_t px_first, px_last; /* pixels that add to these, at step 2 */
};

struct saliency_coarse {
    const struct saliency_level *level;
    uint32_t channel;
    struct span x, y;
    int16_t plane[ROWS * PLANE_PITCH]; /* its samples, from y.low and x.first - MARGIN */
    int32_t lines[ROWS * LINE_PITCH]; /* pairs of sums along rows, from y.first - MARGIN */
    int32_t p[SALIENCY_COARSE_REACH + 1], q[SALIENCY_COARSE_REACH + 1]; /* weights of rows */
    int32_t weights[SALIENCY_COARSE_REACH + 1]; /* of columns */
    int32_t total[SALIENCY_PER_OCTAVE][SALIENCY_COARSE_ROWS * SALIENCY_TILE_WIDTH];
    /* Step 2 has these */
    int32_t tile;
    uint32_t seen; /* pixels that are in the plane */
    int32_t sum[ROWS * SUM_PITCH]; /* what samples are made of, from x.low and y.low */
    /* The others have these */
    int32_t pairs[HALF_ROWS][HALF_COLUMNS + SALIENCY_REGISTER];
};

/* Tiles of a level, along an axis. */
int32_t saliency_coarse_parts(const struct saliency_axis *axis, int32_t size);
/* Adds the plane's |F - G|, so many times, to the tile's totals. */
void saliency_coarse_add(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                         int32_t planes);
/* Samples beyond those that a row has, `before` of them and `after`, become like the outermost. */
void saliency_coarse_fill_ends(int16_t *row, int32_t before, int32_t count, int32_t after);

/* Adds the planes of a tile of step 2, and keeps those of step 4. */
void saliency_planes_add(const struct saliency_cpu *cpu, struct saliency_coarse *coarse);
/* Adds those of a tile of another level, which are kept. */
void saliency_planes_add_kept(const struct saliency_cpu *cpu, struct saliency_coarse *coarse);
