/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "white.h"

#include <math.h>
#include <string.h>

#define COLORS 4 /* of a mosaic's square, or of a pixel */
#define VALUES 65536
#define BRIGHT_PART 0.95

uint32_t white_channels(enum fovea_lightfield_format format)
{
    static const uint32_t channels[] = {0, 1, 3, 4, 1, 3, 4};
    return channels[format];
}

bool white_is_16_bit(enum fovea_lightfield_format format)
{
    return format >= FOVEA_LIGHTFIELD_FORMAT_R16;
}

static uint32_t value_at(const struct fovea_lightfield_raw *raw, const void *row, size_t index)
{
    uint32_t value = white_is_16_bit(raw->format) ? ((const uint16_t *)row)[index]
                                                  : ((const uint8_t *)row)[index];
    return value < raw->maximum ? value : raw->maximum;
}

static const void *row_of(const struct fovea_lightfield_raw *raw, size_t y)
{
    return (const uint8_t *)raw->data + (ptrdiff_t)y * raw->row_stride_bytes;
}

static uint32_t colors_of(const struct fovea_lightfield_raw *raw)
{
    const uint32_t channels = white_channels(raw->format);
    return channels < 3 ? channels : 3;
}

static int color_of(const struct fovea_lightfield_raw *raw, size_t x, size_t y, uint32_t channel)
{
    return raw->bayer != FOVEA_LIGHTFIELD_BAYER_NONE ? (int)(2 * (y & 1) + (x & 1)) : (int)channel;
}

/* ---- Levels */

/* Adds up the levels of each colour, and returns how many pixels are white. */
static size_t sum_levels(const struct fovea_lightfield_raw *white, float *levels,
                         double sums[COLORS])
{
    const uint32_t channels = white_channels(white->format);
    size_t full = 0;
    for (size_t y = 0; y < white->height_px; y++) {
        const void *row = row_of(white, y);
        for (size_t x = 0; x < white->width_px; x++) {
            uint32_t sum = 0;
            bool is_full = false;
            for (uint32_t c = 0; c < colors_of(white); c++) {
                const uint32_t value = value_at(white, row, x * channels + c);
                sum += value;
                is_full = is_full || value >= white->maximum;
            }
            const double level = (double)sum / (white->maximum * (double)colors_of(white));
            levels[y * white->width_px + x] = (float)level;
            sums[color_of(white, x, y, 0)] += level;
            full += is_full ? 1 : 0;
        }
    }
    return full;
}

double white_levels(const struct fovea_lightfield_raw *white, float *levels)
{
    double sums[COLORS] = {0.0};
    const size_t full = sum_levels(white, levels, sums);
    if (white->bayer != FOVEA_LIGHTFIELD_BAYER_NONE) {
        const double mean = (sums[0] + sums[1] + sums[2] + sums[3]) / COLORS;
        for (size_t y = 0; y < white->height_px; y++) {
            for (size_t x = 0; x < white->width_px; x++) {
                const double sum = sums[color_of(white, x, y, 0)];
                levels[y * white->width_px + x] *= (float)(sum > 0.0 ? mean / sum : 0.0);
            }
        }
    }
    return (double)full / ((double)white->width_px * white->height_px);
}

/* ---- Gains */

/* The value that a part of those from `first` on are below. */
static size_t quantile(const uint32_t *counts, size_t first, double part)
{
    uint64_t all = 0;
    uint64_t below = 0;
    for (size_t i = first; i < VALUES; i++) {
        all += counts[i];
    }
    size_t at = first;
    while (at < VALUES && (double)(below += counts[at]) < part * (double)all) {
        at++;
    }
    return at;
}

/* The median of what is in the light, above black: gaps between micro-images are not. */
static double level_of(const uint32_t *counts, double black)
{
    const double bright = (double)quantile(counts, 0, BRIGHT_PART) - black;
    return bright > 0.0 ? (double)quantile(counts, (size_t)(black + bright / 2.0), 0.5) - black
                        : 0.0;
}

static void count(const struct fovea_lightfield_raw *white, uint32_t *counts)
{
    const uint32_t channels = white_channels(white->format);
    memset(counts, 0, sizeof *counts * COLORS * VALUES);
    for (size_t y = 0; y < white->height_px; y++) {
        const void *row = row_of(white, y);
        for (size_t x = 0; x < white->width_px; x++) {
            for (uint32_t c = 0; c < colors_of(white); c++) {
                counts[VALUES * color_of(white, x, y, c) +
                       value_at(white, row, x * channels + c)]++;
            }
        }
    }
}

static uint16_t gain_of(double level, double lit, double gain_max)
{
    const double gain = level * gain_max > lit ? lit / level : gain_max;
    return (uint16_t)lrint(gain * WHITE_GAIN_ONE);
}

bool white_gains(const struct fovea_lightfield_raw *white, double black, double gain_max,
                 uint32_t *scratch, uint16_t *gains)
{
    const uint32_t channels = white_channels(white->format);
    const int kinds = white->bayer != FOVEA_LIGHTFIELD_BAYER_NONE ? COLORS : (int)colors_of(white);
    double lit[COLORS];
    count(white, scratch);
    for (int i = 0; i < kinds; i++) {
        lit[i] = level_of(scratch + (size_t)VALUES * i, black);
        if (!(lit[i] > 0.0)) {
            return false;
        }
    }
    for (size_t y = 0; y < white->height_px; y++) {
        const void *row = row_of(white, y);
        for (size_t x = 0; x < white->width_px; x++) {
            for (uint32_t c = 0; c < colors_of(white); c++) {
                *gains++ = gain_of(value_at(white, row, x * channels + c) - black,
                                   lit[color_of(white, x, y, c)], gain_max);
            }
        }
    }
    return true;
}

/* ---- Division */

static uint32_t divided(double value, uint16_t gain, uint32_t most)
{
    const double made = value * gain / WHITE_GAIN_ONE;
    return made <= 0.0 ? 0 : made >= most ? most : (uint32_t)(made + 0.5);
}

static void write_value(const struct fovea_lightfield_raw *raw, void *row, size_t index,
                        uint32_t value)
{
    if (white_is_16_bit(raw->format)) {
        ((uint16_t *)row)[index] = (uint16_t)value;
    } else {
        ((uint8_t *)row)[index] = (uint8_t)value;
    }
}

void white_divide(const struct fovea_lightfield_raw *raw, double black, const uint16_t *gains,
                  void *out, ptrdiff_t out_stride_bytes)
{
    const uint32_t channels = white_channels(raw->format);
    const uint32_t colors = colors_of(raw);
    for (size_t y = 0; y < raw->height_px; y++) {
        const void *from = row_of(raw, y);
        void *to = (uint8_t *)out + (ptrdiff_t)y * out_stride_bytes;
        for (size_t x = 0; x < raw->width_px; x++) {
            const size_t at = x * channels;
            for (uint32_t c = 0; c < colors; c++) {
                write_value(raw, to, at + c,
                            divided(value_at(raw, from, at + c) - black, *gains++, raw->maximum));
            }
            if (channels == 4) {
                write_value(raw, to, at + 3,
                            white_is_16_bit(raw->format) ? ((const uint16_t *)from)[at + 3]
                                                         : ((const uint8_t *)from)[at + 3]);
            }
        }
    }
}
