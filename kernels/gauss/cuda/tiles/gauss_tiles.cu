/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles makes pixels of RGBA8 and RGBA16F up to twice as fast as nodes do
 * (gauss/cuda/nodes/), for laws that change slowly (gauss/cuda/tiles/tiles.h). It rests on
 * variances, which add up:
 *
 *     sigma^2 = v_k + 4^k v_f + 4^k / 3     pixels squared:
 *
 * decimation to level k, the blur there, and up-sampling by the cubic B-spline. All pixels of a
 * tile take one level. Its blur is two passes of one dimension with the variance of each sample, or
 * matrix products with a few variances that are blended by the sample. A frame has two launches,
 * and one more between them for each level beyond the second:
 *
 *     first kernel: levels 1 and 2, and the list of tiles
 *         common/levels.cuh     below sm_80
 *         pyramid/bytes.cuh     stored RGBA8 from sm_80 on, by MMA
 *         pyramid/floats.cuh    RGBA16F from sm_80 on
 *         pyramid/light.cuh     RGBA8 as light from sm_80 on
 *     second kernel: the pixels
 *         picture.cuh           an entry of the list for each block
 *         mma/tile.cuh          RGBA8 and RGBA16F from sm_80 on, by MMA
 *         direct.cuh            pixels of small sigma, in two dimensions at once
 *         common/blur.cuh       the two passes
 *         common/spline.cuh     up-sampling
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

#define BYTES_MAKER_BLOCKS 6
/* The MMA path holds a warp's outputs in registers. */
#define MMA_BLOCKS (TILE_HAS_MMA ? 5 : TILE_PICTURE_BLOCKS)

TILE_KERNELS(linear, rgba8, FOVEA_FORMAT_RGBA8, TILE_MAKER_BLOCKS, MMA_BLOCKS)
TILE_KERNELS(surface, rgba8, FOVEA_FORMAT_RGBA8, TILE_MAKER_BLOCKS, MMA_BLOCKS)

/* tile_bytes_*: block of 5 warps; grid as tile_levels_*'s; never launched below sm_80
 *
 *     warps 0..3   128 workers: window, MMA        warp 4   the classifier
 *     shared       uint4 window[80][20]   25,600 B: 80 px by 76 rows and 4 opaque ones
 *                  needs, warps_done
 *     warp w       level 2: columns 4w to 4w + 3, 16 rows; level 1: columns 8w to 8w + 7, 32 rows
 *     lane         4 g + t: 4 px from column 4t of row g
 *     barrier 1    the workers: the window is filled
 *     barrier 2    the classifier arrives when it knows the levels; workers wait, then write */
#define BYTES_KERNEL(kind)                                                                         \
    extern "C" __global__ void __launch_bounds__(GAUSS_TILE_BYTES_MAKERS, BYTES_MAKER_BLOCKS)      \
        tile_bytes_##kind##_rgba8(const __grid_constant__ gauss_tiles_params params)               \
    {                                                                                              \
        const gauss_frame frame = frame_of_image(params.frame, params.batch);                      \
        make_levels_of_bytes(frame, params.tiles,                                                  \
                             kind##_src<pixel<FOVEA_FORMAT_RGBA8>>(params, frame));                \
    }

BYTES_KERNEL(linear)
BYTES_KERNEL(surface)

#define LIGHT_MAKER_BLOCKS 4

#define LIGHT_KERNEL(kind)                                                                         \
    extern "C" __global__ void __launch_bounds__(GAUSS_TILE_BYTES_MAKERS, LIGHT_MAKER_BLOCKS)      \
        tile_light_##kind##_rgba8(const __grid_constant__ gauss_tiles_params params)               \
    {                                                                                              \
        const gauss_frame frame = frame_of_image(params.frame, params.batch);                      \
        make_levels_of_floats<tile_light_filler<kind##_image<pixel<FOVEA_FORMAT_RGBA8>>>>(         \
            frame, params.tiles, kind##_src<pixel<FOVEA_FORMAT_RGBA8>>(params, frame));            \
    }

LIGHT_KERNEL(linear)
LIGHT_KERNEL(surface)
