/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What tiles of one level have in common on all GPUs: the sigmas that a level serves, and which
 * laws they are for. C and CUDA C share this header. */
#ifndef FOVEA_KERNELS_GAUSS_PLAN_TILE_H
#define FOVEA_KERNELS_GAUSS_PLAN_TILE_H

#include "kernels/gauss/frame.h"

/* From these sigmas on levels 1 and 2 are fine enough; each level on takes twice the one before.
 * The spline leaves an alias at 1 - f of a texture of f cycles a sample, (f / (1 - f))^4 as high:
 * at sigma of one sample up to 0.7 levels of 8 bits (columns of 5 px: worst window 0.9928), at 1.1
 * half of that (0.9958). */
#define GAUSS_TILE_SIGMA_1 2.2f
#define GAUSS_TILE_SIGMA_2 4.4f

/* Below this sigma a pixel of the picture's own tiles is averaged in two dimensions at once: the
 * weights of a narrow Gaussian change so fast that a row with another row's sigma would show. If
 * the law is steeper than RAMP_SLOPE, this holds below the end of its ramp too. */
#define GAUSS_TILE_SIGMA_FINE 0.9f
#define GAUSS_TILE_RAMP_SLOPE 0.03f

/* Sigma may grow by so many pixels a pixel before its change within a Gaussian shows: at 0.029, the
 * paper's law at 640x360, the worst windows of a star and of a checker fell below an SSIM of 0.995.
 * Steeper laws, which are those of small pictures, are blended from nodes. */
#define GAUSS_TILE_MAX_SLOPE 0.02

/* ---- Variances: those of decimation, blur and spline add up */

/* Returns the variance of decimation and of up-sampling with the cubic B-spline, in pixels
 * squared. */
HOST_DEVICE float gauss_tile_variance(int32_t level)
{
    const float step_px = (float)(1 << level);
    return level > 0 ? gauss_level_variance(level) + step_px * step_px * (1.0f / 3.0f) : 0.0f;
}

/* Returns the variance that is left to blur at a level, in samples squared. */
HOST_DEVICE float gauss_tile_residual(float sigma_px, int32_t level)
{
    const float residual = sigma_px * sigma_px - gauss_tile_variance(level);
    return fmaxf(residual, 0.0f) / (float)(1 << 2 * level);
}

HOST_DEVICE int32_t gauss_frame_gaze_is_inside(const struct gauss_frame *frame)
{
    return frame->gaze_x_q8 >= 0 && frame->gaze_x_q8 <= 256 * frame->width_px &&
           frame->gaze_y_q8 >= 0 && frame->gaze_y_q8 <= 256 * frame->height_px;
}

#endif
