/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles (gauss_tiles.cu) for RGBA16F. */

#include "kernels.cuh"
#include "kernels/gauss/cuda/tiles/pyramid/floats.cuh"

/* Floats take twice the registers of halves, and a window nearly a quarter of a multiprocessor's
 * shared memory. */
#define BLOCKS 4

TILE_PICTURE(linear, rgba16f, FOVEA_FORMAT_RGBA16F, BLOCKS)
TILE_PICTURE(surface, rgba16f, FOVEA_FORMAT_RGBA16F, BLOCKS)

/* Shared memory: uint4 window[76][39], 47,424 B: 76 x 76 px, two to 16 bytes; needs, warps_done.
 * Lane 4 g + t has rows g and g + 8, two channels of a sample, as mma gives them. */
TILE_LEVELS(levels, linear, rgba16f, FOVEA_FORMAT_RGBA16F,
            make_levels_of_floats<tile_floats_filler>, BLOCKS)
TILE_LEVELS(levels, surface, rgba16f, FOVEA_FORMAT_RGBA16F,
            make_levels_of_floats<tile_floats_filler>, BLOCKS)
