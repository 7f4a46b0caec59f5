/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles (gauss_tiles.cu) for RGBA16F. */

#include "kernels.cuh"
#include "kernels/gauss/cuda/tiles/pyramid/floats.cuh"

/* Floats take twice the registers of halves. */
#define MAKER_BLOCKS 3
#define PICTURE_BLOCKS 4
/* A window takes nearly a quarter of a multiprocessor's shared memory. */
#define FLOATS_MAKER_BLOCKS 4

TILE_KERNELS(linear, rgba16f, FOVEA_FORMAT_RGBA16F, MAKER_BLOCKS, PICTURE_BLOCKS)
TILE_KERNELS(surface, rgba16f, FOVEA_FORMAT_RGBA16F, MAKER_BLOCKS, PICTURE_BLOCKS)

/* tile_floats_*: block of 5 warps; grid as tile_levels_*'s; never launched below sm_80
 *
 *     warps 0..3   128 workers: window, MMA        warp 4   the classifier
 *     shared       uint4 window[76][39]   47,424 B: 76 x 76 px, two to 16 bytes; needs, warps_done
 *     warp w       level 2: columns 4w to 4w + 3, 16 rows; level 1: columns 8w to 8w + 7, 32 rows
 *     lane         4 g + t: rows g and g + 8, two channels of a sample, as mma gives them
 *     barriers     as tile_bytes_*'s */
#define FLOATS_KERNEL(kind)                                                                        \
    extern "C" __global__ void __launch_bounds__(GAUSS_TILE_BYTES_MAKERS, FLOATS_MAKER_BLOCKS)     \
        tile_floats_##kind##_rgba16f(const __grid_constant__ gauss_tiles_params params)            \
    {                                                                                              \
        const gauss_frame frame = frame_of_image(params.frame, params.batch);                      \
        make_levels_of_floats<tile_floats_filler<kind##_image<pixel<FOVEA_FORMAT_RGBA16F>>>>(      \
            frame, params.tiles, kind##_src<pixel<FOVEA_FORMAT_RGBA16F>>(params, frame));          \
    }

FLOATS_KERNEL(linear)
FLOATS_KERNEL(surface)
