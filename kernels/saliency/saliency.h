/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* CSDD: blobs of colour and texture (Collins and Ge, ECCV 2008). README.md has the formula. This
 * is no operator: a picture goes in, and a list comes out. */
#pragma once

#include "fovea_blobs.h"

#define SALIENCY_BINS 128
#define SALIENCY_CHANNELS 3 /* I1, I2, I3 of Ohta */
#define SALIENCY_PER_OCTAVE 3
#define SALIENCY_SCALES_MAX 25
#define SALIENCY_SCALES_MIN 3 /* a blob is stronger than at both scales beside its own */

struct saliency_numbers {
    uint32_t scale_count;
    uint32_t blob_max;
    double sigma_min_px;
    double threshold;
    double overlap;
};

/* sigma_min_px 2^(scale / 3) */
double saliency_sigma_px(const struct saliency_numbers *numbers, uint32_t scale);

/* ---- The definition in double precision, for tests; shares nothing with the backends */

/* Colours that lie together, levels 0 .. most. UNORM formats have whole levels, and bins as wide
 * as (most + 1) / 128 of them; of floats `most` is 1 and so is the width of all bins. */
struct saliency_picture {
    const double *levels; /* `colors` a pixel: 1 or 3 */
    uint32_t width_px, height_px, colors;
    double most;
};

/* F - G of all bins is added up so. */
enum saliency_sum { SALIENCY_ABSOLUTE, SALIENCY_SIGNED };

/* The response of one channel at every pixel. */
FOVEA_MUST_CHECK enum fovea_result saliency_reference(const struct saliency_picture *picture,
                                                      uint32_t channel, double sigma_px,
                                                      enum saliency_sum sum, double *out);
/* The bin of a pixel. */
int saliency_reference_bin(const struct saliency_picture *picture, uint32_t channel, size_t pixel);
