/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Sheets of pictures are made of these: the models and methods to show, and drawing. */
#pragma once

#include "config/settings.h"
#include "images.h"
#include "picture.h"

struct look {
    const char *file; /* for names of files */
    const char *title;
    enum fovea_method method;
    enum fovea_model model;
    enum fovea_light light;
    enum fovea_map_kind map; /* of model map */
};

#define LOOK_COUNT 8
extern const struct look looks[LOOK_COUNT];

/* The settings with a look's model, method, light and kind of map. */
struct fovea_foveation look_foveation(const struct look *look, const struct fovea_foveation *base);

/* Shares the image's pixels. */
struct picture sheet_view(const struct test_image *image);
/* One pixel for factor x factor, the rest is cut off: their average, or the largest of each colour.
 * A program without memory aborts. */
struct picture sheet_shrink(const struct picture *from, int factor, bool largest);
/* The part of `from` with its corner at x, y, which must lie in it. */
struct picture sheet_cut(const struct picture *from, int x, int y, int width_px, int height_px);

/* The width of a column of pictures this wide, in which words can be read. */
static inline int sheet_column_px(int width_px)
{
    return width_px < 240 ? 240 : width_px;
}

/* A light line with a dark rim, to be seen on anything; 0 is the middle of the first pixel. */
void sheet_circle(const struct picture *picture, float x_px, float y_px, float radius_px);

struct sheet_pen {
    struct picture *picture;
    struct sign_font *bold;
    struct sign_font *plain;
};

/* A dark sheet. False with a message: no font or no memory. */
bool sheet_open(struct sheet_pen *pen, struct picture *picture, int width_px, int height_px);
void sheet_close(struct sheet_pen *pen);
/* On a dark sheet, from its left end on the base line; shrunk to room_px. */
bool sheet_write(const struct sheet_pen *pen, bool bold, const char *text, const float at_px[2],
                 float height_px, float room_px);
