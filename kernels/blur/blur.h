/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator blur: one Gaussian over the whole picture, its edges repeated, or for each pixel one
 * of its own.
 *
 *     out(x, y) = sum of in(x + i, y + j) g(i) g(j),  g(i) = exp(-i^2 / (2 sigma^2)) / sum of them
 *
 * sigma is "blur.sigma_px". Where a frame comes with a picture of sigmas it is the value there at
 * (x, y), at most "blur.sigma_max_px"; 0 where the value is negative or no number.
 *
 * UNORM formats are averaged as light or as stored, as "foveation.light" says, and alpha is kept or
 * averaged, as "foveation.alpha" says. */
#ifndef FOVEA_KERNELS_BLUR_BLUR_H
#define FOVEA_KERNELS_BLUR_BLUR_H

#include "core/log.h"

#include <stdint.h>

extern const struct operator_api blur_operator;

/* The definition in double precision, which shares nothing with what runs but sigma: src and dst
 * are rows of `channels` doubles without gaps, dst apart from src. */
FOVEA_MUST_CHECK enum fovea_result blur_reference(double sigma_px, uint32_t width_px,
                                                  uint32_t height_px, uint32_t channels,
                                                  const double *src, double *dst);

/* The same with a picture of sigmas, one a pixel. */
FOVEA_MUST_CHECK enum fovea_result blur_reference_pictured(const double *sigmas_px,
                                                           double sigma_max_px, uint32_t width_px,
                                                           uint32_t height_px, uint32_t channels,
                                                           const double *src, double *dst);

#endif
