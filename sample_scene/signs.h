/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Signs with readable text, set with stb_truetype in DejaVu Sans, each in a rectangle of one of the
 * sign layers. The same type setting serves the captions of the pictures. */
#pragma once

#include "textures.h"

struct sign_font;

/* Opens a font. False with a message: there is no such font, or no memory. */
bool sign_font_create(bool bold, struct sign_font **out_font);
/* Finds a font for callers that can do without letters. NULL: there is none; the first time that is
 * noted, and nothing is drawn with NULL. On one thread at a time. */
struct sign_font *sign_font_find(bool bold);
void sign_font_destroy(struct sign_font **font);
float sign_font_width_px(const struct sign_font *font, const char *text, float height_px);

/* The target of text: coverage is blended into `pixels`, four bytes each, the fourth untouched. */
struct sign_page {
    uint8_t *pixels;
    int width_px;
    int height_px;
    uint8_t color[3];
};

/* Draws text; x is its left end, y the base line. False: out of memory. */
bool sign_font_draw(const struct sign_font *font, const struct sign_page *page, const char *text,
                    float x_px, float y_px, float height_px);

enum sign {
    SIGN_TOWN = 0, /* 512 x 128 px each */
    SIGN_BAKERY,
    SIGN_BOOKS,
    SIGN_CAFE,
    SIGN_OPTICIAN,
    SIGN_CLOCKS,
    SIGN_FLOWERS,
    SIGN_MAPS,
    SIGN_STATION,
    SIGN_MUSEUM,
    SIGN_STREET,
    SIGN_MARKET,
    SIGN_STRIP_COUNT,
    SIGN_EYE_CHART = SIGN_STRIP_COUNT, /* 512 x 512 px each */
    SIGN_NOTICE,
    SIGN_TIMETABLE,
    SIGN_COUNT,
};

struct sign_place {
    uint32_t layer;
    float uv[4]; /* left, top, right, bottom */
};

struct sign_place sign_place(enum sign sign);

/* Paints sign layer `index`, 0 to SIGN_LAYERS - 1. False: out of memory. */
bool signs_paint_layer(struct canvas *canvas, uint32_t index, const struct sign_font *font);
