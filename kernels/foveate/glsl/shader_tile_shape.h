/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of the shaders: shapes and limits. Shared by C and GLSL; the numbers of
 * foveate/cuda/tiles/common/params.h hold here too where they are not repeated. */
#ifndef FOVEA_KERNELS_FOVEATE_GLSL_SHADER_TILE_SHAPE_H
#define FOVEA_KERNELS_FOVEATE_GLSL_SHADER_TILE_SHAPE_H

/* A tile from level 2 and up is 64 pixels wide and high, one from level 1 half of that, one from
 * the picture 32 x 16. A workgroup has a place of this size; the first in a larger tile makes all
 * of it. */
#define SHADER_TILE_PX 64
#define SHADER_PLACE_WIDTH_PX 32
#define SHADER_PLACE_HEIGHT_PX 16
#define SHADER_TILE_PLACES_ACROSS 2
#define SHADER_TILE_PLACES_DOWN 4

/* Levels that tiles are made from: the picture, and up to 16 pixels a sample. Each from a sigma of
 * so many of its samples on, as FOVEATE_TILE_SIGMA_1 says. */
#define SHADER_TILE_LEVEL_COUNT 5
#define SHADER_TILE_SIGMA_SAMPLES 1.1

/* Shared memory of the picture's shader in samples of eight bytes: the window, and the sums down
 * its columns. What the tiles of each level may reach with it, see shape_of of
 * foveate/glsl/tile_blur.glsl. */
#define SHADER_TILE_SCRATCH 2970
#define SHADER_TILE_RADIUS_0 11
#define SHADER_TILE_RADIUS_1 12
#define SHADER_TILE_RADIUS_2 12
#define SHADER_TILE_RADIUS_3 18
#define SHADER_TILE_RADIUS_4 21
/* As much as any shader asks of a device; foveate.comp does with 16 KB if it must. */
#define SHADER_TILE_SHARED_BYTES 30720

/* Gaussians are cut off at so many sigma in encoded levels; in light and in floats at the method's
 * own. */
#define SHADER_TILE_REACH_ENCODED 3.5

/* Of the levels' shader: samples of the second level a workgroup. */
#define SHADER_LEVELS_ACROSS 12
#define SHADER_LEVELS_DOWN 8

/* Of the kinds' shader: tiles a workgroup. */
#define SHADER_TILE_KINDS_A_GROUP 8

/* Of blockwise_levels.comp: a tile, and fragments side by side in one. */
#define SHADER_BLOCKWISE_WIDTH_PX 32
#define SHADER_BLOCKWISE_HEIGHT_PX 16
#define SHADER_BLOCKWISE_FRAGMENTS 8

/* Pictures of at least so many pixels have tiles enough to fill a device: a workgroup makes all
 * places of a column of a tile, one after another. */
#define SHADER_TILE_WHOLE_FROM_PX 5000000

#endif
