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
 * sample. A frame has two launches, and one more between them for each level beyond the second:
 *
 *     first kernel: levels 1 and 2, and the list of tiles (gauss_tiles_levels.cu)
 *     second kernel: the pixels, in this file
 *         picture.cuh           an entry of the list for each block
 *         mma/tile.cuh          by MMA
 *     both
 *         common/params.h       shapes, limits, what C shares
 *         common/sigma.cuh      sigma, and the kind of tile that follows from it
 *         common/sample.cuh     samples of halves, formats
 *
 * Pixels of sigma 0 (gauss/law.h) are copied bit by bit. */

#include "picture.cuh"

/* Blocks on a multiprocessor, to which registers are cut. Floats take twice the registers of
 * halves. */
#define BYTES_BLOCKS 5
#define FLOATS_BLOCKS 4

extern __shared__ __align__(16) char tile_shared[];

/* tile_picture_*: block of 4 warps; grid x: entries of the list, z: images
 *
 *     warp w makes the pixels of a quarter of the block's area, w % 2 to the
 *     right and w / 2 down, from 16 x 16 outputs and these from 32 x 32 samples; from level 3 on
 *     all warps make the same outputs. Lane 4 g + t holds outputs of rows g and g + 8, columns 2t
 *     and 2t + 1, and the columns 8 on.
 *         byte 0       float4 shares[4][7][2]    by warp; at first float nodes[9]
 *         byte 896     uint2 least[4]            by warp
 *         byte 928     half planes[3][48][72]    by colour: 20,736 B
 *         -- one barrier after the planes are filled; floats have one before, for least --
 */
#define TILE_PICTURE(kind, suffix, format, blocks)                                                 \
    extern "C" __global__ void __launch_bounds__(GAUSS_TILE_THREADS, blocks)                       \
        tile_picture_##kind##_##suffix(const __grid_constant__ gauss_tiles_params params)          \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        if constexpr (TILE_HAS_MMA) {                                                              \
            const gauss_frame frame = frame_of_image(params.frame, params.batch);                  \
            const kind##_image<pixel<format>> src = kind##_src<pixel<format>>(params, frame);      \
            const kind##_image<pixel<format>> dst = kind##_dst<pixel<format>>(params, frame);      \
            make_picture<format>(frame, params.tiles, src, dst, tile_shared);                      \
        }                                                                                          \
    }

TILE_PICTURE(linear, rgba8, FOVEA_FORMAT_RGBA8, BYTES_BLOCKS)
TILE_PICTURE(surface, rgba8, FOVEA_FORMAT_RGBA8, BYTES_BLOCKS)
TILE_PICTURE(linear, rgba16f, FOVEA_FORMAT_RGBA16F, FLOATS_BLOCKS)
TILE_PICTURE(surface, rgba16f, FOVEA_FORMAT_RGBA16F, FLOATS_BLOCKS)
