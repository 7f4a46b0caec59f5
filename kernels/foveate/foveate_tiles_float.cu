/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles (foveate_tiles.cu) for floats. */

#include "foveate_tile_kernels.cuh"

/* Floats take twice the registers of halves. */
#define MAKER_BLOCKS 3
#define PICTURE_BLOCKS 4

TILE_KERNELS(linear, b10g11r11f, FOVEA_FORMAT_B10G11R11F, MAKER_BLOCKS, PICTURE_BLOCKS)
TILE_KERNELS(linear, rgba16f, FOVEA_FORMAT_RGBA16F, MAKER_BLOCKS, PICTURE_BLOCKS)
TILE_KERNELS(surface, b10g11r11f, FOVEA_FORMAT_B10G11R11F, MAKER_BLOCKS, PICTURE_BLOCKS)
TILE_KERNELS(surface, rgba16f, FOVEA_FORMAT_RGBA16F, MAKER_BLOCKS, PICTURE_BLOCKS)
