/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the files of kernels of tiles share: foveate_tiles.cu, where the method is explained,
 * foveate_tiles_unorm.cu and foveate_tiles_float.cu. They are compiled one beside the other. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_TILES_KERNELS_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_TILES_KERNELS_CUH

#include "kernels/foveate/cuda/tiles/common/levels.cuh"
#include "picture.cuh"

/* Blocks that a multiprocessor holds: registers are cut to that. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define TILE_MAKER_BLOCKS 4
#else
#define TILE_MAKER_BLOCKS 5
#endif
#define TILE_PICTURE_BLOCKS 6

extern __shared__ __align__(16) char tile_shared[];

/* The two kernels of a format, for one kind of memory: linear, or surface. */
#define TILE_KERNELS(kind, suffix, format, makers, pictures)                                       \
    extern "C" __global__ void __launch_bounds__(FOVEATE_TILE_MAKERS, makers)                      \
        tile_levels_##kind##_##suffix(                                                             \
            const __grid_constant__ foveate_tiles_##kind##_params params)                          \
    {                                                                                              \
        const foveate_frame frame = frame_of_image(params.frame, params.batch);                    \
        const kind##_image<pixel<format>> src = kind##_src<pixel<format>>(params, frame);          \
        make_levels<format>(frame, params.tiles, src);                                             \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(FOVEATE_TILE_THREADS, pictures)                   \
        tile_picture_##kind##_##suffix(                                                            \
            const __grid_constant__ foveate_tiles_##kind##_params params)                          \
    {                                                                                              \
        const foveate_frame frame = frame_of_image(params.frame, params.batch);                    \
        const kind##_image<pixel<format>> src = kind##_src<pixel<format>>(params, frame);          \
        const kind##_image<pixel<format>> dst = kind##_dst<pixel<format>>(params, frame);          \
        make_picture<format>(frame, params.tiles, src, dst, tile_shared);                          \
    }

#endif
