/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "raw_picture.h"

#include "picture.h"
#include "say.h"

#include <math.h>
#include <stdlib.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wsign-compare"
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

#define BRIGHTEST_PARTS 1000 /* such a part of the pixels is white */
#define LEVELS 65536

/* ---- Files */

static uint32_t white_of(const uint16_t *rgba, size_t pixels)
{
    size_t *counts = calloc(LEVELS, sizeof *counts);
    size_t brighter = 0;
    uint32_t white = LEVELS - 1;
    for (size_t i = 0; counts && i < 4 * pixels; i++) {
        counts[rgba[i]] += i % 4 < 3;
    }
    while (counts && white > 1 && (brighter += counts[white]) * BRIGHTEST_PARTS < 3 * pixels) {
        white--;
    }
    free(counts);
    return white;
}

static uint8_t *load_wide(const char *path, int *out_width_px, int *out_height_px)
{
    uint16_t *wide = stbi_load_16(path, out_width_px, out_height_px, NULL, 4);
    const size_t pixels = wide ? (size_t)*out_width_px * (size_t)*out_height_px : 0;
    uint8_t *rgba = wide ? malloc(4 * pixels) : NULL;
    const uint32_t white = rgba ? white_of(wide, pixels) : 1;
    for (size_t i = 0; rgba && i < 4 * pixels; i++) {
        rgba[i] = wide[i] < white ? (uint8_t)(wide[i] * 255u / white) : 255;
    }
    free(wide);
    return rgba;
}

bool raw_picture_load(const char *path, const char *geometry_path, struct raw_picture *out)
{
    const struct fovea_log log = say_log(FOVEA_LOG_WARNING);
    int width_px = 0;
    int height_px = 0;
    *out = (struct raw_picture){.far_px = 7.0, .near_px = 14.0};
    fovea_lightfield_geometry_init(&out->geometry);
    if (fovea_lightfield_geometry_read(geometry_path, &log, &out->geometry) < 0) {
        return false;
    }
    out->rgba = stbi_is_16_bit(path) ? load_wide(path, &width_px, &height_px)
                                     : stbi_load(path, &width_px, &height_px, NULL, 4);
    if (!out->rgba) {
        say_error("--lightfield %s: %s", path, picture_problem(stbi_failure_reason()));
        return false;
    }
    if ((uint32_t)width_px != out->geometry.raw_width_px ||
        (uint32_t)height_px != out->geometry.raw_height_px) {
        say_error("--lightfield %s is %dx%d, but --geometry %s is of %ux%u pixels", path, width_px,
                  height_px, geometry_path, out->geometry.raw_width_px,
                  out->geometry.raw_height_px);
        return false;
    }
    return true;
}

/* ---- Drawn: a lens at n shows at u from its centre what is at n + u / M, in lenses, of a thing
 * with the patch size M. */

#define DRAWN_COLUMNS 64
#define DRAWN_ROWS 36
#define DRAWN_PITCH_PX 60

struct thing {
    double patch_px;
    double x, y, radius; /* lenses; a radius of 0 is everywhere */
    float colors[2][3];
};

/* The nearest first. */
static const struct thing things[] = {
    {12.0, 46.0, 21.0, 8.5, {{0.90f, 0.35f, 0.20f}, {1.00f, 0.85f, 0.55f}}},
    {9.0, 19.0, 16.0, 9.5, {{0.15f, 0.55f, 0.30f}, {0.75f, 0.95f, 0.60f}}},
    {6.0, 0.0, 0.0, 0.0, {{0.18f, 0.26f, 0.45f}, {0.70f, 0.80f, 0.95f}}},
};

static float hash(int32_t x, int32_t y)
{
    uint32_t bits = (uint32_t)x * 0x9E3779B1u ^ (uint32_t)y * 0x85EBCA77u;
    bits = (bits ^ bits >> 15) * 0x2C1B3C6Du;
    bits = (bits ^ bits >> 12) * 0x297A2D39u;
    return (float)(bits >> 8) / 16777216.0f;
}

/* Bilinear between numbers at whole places. */
static float noise(double x, double y)
{
    const int32_t column = (int32_t)floor(x);
    const int32_t row = (int32_t)floor(y);
    const float right = (float)(x - column);
    const float down = (float)(y - row);
    const float above = hash(column, row) * (1.0f - right) + hash(column + 1, row) * right;
    const float below = hash(column, row + 1) * (1.0f - right) + hash(column + 1, row + 1) * right;
    return above * (1.0f - down) + below * down;
}

/* Has details of all sizes from a few pixels on, as pictures have. */
static float detail(int x, int y)
{
    float sum = 0.0f;
    for (int side = 3; side < 100; side *= 2) {
        sum += noise((double)x / side, (double)y / side);
    }
    const int tile = (x / 28 + y / 28) & 1;
    return fminf(fmaxf(0.5f + 0.55f * (sum - 3.0f) + (tile ? 0.18f : -0.18f), 0.0f), 1.0f);
}

/* A pixel for each of a patch, of the nearest thing: the others have a part of it. */
#define TEXTURE_WIDTH (DRAWN_COLUMNS * 12)
#define TEXTURE_HEIGHT (DRAWN_ROWS * 12)

static float *make_texture(void)
{
    float *levels = malloc((size_t)TEXTURE_WIDTH * TEXTURE_HEIGHT * sizeof *levels);
    for (int i = 0; levels && i < TEXTURE_WIDTH * TEXTURE_HEIGHT; i++) {
        levels[i] = detail(i % TEXTURE_WIDTH, i / TEXTURE_WIDTH);
    }
    return levels;
}

static float texture_at(const float *levels, double x, double y)
{
    const double from_x = fmin(fmax(x - 0.5, 0.0), TEXTURE_WIDTH - 1.001);
    const double from_y = fmin(fmax(y - 0.5, 0.0), TEXTURE_HEIGHT - 1.001);
    const float *four = levels + (size_t)from_y * TEXTURE_WIDTH + (size_t)from_x;
    const float right = (float)(from_x - floor(from_x));
    const float down = (float)(from_y - floor(from_y));
    const float above = four[0] + right * (four[1] - four[0]);
    const float below =
        four[TEXTURE_WIDTH] + right * (four[TEXTURE_WIDTH + 1] - four[TEXTURE_WIDTH]);
    return above + down * (below - above);
}

static bool covers(const struct thing *thing, double x, double y)
{
    const double right = x - thing->x;
    const double down = y - thing->y;
    return thing->radius == 0.0 || right * right + down * down < thing->radius * thing->radius;
}

static void draw_pixel(const float *levels, int x_px, int y_px, uint8_t *out_rgba)
{
    const double u = x_px % DRAWN_PITCH_PX + 0.5 - DRAWN_PITCH_PX / 2.0;
    const double v = y_px % DRAWN_PITCH_PX + 0.5 - DRAWN_PITCH_PX / 2.0;
    double x = 0.0;
    double y = 0.0;
    size_t i = 0;
    for (;; i++) {
        x = x_px / DRAWN_PITCH_PX + 0.5 + u / things[i].patch_px;
        y = y_px / DRAWN_PITCH_PX + 0.5 + v / things[i].patch_px;
        if (covers(&things[i], x, y)) {
            break; /* the last one is everywhere */
        }
    }
    const struct thing *thing = &things[i];
    const float part = texture_at(levels, x * thing->patch_px, y * thing->patch_px);
    for (int c = 0; c < 3; c++) {
        const float level =
            thing->colors[0][c] + part * (thing->colors[1][c] - thing->colors[0][c]);
        out_rgba[c] = (uint8_t)(255.0f * level + 0.5f);
    }
    out_rgba[3] = 255;
}

bool raw_picture_draw(struct raw_picture *out)
{
    *out = (struct raw_picture){.far_px = 5.0, .near_px = 12.0};
    fovea_lightfield_geometry_init(&out->geometry);
    out->geometry.columns = DRAWN_COLUMNS;
    out->geometry.rows = DRAWN_ROWS;
    out->geometry.pitch_x_px = out->geometry.pitch_y_px = DRAWN_PITCH_PX;
    out->geometry.origin_x_px = out->geometry.origin_y_px = DRAWN_PITCH_PX / 2.0;
    /* The wall is 1.3 m away, and the two things are 0.6 and 0.5 m. */
    out->geometry.focal_length_m = 0.08;
    out->geometry.main_to_array_m = 0.105;
    out->geometry.array_to_sensor_m = 0.00198;
    out->geometry.raw_width_px = DRAWN_COLUMNS * DRAWN_PITCH_PX;
    out->geometry.raw_height_px = DRAWN_ROWS * DRAWN_PITCH_PX;
    const size_t width_px = out->geometry.raw_width_px;
    float *levels = make_texture();
    out->rgba = levels ? malloc(4 * width_px * out->geometry.raw_height_px) : NULL;
    for (size_t i = 0; out->rgba && i < width_px * out->geometry.raw_height_px; i++) {
        draw_pixel(levels, (int)(i % width_px), (int)(i / width_px), out->rgba + 4 * i);
    }
    free(levels);
    if (!out->rgba) {
        say_error("out of memory for a raw picture");
    }
    return out->rgba != NULL;
}

void raw_picture_finish(struct raw_picture *raw)
{
    free(raw->rgba);
    *raw = (struct raw_picture){0};
}
