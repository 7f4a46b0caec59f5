/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* models PICTURE FILE: the contact sheet of docs/models.png, models and methods by strength and
 * gaze, the last of them a map of one's own. A cell is the whole picture, small, and below it a
 * part of it as it is, away from both gazes. */
#include "backends.h"
#include "cases.h"
#include "commands.h"
#include "pictures.h"
#include "say.h"
#include "sheet.h"

#include <math.h>
#include <stdio.h>

#define CELL_PX 160
#define STRIP_PX 56
#define GAP_PX 6
#define HEAD_PX 46
#define TITLE_PX 30
#define COLUMNS 6
#define ROWS (LOOK_COUNT + 1)
#define MAP_PX 48

static const double strengths[3] = {0.5, 1.0, 2.0};
static const struct fovea_point_uv detail = {0.715, 0.565}; /* the strip's middle */

struct contact {
    struct sheet_pen pen;
    struct picture sheet;
    struct backend cpu;
    struct sample sample;
    int factor;
    int row_px;
    float map[MAP_PX * MAP_PX];
};

/* A PNG might be painted so: all is seen to the left of the gaze, little to its right. */
static const struct look own_look = {
    "smooth-map-array",  "smooth, map of one's own (white: sharp), linear",
    FOVEA_METHOD_SMOOTH, FOVEA_MODEL_MAP,
    FOVEA_LIGHT_LINEAR,  FOVEA_MAP_ARRAY};

static const struct look *look_of(size_t row)
{
    return row < LOOK_COUNT ? &looks[row] : &own_look;
}

static struct fovea_foveation settings_of(struct contact *c, size_t row)
{
    const struct fovea_foveation base = fovea_settings_default().foveation;
    struct fovea_foveation foveation = look_foveation(look_of(row), &base);
    if (foveation.model == FOVEA_MODEL_MAP && foveation.map.kind == FOVEA_MAP_ARRAY) {
        for (int i = 0; i < MAP_PX * MAP_PX; i++) {
            const float right = (float)(i % MAP_PX - MAP_PX / 2) + 0.5f;
            c->map[i] = 1.0f / (1.0f + expf(1.5f * right));
        }
        foveation.map.law = FOVEA_MAP_LAW_LINEAR;
        foveation.map.values = c->map;
        foveation.map.width = MAP_PX;
        foveation.map.height = MAP_PX;
    }
    return foveation;
}

static void draw_cell(struct contact *c, const struct fovea_foveation *foveation, size_t gaze,
                      const int at[2])
{
    const struct fovea_image *src = &c->sample.image.view;
    OWNED_IMAGE done = image_make_packed(src->width_px, src->height_px, src->format);
    c->cpu.run(&c->cpu, foveation, src, quality_gazes[gaze].point, &done.view);
    const struct picture whole = sheet_view(&done);
    struct picture small = sheet_shrink(&whole, c->factor, false);
    struct picture strip =
        sheet_cut(&whole, (int)(detail.x_uv * whole.width_px) - CELL_PX / 2,
                  (int)(detail.y_uv * whole.height_px) - STRIP_PX / 2, small.width_px, STRIP_PX);
    picture_put(&c->sheet, &small, at[0], at[1]);
    const struct pane pane = {&c->sheet, at[0], at[1], small.width_px, small.height_px};
    const float middle[2] = {(float)quality_gazes[gaze].point.x_uv * (float)small.width_px,
                             (float)quality_gazes[gaze].point.y_uv * (float)small.height_px};
    pane_cross(&pane, middle, 5.0f, 1.0f);
    picture_put(&c->sheet, &strip, at[0], at[1] + small.height_px + 1);
    picture_finish(&small);
    picture_finish(&strip);
}

/* Beside the title, half as large, in a frame. */
static void draw_own_map(struct contact *c, int x, int y)
{
    const int frame[4] = {x - 1, y - 1, MAP_PX / 2 + 2, MAP_PX / 2 + 2};
    picture_fill(&c->sheet, frame, (struct color){128, 132, 136});
    for (int i = 0; i < MAP_PX * MAP_PX / 4; i++) {
        const int column = i % (MAP_PX / 2);
        const int row = i / (MAP_PX / 2);
        const size_t at = (size_t)(y + row) * (size_t)c->sheet.width_px + (size_t)(x + column);
        const float value = c->map[2 * row * MAP_PX + 2 * column];
        for (int k = 0; k < 3; k++) {
            c->sheet.rgba[4 * at + (size_t)k] = (uint8_t)(255.0f * value);
        }
    }
}

static bool draw_row(struct contact *c, size_t row)
{
    struct fovea_foveation foveation = settings_of(c, row);
    const int top = HEAD_PX + (int)row * c->row_px;
    for (int column = 0; column < COLUMNS; column++) {
        foveation.strength = strengths[column % 3];
        const int at[2] = {GAP_PX + column * (CELL_PX + GAP_PX), top + TITLE_PX};
        draw_cell(c, &foveation, (size_t)column / 3, at);
    }
    if (row == LOOK_COUNT) {
        draw_own_map(c, 440, top + 3);
    }
    const float at[2] = {GAP_PX, (float)top + 22.0f};
    return sheet_write(&c->pen, true, look_of(row)->title, at, 18.0f, 425.0f);
}

static bool draw_heads(struct contact *c)
{
    bool fine = true;
    for (int column = 0; fine && column < COLUMNS; column++) {
        char text[64];
        const float left = (float)(GAP_PX + column * (CELL_PX + GAP_PX));
        const float at[2] = {left, 42.0f};
        snprintf(text, sizeof text, "strength %g", strengths[column % 3]);
        fine = sheet_write(&c->pen, false, text, at, 15.0f, CELL_PX);
        if (fine && column % 3 == 0) {
            const float above[2] = {left, 21.0f};
            snprintf(text, sizeof text, "gaze: %s", quality_gazes[column / 3].name);
            fine = sheet_write(&c->pen, true, text, above, 18.0f, 2 * CELL_PX);
        }
    }
    return fine;
}

static bool make_sheet(struct contact *c, const char *path)
{
    const struct fovea_image *src = &c->sample.image.view;
    c->factor = (int)src->width_px / CELL_PX;
    c->row_px = TITLE_PX + (int)src->height_px / c->factor + STRIP_PX + GAP_PX;
    bool fine = sheet_open(&c->pen, &c->sheet, GAP_PX + COLUMNS * (CELL_PX + GAP_PX),
                           HEAD_PX + ROWS * c->row_px);
    fine = fine && draw_heads(c);
    for (size_t row = 0; fine && row < ROWS; row++) {
        fine = draw_row(c, row);
    }
    fine = fine && picture_write_png(&c->sheet, path);
    sheet_close(&c->pen);
    return fine;
}

int command_models(int argc, char **argv)
{
    if (argc != 3) {
        say_error(
            "models needs a picture, 160 pixels wide times a whole number, and a file to write");
        return 2;
    }
    struct contact contact = {.cpu = backend_cpu};
    if (!sample_load(argv[1], &contact.sample)) {
        return EXIT_FAILURE;
    }
    bool fine = contact.sample.image.view.width_px % CELL_PX == 0 &&
                contact.sample.image.view.height_px > 2 * STRIP_PX;
    if (fine) {
        contact.cpu.open(&contact.cpu);
        fine = make_sheet(&contact, argv[2]);
        contact.cpu.close(&contact.cpu);
    } else {
        say_error("%s: not %d pixels wide times a whole number", argv[1], CELL_PX);
    }
    sample_free(&contact.sample);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
