/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles (foveate_tiles.cu) for whole numbers of other formats than RGBA8. */

#include "kernels.cuh"

TILE_KERNELS(linear, rgb8, FOVEA_FORMAT_RGB8, TILE_MAKER_BLOCKS, TILE_PICTURE_BLOCKS)
TILE_KERNELS(linear, r8, FOVEA_FORMAT_R8, TILE_MAKER_BLOCKS, TILE_PICTURE_BLOCKS)
TILE_KERNELS(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10, TILE_MAKER_BLOCKS, TILE_PICTURE_BLOCKS)
TILE_KERNELS(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10, TILE_MAKER_BLOCKS, TILE_PICTURE_BLOCKS)
