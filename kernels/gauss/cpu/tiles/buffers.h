/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A worker's scratch memory while it makes levels and tiles, in parts. */
#ifndef FOVEA_KERNELS_GAUSS_CPU_TILES_BUFFERS_H
#define FOVEA_KERNELS_GAUSS_CPU_TILES_BUFFERS_H

#include "blur.h"
#include "decimate.h"
#include "tile.h"

/* The largest radius of a blur. From sigma 2^k of level k on v is 1/4 of a sample, and a tile's
 * sigma grows by at most its diagonal times the slope: 4.2 times the residual of 2 + 45 * 0.08 is
 * less than this. */
#define GAUSS_CPU_TILE_RADIUS GAUSS_CPU_BLUR_RADIUS

/* Samples of a tile along an axis, with the pads of up-sampling: 32 of one that is not divided. */
#define GAUSS_CPU_TILE_SAMPLES 36
/* The longest row of them in whole registers, of 16 floats at most, and one beyond. */
#define GAUSS_CPU_TILE_PITCH (GAUSS_CPU_TILE_SAMPLES + 28)
#define GAUSS_CPU_TILE_ROWS (GAUSS_CPU_TILE_SAMPLES + 2 * GAUSS_CPU_TILE_RADIUS)

/* struct gauss_cpu_decimate_scratch and these, which hold rows of all channels unless they say
 * otherwise. */
struct gauss_cpu_tile_buffers {
    struct gauss_cpu_decimate_scratch decimate;
    int32_t *radii; /* the blur's, a row of nodes each */
    float *nodes; /* sigma or weights, one channel */
    float *weights; /* one channel */
    float *window; /* the level's samples, if they must be copied */
    float *across; /* blurred along x */
    float *blurred; /* blurred along both: a row */
    float *phases; /* one channel of a row, twice */
    float *other;
    float *pixels; /* eight rows, up-sampled along x */
    float *row; /* one row, up-sampled along y too */
    float *values; /* pixels as the codec has them */
};

struct gauss_cpu_tile_buffers gauss_cpu_tile_buffers_of(float *memory, uint32_t width_px);

#endif
