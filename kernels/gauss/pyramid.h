/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every pixel is the average of the picture under a Gaussian of its own sigma; with the blockwise
 * method the pixels of a fragment have the same (gauss/grid.h).
 *
 * Variances add. The picture is decimated by two again and again with the filter [1 5 10 10 5
 * 1]/32, whose variance is 5/4 of its input's pixels squared, so that level k holds the picture
 * blurred by
 *
 *     v_k = 5/4 (1 + 4 + ... + 4^(k-1)) = 5/12 (4^k - 1)   pixels squared,
 *
 * and a pixel of variance sigma^2 is gathered from one level with a Gaussian of sigma^2 - v_k,
 * whose weights are taken at the exact distances of the level's samples from the pixel and divided
 * by their sum. Level 0 is the picture itself, and there the sum is the definition. A pixel takes
 * the coarsest level on which the rest is still at least GAUSS_RESIDUAL level samples wide: less
 * lets through what decimation folded down.
 *
 * Used by C, CUDA C and, in words of its own, by gauss/glsl/levels.glsl. */
#pragma once

#include "kernels/image/light.h"

#include <math.h>
#include <stdint.h>

#define GAUSS_MAX_LEVELS 7 /* level 0 included: up to 64 pixels a sample */
/* Samples kept beyond each edge of levels 1 and up; farther out the picture is constant. */
#define GAUSS_MARGIN 4
/* At 0.84, and 17 samples an axis, the worst window of 32x32 pixels of a zone plate of 1280x720
 * under physical, 10 ppd, gaze in the corner, is like the true picture to 0.9941, here to 0.9957,
 * at 0.96 to 0.9962. */
#define GAUSS_RESIDUAL 0.90f
/* A Gaussian is cut off at so many sigma. The tail shows most in linear light, where dark pixels
 * lie among bright ones: at 3.33 it is 33 levels of 8 bits in a checker of one pixel whose blur
 * just begins, at 4 more than four, here two. At most 18 samples an axis below the coarsest
 * level. */
#define GAUSS_REACH 4.2f

/* A level's place in the one buffer of all levels. Sample (i, j) of level k is the filter centred
 * on pixel position ((i + 0.5) 2^k - 0.5, (j + 0.5) 2^k - 0.5). Four 32-bit words. */
struct gauss_level {
    int32_t first; /* index of the sample (-margin, -margin) */
    int32_t pitch; /* samples a row, margins included */
    int32_t width; /* ceil(width_px / 2^k); a row has 2 margins more */
    int32_t height;
};

/* Returns 0 for level 0, or GAUSS_MARGIN. */
HOST_DEVICE int32_t gauss_level_margin(int32_t k)
{
    return k > 0 ? GAUSS_MARGIN : 0;
}

/* Returns v_k in pixels squared. */
HOST_DEVICE float gauss_level_variance(int32_t k)
{
    return (float)((1 << 2 * k) - 1) * (5.0f / 12.0f);
}

/* Returns the coarsest of `count` levels on which at least `residual` samples of a sigma are
 * left. */
HOST_DEVICE int32_t gauss_level_with(float sigma_px, float residual, int32_t count)
{
    int32_t k = 0;
    while (k + 1 < count) {
        const float residual_px = residual * (float)(2 << k);
        if (sigma_px * sigma_px < gauss_level_variance(k + 1) + residual_px * residual_px) {
            break;
        }
        k++;
    }
    return k;
}

HOST_DEVICE int32_t gauss_level_for(float sigma_px, int32_t count)
{
    return gauss_level_with(sigma_px, GAUSS_RESIDUAL, count);
}

/* ---- In which light: image/pixel.glsl and gauss/glsl/law.glsl say the same */

/* Next to white such light shows what GAUSS_RESIDUAL and GAUSS_REACH leave: a tail of 1e-6 of
 * white is a tenth of PQ's range. With these, pictures of black and white are within three levels
 * of 10 bits (at 1.3 and 6.5 four, at 1.5 and 6.0 four, as with sRGB more than 200). At most 49
 * samples an axis below the coarsest level. */
#define GAUSS_WIDE_RESIDUAL 1.6f
#define GAUSS_WIDE_REACH 6.5f

HOST_DEVICE float gauss_light_residual(int32_t light)
{
    return image_light_is_wide(light) ? GAUSS_WIDE_RESIDUAL : GAUSS_RESIDUAL;
}

HOST_DEVICE float gauss_light_reach(int32_t light)
{
    return image_light_is_wide(light) ? GAUSS_WIDE_REACH : GAUSS_REACH;
}

/* ---- Tiles of one level, on all GPUs: the sigmas that a level serves */

/* Levels 1 and 2 are fine enough from these sigmas on; each next level takes twice the one before.
 * The spline leaves an alias at 1 - f of a texture of f cycles a sample, (f / (1 - f))^4 as high:
 * at sigma of one sample up to 0.7 levels of 8 bits (columns of 5 px: worst window 0.9928), at 1.1
 * half of that (0.9958). */
#define GAUSS_TILE_SIGMA_1 2.2f
#define GAUSS_TILE_SIGMA_2 4.4f

/* Below this sigma a pixel of the picture's own tiles has its own, by which it is averaged in two
 * dimensions at once in GLSL, and by products of several variances on CUDA: the weights of a narrow
 * Gaussian change so fast that a row with another row's sigma would show. If the law is steeper
 * than RAMP_SLOPE, this holds below the end of its ramp too. */
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
