/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens in one launch; a thread makes LENS_ROWS pixels, one below the other, so that neighbouring
 * threads read and write neighbouring pixels. The place is worked out in registers, and nothing
 * lies in memory between.
 *
 *     lens_nearest    pixels move as they are, bit by bit, or each colour does
 *     lens_bilinear   of all formats and lights
 *     lens_bicubic    likewise
 *     lens_bytes      RGBA8, bilinear, as it is stored: sums of whole numbers
 *     lens_light      RGBA8, bilinear, in sRGB's light: by a table in shared memory
 *
 * The last two have a twin for colours that lie apart, lens_bytes_colored and lens_light_colored.
 */

#include "bytes.cuh"
#include "general.cuh"

namespace {

__device__ lens_packed_image bytes_of(const lens_frame &frame, const image_linear &image,
                                      int64_t next_bytes)
{
    const linear_image<pixel<FOVEA_FORMAT_RGBA8>> own =
        lens_image_of<pixel<FOVEA_FORMAT_RGBA8>>(frame, image, next_bytes);
    const uint32_t *words = (const uint32_t *)own.view.data;
    ptx_keep(words); /* else each pixel works out the image of the batch again */
    return {(char *)words, (uint32_t)own.view.row_stride_bytes};
}

__device__ lens_surface_image bytes_of(const lens_frame &frame, uint64_t surface, int64_t)
{
    return {lens_image_of<pixel<FOVEA_FORMAT_RGBA8>>(frame, surface, 0)};
}

} // namespace

#define KERNEL(name, filter, kind, suffix, format)                                                 \
    extern "C" __global__ void __launch_bounds__(LENS_SIDE_X *LENS_SIDE_Y)                         \
        lens_##name##_##kind##_##suffix(const __grid_constant__ lens_##kind##_params params)       \
    {                                                                                              \
        typedef pixel<format> own;                                                                 \
        const lens_frame &frame = params.frame;                                                    \
        lens_make_picture<own, filter, lens_formula_places>(                                       \
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

/* registers: of a thread, so that a multiprocessor of sm_80 or sm_90 holds 64, 48 or 40 warps. A
 * number of blocks would say so too, but others hold fewer, and are refused what they cannot hold.
 */
#define BYTE_KERNEL(name, kind, registers, ...)                                                    \
    extern "C" __global__ void __maxnreg__(registers)                                              \
        lens_##name##_##kind##_rgba8(const __grid_constant__ lens_##kind##_params params)          \
    {                                                                                              \
        const lens_frame &frame = params.frame;                                                    \
        const auto src = bytes_of(frame, params.src, frame.src_next_bytes);                        \
        const auto dst = bytes_of(frame, params.dst, frame.dst_next_bytes);                        \
        __VA_ARGS__;                                                                               \
    }
#define BYTE_KERNELS(kind)                                                                         \
    BYTE_KERNEL(bytes, kind, 32,                                                                   \
                lens_make_bytes<lens_plain, 1>(frame, src, dst, lens_stored_bytes()))              \
    BYTE_KERNEL(bytes_colored, kind, 40,                                                           \
                lens_make_bytes<lens_colored, 1>(frame, src, dst, lens_stored_bytes()))            \
    BYTE_KERNEL(light, kind, 48, lens_make_light<lens_plain>(frame, src, dst))                     \
    BYTE_KERNEL(light_colored, kind, 48, lens_make_light<lens_colored>(frame, src, dst))

BYTE_KERNELS(linear)
BYTE_KERNELS(surface)
