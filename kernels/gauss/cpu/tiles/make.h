/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How one tile is made, once its level is known, and a worker's scratch memory for it and for
 * levels. */
#pragma once

#include "blur.h"
#include "decimate.h"
#include "tile.h"

#define gauss_cpu_tile_make GAUSS_CPU_NAME(gauss_cpu_tile_make)

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

struct gauss_cpu_tile {
    const struct gauss_cpu_picture *picture;
    const struct gauss_cpu_tile_buffers *buffers;
    int32_t x_px, y_px, width_px, height_px;
    int32_t k;
    int32_t radius; /* the blur's, in samples of the level: the largest of its rows' */
    bool direct; /* on level 0: in two dimensions at once */
    struct gauss_cpu_residual residual;
    int32_t step; /* samples between nodes of sigma */
    /* The samples that are blurred; rows have memory for whole registers. */
    int32_t column, row, columns, rows;
    int32_t pitch; /* floats from a row of a channel to the next */
};

static inline int32_t gauss_cpu_whole_lanes(int32_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

/* The blur reaches so many sigmas. In linear light the tail shows more: GAUSS_REACH. */
#define GAUSS_CPU_TILE_REACH 3.5f

/* Returns the radius in samples of the level, at least one. */
static inline int32_t gauss_cpu_tile_radius(const struct gauss_cpu_picture *picture,
                                            const struct gauss_cpu_residual *residual,
                                            float sigma_px)
{
    const float v = (sigma_px * sigma_px - residual->taken) * residual->scale;
    const float sigmas = picture->light ? GAUSS_REACH : GAUSS_CPU_TILE_REACH;
    const float reach = sigmas * sqrtf(v > 0.0f ? v : 0.0f);
    return reach > 1.0f ? (int32_t)ceilf(reach) : 1;
}

void gauss_cpu_tile_make(const struct gauss_cpu_tile *tile);
