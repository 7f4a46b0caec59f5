/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How long the list of tiles is (gauss/cuda/tiles/common/params.h): an entry is a block. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_LIST_H
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_LIST_H

#include "kernels/gauss/cuda/tiles/common/params.h"
#include "kernels/gauss/gauss.h"

/* Sizes the grid for any gaze. The law and its levels are there. */
void gauss_cuda_tile_list_plan(const struct gauss_plan *plan, struct gauss_tiles *tiles);

/* Gives a grid that was sized for one fovea the capacity for so many, wherever they lie: a tile
 * that finds none is made whole, which rounds otherwise. */
void gauss_cuda_tile_list_widen(struct gauss_tile_grid *grid, int32_t foveas);

/* Shrinks the launch's grid to what this frame's gaze asks for: blocks without an entry would delay
 * others. */
void gauss_cuda_tile_list_fit(struct gauss_tiles *tiles, const struct gauss_frame *frame);

#endif
