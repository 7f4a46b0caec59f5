/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens in one launch: nothing lies in memory between. A thread makes some pixels, one below the
 * other, so that neighbouring threads read and write neighbouring pixels. Kernels of every format
 * take places by the polynomial or by a grid; RGBA8's here by the polynomial, which registers hold.
 */

#include "general.cuh"
#include "kernels.cuh"

#define LENS_KERNEL(name, filter, registers, kind, suffix, format)                                 \
    extern "C" __global__ void __maxnreg__(registers)                                              \
        lens_##name##_##kind##_##suffix(const __grid_constant__ lens_##kind##_params params)       \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        typedef pixel<format> own;                                                                 \
        const lens_frame &frame = params.frame;                                                    \
        lens_make_picture<own, filter>(                                                            \
            frame, image_of_block<own>(frame, params.src, frame.src_next_bytes),                   \
            image_of_block<own>(frame, params.dst, frame.dst_next_bytes));                         \
    }
#define LENS_FILTERS(kind, suffix, format)                                                         \
    LENS_KERNEL(nearest, LENS_NEAREST, 40, kind, suffix, format)                                   \
    LENS_KERNEL(bilinear, LENS_BILINEAR, 48, kind, suffix, format)                                 \
    LENS_KERNEL(bicubic, LENS_BICUBIC, 64, kind, suffix, format)

IMAGE_OF_EVERY_FORMAT(LENS_FILTERS)
LENS_BYTE_KERNELS(lens, lens_by_formula)
