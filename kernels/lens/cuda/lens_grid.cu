/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens with places from a grid: the kernels of lens.cu that make any format, by another way to a
 * place. Bound by instructions, as those are. */

#include "general.cuh"
#include "grid.cuh"

#define KERNEL(name, filter, kind, suffix, format)                                                 \
    extern "C" __global__ void __launch_bounds__(LENS_SIDE_X *LENS_SIDE_Y)                         \
        lens_grid_##name##_##kind##_##suffix(const __grid_constant__ lens_##kind##_params params)  \
    {                                                                                              \
        typedef pixel<format> own;                                                                 \
        const lens_frame &frame = params.frame;                                                    \
        lens_make_picture<own, filter, lens_grid_places>(                                          \
            frame, lens_image_of<own>(frame, params.src, frame.src_next_bytes),                    \
            lens_image_of<own>(frame, params.dst, frame.dst_next_bytes));                          \
    }
#define KERNELS(kind, suffix, format)                                                              \
    KERNEL(nearest, LENS_NEAREST, kind, suffix, format)                                            \
    KERNEL(bilinear, LENS_BILINEAR, kind, suffix, format)                                          \
    KERNEL(bicubic, LENS_BICUBIC, kind, suffix, format)

KERNELS(linear, rgba8, FOVEA_FORMAT_RGBA8)
KERNELS(linear, rgb8, FOVEA_FORMAT_RGB8)
KERNELS(linear, r8, FOVEA_FORMAT_R8)
KERNELS(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
KERNELS(linear, b10g11r11f, FOVEA_FORMAT_B10G11R11F)
KERNELS(linear, rgba16f, FOVEA_FORMAT_RGBA16F)
KERNELS(linear, rgba32f, FOVEA_FORMAT_RGBA32F)
KERNELS(linear, rgb16f, FOVEA_FORMAT_RGB16F)
KERNELS(linear, r16f, FOVEA_FORMAT_R16F)
KERNELS(linear, rgb32f, FOVEA_FORMAT_RGB32F)
KERNELS(linear, r32f, FOVEA_FORMAT_R32F)

KERNELS(surface, rgba8, FOVEA_FORMAT_RGBA8)
KERNELS(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
KERNELS(surface, b10g11r11f, FOVEA_FORMAT_B10G11R11F)
KERNELS(surface, rgba16f, FOVEA_FORMAT_RGBA16F)
