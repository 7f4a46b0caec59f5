/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "pixel_light.h"

#include "pixel_float.h"

#include <math.h>

/* A float's bits above these are the entry; these are the way to the next one. */
#define STEP_BITS 15
#define FIRST_BITS ((uint32_t)(127 - PIXEL_LIGHT_OCTAVES) << 23)
#define LINEAR_END 0.0031308
#define LINEAR_SLOPE 12.92

bool pixel_light_known(enum fovea_format format)
{
    return format == FOVEA_FORMAT_RGBA8 || format == FOVEA_FORMAT_RGB8 ||
           format == FOVEA_FORMAT_R8 || format == FOVEA_FORMAT_A2B10G10R10;
}

static double decode(double encoded)
{
    return encoded <= 0.04045 ? encoded / LINEAR_SLOPE : pow((encoded + 0.055) / 1.055, 2.4);
}

static double encode(double light)
{
    return light <= LINEAR_END ? light * LINEAR_SLOPE : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
}

void pixel_light_init(struct pixel_light *light, enum fovea_format format)
{
    light->highest_level = format == FOVEA_FORMAT_A2B10G10R10 ? 1023 : 255;
    for (uint32_t i = 0; i <= light->highest_level; i++) {
        light->light[i] = (float)decode((double)i / light->highest_level);
    }
    for (uint32_t i = 0; i < PIXEL_LIGHT_ENTRIES; i++) {
        const double value = (double)pixel_bits_float(FIRST_BITS + (i << STEP_BITS));
        light->level[i] = (float)(light->highest_level * encode(value));
    }
}

static float level_of(const struct pixel_light *light, float value)
{
    const float highest = (float)light->highest_level;
    const float clamped = value > 0.0f ? value < 1.0f ? value : 1.0f : 0.0f;
    if (clamped <= (float)LINEAR_END) {
        return clamped * ((float)LINEAR_SLOPE * highest);
    }
    const uint32_t bits = pixel_float_bits(clamped) - FIRST_BITS;
    const uint32_t entry = bits >> STEP_BITS;
    const float part = (float)(bits & ((1u << STEP_BITS) - 1u)) * (1.0f / (1u << STEP_BITS));
    const float below = light->level[entry];
    return below + part * (light->level[entry + 1] - below);
}

void pixel_light_from_levels(const struct pixel_light *light, float *values, uint32_t pixels,
                             uint32_t channels, uint32_t colors)
{
    for (uint32_t i = 0; i < pixels; i++, values += channels) {
        for (uint32_t c = 0; c < colors; c++) {
            values[c] = light->light[(uint32_t)values[c]];
        }
    }
}

void pixel_light_to_levels(const struct pixel_light *light, float *values, uint32_t pixels,
                           uint32_t channels, uint32_t colors)
{
    for (uint32_t i = 0; i < pixels; i++, values += channels) {
        for (uint32_t c = 0; c < colors; c++) {
            values[c] = level_of(light, values[c]);
        }
    }
}
