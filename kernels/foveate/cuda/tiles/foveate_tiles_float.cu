/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles (foveate_tiles.cu) for floats. */

#include "kernels.cuh"
#include "kernels/foveate/cuda/tiles/pyramid/floats.cuh"

/* Floats take twice the registers of halves. */
#define MAKER_BLOCKS 3
#define PICTURE_BLOCKS 4
/* Windows take nearly a subtile of a multiprocessor's shared memory. */
#define FLOATS_MAKER_BLOCKS 4

TILE_KERNELS(linear, b10g11r11f, FOVEA_FORMAT_B10G11R11F, MAKER_BLOCKS, PICTURE_BLOCKS)
TILE_KERNELS(linear, rgba16f, FOVEA_FORMAT_RGBA16F, MAKER_BLOCKS, PICTURE_BLOCKS)
TILE_KERNELS(surface, b10g11r11f, FOVEA_FORMAT_B10G11R11F, MAKER_BLOCKS, PICTURE_BLOCKS)
TILE_KERNELS(surface, rgba16f, FOVEA_FORMAT_RGBA16F, MAKER_BLOCKS, PICTURE_BLOCKS)

/* Never launched on older devices. */
#define FLOATS_KERNEL(kind)                                                                        \
    extern "C" __global__ void __launch_bounds__(FOVEATE_TILE_BYTES_MAKERS, FLOATS_MAKER_BLOCKS)   \
        tile_floats_##kind##_rgba16f(const __grid_constant__ foveate_tiles_##kind##_params params) \
    {                                                                                              \
        const foveate_frame frame = frame_of_image(params.frame, params.batch);                    \
        make_levels_of_floats<tile_floats_filler<kind##_image<pixel<FOVEA_FORMAT_RGBA16F>>>>(      \
            frame, params.tiles, kind##_src<pixel<FOVEA_FORMAT_RGBA16F>>(params, frame));          \
    }

FLOATS_KERNEL(linear)
FLOATS_KERNEL(surface)
