/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles (gauss_tiles.cu): which plans and formats take it, its memory, its
 * launches. The device is pushed around every call.
 *
 * Plans: laws by distance or by angle (no maps) whose sigma nowhere changes by more than
 * GAUSS_TILE_MAX_SLOPE pixels a pixel, which the paper's law does at 960x540 and larger, at
 * 1920x1080 up to strength 2. Formats: RGBA8, stored or in linear light, and RGBA16F, whose alpha
 * is kept. All else goes to gauss/cuda/nodes/nodes.h, which is faster for it, or
 * gauss/cuda/nodes_wide/wide.h (gauss/cuda/ways.h), and so does all on code that has no matrix
 * instructions, by which tiles win. */
#pragma once

#include "kernels/gauss/cuda/common/run.h"
#include "kernels/gauss/cuda/tiles/common/params.h"

#define GAUSS_CUDA_TILE_MODULES 2

/* All are NULL if the code was compiled for less than sm_80. */
struct gauss_cuda_tile_kernels {
    CUmodule modules[GAUSS_CUDA_TILE_MODULES];
    struct cuda_kernels levels; /* of RGBA8 as stored, and of RGBA16F */
    struct cuda_kernels light; /* the same of RGBA8 as light */
    struct cuda_kernels picture;
};

/* If it fails, unload frees what it has loaded. */
FOVEA_MUST_CHECK enum fovea_result gauss_cuda_tiles_load(
    const struct cuda_device *device, struct gauss_cuda_tile_kernels *out_kernels);
void gauss_cuda_tiles_unload(const struct cuda_device *device,
                             struct gauss_cuda_tile_kernels *kernels);

/* Returns false if the plan is not for tiles. Fills all but what lies in memory (table, samples,
 * state) and next_samples, which stays 0. */
bool gauss_cuda_tiles_plan(const struct gauss_plan *plan, double max_slope,
                           struct gauss_tiles *out_tiles);

/* Bytes of one image's levels, a multiple of 16. Its state has tiles->state_bytes. */
size_t gauss_cuda_tiles_level_bytes(const struct gauss_tiles *tiles);

/* `decimate` is smooth_decimate_half. Clears the states if they are dirty. On failure dst is not
 * written; launches that were made still use the levels. */
FOVEA_MUST_CHECK enum fovea_result gauss_cuda_tiles_run(
    const struct gauss_cuda_tile_kernels *kernels, CUfunction decimate,
    const struct gauss_tiles *tiles, const struct gauss_cuda_run *run);

/* ---- How long the list of tiles is (gauss/cuda/tiles/common/params.h): an entry is a block */

/* Sizes the grid for any gaze. The law and its levels are there. */
void gauss_cuda_tile_list_plan(const struct gauss_plan *plan, struct gauss_tiles *tiles);

/* Gives a grid that was sized for one fovea the capacity for so many, wherever they lie: a tile
 * that finds none is made whole, which rounds otherwise. */
void gauss_cuda_tile_list_widen(struct gauss_tile_grid *grid, int32_t foveas);

/* Shrinks the launch's grid to what this frame's gaze asks for: blocks without an entry would delay
 * others. */
void gauss_cuda_tile_list_fit(struct gauss_tiles *tiles, const struct gauss_frame *frame);
