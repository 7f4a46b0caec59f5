/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The kernels of RGBA8, each with a twin for colours that lie apart, <prefix>_moved_colored and so
 * on:
 *
 *     <prefix>_moved    nearest: pixels move as they are, bit by bit, or each colour does
 *     <prefix>_bytes    bilinear, as it is stored: sums of whole numbers
 *     <prefix>_light    bilinear, in sRGB's light, which is worked out in halves
 *     <prefix>_bytes_samples, <prefix>_light_samples    the same, with several places a pixel
 *     <prefix>_bytes_bicubic, <prefix>_light_bicubic    bicubic, one place or several */
#pragma once

#include "pixels.cuh"

/* registers: of a thread, so that a multiprocessor of sm_80 or sm_90 holds 64, 48 or 40 warps. A
 * number of blocks would say so too, but others hold fewer, and are refused what they cannot hold.
 */
#define LENS_BYTE_KERNEL(prefix, name, kind, registers, ...)                                       \
    extern "C" __global__ void __maxnreg__(registers)                                              \
        prefix##_##name##_##kind##_rgba8(const __grid_constant__ lens_##kind##_params params)      \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        const lens_frame &frame = params.frame;                                                    \
        __VA_ARGS__(frame, lens_bytes_of(frame, params.src, frame.src_next_bytes),                 \
                    lens_bytes_of(frame, params.dst, frame.dst_next_bytes));                       \
    }
#define LENS_BYTE_PAIR(prefix, name, kind, registers, colored_registers, make, by, sums)           \
    LENS_BYTE_KERNEL(prefix, name, kind, registers, make<by, sums, false>)                         \
    LENS_BYTE_KERNEL(prefix, name##_colored, kind, colored_registers, make<by, sums, true>)
#define LENS_BYTE_KINDS(prefix, by, kind)                                                          \
    LENS_BYTE_PAIR(prefix, moved, kind, by::REGISTERS, by::COLORED_REGISTERS, lens_make_pixels,    \
                   by, lens_nearest_one)                                                           \
    LENS_BYTE_PAIR(prefix, bytes, kind, by::REGISTERS, by::COLORED_REGISTERS, lens_make_pixels,    \
                   by, lens_stored_one)                                                            \
    LENS_BYTE_PAIR(prefix, light, kind, by::COLORED_REGISTERS, by::COLORED_REGISTERS,              \
                   lens_make_pixels, by, lens_light_one)                                           \
    LENS_BYTE_PAIR(prefix, bytes_samples, kind, by::COLORED_REGISTERS, 56, lens_make_means, by,    \
                   lens_stored)                                                                    \
    LENS_BYTE_PAIR(prefix, light_samples, kind, 48, 64, lens_make_means, by, lens_floats_light)    \
    LENS_BYTE_PAIR(prefix, bytes_bicubic, kind, 64, 80, lens_make_means, by, lens_cubic_stored)    \
    LENS_BYTE_PAIR(prefix, light_bicubic, kind, 64, 80, lens_make_means, by, lens_cubic_light)
#define LENS_BYTE_KERNELS(prefix, by)                                                              \
    LENS_BYTE_KINDS(prefix, by, linear)                                                            \
    LENS_BYTE_KINDS(prefix, by, surface)
