/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* pixel_light.h's functions for a register of pixels: light to levels by any transfer function but
 * a display's samples, and HLG's OOTF. */
#pragma once

#include "kernels/gauss/pyramid.h"
#include "kernels/image/pixel_light.h"
#include "lanes.h"

static inline lanes gauss_cpu_within(const lanes *value, float most)
{
    const lanes zero = {0};
    const lanes highest = zero + most;
    const lanes some = lanes_greater(value, &zero);
    return lanes_lesser(&some, &highest);
}

/* pixel_light_to_levels of one colour */
static inline lanes gauss_cpu_level_of(const struct pixel_light *light, const lanes *value)
{
    const lanes clamped = gauss_cpu_within(value, 1.0f);
    const lanes line = clamped * light->line_slope;
    const whole_lanes is_line = clamped <= (lanes){0} + light->line_end;
    const lanes first = (lanes)((whole_lanes){0} + (int32_t)light->first_bits);
    const lanes counted = lanes_choose(&is_line, &first, &clamped);
    const whole_lanes bits = (whole_lanes)counted - (int32_t)light->first_bits;
    const whole_lanes entry = bits >> PIXEL_LIGHT_STEP_BITS;
    const lanes part = __builtin_convertvector(bits & ((1 << PIXEL_LIGHT_STEP_BITS) - 1), lanes) *
                       (1.0f / (1 << PIXEL_LIGHT_STEP_BITS));
    lanes around[2];
    lanes_gather_two(light->level, &entry, around);
    const lanes curve = around[0] + part * (around[1] - around[0]);
    return lanes_choose(&is_line, &line, &curve);
}

/* Multiplies each colour by a power of the luminance. */
static inline void gauss_cpu_apply_ootf(const struct pixel_light *light, float exponent,
                                        lanes colors[3])
{
    const lanes luminance = IMAGE_LIGHT_RED * colors[light->blue_first ? 2 : 0] +
                            IMAGE_LIGHT_GREEN * colors[1] +
                            IMAGE_LIGHT_BLUE * colors[light->blue_first ? 0 : 2];
    const lanes least = 1e-30f - (lanes){0};
    const whole_lanes some = luminance > least;
    const lanes from = lanes_choose(&some, &luminance, &least);
    lanes power;
    lanes factor;
    lanes_logarithm(&from, &power);
    power *= exponent * 0.69314718f;
    lanes_exponential(&power, &factor);
    for (int32_t c = 0; c < 3; c++) {
        colors[c] *= factor;
    }
}

static inline void gauss_cpu_display_of_scene(const struct pixel_light *light, lanes colors[3])
{
    gauss_cpu_apply_ootf(light, light->system_gamma - 1.0f, colors);
}

static inline void gauss_cpu_scene_of_display(const struct pixel_light *light, lanes colors[3])
{
    for (int32_t c = 0; c < 3; c++) {
        colors[c] = gauss_cpu_within(&colors[c], 2.0f);
    }
    gauss_cpu_apply_ootf(light, 1.0f / light->system_gamma - 1.0f, colors);
}
