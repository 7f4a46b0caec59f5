/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator blur: one blur over the whole picture, or for each pixel one of its own, by the
 * engine that "blur.engine" names. The first, which runs where nobody chooses, is the Gaussian,
 * with the edges repeated:
 *
 *     out(x, y) = sum of in(x + i, y + j) g(i) g(j),  g(i) = exp(-i^2 / (2 sigma^2)) / sum of them
 *
 * sigma is "blur.sigma_px". Where a frame comes with a picture of sigmas it is the value there at
 * (x, y), at most "blur.sigma_max_px"; 0 where the value is negative or no number.
 *
 * UNORM formats are averaged as light or as stored, as "foveation.light" says, and alpha is kept or
 * averaged, as "foveation.alpha" says. */
#pragma once

#include "core/log.h"
#include "table.h"

#include <stdint.h>

extern const struct operator_glsl_api blur_operator_glsl;
extern const struct operator_cuda_api blur_operator_cuda; /* where FOVEA_HAVE_CUDA is 1 */

/* blur.engine's words, in order. */
enum { BLUR_GAUSSIAN, BLUR_QUASI, BLUR_BOX, BLUR_DIFFUSION, BLUR_SPREAD, BLUR_FFT, BLUR_ENGINES };

/* blur.shape's words, in order. */
enum { BLUR_DISC, BLUR_HEXAGON, BLUR_STAR, BLUR_EYE };

/* Holds what the settings say. */
struct blur_numbers {
    uint32_t engine; /* BLUR_GAUSSIAN .. */
    double sigma_px; /* of every pixel, or the largest that counts */
    uint32_t passes; /* BLUR_BOX: 1 .. 8 */
    double edge; /* BLUR_DIFFUSION: in the values that are averaged, white 1; 0: none */
    uint32_t shape; /* BLUR_FFT: BLUR_DISC .. */
    const struct blur_table *table; /* BLUR_FFT: instead of the shape; NULL: there is none */
    double radius_px; /* BLUR_FFT: of the circle around the shape, or half the table's longer side;
                         0: sigma_px counts */
};

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

/* Makes what another engine makes, by its formula. Values are numbers with white at `white`; the
 * first `colors` channels of a pixel are colours, which BLUR_DIFFUSION looks at. sigmas_px: NULL,
 * or of BLUR_SPREAD a picture of sigmas. */
struct blur_picture {
    uint32_t width_px;
    uint32_t height_px;
    uint32_t channels;
    uint32_t colors;
    double white;
    const double *sigmas_px;
};
FOVEA_MUST_CHECK enum fovea_result blur_reference_of(const struct blur_numbers *numbers,
                                                     const struct blur_picture *picture,
                                                     const double *src, double *dst);
