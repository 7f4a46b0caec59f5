/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "exact.h"

#include <math.h>
#include <stdlib.h>

#define POINTS 24 /* along each axis */
#define POINTS_DIFFUSION 2
#define MANY_STEPS 100 /* a point takes half a second there: one, in the corner */
#define EPSILON 0x1p-24

static void worst_of(double made, double is, double *worst)
{
    const double off = fabs(made - is);
    *worst = off > *worst || isnan(off) ? off : *worst;
}

static double worst_of_points(const struct exact_blur *exact, const float *src, int32_t side,
                              const float *made)
{
    const int32_t points = exact->kind != EXACT_DIFFUSION ? POINTS
                           : exact->levels <= MANY_STEPS  ? POINTS_DIFFUSION
                                                          : 1;
    const int32_t steps = points > 1 ? points - 1 : 1;
    const int32_t last = side - 1 - exact->border_px;
    double worst =
        last > exact->border_px ? 0.0 : (double)NAN; /* nothing to look at is not right */
    for (int32_t j = 0; j < points && last > exact->border_px; j++) {
        for (int32_t i = 0; i < points; i++) {
            const int32_t room = last - exact->border_px;
            const int32_t x = exact->border_px + (room * i) / steps;
            const int32_t y = exact->border_px + (room * j) / steps;
            const int channel = (i + j) % 4;
            const size_t at = ((size_t)y * (size_t)side + (size_t)x) * 4 + (size_t)channel;
            worst_of((double)made[at], exact_at(exact, src, side, x, y, channel), &worst);
        }
    }
    return worst;
}

static double worst_of_pyramid(const struct exact_blur *exact, const float *src, int32_t side,
                               const float *made)
{
    const int channel = 1;
    double worst = 0.0;
    double *is = exact_pyramid_of(exact, src, side, channel);
    for (size_t i = 0; is && i < (size_t)side * (size_t)side; i++) {
        worst_of((double)made[4 * i + (size_t)channel], is[i], &worst);
    }
    free(is);
    return is ? worst : (double)NAN;
}

double exact_worst(const struct exact_blur *blur, const float *src, int32_t side_px,
                   const float *made)
{
    return blur->kind == EXACT_PYRAMID ? worst_of_pyramid(blur, src, side_px, made)
                                       : worst_of_points(blur, src, side_px, made);
}

double exact_lost_of_table(int32_t side_px, double divided_by)
{
    return fmax(1e-4, 8.0 * EPSILON * side_px * side_px / divided_by);
}

double exact_lost_of_spreading(int32_t side_px, int32_t radius_px)
{
    const double r2 = (double)radius_px * radius_px;
    return side_px > 512 ? HUGE_VAL : fmax(2e-3, 64.0 * EPSILON * side_px * side_px / r2);
}

void exact_kovesi(double sigma_px, int32_t count, int32_t *widths)
{
    const double twelve = 12.0 * sigma_px * sigma_px;
    int32_t low = (int32_t)floor(sqrt(twelve / count + 1.0));
    low -= low % 2 == 0;
    const double lows =
        (twelve - count * low * low - 4.0 * count * low - 3.0 * count) / (-4.0 * low - 4.0);
    for (int32_t i = 0; i < count; i++) {
        widths[i] = i < (int32_t)lround(lows) ? low : low + 2;
    }
}
