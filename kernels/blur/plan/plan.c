/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The numbers of engines from sigma; docs/blur.md has the closed forms. */

#include "kernels/blur/plan.h"

#include <math.h>

/* The widest box of whole pixels that is no wider than that variance, and of what is left the share
 * that brings it there. */
struct blur_box blur_box_of(double sigma_px)
{
    const double variance = sigma_px * sigma_px;
    double half = floor((sqrt(12.0 * variance + 1.0) - 1.0) / 2.0);
    half -= half * (half + 1.0) / 3.0 > variance ? 1.0 : 0.0; /* as the root may be rounded up */
    const double missing = (2.0 * half + 1.0) * (variance - half * (half + 1.0) / 3.0);
    const double end = missing / (2.0 * ((half + 1.0) * (half + 1.0) - variance));
    return (struct blur_box){(int32_t)half, end, 1.0 / (2.0 * half + 1.0 + 2.0 * end)};
}

/* The tents of two whole radii that follow each other, in shares that come to the variance; both
 * together are the tent of a radius between them. */
struct blur_tent blur_tent_of(double sigma_px)
{
    const double square = 6.0 * sigma_px * sigma_px + 1.0;
    const double low = floor(sqrt(square));
    const double more = 2.0 * low + 1.0; /* square of the next whole radius */
    const double share = fmin((square - low * low) / more, 1.0);
    const double next = low * low + more;
    const double part = share * low * low / ((1.0 - share) * next + share * low * low);
    const double radius = low + part;
    return (struct blur_tent){radius, (int32_t)low, part, 1.0 / (low * low + more * part)};
}

struct blur_heat blur_heat_of(double sigma_px)
{
    const double variance = sigma_px * sigma_px;
    const double steps = fmax(ceil(2.0 * variance - 1e-9), 1.0);
    return (struct blur_heat){.steps = (int32_t)steps, .rate = variance / (2.0 * steps)};
}

/* Variance of a level: 17/16 down and 3/4 up, of pixels that are four times as large each time. */
struct blur_pyramid blur_pyramid_of(double sigma_px)
{
    const double each = 17.0 / 16.0 + 3.0 / 4.0;
    double left = sigma_px * sigma_px;
    struct blur_pyramid pyramid = {0};
    while (left >= each && pyramid.levels < BLUR_MOST_LEVELS) {
        left = (left - each) / 4.0; /* in pixels of the next level */
        pyramid.levels++;
    }
    pyramid.side = left / 6.0;
    return pyramid;
}
