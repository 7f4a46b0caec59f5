/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How one tile is made, once its level is known. */
#ifndef FOVEA_KERNELS_GAUSS_CPU_TILES_MAKE_H
#define FOVEA_KERNELS_GAUSS_CPU_TILES_MAKE_H

#include "buffers.h"

#define gauss_cpu_tile_make GAUSS_CPU_NAME(gauss_cpu_tile_make)

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

static inline int32_t gauss_cpu_smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

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

#endif
