/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The kernels that both formats have; gauss_tiles.cu explains the method. That file and
 * gauss_tiles_float.cu are compiled side by side. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_KERNELS_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_KERNELS_CUH

#include "kernels/gauss/cuda/tiles/common/levels.cuh"
#include "picture.cuh"

/* Blocks on a multiprocessor, to which registers are cut. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define TILE_MAKER_BLOCKS 4
#else
#define TILE_MAKER_BLOCKS 5
#endif
#define TILE_PICTURE_BLOCKS 6

extern __shared__ __align__(16) char tile_shared[];

/* tile_levels_*: block of 7 warps; grid x, y: blocks of 64 x 64 px, z: images
 *
 *     warps 0..5   192 workers          warp 6   the classifier (common/classify.cuh)
 *
 *     step              a thread makes                      in shared memory
 *     classify          warp 6: the levels needed           needs
 *     -- __syncthreads; warp 6 lists a tile; the block ends here if no level is needed --
 *     picture down      2 columns, 12 px to 4 rows          down[36][80]      23,040 B
 *     -- __syncthreads_and: are all pixels opaque? --
 *     level 1 across    samples of 36 x 36                  level_1[36][38]   10,944 B
 *     -- __syncthreads; the inner 32 x 32 of level 1 are written --
 *     level 1 down      samples of 16 x 36                  down_2[16][36], over down
 *     -- __syncthreads --
 *     level 2 across    samples of 16 x 16, written
 *
 * tile_picture_*: block of 4 warps; grid x: entries of the list, z: images
 *
 *     by MMA (mma/tile.cuh), from sm_80 on: warp w makes the pixels of a quarter of the block's
 *     area, w % 2 to the right and w / 2 down, from 16 x 16 outputs and these from 32 x 32
 *     samples; from level 3 on all warps make the same outputs. Lane 4 g + t holds outputs of
 *     rows g and g + 8, columns 2t and 2t + 1, and the columns 8 on.
 *         byte 0       float4 shares[4][3]       by warp; narrow: float4[4][10] over nodes too
 *         byte 512     float nodes[4][12]        by warp
 *         byte 1088    uint2 least[4]            by warp
 *         byte 1120    half planes[3][48][72]    by colour: 20,736 B
 *         -- one barrier after the planes are filled; floats have one before, for least --
 *
 *     by arithmetic (common/blur.cuh), all else: a thread makes 4 outputs in a row at a time
 *         byte 0       half light[256]
 *         byte 512     float grid[144]           variances at every fourth sample
 *         byte 1088    uint2 least[4]            by warp
 *         byte 1120    uint2 window[rows][pitch], then uint2 lines[rows][line]
 *         -- barriers: window loaded, rows blurred, columns blurred, up-sampled down -- */
#define TILE_KERNELS(kind, suffix, format, makers, pictures)                                       \
    extern "C" __global__ void __launch_bounds__(GAUSS_TILE_MAKERS, makers)                        \
        tile_levels_##kind##_##suffix(const __grid_constant__ gauss_tiles_params params)           \
    {                                                                                              \
        const gauss_frame frame = frame_of_image(params.frame, params.batch);                      \
        const kind##_image<pixel<format>> src = kind##_src<pixel<format>>(params, frame);          \
        make_levels<format>(frame, params.tiles, src);                                             \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(GAUSS_TILE_THREADS, pictures)                     \
        tile_picture_##kind##_##suffix(const __grid_constant__ gauss_tiles_params params)          \
    {                                                                                              \
        const gauss_frame frame = frame_of_image(params.frame, params.batch);                      \
        const kind##_image<pixel<format>> src = kind##_src<pixel<format>>(params, frame);          \
        const kind##_image<pixel<format>> dst = kind##_dst<pixel<format>>(params, frame);          \
        make_picture<format>(frame, params.tiles, src, dst, tile_shared);                          \
    }

#endif
