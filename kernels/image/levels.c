/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "levels.h"

#include "light.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIXELS 64 /* at a time */
#define MAX_CHANNELS 4
#define HIGHEST ((float)(PIXEL_LIGHT_16_BITS - 1))

/* ---- Light ---- */

enum fovea_result levels_light_create(const struct fovea_foveation *foveation,
                                      struct levels_light **out_light)
{
    struct levels_light *light = calloc(1, sizeof *light);
    *out_light = light;
    if (!light) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const int32_t kind = pixel_light_of_settings(foveation);
    light->transfer = (struct pixel_transfer){.light = kind,
                                              .value = pixel_light_value(kind, &foveation->display),
                                              .samples = light->curve.samples};
    pixel_light_fill_samples(kind, &foveation->display, light->curve.samples);
    pixel_light_init_16_bits(&light->curve, light->light_of, &light->transfer);
    return FOVEA_OK;
}

bool levels_light_fits(const struct levels_light *light, const struct fovea_foveation *foveation)
{
    const int32_t kind = pixel_light_of_settings(foveation);
    return light->transfer.light == kind &&
           light->transfer.value == pixel_light_value(kind, &foveation->display) &&
           pixel_light_fills_samples(kind, &foveation->display, light->curve.samples);
}

void levels_light_of_color(const struct levels_light *light, float color[3])
{
    for (int c = 0; c < 3; c++) {
        color[c] = floorf(color[c] * HIGHEST + 0.5f);
    }
    pixel_light_from_levels(&light->curve, color, 1, 3, 3);
}

float levels_light_most(const struct levels_light *light)
{
    const float gamma = light->curve.system_gamma;
    return gamma > 0.0f && gamma < 1.0f ? powf(IMAGE_LIGHT_BLUE, gamma - 1.0f) : 1.0f;
}

/* ---- Rows ---- */

struct levels_side levels_side_of(const struct fovea_image *first, ptrdiff_t next_bytes,
                                  ptrdiff_t plane_bytes)
{
    const struct pixel_codec *codec = pixel_codec_of(first->format);
    const ptrdiff_t own = (ptrdiff_t)(plane_bytes != 0 ? codec->align_bytes : codec->bytes);
    return (struct levels_side){
        .first = (uintptr_t)first->data,
        .channel_bytes = plane_bytes != 0 ? plane_bytes : (ptrdiff_t)codec->align_bytes,
        .pixel_bytes = first->pixel_stride_bytes ? first->pixel_stride_bytes : own,
        .row_bytes = first->row_stride_bytes,
        .next_bytes = next_bytes,
    };
}

/* A part of a row. */
struct part {
    int64_t image, y, x;
    uint32_t count; /* pixels */
    uint32_t channels, colors;
};

static char *place_of(const struct levels_side *side, const struct part *part)
{
    return (char *)(uintptr_t)(side->first +
                               (uint64_t)(part->image * side->next_bytes +
                                          part->y * side->row_bytes + part->x * side->pixel_bytes));
}

static void load_levels(const struct levels_side *side, const struct part *part, uint16_t *out)
{
    const char *pixel = place_of(side, part);
    for (uint32_t i = 0; i < part->count; i++, pixel += side->pixel_bytes) {
        for (uint32_t c = 0; c < part->channels; c++) {
            memcpy(out++, pixel + c * side->channel_bytes, sizeof *out);
        }
    }
}

static void light_of_levels(const struct levels_light *light, const struct part *part,
                            const uint16_t *levels, float *out)
{
    const uint32_t count = part->count * part->channels;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = levels[i];
    }
    pixel_light_from_levels(&light->curve, out, part->count, part->channels, part->colors);
    for (uint32_t i = part->colors; part->channels > part->colors && i < count;
         i += part->channels) {
        out[i] /= HIGHEST;
    }
}

static void pack(const struct levels *levels, const struct levels_light *light,
                 const struct part *part)
{
    uint16_t of[PIXELS * MAX_CHANNELS];
    float made[PIXELS * MAX_CHANNELS];
    load_levels(&levels->src, part, of);
    light_of_levels(light, part, of, made);
    memcpy(place_of(&levels->floats, part), made, part->count * part->channels * sizeof *made);
}

static uint16_t rounded(float level)
{
    const float clamped = level > 0.0f ? level < HIGHEST ? level : HIGHEST : 0.0f;
    return (uint16_t)(clamped + 0.5f);
}

static void unpack(const struct levels *levels, const struct levels_light *light,
                   const struct part *part)
{
    uint16_t before[PIXELS * MAX_CHANNELS];
    float given[PIXELS * MAX_CHANNELS] = {0};
    float seen[PIXELS * MAX_CHANNELS] = {0};
    float made[PIXELS * MAX_CHANNELS];
    const uint32_t channels = part->channels;
    load_levels(&levels->src, part, before);
    light_of_levels(light, part, before, given);
    memcpy(seen, place_of(&levels->floats, part), part->count * channels * sizeof *seen);
    memcpy(made, seen, sizeof made);
    pixel_light_to_levels(&light->curve, made, part->count, channels, part->colors);
    char *pixel = place_of(&levels->dst, part);
    for (uint32_t i = 0; i < part->count; i++, pixel += levels->dst.pixel_bytes) {
        for (uint32_t c = 0; c < channels; c++) {
            const uint32_t at = i * channels + c;
            const float level = c < part->colors ? made[at] : seen[at] * HIGHEST;
            const uint16_t value = seen[at] == given[at] ? before[at] : rounded(level);
            memcpy(pixel + c * levels->dst.channel_bytes, &value, sizeof value);
        }
    }
}

static void convert(const struct levels *levels, const struct levels_light *light, int64_t first,
                    int64_t end,
                    void (*run)(const struct levels *, const struct levels_light *,
                                const struct part *))
{
    struct part part = {.channels = (uint32_t)levels->channels,
                        .colors = levels->channels == 1 ? 1 : 3};
    for (int64_t row = first; row < end; row++) {
        part.image = row / levels->height_px;
        part.y = row % levels->height_px;
        for (part.x = 0; part.x < levels->width_px; part.x += PIXELS) {
            const int64_t left = levels->width_px - part.x;
            part.count = (uint32_t)(left < PIXELS ? left : PIXELS);
            run(levels, light, &part);
        }
    }
}

void levels_pack(const struct levels *levels, const struct levels_light *light, int64_t first,
                 int64_t end)
{
    convert(levels, light, first, end, pack);
}

void levels_unpack(const struct levels *levels, const struct levels_light *light, int64_t first,
                   int64_t end)
{
    convert(levels, light, first, end, unpack);
}
