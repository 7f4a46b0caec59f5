/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "filter.h"

#include <math.h>

#define TAP_UNITS 16777216.0 /* 2^24: the whole numbers that float holds without a gap */

/* Both rules made odd by rounding up: an even filter would move the picture by half a pixel. */
uint32_t foveate_filter_radius_px(enum fovea_filter_length rule, double sigma_px)
{
    double length = 0.0;
    if (rule == FOVEA_FILTER_LENGTH_PRINTED) {
        length = ceil(6.0 * sigma_px);
    } else {
        length = floor(1.0 + 2.0 * sqrt(-2.0 * sigma_px * sigma_px * log(0.005)));
    }
    return (uint32_t)length / 2;
}

double foveate_filter_taps_per_sigma(enum fovea_filter_length rule)
{
    return rule == FOVEA_FILTER_LENGTH_PRINTED ? 3.0 : sqrt(-2.0 * log(0.005));
}

/* The sigma where the length becomes 2, which is rounded up to 3. */
double foveate_filter_least_sigma_px(enum fovea_filter_length rule)
{
    const double just_above = 1.0 + 1e-6;
    return just_above * 0.5 / foveate_filter_taps_per_sigma(rule);
}

static double gaussian(double sigma_px, uint32_t distance_px)
{
    const double z = distance_px / sigma_px;
    return exp(-0.5 * z * z);
}

static double sum_of(double sigma_px, uint32_t radius_px)
{
    double sum = 1.0;
    for (uint32_t i = radius_px; i >= 1; i--) {
        sum += 2.0 * gaussian(sigma_px, i);
    }
    return sum;
}

void foveate_filter_make_wide(double sigma_px, uint32_t radius_px, float *out_taps)
{
    const double sum = sum_of(sigma_px, radius_px);
    for (uint32_t i = 0; i <= radius_px; i++) {
        out_taps[i] = (float)(gaussian(sigma_px, i) / sum);
    }
}

void foveate_filter_make(double sigma_px, uint32_t radius_px, float *out_taps)
{
    const double sum = sum_of(sigma_px, radius_px);
    double centre_units = TAP_UNITS;
    for (uint32_t i = 1; i <= radius_px; i++) {
        const double units = round(TAP_UNITS * gaussian(sigma_px, i) / sum);
        out_taps[i] = (float)(units / TAP_UNITS);
        centre_units -= 2.0 * units;
    }
    out_taps[0] = (float)(centre_units / TAP_UNITS);
}
