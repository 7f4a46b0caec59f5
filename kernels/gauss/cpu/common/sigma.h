/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Does gauss_law_sigma_at for places along a row, the least of all foveas; of a frame with
 * fragments or a picture of sigmas, gauss_sigma_at or gauss_law_pictured for pixels. */
#pragma once

#include "kernels/gauss/plan/ladder.h"
#include "lanes.h"
#include "picture.h"

#define gauss_cpu_sigma_row GAUSS_CPU_NAME(gauss_cpu_sigma_row)

struct gauss_cpu_places {
    float x_px, y_px; /* the first place; uv times the size */
    float apart_px;
    int32_t count; /* rounded up to whole registers */
};

void gauss_cpu_sigma_row(const struct gauss_cpu_picture *picture, struct gauss_cpu_places places,
                         float *out);

/* Does gauss_ladder_place. */
static inline lanes gauss_cpu_ladder_place(const lanes *sigma_px)
{
    const lanes zero = {0};
    const lanes least = zero + 0.1f;
    const lanes sigma = lanes_greater(sigma_px, &least);
    lanes sum = sigma * 2.50662827f;
    if (!lanes_all_above(&sigma, 0.8f)) {
        const lanes square = sigma * sigma;
        const lanes power = -0.5f * lanes_reciprocal(&square);
        lanes exponential;
        lanes_exponential(&power, &exponential);
        /* Less adds nothing to 1, and has denormal powers, with which processors are slow. */
        const lanes counted = zero + 2.8e-8f;
        const lanes q = lanes_greater(&exponential, &counted);
        const lanes q4 = q * q * q * q;
        const lanes sampled = 1.0f + 2.0f * (q + q4 * (1.0f + q4 * q));
        sum = lanes_choose_above(&sigma, 0.8f, &sum, &sampled);
    }
    lanes logarithm;
    lanes_logarithm(&sum, &logarithm);
    const lanes place = (float)GAUSS_LADDER_PER_OCTAVE * logarithm;
    const lanes counted = lanes_greater(&place, &zero);
    return lanes_choose_below(sigma_px, 0.1f, &zero, &counted);
}
