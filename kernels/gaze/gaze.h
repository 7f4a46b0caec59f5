/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze as whole numbers, once for C and CUDA C. */
#ifndef FOVEA_KERNELS_GAZE_GAZE_H
#define FOVEA_KERNELS_GAZE_GAZE_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define GAZE_FN static inline __host__ __device__
#else
#define GAZE_FN static inline
#endif

/* A view with this in a table of gazes on the device has no gaze, and is copied. */
#define GAZE_NONE INT32_MIN

#define GAZE_REACH_UV 4.0

/* uv -> q8, clamped to four image sizes outside the image. Of a uv that was a float every step but
 * the last is exact, so that a compiler that fuses them rounds to the same number. */
GAZE_FN int32_t gaze_to_q8(double uv, int32_t size_px)
{
    const double clamped_uv = fmin(fmax(uv, -GAZE_REACH_UV), 1.0 + GAZE_REACH_UV);
    return (int32_t)floor(clamped_uv * size_px * 256.0 + 0.5);
}

#endif
