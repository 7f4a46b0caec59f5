/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "sheet.h"

#include "say.h"

#include <math.h>

const struct look looks[LOOK_COUNT] = {
    {"blockwise-paper", "blockwise, paper, encoded", FOVEA_METHOD_BLOCKWISE, FOVEA_MODEL_PAPER,
     FOVEA_LIGHT_ENCODED, FOVEA_MAP_HUMAN},
    {"blockwise-physical", "blockwise, physical, encoded", FOVEA_METHOD_BLOCKWISE,
     FOVEA_MODEL_PHYSICAL, FOVEA_LIGHT_ENCODED, FOVEA_MAP_HUMAN},
    {"smooth-paper-encoded", "smooth, paper, encoded", FOVEA_METHOD_SMOOTH, FOVEA_MODEL_PAPER,
     FOVEA_LIGHT_ENCODED, FOVEA_MAP_HUMAN},
    {"smooth-paper-linear", "smooth, paper, linear", FOVEA_METHOD_SMOOTH, FOVEA_MODEL_PAPER,
     FOVEA_LIGHT_LINEAR, FOVEA_MAP_HUMAN},
    {"smooth-physical", "smooth, physical, linear", FOVEA_METHOD_SMOOTH, FOVEA_MODEL_PHYSICAL,
     FOVEA_LIGHT_LINEAR, FOVEA_MAP_HUMAN},
    {"smooth-curve", "smooth, curve, linear", FOVEA_METHOD_SMOOTH, FOVEA_MODEL_CURVE,
     FOVEA_LIGHT_LINEAR, FOVEA_MAP_HUMAN},
    {"smooth-map-human", "smooth, map human, linear", FOVEA_METHOD_SMOOTH, FOVEA_MODEL_MAP,
     FOVEA_LIGHT_LINEAR, FOVEA_MAP_HUMAN},
    {"smooth-map-streak", "smooth, map streak, linear", FOVEA_METHOD_SMOOTH, FOVEA_MODEL_MAP,
     FOVEA_LIGHT_LINEAR, FOVEA_MAP_STREAK},
};

struct fovea_foveation look_foveation(const struct look *look, const struct fovea_foveation *base)
{
    struct fovea_foveation foveation = *base;
    foveation.method = look->method;
    foveation.model = look->model;
    foveation.light = look->light;
    if (look->model == FOVEA_MODEL_MAP) {
        foveation.map.kind = look->map;
    }
    return foveation;
}

struct picture sheet_view(const struct test_image *image)
{
    return (struct picture){image->view.data, (int)image->view.width_px,
                            (int)image->view.height_px};
}

static struct picture make(int width_px, int height_px)
{
    struct picture picture;
    if (!picture_init(&picture, width_px, height_px)) {
        abort();
    }
    return picture;
}

static uint8_t *pixel_at(const struct picture *picture, int x, int y)
{
    return picture->rgba + ((size_t)y * (size_t)picture->width_px + (size_t)x) * 4;
}

static void shrink_pixel(const struct picture *from, const int corner[2], int factor, bool largest,
                         uint8_t out[4])
{
    for (int c = 0; c < 4; c++) {
        int sum = 0;
        int most = 0;
        for (int i = 0; i < factor * factor; i++) {
            const int value = pixel_at(from, corner[0] + i % factor, corner[1] + i / factor)[c];
            sum += value;
            most = value > most ? value : most;
        }
        out[c] = (uint8_t)(largest ? most : (sum + factor * factor / 2) / (factor * factor));
    }
}

struct picture sheet_shrink(const struct picture *from, int factor, bool largest)
{
    struct picture out = make(from->width_px / factor, from->height_px / factor);
    for (int y = 0; y < out.height_px; y++) {
        for (int x = 0; x < out.width_px; x++) {
            const int corner[2] = {x * factor, y * factor};
            shrink_pixel(from, corner, factor, largest, pixel_at(&out, x, y));
        }
    }
    return out;
}

struct picture sheet_cut(const struct picture *from, int x, int y, int width_px, int height_px)
{
    struct picture out = make(width_px, height_px);
    for (int row = 0; row < height_px; row++) {
        memcpy(pixel_at(&out, 0, row), pixel_at(from, x, y + row), (size_t)width_px * 4);
    }
    return out;
}

static void mix(uint8_t *pixel, float level, float part)
{
    for (int c = 0; c < 3; c++) {
        pixel[c] = (uint8_t)((float)pixel[c] + (level - (float)pixel[c]) * part + 0.5f);
    }
}

void sheet_circle(const struct picture *picture, float x_px, float y_px, float radius_px)
{
    const int reach = (int)radius_px + 3;
    const int middle_x = (int)lroundf(x_px);
    const int middle_y = (int)lroundf(y_px);
    for (int y = middle_y - reach; y <= middle_y + reach; y++) {
        for (int x = middle_x - reach; x <= middle_x + reach; x++) {
            const float off = fabsf(hypotf((float)x - x_px, (float)y - y_px) - radius_px);
            if (x < 0 || y < 0 || x >= picture->width_px || y >= picture->height_px || off > 1.8f) {
                continue;
            }
            uint8_t *pixel =
                picture->rgba + 4 * ((size_t)y * (size_t)picture->width_px + (size_t)x);
            mix(pixel, off < 0.9f ? 255.0f : 0.0f, off < 0.9f ? 1.0f : 0.6f);
        }
    }
}

bool sheet_open(struct sheet_pen *pen, struct picture *picture, int width_px, int height_px)
{
    *pen = (struct sheet_pen){.picture = picture};
    *picture = (struct picture){0};
    if (!sign_font_create(true, &pen->bold) || !sign_font_create(false, &pen->plain)) {
        return false;
    }
    if (!picture_init(picture, width_px, height_px)) {
        say_error("out of memory for a sheet of %dx%d pixels", width_px, height_px);
        return false;
    }
    const int whole[4] = {0, 0, width_px, height_px};
    picture_fill(picture, whole, (struct color){24, 26, 30});
    return true;
}

void sheet_close(struct sheet_pen *pen)
{
    sign_font_destroy(&pen->bold);
    sign_font_destroy(&pen->plain);
    picture_finish(pen->picture);
}

bool sheet_write(const struct sheet_pen *pen, bool bold, const char *text, const float at_px[2],
                 float height_px, float room_px)
{
    const struct sign_font *font = bold ? pen->bold : pen->plain;
    const struct sign_page page = {
        pen->picture->rgba, pen->picture->width_px, pen->picture->height_px, {236, 238, 240}};
    const float width = sign_font_width_px(font, text, height_px);
    return sign_font_draw(font, &page, text, at_px[0], at_px[1],
                          width > room_px ? height_px * room_px / width : height_px);
}
