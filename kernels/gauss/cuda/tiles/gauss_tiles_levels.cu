/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The first kernel of the smooth method in tiles (gauss_tiles.cu): levels 1 and 2, where tiles need
 * them, and the list of tiles.
 *
 *     pyramid/classify.cuh   which levels a block makes, and its tile's entries
 *     pyramid/block.cuh      a block's window of pixels, its barriers
 *     pyramid/bytes.cuh      stored RGBA8
 *     pyramid/floats.cuh     RGBA16F
 *     pyramid/light.cuh      RGBA8 as light */

#include "kernels/gauss/cuda/tiles/pyramid/bytes.cuh"
#include "kernels/gauss/cuda/tiles/pyramid/light.cuh"

/* Blocks on a multiprocessor, to which registers are cut. Floats' windows take nearly a quarter of
 * its shared memory. */
#define BYTES_BLOCKS 6
#define FLOATS_BLOCKS 4

/* The first kernel, which `make` makes: block of 5 warps; grid x, y: blocks of 64 x 64 px, z:
 * images
 *
 *     warps 0..3   128 workers: window, MMA        warp 4   the classifier (classify.cuh)
 *     warp w       level 2: columns 4w to 4w + 3, 16 rows; level 1: columns 8w to 8w + 7, 32 rows
 *     barrier 1    the workers: the window is filled
 *     barrier 2    the classifier arrives when it knows the levels; workers wait, then write */
#define TILE_LEVELS(name, kind, suffix, format, make, blocks)                                      \
    extern "C" __global__ void __launch_bounds__(GAUSS_TILE_MAKERS, blocks)                        \
        tile_##name##_##kind##_##suffix(const __grid_constant__ gauss_tiles_params params)         \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        if constexpr (TILE_HAS_MMA) {                                                              \
            const gauss_frame frame = frame_of_image(params.frame, params.batch);                  \
            make(frame, params.tiles, kind##_src<pixel<format>>(params, frame));                   \
        }                                                                                          \
    }

/* Shared memory: uint4 window[80][20], 25,600 B: 80 px by 76 rows and 4 opaque ones; needs,
 * warps_done. Lane 4 g + t takes 4 px from column 4t of row g. */
TILE_LEVELS(levels, linear, rgba8, FOVEA_FORMAT_RGBA8, make_levels_of_bytes, BYTES_BLOCKS)
TILE_LEVELS(levels, surface, rgba8, FOVEA_FORMAT_RGBA8, make_levels_of_bytes, BYTES_BLOCKS)

/* Shared memory: uint4 window[76][39], 47,424 B: 76 x 76 px, two to 16 bytes; needs, warps_done.
 * Lane 4 g + t has rows g and g + 8, two channels of a sample, as mma gives them. */
TILE_LEVELS(levels, linear, rgba16f, FOVEA_FORMAT_RGBA16F,
            make_levels_of_floats<tile_floats_filler>, FLOATS_BLOCKS)
TILE_LEVELS(levels, surface, rgba16f, FOVEA_FORMAT_RGBA16F,
            make_levels_of_floats<tile_floats_filler>, FLOATS_BLOCKS)

/* The same. */
TILE_LEVELS(light, linear, rgba8, FOVEA_FORMAT_RGBA8, make_levels_of_floats<tile_light_filler>,
            FLOATS_BLOCKS)
TILE_LEVELS(light, surface, rgba8, FOVEA_FORMAT_RGBA8, make_levels_of_floats<tile_light_filler>,
            FLOATS_BLOCKS)
