/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "draw.h"

#include <math.h>
#include <string.h>

#define DISCS 6000

static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static double part(uint64_t *state)
{
    return draw(state) * 0x1p-31;
}

static uint32_t opaque(uint32_t rgb)
{
    return rgb | 0xff000000u;
}

static void fill_disc(uint32_t *pixels, const struct bench_size *size, const double at[2],
                      double radius, uint32_t color)
{
    for (int32_t y = (int32_t)(at[1] - radius); y <= at[1] + radius; y++) {
        const double half = sqrt(fmax(radius * radius - (y - at[1]) * (y - at[1]), 0.0));
        for (int32_t x = (int32_t)(at[0] - half); x <= at[0] + half; x++) {
            if (x >= 0 && y >= 0 && x < (int32_t)size->width_px && y < (int32_t)size->height_px) {
                pixels[(size_t)y * size->width_px + (size_t)x] = color;
            }
        }
    }
}

/* Radii fall off with their third power. */
static void draw_discs(uint32_t *pixels, const struct bench_size *size, uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    for (int i = 0; i < DISCS; i++) {
        const double at[2] = {part(&state) * size->width_px, part(&state) * size->height_px};
        const double radius = fmin(3.0 / sqrt(1.0 - part(&state)), size->height_px / 4.0);
        fill_disc(pixels, size, at, 2.0 * radius, opaque(draw(&state) & 0xffffff));
    }
}

static void draw_strokes(uint32_t *pixels, const struct bench_size *size, uint64_t seed)
{
    uint64_t state = seed;
    memset(pixels, 0xff, (size_t)size->width_px * size->height_px * 4);
    for (uint32_t y = 4; y + 16 < size->height_px; y += 18) {
        for (uint32_t x = 4; x + 12 < size->width_px; x += 3 + draw(&state) % 7) {
            const bool upright = part(&state) < 0.6;
            for (uint32_t i = 0; i < (upright ? 12u : 7u); i++) {
                const uint32_t px = upright ? x : x + i;
                const uint32_t py = upright ? y + i : y + 6 * (draw(&state) % 2);
                pixels[py * size->width_px + px] = opaque(0x101010);
            }
        }
    }
}

static void draw_rings(uint32_t *pixels, const struct bench_size *size)
{
    for (uint32_t y = 0; y < size->height_px; y++) {
        for (uint32_t x = 0; x < size->width_px; x++) {
            const double from_x = x - size->width_px / 2.0;
            const double from_y = y - size->height_px / 2.0;
            const double phase = (from_x * from_x + from_y * from_y) * 3.14159265 / size->width_px;
            const uint32_t grey = (uint32_t)(127.5 + 127.0 * cos(phase));
            pixels[y * size->width_px + x] = opaque(grey * 0x10101u);
        }
    }
}

void papers_draw(void *pixels, const struct bench_size *size, int number)
{
    if (number == 5) {
        bench_draw(pixels, bench_image_bytes(size, FOVEA_FORMAT_RGBA8), FOVEA_FORMAT_RGBA8);
    } else if (number == 1 || number == 6) {
        draw_strokes(pixels, size, (uint64_t)number);
    } else if (number == 7) {
        draw_rings(pixels, size);
    } else {
        memset(pixels, 0x80, bench_image_bytes(size, FOVEA_FORMAT_RGBA8));
        draw_discs(pixels, size, (uint64_t)number + 1);
    }
}
