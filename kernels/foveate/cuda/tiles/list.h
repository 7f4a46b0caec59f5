/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How long the list of tiles is (foveate/cuda/tiles/common/params.h): an entry is a block. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_TILES_LIST_H
#define FOVEA_KERNELS_FOVEATE_CUDA_TILES_LIST_H

#include "kernels/foveate/cuda/tiles/common/params.h"
#include "kernels/foveate/foveate.h"

/* Sizes both grids for any gaze. The law and its levels are there. If the MMA path does not reach
 * the largest sigma there are no wide tiles. */
void foveate_cuda_tile_list_plan(const struct foveate_plan *plan, bool mma_reach,
                                 struct foveate_tiles *tiles);

/* Shrinks the launch's grid to what this frame's gaze asks for: blocks without an entry would delay
 * others. */
void foveate_cuda_tile_list_fit(struct foveate_tiles *tiles, const struct foveate_frame *frame);

#endif
