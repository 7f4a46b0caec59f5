/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* pixel_light.h's light of settings, and of both depths. */

#include "light.h"
#include "pixel_light.h"

int32_t pixel_light_of(enum fovea_light light, enum fovea_transfer transfer)
{
    if (light == FOVEA_LIGHT_ENCODED) {
        return IMAGE_LIGHT_STORED;
    }
    if (transfer == FOVEA_TRANSFER_SRGB && light == FOVEA_LIGHT_GAMMA) {
        return IMAGE_LIGHT_GAMMA;
    }
    if (transfer == FOVEA_TRANSFER_SRGB && light == FOVEA_LIGHT_TABLE) {
        return IMAGE_LIGHT_TABLE;
    }
    return IMAGE_LIGHT_SRGB + (int32_t)transfer;
}

int32_t pixel_light_of_settings(const struct fovea_foveation *foveation)
{
    return foveation->light == FOVEA_LIGHT_AUTO && foveation->method == FOVEA_METHOD_BLOCKWISE
               ? IMAGE_LIGHT_STORED
               : pixel_light_of(foveation->light, foveation->transfer);
}

float pixel_light_value(int32_t light, const struct fovea_display *display)
{
    switch (light) {
    case IMAGE_LIGHT_HLG:
        return (float)pixel_light_system_gamma(display->hlg_peak_cd_m2);
    case IMAGE_LIGHT_GAMMA:
        return display->gamma == 0.0 ? 2.2f : (float)display->gamma;
    case IMAGE_LIGHT_TABLE:
        return (float)display->table_count;
    default:
        return 0.0f;
    }
}

uint32_t pixel_light_samples(int32_t light, const struct fovea_display *display)
{
    return light == IMAGE_LIGHT_TABLE ? display->table_count : 0;
}

static float sample_of(const struct fovea_display *display, uint32_t i)
{
    const double black = (double)display->table[0];
    const double white = (double)display->table[display->table_count - 1];
    return (float)(((double)display->table[i] - black) / (white - black));
}

void pixel_light_fill_samples(int32_t light, const struct fovea_display *display,
                              float *out_samples)
{
    const uint32_t count = pixel_light_samples(light, display);
    for (uint32_t i = 0; i < count; i++) {
        out_samples[i] = sample_of(display, i);
    }
}

bool pixel_light_fills_samples(int32_t light, const struct fovea_display *display,
                               const float *samples)
{
    const uint32_t count = pixel_light_samples(light, display);
    bool same = true;
    for (uint32_t i = 0; i < count && same; i++) {
        same = samples[i] == sample_of(display, i);
    }
    return same;
}

void pixel_lights_init(struct pixel_lights *lights, const struct pixel_transfer *transfer)
{
    struct pixel_transfer own = *transfer;
    own.light = own.light == IMAGE_LIGHT_STORED ? IMAGE_LIGHT_SRGB : own.light;
    pixel_light_init(&lights->bits8, FOVEA_FORMAT_RGBA8, &own);
    pixel_light_init(&lights->bits10, FOVEA_FORMAT_A2B10G10R10, &own);
}

void pixel_lights_order(struct pixel_lights *lights, int32_t light)
{
    lights->bits8.blue_first = light == IMAGE_LIGHT_HLG_BLUE_FIRST;
    lights->bits10.blue_first = lights->bits8.blue_first;
}

const struct pixel_light *pixel_lights_get(const struct pixel_lights *lights, int32_t light,
                                           enum fovea_format format)
{
    if (!light || !pixel_light_known(format)) {
        return NULL;
    }
    return format == FOVEA_FORMAT_A2B10G10R10 ? &lights->bits10 : &lights->bits8;
}
