/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How both formats' kernels are declared; gauss_tiles.cu explains the method. That file and
 * gauss_tiles_float.cu are compiled side by side. Below sm_80 kernels are empty, and tiles.c does
 * not launch them. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_KERNELS_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_KERNELS_CUH

#include "picture.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define TILE_HAS_MMA 1
#else
#define TILE_HAS_MMA 0
#endif

extern __shared__ __align__(16) char tile_shared[];

/* The first kernel, which `make` makes: block of 5 warps; grid x, y: blocks of 64 x 64 px, z:
 * images
 *
 *     warps 0..3   128 workers: window, MMA        warp 4   the classifier (common/classify.cuh)
 *     warp w       level 2: columns 4w to 4w + 3, 16 rows; level 1: columns 8w to 8w + 7, 32 rows
 *     barrier 1    the workers: the window is filled
 *     barrier 2    the classifier arrives when it knows the levels; workers wait, then write */
#define TILE_LEVELS(name, kind, suffix, format, make, blocks)                                      \
    extern "C" __global__ void __launch_bounds__(GAUSS_TILE_MAKERS, blocks)                        \
        tile_##name##_##kind##_##suffix(const __grid_constant__ gauss_tiles_params params)         \
    {                                                                                              \
        if constexpr (TILE_HAS_MMA) {                                                              \
            const gauss_frame frame = frame_of_image(params.frame, params.batch);                  \
            make(frame, params.tiles, kind##_src<pixel<format>>(params, frame));                   \
        }                                                                                          \
    }

/* tile_picture_*: block of 4 warps; grid x: entries of the list, z: images
 *
 *     by MMA (mma/tile.cuh): warp w makes the pixels of a quarter of the block's area, w % 2 to the
 *     right and w / 2 down, from 16 x 16 outputs and these from 32 x 32 samples; from level 3 on
 *     all warps make the same outputs. Lane 4 g + t holds outputs of rows g and g + 8, columns 2t
 *     and 2t + 1, and the columns 8 on.
 *         byte 0       float4 shares[4][3]       by warp; narrow: float4[4][10] over nodes too
 *         byte 512     float nodes[4][12]        by warp
 *         byte 1088    uint2 least[4]            by warp
 *         byte 1120    half planes[3][48][72]    by colour: 20,736 B
 *         -- one barrier after the planes are filled; floats have one before, for least --
 *
 *     by arithmetic, the picture's other subtiles: a thread makes 4 pixels in a row at a time
 *         byte 0       half light[256]
 *         byte 512     float grid[144]           sigma before its ramp at every fourth pixel
 *         byte 1088    uint2 least[4]            by warp
 *         byte 1120    uint2 window[rows][pitch], then uint2 lines[rows][33]
 *         -- barriers: window loaded, rows blurred, columns blurred -- */
#define TILE_PICTURE(kind, suffix, format, blocks)                                                 \
    extern "C" __global__ void __launch_bounds__(GAUSS_TILE_THREADS, blocks)                       \
        tile_picture_##kind##_##suffix(const __grid_constant__ gauss_tiles_params params)          \
    {                                                                                              \
        if constexpr (TILE_HAS_MMA) {                                                              \
            const gauss_frame frame = frame_of_image(params.frame, params.batch);                  \
            const kind##_image<pixel<format>> src = kind##_src<pixel<format>>(params, frame);      \
            const kind##_image<pixel<format>> dst = kind##_dst<pixel<format>>(params, frame);      \
            make_picture<format>(frame, params.tiles, src, dst, tile_shared);                      \
        }                                                                                          \
    }

#endif
