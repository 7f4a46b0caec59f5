/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "paint.h"
#include "tests/support/random.h"

#include <math.h>
#include <stdbool.h>

#define PI 3.14159265358979323846

static double mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

static double clamp01(double v)
{
    return v < 0.0 ? 0.0 : v > 1.0 ? 1.0 : v;
}

static void grey(double value, double out_rgb[3])
{
    out_rgb[0] = out_rgb[1] = out_rgb[2] = clamp01(value);
}

/* Noise that is smooth over cells of `cell_px`, 0..1. */
static double smooth_noise(double x, double y, double cell_px, uint64_t seed)
{
    /* Far from zero, so that the cells' numbers are positive. */
    const double u = x / cell_px + 4096.0;
    const double v = y / cell_px + 4096.0;
    const uint64_t i = (uint64_t)u;
    const uint64_t j = (uint64_t)v;
    double s = u - (double)i;
    double t = v - (double)j;
    s = s * s * (3.0 - 2.0 * s);
    t = t * t * (3.0 - 2.0 * t);
    return mix(mix(random_hash(i, j, seed), random_hash(i + 1, j, seed), s),
               mix(random_hash(i, j + 1, seed), random_hash(i + 1, j + 1, seed), s), t);
}

/* Octaves down to a pixel, each with `fall` of the one before. */
static double fractal(double x, double y, double cell_px, double fall, uint64_t seed)
{
    double sum = 0.0;
    double weight = 1.0;
    double weights = 0.0;
    for (double cell = cell_px; cell >= 1.0; cell *= 0.5, weight *= fall) {
        sum += weight * smooth_noise(x, y, cell, seed + (uint64_t)cell);
        weights += weight;
    }
    return sum / weights;
}

void paint_white_noise(const struct place *at, double out_rgb[3])
{
    for (uint64_t c = 0; c < 3; c++) {
        out_rgb[c] = random_hash(at->x | (uint64_t)at->y << 32, c, at->seed);
    }
}

void paint_binary_noise(const struct place *at, double out_rgb[3])
{
    grey(random_hash(at->x | (uint64_t)at->y << 32, 3, at->seed) < 0.5 ? 0.0 : 1.0, out_rgb);
}

void paint_dark_noise(const struct place *at, double out_rgb[3])
{
    paint_white_noise(at, out_rgb);
    for (int c = 0; c < 3; c++) {
        out_rgb[c] *= 12.0 / 255.0;
    }
}

void paint_pink_noise(const struct place *at, double out_rgb[3])
{
    for (uint64_t c = 0; c < 3; c++) {
        const double value = fractal(at->x, at->y, 128.0, 0.8, at->seed * 8 + c);
        out_rgb[c] = clamp01(0.5 + 2.5 * (value - 0.5));
    }
}

void paint_checker(const struct place *at, double out_rgb[3])
{
    grey((at->x / at->seed + at->y / at->seed) % 2 ? 1.0 : 0.0, out_rgb);
}

void paint_rows(const struct place *at, double out_rgb[3])
{
    grey(at->y / at->seed % 2 ? 1.0 : 0.0, out_rgb);
}

void paint_columns(const struct place *at, double out_rgb[3])
{
    grey(at->x / at->seed % 2 ? 1.0 : 0.0, out_rgb);
}

void paint_dots(const struct place *at, double out_rgb[3])
{
    const bool dot = random_hash(at->x, at->y, 77) < 0.01;
    grey(dot != (at->seed != 0) ? 1.0 : 0.0, out_rgb);
}

void paint_zone_plate(const struct place *at, double out_rgb[3])
{
    const double x = at->x - 0.5 * at->width;
    const double y = at->y - 0.5 * at->height;
    for (int c = 0; c < 3; c++) {
        const double phase = at->seed ? c * 2.0 * PI / 3.0 : 0.0;
        out_rgb[c] = 0.5 + 0.5 * cos(PI * (x * x + y * y) / at->width + phase);
    }
}

void paint_star(const struct place *at, double out_rgb[3])
{
    const double angle = atan2(at->y - 0.45 * at->height, at->x - 0.55 * at->width);
    grey(sin(72.0 * angle) > 0.0 ? 1.0 : 0.0, out_rgb);
}

void paint_gradient(const struct place *at, double out_rgb[3])
{
    const double x = (double)at->x / at->width;
    const double y = (double)at->y / at->height;
    out_rgb[0] = at->seed ? x : 0.2 + 0.02 * x;
    out_rgb[1] = at->seed ? y : 0.2 + 0.02 * x;
    out_rgb[2] = at->seed ? 0.5 * (2.0 - x - y) : 0.2 + 0.02 * x;
}

void paint_colour_bars(const struct place *at, double out_rgb[3])
{
    const uint32_t bar = at->x * 8 / at->width;
    const double level = at->y * 2 < at->height ? 1.0 : 0.75;
    for (uint32_t c = 0; c < 3; c++) {
        out_rgb[c] = bar >> c & 1u ? level : 0.0;
    }
}

/* Each edge flips what lies on one side of it. */
void paint_edges(const struct place *at, double out_rgb[3])
{
    for (uint64_t c = 0; c < 3; c++) {
        uint32_t side = 0;
        for (uint64_t i = 0; i < 9; i++) {
            const double angle = PI * ((double)i + (double)c / 3.0) / 9.0;
            const double from_x = at->x - at->width * random_hash(i, c, at->seed);
            const double from_y = at->y - at->height * random_hash(i, c + 3, at->seed);
            side += cos(angle) * from_x + sin(angle) * from_y > 0.0;
        }
        out_rgb[c] = side % 2 ? 0.95 : 0.05;
    }
}

void paint_discs(const struct place *at, double out_rgb[3])
{
    grey(0.5, out_rgb);
    for (uint64_t i = 0; i < 60; i++) {
        const double x = at->x - at->width * random_hash(i, 0, at->seed);
        const double y = at->y - at->height * random_hash(i, 1, at->seed);
        const double radius = at->width * (0.003 + 0.06 * pow(random_hash(i, 2, at->seed), 3.0));
        if (x * x + y * y < radius * radius) {
            for (uint64_t c = 0; c < 3; c++) {
                out_rgb[c] = random_hash(i, 3 + c, at->seed);
            }
        }
    }
}

void paint_strokes(const struct place *at, double out_rgb[3])
{
    const uint32_t x = at->x % 7;
    const uint32_t y = at->y % 11;
    const uint64_t cell = at->x / 7 | (uint64_t)(at->y / 11) << 32;
    const double ink = at->seed % 2 ? 1.0 : 0.0;
    const int blank = x == 6 || y > 8 || random_hash(cell, 0, at->seed) < 0.15;
    const int stroke =
        random_hash(cell, 1 + x, at->seed) < 0.4 || random_hash(cell, 9 + y, at->seed) < 0.25;
    grey(!blank && stroke ? ink : 1.0 - ink, out_rgb);
}

/* ---- A landscape: sky, ridges one before the other, each with a texture and its own haze;
 * trunks. */

static double ridge_y(const struct place *at, uint64_t i)
{
    const double base = 0.3 + 0.16 * (double)i;
    const double wave = fractal(at->x, 17.0 * (double)i, at->width * 0.3, 0.55, at->seed * 16 + i);
    return at->height * (base + 0.35 * (wave - 0.5));
}

static void paint_ridge(const struct place *at, uint64_t i, double out_rgb[3])
{
    const double depth = 0.25 * (double)i;
    const double texture = fractal(at->x, at->y, 8.0 * (double)(i + 1), 0.9, at->seed * 32 + i);
    const double light = 0.25 + 1.1 * depth * (texture - 0.3);
    for (uint64_t c = 0; c < 3; c++) {
        const double tint = 0.4 + 0.6 * random_hash(i, c, at->seed + 5);
        out_rgb[c] = clamp01(mix(0.65, tint * (light + 0.2), 0.35 + 0.65 * depth));
    }
}

static void paint_trunks(const struct place *at, double out_rgb[3])
{
    for (uint64_t i = 0; i < 7; i++) {
        const double lean = 0.1 * (random_hash(i, 8, at->seed) - 0.5);
        const double middle = at->width * random_hash(i, 7, at->seed) + lean * at->y;
        const double half = at->width * (0.002 + 0.012 * random_hash(i, 9, at->seed));
        const double off = (at->x - middle) / half;
        if (fabs(off) < 1.0) {
            const double bark = fractal(at->x * 3.0, at->y, 16.0, 0.8, at->seed + i);
            const double shade = (0.35 + 0.65 * bark) * (0.75 - 0.5 * off);
            out_rgb[0] = clamp01(0.55 * shade);
            out_rgb[1] = clamp01(0.45 * shade);
            out_rgb[2] = clamp01(0.38 * shade);
        }
    }
}

void paint_photo(const struct place *at, double out_rgb[3])
{
    const double high = (double)at->y / at->height;
    const double cloud = fractal(at->x, 2.0 * at->y, at->width * 0.25, 0.5, at->seed);
    const double white = clamp01(3.0 * (cloud - 0.45));
    out_rgb[0] = mix(0.35 + 0.4 * high, 0.97, white);
    out_rgb[1] = mix(0.55 + 0.25 * high, 0.97, white);
    out_rgb[2] = mix(0.85, 0.98, white);
    for (uint64_t i = 0; i < 4; i++) {
        if (at->y > ridge_y(at, i)) {
            paint_ridge(at, i, out_rgb);
        }
    }
    paint_trunks(at, out_rgb);
    for (uint64_t c = 0; c < 3; c++) {
        const double grain = random_hash(at->x | (uint64_t)at->y << 32, c, at->seed) - 0.5;
        out_rgb[c] = clamp01(out_rgb[c] + 0.025 * grain);
    }
}
