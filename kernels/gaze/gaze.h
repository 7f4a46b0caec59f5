/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze as whole numbers, once for C and CUDA C. */
#ifndef FOVEA_KERNELS_FOVEATE_GAZE_H
#define FOVEA_KERNELS_FOVEATE_GAZE_H

#include "kernels/foveate/foveate.h"

#define FOVEATE_GAZE_REACH_UV 4.0

/* uv -> q8, clamped to four image sizes outside the image. Of a uv that was a float every step but the
 * last is exact, so that a compiler that fuses them rounds to the same number. */
FOVEATE_BOTH int32_t foveate_gaze_q8(double uv, int32_t size_px)
{
    const double clamped_uv = fmin(fmax(uv, -FOVEATE_GAZE_REACH_UV), 1.0 + FOVEATE_GAZE_REACH_UV);
    return (int32_t)floor(clamped_uv * size_px * 256.0 + 0.5);
}

#endif
