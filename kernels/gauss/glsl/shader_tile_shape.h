/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of the shaders: shapes and limits. C and GLSL share them; constants of
 * gauss/pyramid.h hold here too unless they are repeated. */
#ifndef FOVEA_KERNELS_GAUSS_GLSL_SHADER_TILE_SHAPE_H
#define FOVEA_KERNELS_GAUSS_GLSL_SHADER_TILE_SHAPE_H

/* A tile from level 2 and up is 64 pixels wide and high, one from level 1 half of that, one from
 * the picture 32 x 16. A workgroup has a place of this size; the first in a larger tile makes all
 * of it. */
#define SHADER_TILE_PX 64
#define SHADER_PLACE_WIDTH_PX 32
#define SHADER_PLACE_HEIGHT_PX 16
#define SHADER_TILE_PLACES_ACROSS 2
#define SHADER_TILE_PLACES_DOWN 4

/* Tiles are made from these levels: the picture, and up to 16 pixels a sample. Each serves from a
 * sigma of so many of its samples on, as GAUSS_TILE_SIGMA_1 says. */
#define SHADER_TILE_LEVEL_COUNT 5
#define SHADER_TILE_SIGMA_SAMPLES 1.1

/* Shared memory of the picture's shaders in samples of eight bytes: the window, and the sums down
 * its columns. The radii of each level fit into it (shape_of in gauss/glsl/tile_blur.glsl). */
#define SHADER_TILE_SCRATCH 2970
#define SHADER_TILE_RADIUS_0 11
#define SHADER_TILE_RADIUS_1 12
#define SHADER_TILE_RADIUS_2 12
#define SHADER_TILE_RADIUS_3 18
#define SHADER_TILE_RADIUS_4 21
/* No shader asks a device for more; smooth_nodes.comp does with 14 KB. */
#define SHADER_TILE_SHARED_BYTES 30720

/* Gaussians are cut off at so many sigma in stored levels; in light and in floats at the method's
 * own reach. */
#define SHADER_TILE_REACH_ENCODED 3.5

/* For smooth_nodes.comp: a tile's pixels along an axis. */
#define SHADER_NODE_TILE_PX 16

/* For smooth_levels.comp: samples of the second level in a workgroup. */
#define SHADER_LEVELS_ACROSS 12
#define SHADER_LEVELS_DOWN 8

/* For smooth_tile_kinds.comp: tiles in a workgroup. */
#define SHADER_TILE_KINDS_A_GROUP 8

/* Pictures of at least so many pixels have enough tiles to fill a device: a workgroup then makes
 * all places of a column of a tile, one after another. */
#define SHADER_TILE_WHOLE_FROM_PX 5000000

#endif
