/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "pixel_light.h"

#include "light.h"
#include "pixel_float.h"

#include <math.h>
#include <string.h>

bool pixel_light_known(enum fovea_format format)
{
    return format == FOVEA_FORMAT_RGBA8 || format == FOVEA_FORMAT_RGB8 ||
           format == FOVEA_FORMAT_R8 || format == FOVEA_FORMAT_A2B10G10R10;
}

/* ---- Transfer functions ---------------------------------------------------------------------- */

#define SRGB_LINEAR_END 0.0031308
#define SRGB_LINEAR_SLOPE 12.92
#define SRGB_OCTAVES 9 /* down to 2^-9, below the end of the linear part */

static double srgb_decode(double encoded)
{
    return encoded <= 0.04045 ? encoded / SRGB_LINEAR_SLOPE : pow((encoded + 0.055) / 1.055, 2.4);
}

static double srgb_encode(double light)
{
    return light <= SRGB_LINEAR_END ? light * SRGB_LINEAR_SLOPE
                                    : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
}

/* SMPTE ST 2084. */
#define PQ_M1 (2610.0 / 16384.0)
#define PQ_M2 (2523.0 / 4096.0 * 128.0)
#define PQ_C1 (3424.0 / 4096.0)
#define PQ_C2 (2413.0 / 4096.0 * 32.0)
#define PQ_C3 (2392.0 / 4096.0 * 32.0)

static double pq_decode(double encoded)
{
    const double root = pow(encoded, 1.0 / PQ_M2);
    return pow(fmax(root - PQ_C1, 0.0) / (PQ_C2 - PQ_C3 * root), 1.0 / PQ_M1);
}

static double pq_encode(double light)
{
    const double power = pow(light, PQ_M1);
    return pow((PQ_C1 + PQ_C2 * power) / (1.0 + PQ_C3 * power), PQ_M2);
}

/* ITU-R BT.2100, table 5. */
#define HLG_A 0.17883277
#define HLG_B 0.28466892
#define HLG_C 0.55991073

static double hlg_decode(double encoded)
{
    return encoded <= 0.5 ? encoded * encoded / 3.0 : (exp((encoded - HLG_C) / HLG_A) + HLG_B) / 12;
}

static double hlg_encode(double light)
{
    return light <= 1.0 / 12.0 ? sqrt(3.0 * light) : HLG_A * log(12.0 * light - HLG_B) + HLG_C;
}

double pixel_light_system_gamma(double peak_cd_m2)
{
    const double peak = (peak_cd_m2 == 0.0 ? 1000.0 : peak_cd_m2) / 1000.0;
    return peak >= 0.4 && peak <= 2.0 ? 1.2 + 0.42 * log10(peak) : 1.2 * pow(1.111, log2(peak));
}

struct transfer {
    double (*decode)(double encoded);
    double (*encode)(double light);
    uint32_t octaves; /* of the table: where it begins, the function is a line to 0 */
    double line_end; /* at least where the table begins; a line to 0 up to here */
};

/* PQ's and HLG's tables begin below 0.02 levels of 10 bits. */
static struct transfer transfer_of(int32_t which)
{
    const double begin = 1.0 / (1ull << PIXEL_LIGHT_OCTAVES);
    switch (which) {
    case IMAGE_LIGHT_PQ:
        return (struct transfer){pq_decode, pq_encode, PIXEL_LIGHT_OCTAVES, begin};
    case IMAGE_LIGHT_HLG:
    case IMAGE_LIGHT_HLG_BLUE_FIRST:
        return (struct transfer){hlg_decode, hlg_encode, PIXEL_LIGHT_OCTAVES, begin};
    default:
        return (struct transfer){srgb_decode, srgb_encode, SRGB_OCTAVES, SRGB_LINEAR_END};
    }
}

/* ---- A display's samples --------------------------------------------------------------------- */

static double sampled_decode(const float *samples, uint32_t count, double encoded)
{
    const double place = encoded * (count - 1);
    const uint32_t below = place < count - 2 ? (uint32_t)place : count - 2;
    const double part = place - below;
    return (1.0 - part) * (double)samples[below] + part * (double)samples[below + 1];
}

/* The lowest value that gives the light. */
static float sampled_encode(const float *samples, uint32_t count, float light)
{
    uint32_t low = 0;
    uint32_t high = count - 2;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (samples[middle + 1] >= light) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    const float step = samples[low + 1] - samples[low];
    const float above = light - samples[low];
    const float part = above > 0.0f && step > 0.0f ? fminf(above / step, 1.0f) : 0.0f;
    return ((float)low + part) / (float)(count - 1);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static double decode(const struct pixel_transfer *transfer, double encoded)
{
    switch (transfer->light) {
    case IMAGE_LIGHT_STORED:
        return encoded;
    case IMAGE_LIGHT_GAMMA:
        return pow(encoded, (double)transfer->value);
    case IMAGE_LIGHT_TABLE:
        return sampled_decode(transfer->samples, (uint32_t)transfer->value, encoded);
    default:
        return transfer_of(transfer->light).decode(encoded);
    }
}

static double encode(const struct pixel_transfer *transfer, double light)
{
    return transfer->light == IMAGE_LIGHT_GAMMA ? pow(light, 1.0 / (double)transfer->value)
                                                : transfer_of(transfer->light).encode(light);
}

/* Fills octave by octave; a gamma of 3 is below 0.1 levels of 10 bits where they begin. A display's
 * samples are looked up instead. */
static void fill_levels(struct pixel_light *light, const struct pixel_transfer *transfer)
{
    struct transfer t = transfer_of(transfer->light);
    if (transfer->light == IMAGE_LIGHT_GAMMA) {
        t.octaves = PIXEL_LIGHT_OCTAVES;
        t.line_end = 1.0 / (1ull << PIXEL_LIGHT_OCTAVES);
    }
    light->line_end = (float)t.line_end;
    light->line_slope = (float)(light->highest_level * (encode(transfer, t.line_end) / t.line_end));
    light->first_bits = (127u - t.octaves) << 23;
    for (uint32_t i = 0; i < t.octaves * PIXEL_LIGHT_STEPS + 2; i++) {
        const double value =
            (double)pixel_bits_float(light->first_bits + (i << PIXEL_LIGHT_STEP_BITS));
        light->level[i] = (float)(light->highest_level * encode(transfer, value));
    }
}

static void fill(struct pixel_light *light, float *light_of, const struct pixel_transfer *transfer)
{
    light->system_gamma = image_light_is_hlg(transfer->light) ? transfer->value : 0.0f;
    light->blue_first = transfer->light == IMAGE_LIGHT_HLG_BLUE_FIRST;
    light->sample_count = 0;
    for (uint32_t i = 0; i <= light->highest_level; i++) {
        light_of[i] = (float)decode(transfer, (double)i / light->highest_level);
    }
    if (transfer->light == IMAGE_LIGHT_TABLE) {
        light->sample_count = (uint32_t)transfer->value;
        memmove(light->samples, transfer->samples, light->sample_count * sizeof light->samples[0]);
    } else if (transfer->light == IMAGE_LIGHT_STORED) {
        light->line_end = 1.0f;
        light->line_slope = (float)light->highest_level;
    } else {
        fill_levels(light, transfer);
    }
}

void pixel_light_init(struct pixel_light *light, enum fovea_format format,
                      const struct pixel_transfer *transfer)
{
    light->highest_level = format == FOVEA_FORMAT_A2B10G10R10 ? 1023 : 255;
    light->light_of_16_bits = NULL;
    fill(light, light->light, transfer);
}

void pixel_light_init_16_bits(struct pixel_light *light, float light_of[PIXEL_LIGHT_16_BITS],
                              const struct pixel_transfer *transfer)
{
    light->highest_level = PIXEL_LIGHT_16_BITS - 1;
    light->light_of_16_bits = light_of;
    fill(light, light_of, transfer);
}

static float level_of(const struct pixel_light *light, float value)
{
    const float clamped = value > 0.0f ? value < 1.0f ? value : 1.0f : 0.0f;
    if (light->sample_count > 0) {
        return (float)light->highest_level *
               sampled_encode(light->samples, light->sample_count, clamped);
    }
    if (clamped <= light->line_end) {
        return clamped * light->line_slope;
    }
    const uint32_t bits = pixel_float_bits(clamped) - light->first_bits;
    const uint32_t entry = bits >> PIXEL_LIGHT_STEP_BITS;
    const float part = (float)(bits & ((1u << PIXEL_LIGHT_STEP_BITS) - 1u)) *
                       (1.0f / (1u << PIXEL_LIGHT_STEP_BITS));
    const float below = light->level[entry];
    return below + part * (light->level[entry + 1] - below);
}

/* The display's luminance is the scene's to the power of the system gamma; colours keep their
 * ratios. Both ways each colour is multiplied by a power of the luminance that is at hand. */
static void apply_ootf(const struct pixel_light *light, float exponent, float *values,
                       uint32_t colors)
{
    float luminance = values[0];
    if (colors == 3) {
        luminance = IMAGE_LIGHT_RED * values[light->blue_first ? 2 : 0] +
                    IMAGE_LIGHT_GREEN * values[1] +
                    IMAGE_LIGHT_BLUE * values[light->blue_first ? 0 : 2];
    }
    const float factor = luminance > 0.0f ? powf(luminance, exponent) : 0.0f;
    for (uint32_t c = 0; c < colors; c++) {
        values[c] *= factor;
    }
}

static void scene_of_display(const struct pixel_light *light, float *values, uint32_t colors)
{
    for (uint32_t c = 0; c < colors; c++) {
        values[c] = values[c] > 0.0f ? values[c] < 2.0f ? values[c] : 2.0f : 0.0f;
    }
    apply_ootf(light, 1.0f / light->system_gamma - 1.0f, values, colors);
}

void pixel_light_from_levels(const struct pixel_light *light, float *values, uint32_t pixels,
                             uint32_t channels, uint32_t colors)
{
    const float *light_of = light->light_of_16_bits ? light->light_of_16_bits : light->light;
    for (uint32_t i = 0; i < pixels; i++, values += channels) {
        for (uint32_t c = 0; c < colors; c++) {
            values[c] = light_of[(uint32_t)values[c]];
        }
        if (light->system_gamma > 0.0f) {
            apply_ootf(light, light->system_gamma - 1.0f, values, colors);
        }
    }
}

void pixel_light_to_levels(const struct pixel_light *light, float *values, uint32_t pixels,
                           uint32_t channels, uint32_t colors)
{
    for (uint32_t i = 0; i < pixels; i++, values += channels) {
        if (light->system_gamma > 0.0f) {
            scene_of_display(light, values, colors);
        }
        for (uint32_t c = 0; c < colors; c++) {
            values[c] = level_of(light, values[c]);
        }
    }
}
