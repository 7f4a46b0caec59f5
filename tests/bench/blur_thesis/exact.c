/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Kernels */

struct exact_blur exact_gaussian(double sigma_px)
{
    struct exact_blur blur = {.kind = EXACT_LINES};
    double sum = 0.0;
    blur.taps = 2 * ((int32_t)ceil(6.0 * sigma_px) / 2) + 1;
    for (int32_t i = 0; i < blur.taps; i++) {
        const double from = i - blur.taps / 2;
        blur.weights[i] = exp(-0.5 * from * from / (sigma_px * sigma_px));
        sum += blur.weights[i];
    }
    for (int32_t i = 0; i < blur.taps; i++) {
        blur.weights[i] /= sum;
    }
    return blur;
}

static void convolve_by_box(struct exact_blur *blur, int32_t width)
{
    double made[EXACT_TAPS] = {0.0};
    for (int32_t i = 0; i < blur->taps; i++) {
        for (int32_t j = 0; j < width; j++) {
            made[i + j] += blur->weights[i] / width;
        }
    }
    blur->taps += width - 1;
    memcpy(blur->weights, made, sizeof made);
}

struct exact_blur exact_boxes(const int32_t *widths, int32_t count)
{
    struct exact_blur blur = {.kind = EXACT_BOXES, .taps = 1, .weights = {1.0}};
    for (int32_t i = 0; i < count; i++) {
        convolve_by_box(&blur, widths[i]);
    }
    blur.border_px = blur.taps / 2;
    return blur;
}

struct exact_blur exact_tent(int32_t radius_px)
{
    struct exact_blur blur = {
        .kind = EXACT_BOXES, .taps = 2 * radius_px - 1, .border_px = 2 * radius_px};
    for (int32_t i = 0; i < blur.taps; i++) {
        const double from = abs(i - blur.taps / 2);
        blur.weights[i] = (radius_px - from) / ((double)radius_px * radius_px);
    }
    return blur;
}

double exact_sigma(const struct exact_blur *blur)
{
    double variance = 0.0;
    for (int32_t i = 0; i < blur->taps; i++) {
        const double from = i - blur->taps / 2;
        variance += from * from * blur->weights[i];
    }
    return sqrt(variance);
}

/* ---- Pixels */

static int32_t place_in(int32_t at, int32_t side_px, bool cyclic)
{
    if (cyclic) {
        return ((at % side_px) + side_px) % side_px;
    }
    return at < 0 ? 0 : at >= side_px ? side_px - 1 : at;
}

static double value_at(const float *src, int32_t side_px, int32_t x, int32_t y, int channel)
{
    return src[((size_t)y * (size_t)side_px + (size_t)x) * 4 + (size_t)channel];
}

static double by_lines(const struct exact_blur *blur, const float *src, int32_t side_px, int32_t x,
                       int32_t y, int channel)
{
    const bool cyclic = blur->kind == EXACT_CYCLIC;
    double sum = 0.0;
    for (int32_t j = 0; j < blur->taps; j++) {
        const int32_t py = place_in(y + j - blur->taps / 2, side_px, cyclic);
        for (int32_t i = 0; i < blur->taps; i++) {
            const int32_t px = place_in(x + i - blur->taps / 2, side_px, cyclic);
            sum += blur->weights[j] * blur->weights[i] * value_at(src, side_px, px, py, channel);
        }
    }
    return sum;
}

/* ---- Diffusion: of what lies so near that it counts */

struct crop {
    int32_t side, x, y; /* its first pixel */
    double *now, *next;
};

static double of_crop(const struct crop *crop, int32_t side_px, int32_t x, int32_t y)
{
    const int32_t px = place_in(crop->x + x, side_px, false) - crop->x;
    const int32_t py = place_in(crop->y + y, side_px, false) - crop->y;
    const bool inside = px >= 0 && py >= 0 && px < crop->side && py < crop->side;
    return inside ? crop->now[py * crop->side + px] : 0.0;
}

/* So much at the rim counts no more. */
static void diffuse_once(struct crop *crop, int32_t side_px, int32_t rim)
{
    for (int32_t y = rim; y < crop->side - rim; y++) {
        for (int32_t x = rim; x < crop->side - rim; x++) {
            crop->next[y * crop->side + x] =
                0.25 * (of_crop(crop, side_px, x - 1, y) + of_crop(crop, side_px, x + 1, y) +
                        of_crop(crop, side_px, x, y - 1) + of_crop(crop, side_px, x, y + 1));
        }
    }
    double *made = crop->next;
    crop->next = crop->now;
    crop->now = made;
}

static double by_diffusion(const struct exact_blur *blur, const float *src, int32_t side_px,
                           int32_t x, int32_t y, int channel)
{
    const int32_t reach = blur->levels + 1;
    struct crop crop = {.side = 2 * reach + 1, .x = x - reach, .y = y - reach};
    const size_t count = (size_t)crop.side * (size_t)crop.side;
    double result = NAN;
    double *planes = calloc(2 * count, sizeof *planes);
    crop.now = planes;
    crop.next = planes ? planes + count : NULL;
    for (int32_t i = 0; planes && i < crop.side * crop.side; i++) {
        const int32_t px = place_in(crop.x + i % crop.side, side_px, false);
        const int32_t py = place_in(crop.y + i / crop.side, side_px, false);
        crop.now[i] = value_at(src, side_px, px, py, channel);
    }
    for (int32_t i = 0; planes && i < blur->levels; i++) {
        diffuse_once(&crop, side_px, i + 1);
    }
    if (planes) {
        result = crop.now[reach * crop.side + reach];
    }
    free(planes);
    return result;
}

double exact_at(const struct exact_blur *blur, const float *src, int32_t side_px, int32_t x,
                int32_t y, int channel)
{
    switch (blur->kind) {
    case EXACT_COPY:
        return value_at(src, side_px, x, y, channel);
    case EXACT_DIFFUSION:
        return by_diffusion(blur, src, side_px, x, y, channel);
    default:
        return by_lines(blur, src, side_px, x, y, channel);
    }
}

/* ---- Pyramids: lines of a picture, one axis after the other */

/* Weights of a coarse pixel X for the fine pixels from 2 X - 1 on. */
static const double analyses[][4] = {[PYRAMID_BOX_2] = {0.0, 0.5, 0.5, 0.0},
                                     [PYRAMID_QUASI] = {13.0 / 64, 19.0 / 64, 19.0 / 64, 13.0 / 64},
                                     [PYRAMID_BOX_4] = {0.25, 0.25, 0.25, 0.25}};

double exact_pyramid_sigma(enum exact_pyramid kind, int32_t levels)
{
    static const double variances[] = {0.25, 17.0 / 16.0, 1.25};
    return sqrt((variances[kind] + 0.75) * (pow(4.0, levels) - 1.0) / 3.0);
}

/* Returns what a coarse pixel has of a line of fine ones. The 4x4 box in two passes ends at the
 * coarse level's last pixel, which then counts twice. */
static double down_at(enum exact_pyramid kind, const double *line, size_t stride, int32_t length,
                      int32_t at)
{
    double sum = 0.0;
    for (int32_t i = 0; i < 4; i++) {
        int32_t from = 2 * at - 1 + i;
        if (kind == PYRAMID_BOX_4 && at == length / 2 - 1 && i >= 2) {
            from -= 2;
        }
        sum += analyses[kind][i] * line[(size_t)place_in(from, length, false) * stride];
    }
    return sum;
}

/* Three quarters of the nearest, a quarter of the next. */
static double up_at(const double *line, size_t stride, int32_t length, int32_t at)
{
    const int32_t near = at / 2;
    const int32_t far = place_in(at % 2 == 0 ? near - 1 : near + 1, length, false);
    return 0.75 * line[(size_t)near * stride] + 0.25 * line[(size_t)far * stride];
}

/* Both axes: side to side / 2, or to side * 2. */
static void resample(const struct exact_blur *blur, const double *from, int32_t side, bool down,
                     double *between, double *out)
{
    const int32_t made = down ? side / 2 : side * 2;
    for (int32_t y = 0; y < side; y++) {
        for (int32_t x = 0; x < made; x++) {
            const double *line = from + (size_t)y * (size_t)side;
            between[(size_t)y * (size_t)made + (size_t)x] =
                down ? down_at(blur->pyramid, line, 1, side, x) : up_at(line, 1, side, x);
        }
    }
    for (int32_t y = 0; y < made; y++) {
        for (int32_t x = 0; x < made; x++) {
            out[(size_t)y * (size_t)made + (size_t)x] =
                down ? down_at(blur->pyramid, between + x, (size_t)made, side, y)
                     : up_at(between + x, (size_t)made, side, y);
        }
    }
}

double *exact_pyramid_of(const struct exact_blur *blur, const float *src, int32_t side_px,
                         int channel)
{
    const size_t count = (size_t)side_px * (size_t)side_px;
    double *planes = calloc(2 * count, sizeof *planes);
    if (!planes) {
        return NULL;
    }
    int32_t side = side_px;
    for (size_t i = 0; i < count; i++) {
        planes[i] = src[4 * i + (size_t)channel];
    }
    for (int32_t level = 0; level < blur->levels; level++, side /= 2) {
        resample(blur, planes, side, true, planes + count, planes);
    }
    for (int32_t level = 0; level < blur->levels; level++, side *= 2) {
        resample(blur, planes, side, false, planes + count, planes);
    }
    return planes;
}
