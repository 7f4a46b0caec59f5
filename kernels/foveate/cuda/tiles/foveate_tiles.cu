/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles: what foveate_smooth.cu does by the pixel, ten times as fast, for all
 * formats but RGBA32F and laws that change slowly (foveate/cuda/tiles/tiles.h). It rests on
 * variances, which add up:
 *
 *     sigma^2 = v_k + 4^k v_f + 4^k / 3     pixels squared,
 *
 * decimation to level k, the blur there, and up-sampling by the cubic B-spline. A tile takes one
 * level for all its pixels, and its blur is two passes of one dimension with the variance of each
 * sample, or products with a few variances, mixed by the sample. Two launches make a frame, and
 * where sigma is large one for each level beyond the second between them:
 *
 *     foveate/cuda/tiles/common/levels.cuh   levels 1 and 2, and the list of tiles. Grid: blocks of
 *                                            16 x 16 samples of level 2 across and down, images.
 *     foveate/cuda/tiles/pyramid/bytes.cuh    the same for encoded RGBA8 on sm_80 and later, by
 *                                             products
 *     foveate/cuda/tiles/pyramid/floats.cuh   and for RGBA16F
 *     foveate/cuda/tiles/pyramid/light.cuh    and for RGBA8 as light
 *     foveate/cuda/tiles/picture.cuh  the picture. Grid: entries of the list, 1, images.
 *
 *     foveate/cuda/tiles/common/params.h     shapes, limits, what C shares
 *     foveate/cuda/tiles/common/sigma.cuh    sigma, and what it says about a tile
 *     foveate/cuda/tiles/common/classify.cuh    which levels are made, and the list of tiles
 *     foveate/cuda/tiles/common/sample.cuh   samples of halves, formats
 *     foveate/cuda/tiles/pyramid/taps.cuh     filters of levels as matrices, of bytes
 *     foveate/cuda/tiles/pyramid/floats_taps.cuh   and of halves
 *     foveate/cuda/tiles/pyramid/column.cuh   how a block of either gets its pixels
 *     foveate/cuda/common/vectors.cuh    pixels in memory
 *     foveate/cuda/tiles/common/blur.cuh     the two passes
 *     foveate/cuda/tiles/direct.cuh   both at once where sigma is small
 *     foveate/cuda/tiles/common/spline.cuh   up-sampling
 *     foveate/cuda/tiles/mma/tile.cuh  the same as products of matrices, for RGBA8 and RGBA16F from
 *                               sm_80 on
 *
 * The kernels of RGBA8 are here, those of the other formats in files of their own, which takes the
 * compiler less time:
 *
 *     foveate_tiles_unorm.cu    RGB8, R8, A2B10G10R10
 *     foveate_tiles_float.cu    B10G11R11F, RGBA16F
 *     foveate/cuda/tiles/kernels.cuh  what a kernel is, for all three
 *
 * What is copied (foveate/smooth.h) is copied bit by bit. */

#include "kernels.cuh"
#include "kernels/foveate/cuda/tiles/pyramid/bytes.cuh"
#include "kernels/foveate/cuda/tiles/pyramid/light.cuh"

#define BYTES_MAKER_BLOCKS 6
/* Products hold a warp's outputs in registers. */
#define MMA_BLOCKS (TILE_HAS_MMA ? 5 : TILE_PICTURE_BLOCKS)

TILE_KERNELS(linear, rgba8, FOVEA_FORMAT_RGBA8, TILE_MAKER_BLOCKS, MMA_BLOCKS)
TILE_KERNELS(surface, rgba8, FOVEA_FORMAT_RGBA8, TILE_MAKER_BLOCKS, MMA_BLOCKS)

/* Never launched on older devices. */
#define BYTES_KERNEL(kind)                                                                         \
    extern "C" __global__ void __launch_bounds__(FOVEATE_TILE_BYTES_MAKERS, BYTES_MAKER_BLOCKS)    \
        tile_bytes_##kind##_rgba8(const __grid_constant__ foveate_tiles_##kind##_params params)    \
    {                                                                                              \
        const foveate_frame frame = frame_of_image(params.frame, params.batch);                    \
        make_levels_of_bytes(frame, params.tiles,                                                  \
                             kind##_src<pixel<FOVEA_FORMAT_RGBA8>>(params, frame));                \
    }

BYTES_KERNEL(linear)
BYTES_KERNEL(surface)

#define LIGHT_MAKER_BLOCKS 4

#define LIGHT_KERNEL(kind)                                                                         \
    extern "C" __global__ void __launch_bounds__(FOVEATE_TILE_BYTES_MAKERS, LIGHT_MAKER_BLOCKS)    \
        tile_light_##kind##_rgba8(const __grid_constant__ foveate_tiles_##kind##_params params)    \
    {                                                                                              \
        const foveate_frame frame = frame_of_image(params.frame, params.batch);                    \
        make_levels_of_floats<tile_light_filler<kind##_image<pixel<FOVEA_FORMAT_RGBA8>>>>(         \
            frame, params.tiles, kind##_src<pixel<FOVEA_FORMAT_RGBA8>>(params, frame));            \
    }

LIGHT_KERNEL(linear)
LIGHT_KERNEL(surface)
