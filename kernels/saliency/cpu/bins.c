/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "saliency_cpu.h"

#include "kernels/image/pixel.h"

#include <string.h>

struct saliency_range saliency_range_of(enum fovea_format format)
{
    switch (format) {
    case FOVEA_FORMAT_RGBA8:
    case FOVEA_FORMAT_RGB8:
    case FOVEA_FORMAT_R8:
        return (struct saliency_range){255.0f, 2.0f};
    case FOVEA_FORMAT_A2B10G10R10:
        return (struct saliency_range){1023.0f, 8.0f};
    default:
        return (struct saliency_range){1.0f, 1.0f / SALIENCY_BINS};
    }
}

/* NaN is 0. */
static inline float within(float value, float most)
{
    const float above = value > 0.0f ? value : 0.0f;
    return above < most ? above : most;
}

static inline unsigned char bin_of(float value, float bin)
{
    const int32_t number = (int32_t)(value / bin);
    return (unsigned char)(number < SALIENCY_BINS ? number : SALIENCY_BINS - 1);
}

/* Whole levels stay exact: their sums and what they are divided by are. */
static void fill_row(const struct saliency_cpu *cpu, const struct saliency_range *range,
                     const float *colors, unsigned char *const *out)
{
    for (int32_t x = 0; x < cpu->plan->width_px; x++) {
        const float r = within(colors[3 * x], range->most);
        const float g = within(colors[3 * x + 1], range->most);
        const float b = within(colors[3 * x + 2], range->most);
        out[0][x] = bin_of(r + g + b, 3.0f * range->bin);
        out[1][x] = bin_of(r - b + range->most, 2.0f * range->bin);
        out[2][x] = bin_of(2.0f * g - r - b + 2.0f * range->most, 4.0f * range->bin);
    }
}

static void fill_row_grey(const struct saliency_cpu *cpu, const struct saliency_range *range,
                          const float *values, unsigned char *out)
{
    for (int32_t x = 0; x < cpu->plan->width_px; x++) {
        const float value = within(values[x], range->most);
        out[x] = bin_of(value + value + value, 3.0f * range->bin);
    }
}

void saliency_cpu_bins_row(struct saliency_cpu *cpu, int32_t y, float *colors)
{
    const struct pixel_codec *codec = pixel_codec_of(cpu->src.format);
    const struct pixel_row row = pixel_row_of(&cpu->src, codec, 0, y, cpu->plan->width_px);
    const struct saliency_range range = saliency_range_of(cpu->src.format);
    const int32_t width = cpu->plan->width_px;
    unsigned char *out[SALIENCY_CHANNELS];
    for (uint32_t i = 0; i < SALIENCY_CHANNELS; i++) {
        out[i] = saliency_cpu_bins_at(cpu, i < cpu->channels ? i : 0, y);
    }
    codec->decode(&row, codec->color_channels, colors);
    if (cpu->channels == 1) {
        fill_row_grey(cpu, &range, colors, out[0]);
    } else {
        fill_row(cpu, &range, colors, out);
    }
    for (uint32_t i = 0; i < cpu->channels; i++) {
        memset(out[i] - SALIENCY_FINE_REACH, out[i][0], SALIENCY_FINE_REACH);
        memset(out[i] + width, out[i][width - 1], SALIENCY_FINE_REACH);
    }
}

void saliency_cpu_bins_ends(struct saliency_cpu *cpu)
{
    const int32_t height = cpu->plan->height_px;
    for (uint32_t i = 0; i < cpu->channels; i++) {
        for (int32_t y = 1; y <= SALIENCY_FINE_REACH; y++) {
            const ptrdiff_t left = -SALIENCY_FINE_REACH;
            memcpy(saliency_cpu_bins_at(cpu, i, -y) + left, saliency_cpu_bins_at(cpu, i, 0) + left,
                   (size_t)cpu->bin_pitch);
            memcpy(saliency_cpu_bins_at(cpu, i, height - 1 + y) + left,
                   saliency_cpu_bins_at(cpu, i, height - 1) + left, (size_t)cpu->bin_pitch);
        }
    }
}

/* A counting sort. */
void saliency_cpu_order(struct saliency_cpu *cpu, uint32_t channel)
{
    const int32_t width = cpu->plan->width_px;
    uint32_t next[SALIENCY_BINS];
    uint32_t *start = cpu->start[channel];
    memset(start, 0, sizeof cpu->start[channel]);
    for (int32_t y = 0; y < cpu->plan->height_px; y++) {
        const unsigned char *bins = saliency_cpu_bins_at(cpu, channel, y);
        for (int32_t x = 0; x < width; x++) {
            start[bins[x] + 1]++;
        }
    }
    for (uint32_t v = 0; v < SALIENCY_BINS; v++) {
        start[v + 1] += start[v];
        next[v] = start[v];
    }
    for (int32_t y = 0; y < cpu->plan->height_px; y++) {
        const unsigned char *bins = saliency_cpu_bins_at(cpu, channel, y);
        for (int32_t x = 0; x < width; x++) {
            cpu->order[channel][next[bins[x]]++] =
                (struct saliency_place){(uint16_t)x, (uint16_t)y};
        }
    }
}
