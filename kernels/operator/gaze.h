/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze and the other foveas of a view as whole numbers, once for C and CUDA C. */
#pragma once

#include "kernels/cuda/host_device.h"

#include <math.h>
#include <stdint.h>

/* A view with this in a table of gazes on the device has no gaze, and is copied. */
#define GAZE_NONE INT32_MIN

#define GAZE_REACH_UV 4.0

/* uv -> q8, clamped to four image sizes outside the image. Of a uv that was a float every step but
 * the last is exact, so that a compiler that fuses them rounds to the same number. */
HOST_DEVICE int32_t gaze_to_q8(double uv, int32_t size_px)
{
    const double clamped_uv = fmin(fmax(uv, -GAZE_REACH_UV), 1.0 + GAZE_REACH_UV);
    return (int32_t)floor(clamped_uv * size_px * 256.0 + 0.5);
}

/* ---- Foveas beside the gaze */

#define GAZE_OTHERS_MAX 3

/* Places in 1/256 px, as the gaze has. 32-bit members only, as struct gauss_frame. */
struct gaze_others {
    int32_t count; /* 0 .. GAZE_OTHERS_MAX */
    int32_t q8[GAZE_OTHERS_MAX][2];
};
