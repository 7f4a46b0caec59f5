/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fixed.h"

#include <math.h>

/* 2^22 steps reach over the picture. */
static int32_t fixed_bits(const struct lens_shape *shape)
{
    const int32_t most_px = shape->width_px > shape->height_px ? shape->width_px : shape->height_px;
    int32_t bits = 16;
    while (bits > 0 && (int64_t)most_px << bits > 1 << 22) {
        bits--;
    }
    return bits;
}

static void set_terms(const struct lens_shape *shape, struct lens_fixed *fixed)
{
    for (int i = 0; i < LENS_COLORS * LENS_POWERS; i++) {
        const int power = i % LENS_POWERS;
        fixed->terms[i] =
            (float)(ldexp(shape->terms[i], fixed->bits) * pow((double)shape->per_px, power));
        fixed->is_even = fixed->is_even && (power % 2 == 0 || shape->terms[i] == 0.0f);
    }
}

struct lens_fixed lens_fixed_of(const struct lens_plan *plan, const struct lens_shape *shape)
{
    const int32_t bits = fixed_bits(shape);
    struct lens_fixed fixed = {
        .bits = bits,
        .is_even = 1,
        .first_x_px = 0.5f - shape->center_x_px,
        .first_y_px = 0.5f - shape->center_y_px,
        .half = 1u << (bits - 1),
        .width = (uint32_t)shape->width_px << bits,
        .height = (uint32_t)shape->height_px << bits,
        .blank = (uint32_t)shape->blank[0] | (uint32_t)shape->blank[1] << 8 |
                 (uint32_t)shape->blank[2] << 16 | 0xff000000u,
        .steps_a_px = (float)(1u << bits),
    };
    if (!plan->ways) {
        set_terms(shape, &fixed);
    }
    return fixed;
}
