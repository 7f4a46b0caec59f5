/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles makes pixels of RGBA8 and RGBA16F up to twice as fast as nodes do
 * (gauss/cuda/nodes/), for laws that change slowly (gauss/cuda/tiles/tiles.h). It rests on
 * variances, which add up:
 *
 *     sigma^2 = v_k + 4^k v_f + 4^k / 3     pixels squared:
 *
 * decimation to level k, the blur there, and up-sampling by the cubic B-spline. All pixels of a
 * tile take one level. Its blur is matrix products with a few variances that are blended by the
 * sample; narrow ones are averaged by the pixel. A frame has two launches, and one more between
 * them for each level beyond the second:
 *
 *     first kernel: levels 1 and 2, and the list of tiles
 *         pyramid/bytes.cuh     stored RGBA8
 *         pyramid/floats.cuh    RGBA16F
 *         pyramid/light.cuh     RGBA8 as light
 *     second kernel: the pixels
 *         picture.cuh           an entry of the list for each block
 *         mma/tile.cuh          by MMA
 *         direct.cuh            pixels of small sigma, in two dimensions at once
 *         common/blur.cuh       in two passes
 *     both
 *         common/params.h       shapes, limits, what C shares
 *         common/sigma.cuh      sigma, and the kind of tile that follows from it
 *         common/sample.cuh     samples of halves, formats
 *
 * This file has the kernels of RGBA8, and gauss_tiles_float.cu those of RGBA16F, because one file
 * would take the compiler longer. Pixels of sigma 0 (gauss/law.h) are copied bit by bit. */

#include "kernels.cuh"
#include "kernels/gauss/cuda/tiles/pyramid/bytes.cuh"
#include "kernels/gauss/cuda/tiles/pyramid/light.cuh"

/* Blocks on a multiprocessor, to which registers are cut. */
#define PICTURE_BLOCKS 5
#define BYTES_BLOCKS 6
#define LIGHT_BLOCKS 4

TILE_PICTURE(linear, rgba8, FOVEA_FORMAT_RGBA8, PICTURE_BLOCKS)
TILE_PICTURE(surface, rgba8, FOVEA_FORMAT_RGBA8, PICTURE_BLOCKS)

/* Shared memory: uint4 window[80][20], 25,600 B: 80 px by 76 rows and 4 opaque ones; needs,
 * warps_done. Lane 4 g + t takes 4 px from column 4t of row g. */
TILE_LEVELS(levels, linear, rgba8, FOVEA_FORMAT_RGBA8, make_levels_of_bytes, BYTES_BLOCKS)
TILE_LEVELS(levels, surface, rgba8, FOVEA_FORMAT_RGBA8, make_levels_of_bytes, BYTES_BLOCKS)

/* As tile_levels_*_rgba16f's. */
TILE_LEVELS(light, linear, rgba8, FOVEA_FORMAT_RGBA8, make_levels_of_floats<tile_light_filler>,
            LIGHT_BLOCKS)
TILE_LEVELS(light, surface, rgba8, FOVEA_FORMAT_RGBA8, make_levels_of_floats<tile_light_filler>,
            LIGHT_BLOCKS)
