/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The kernels of lens.cu and lens_grid.cu, which differ in where places come from:
 *
 *     <prefix>_nearest    pixels move as they are, bit by bit, or each colour does
 *     <prefix>_bilinear   of all formats and lights
 *     <prefix>_bicubic    likewise
 *     <prefix>_moved      RGBA8, nearest
 *     <prefix>_bytes      RGBA8, bilinear, as it is stored: sums of whole numbers
 *     <prefix>_light      RGBA8, bilinear, in sRGB's light, which is worked out in halves
 *     <prefix>_bytes_samples, <prefix>_light_samples    the same, with several places a pixel
 *     <prefix>_bytes_bicubic, <prefix>_light_bicubic    RGBA8, bicubic, one place or several
 *
 * The last seven have a twin for colours that lie apart, <prefix>_moved_colored and so on. */
#ifndef FOVEA_KERNELS_LENS_CUDA_KERNELS_CUH
#define FOVEA_KERNELS_LENS_CUDA_KERNELS_CUH

#include "bicubic.cuh"
#include "general.cuh"
#include "pixels.cuh"
#include "samples.cuh"

/* ---- Every format */

#define LENS_KERNEL(prefix, places, name, filter, kind, suffix, format)                            \
    extern "C" __global__ void __launch_bounds__(LENS_SIDE_X *LENS_SIDE_Y)                         \
        prefix##_##name##_##kind##_##suffix(const __grid_constant__ lens_##kind##_params params)   \
    {                                                                                              \
        typedef pixel<format> own;                                                                 \
        const lens_frame &frame = params.frame;                                                    \
        lens_make_picture<own, filter, places>(                                                    \
            frame, lens_image_of<own>(frame, params.src, frame.src_next_bytes),                    \
            lens_image_of<own>(frame, params.dst, frame.dst_next_bytes));                          \
    }
#define LENS_FILTERS(prefix, places, kind, suffix, format)                                         \
    LENS_KERNEL(prefix, places, nearest, LENS_NEAREST, kind, suffix, format)                       \
    LENS_KERNEL(prefix, places, bilinear, LENS_BILINEAR, kind, suffix, format)                     \
    LENS_KERNEL(prefix, places, bicubic, LENS_BICUBIC, kind, suffix, format)
#define LENS_FORMATS(prefix, places)                                                               \
    LENS_FILTERS(prefix, places, linear, rgba8, FOVEA_FORMAT_RGBA8)                                \
    LENS_FILTERS(prefix, places, linear, rgb8, FOVEA_FORMAT_RGB8)                                  \
    LENS_FILTERS(prefix, places, linear, r8, FOVEA_FORMAT_R8)                                      \
    LENS_FILTERS(prefix, places, linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)                    \
    LENS_FILTERS(prefix, places, linear, b10g11r11f, FOVEA_FORMAT_B10G11R11F)                      \
    LENS_FILTERS(prefix, places, linear, rgba16f, FOVEA_FORMAT_RGBA16F)                            \
    LENS_FILTERS(prefix, places, linear, rgba32f, FOVEA_FORMAT_RGBA32F)                            \
    LENS_FILTERS(prefix, places, linear, rgb16f, FOVEA_FORMAT_RGB16F)                              \
    LENS_FILTERS(prefix, places, linear, r16f, FOVEA_FORMAT_R16F)                                  \
    LENS_FILTERS(prefix, places, linear, rgb32f, FOVEA_FORMAT_RGB32F)                              \
    LENS_FILTERS(prefix, places, linear, r32f, FOVEA_FORMAT_R32F)                                  \
    LENS_FILTERS(prefix, places, surface, rgba8, FOVEA_FORMAT_RGBA8)                               \
    LENS_FILTERS(prefix, places, surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)                   \
    LENS_FILTERS(prefix, places, surface, b10g11r11f, FOVEA_FORMAT_B10G11R11F)                     \
    LENS_FILTERS(prefix, places, surface, rgba16f, FOVEA_FORMAT_RGBA16F)

/* ---- RGBA8 */

/* registers: of a thread, so that a multiprocessor of sm_80 or sm_90 holds 64, 48 or 40 warps. A
 * number of blocks would say so too, but others hold fewer, and are refused what they cannot hold.
 */
#define LENS_BYTE_KERNEL(prefix, name, kind, registers, ...)                                       \
    extern "C" __global__ void __maxnreg__(registers)                                              \
        prefix##_##name##_##kind##_rgba8(const __grid_constant__ lens_##kind##_params params)      \
    {                                                                                              \
        const lens_frame &frame = params.frame;                                                    \
        const auto src = lens_bytes_of(frame, params.src, frame.src_next_bytes);                   \
        const auto dst = lens_bytes_of(frame, params.dst, frame.dst_next_bytes);                   \
        __VA_ARGS__;                                                                               \
    }
#define LENS_BYTE_PAIR(prefix, by, kind)                                                           \
    LENS_BYTE_KERNEL(prefix, moved, kind, by::REGISTERS,                                           \
                     lens_make_bytes<by, lens_nearest_plain>(frame, src, dst, lens_moved_bytes())) \
    LENS_BYTE_KERNEL(                                                                              \
        prefix, moved_colored, kind, by::COLORED_REGISTERS,                                        \
        lens_make_passes<by, lens_nearest_colored>(frame, src, dst, lens_moved_bytes(), 1))        \
    LENS_BYTE_KERNEL(prefix, bytes, kind, by::REGISTERS,                                           \
                     lens_make_bytes<by, lens_plain>(frame, src, dst, lens_stored_bytes()))        \
    LENS_BYTE_KERNEL(prefix, bytes_colored, kind, by::COLORED_REGISTERS,                           \
                     lens_make_passes<by, lens_colored>(frame, src, dst, lens_stored_bytes(), 1))  \
    LENS_BYTE_KERNEL(prefix, light, kind, by::COLORED_REGISTERS,                                   \
                     lens_make_bytes<by, lens_plain>(frame, src, dst, lens_light_halves()))        \
    LENS_BYTE_KERNEL(prefix, light_colored, kind, by::COLORED_REGISTERS,                           \
                     lens_make_passes<by, lens_colored>(frame, src, dst, lens_light_halves(), 1))
#define LENS_SAMPLE_KERNELS(prefix, by, kind)                                                      \
    LENS_BYTE_KERNEL(prefix, bytes_samples, kind, 40,                                              \
                     lens_make_stored_samples<by, lens_stored_sums, false>(frame, src, dst))       \
    LENS_BYTE_KERNEL(prefix, bytes_samples_colored, kind, 56,                                      \
                     lens_make_stored_samples<by, lens_stored_sums, true>(frame, src, dst))        \
    LENS_BYTE_KERNEL(prefix, light_samples, kind, 48,                                              \
                     lens_make_light_samples<by, lens_light_sums, false>(frame, src, dst))         \
    LENS_BYTE_KERNEL(prefix, light_samples_colored, kind, 64,                                      \
                     lens_make_light_samples<by, lens_light_sums, true>(frame, src, dst))
#define LENS_CUBIC_KERNELS(prefix, by, kind)                                                       \
    LENS_BYTE_KERNEL(prefix, bytes_bicubic, kind, 64,                                              \
                     lens_make_stored_samples<by, lens_stored_cubic, false>(frame, src, dst))      \
    LENS_BYTE_KERNEL(prefix, bytes_bicubic_colored, kind, 80,                                      \
                     lens_make_stored_samples<by, lens_stored_cubic, true>(frame, src, dst))       \
    LENS_BYTE_KERNEL(prefix, light_bicubic, kind, 64,                                              \
                     lens_make_light_samples<by, lens_light_cubic, false>(frame, src, dst))        \
    LENS_BYTE_KERNEL(prefix, light_bicubic_colored, kind, 80,                                      \
                     lens_make_light_samples<by, lens_light_cubic, true>(frame, src, dst))
#define LENS_BYTE_KERNELS(prefix, by, samples_by)                                                  \
    LENS_BYTE_PAIR(prefix, by, linear)                                                             \
    LENS_BYTE_PAIR(prefix, by, surface)                                                            \
    LENS_SAMPLE_KERNELS(prefix, samples_by, linear)                                                \
    LENS_SAMPLE_KERNELS(prefix, samples_by, surface)                                               \
    LENS_CUBIC_KERNELS(prefix, samples_by, linear)                                                 \
    LENS_CUBIC_KERNELS(prefix, samples_by, surface)

#endif
