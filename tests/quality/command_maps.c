/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* maps PICTURE FILE: docs/maps.png, what the paper's law and the maps make of a picture, and below
 * each its sigma: brighter is sharper, a line at every whole pixel. */
#include "backends.h"
#include "commands.h"
#include "pictures.h"
#include "say.h"
#include "sheet.h"

#include <math.h>

#define CELL_PX 240
#define GAP_PX 6
#define TITLE_PX 24
#define COLUMNS 7

static const struct fovea_point_uv gaze = {0.42, 0.55};

struct column {
    const char *title;
    enum fovea_model model;
    enum fovea_map_kind kind;
    enum fovea_map_eye eye;
};

static const struct column columns[COLUMNS] = {
    {"paper", FOVEA_MODEL_PAPER, FOVEA_MAP_HUMAN, FOVEA_MAP_EYE_BOTH},
    {"map human, right eye", FOVEA_MODEL_MAP, FOVEA_MAP_HUMAN, FOVEA_MAP_EYE_RIGHT},
    {"map human, both eyes", FOVEA_MODEL_MAP, FOVEA_MAP_HUMAN, FOVEA_MAP_EYE_BOTH},
    {"map streak", FOVEA_MODEL_MAP, FOVEA_MAP_STREAK, FOVEA_MAP_EYE_BOTH},
    {"map kangaroo", FOVEA_MODEL_MAP, FOVEA_MAP_KANGAROO, FOVEA_MAP_EYE_BOTH},
    {"map hawk, right eye", FOVEA_MODEL_MAP, FOVEA_MAP_HAWK, FOVEA_MAP_EYE_RIGHT},
    {"map dog", FOVEA_MODEL_MAP, FOVEA_MAP_DOG, FOVEA_MAP_EYE_BOTH},
};

struct plate {
    struct sheet_pen pen;
    struct picture sheet;
    struct backend cpu;
    struct sample sample;
    int factor;
    int cell_height_px;
    float *sigma_px;
};

static struct fovea_foveation settings_of(const struct column *column)
{
    struct fovea_foveation foveation = fovea_settings_default().foveation;
    foveation.model = column->model;
    foveation.map.kind = column->kind;
    foveation.map.eye = column->eye;
    return foveation;
}

/* One pixel of the plate: sigma there, and to its right and below, where a line may pass
 * between. */
static uint8_t shade(const struct plate *p, int x, int y)
{
    const size_t width = p->sample.image.view.width_px;
    const size_t step = (size_t)p->factor;
    const float *at = p->sigma_px + (size_t)y * step * width + (size_t)x * step;
    const float here = floorf(at[0]);
    const bool line = floorf(at[step - 1]) != here || floorf(at[(step - 1) * width]) != here;
    const float bright = 230.0f / (1.0f + 0.45f * at[0]);
    return (uint8_t)(line ? 0.35f * bright : bright);
}

static void draw_sigma(struct plate *p, const int at[2])
{
    for (int y = 0; y < p->cell_height_px; y++) {
        for (int x = 0; x < CELL_PX; x++) {
            uint8_t *out = p->sheet.rgba + 4 * ((size_t)(at[1] + y) * (size_t)p->sheet.width_px +
                                                (size_t)(at[0] + x));
            out[0] = out[1] = out[2] = shade(p, x, y);
            out[3] = 255;
        }
    }
}

static bool draw_column(struct plate *p, int column)
{
    const struct fovea_image *src = &p->sample.image.view;
    const struct fovea_foveation foveation = settings_of(&columns[column]);
    OWNED_IMAGE done = image_make_packed(src->width_px, src->height_px, src->format);
    p->cpu.run(&p->cpu, &foveation, src, gaze, &done.view);
    const struct picture whole = sheet_view(&done);
    struct picture small = sheet_shrink(&whole, p->factor, false);
    const int at[2] = {GAP_PX + column * (CELL_PX + GAP_PX), TITLE_PX + GAP_PX};
    const int below[2] = {at[0], at[1] + p->cell_height_px + GAP_PX};
    picture_put(&p->sheet, &small, at[0], at[1]);
    const struct pane pane = {&p->sheet, at[0], at[1], small.width_px, small.height_px};
    const float middle[2] = {(float)gaze.x_uv * CELL_PX, (float)gaze.y_uv * (float)small.height_px};
    pane_cross(&pane, middle, 5.0f, 1.0f);
    picture_finish(&small);
    const bool known =
        fovea_sigma_map(&(struct fovea_settings){.foveation = foveation}, src->width_px,
                        src->height_px, gaze, p->sigma_px) == FOVEA_OK;
    draw_sigma(p, below);
    const float title[2] = {(float)at[0], (float)TITLE_PX - 4.0f};
    return known && sheet_write(&p->pen, true, columns[column].title, title, 18.0f, CELL_PX);
}

static bool make_plate(struct plate *p, const char *path)
{
    const struct fovea_image *src = &p->sample.image.view;
    p->factor = (int)src->width_px / CELL_PX;
    p->cell_height_px = (int)src->height_px / p->factor;
    p->sigma_px = calloc((size_t)src->width_px * src->height_px, sizeof *p->sigma_px);
    bool fine = p->sigma_px && sheet_open(&p->pen, &p->sheet, GAP_PX + COLUMNS * (CELL_PX + GAP_PX),
                                          TITLE_PX + 3 * GAP_PX + 2 * p->cell_height_px);
    for (int column = 0; fine && column < COLUMNS; column++) {
        fine = draw_column(p, column);
    }
    fine = fine && picture_write_png(&p->sheet, path);
    sheet_close(&p->pen);
    free(p->sigma_px);
    return fine;
}

int command_maps(int argc, char **argv)
{
    if (argc != 3) {
        say_error("maps needs a picture, %d pixels wide times a whole number, and a file to write",
                  CELL_PX);
        return 2;
    }
    struct plate plate = {.cpu = backend_cpu};
    if (!sample_load(argv[1], &plate.sample)) {
        return EXIT_FAILURE;
    }
    bool fine = plate.sample.image.view.width_px % CELL_PX == 0;
    if (fine) {
        plate.cpu.open(&plate.cpu);
        fine = make_plate(&plate, argv[2]);
        plate.cpu.close(&plate.cpu);
    } else {
        say_error("%s: not %d pixels wide times a whole number", argv[1], CELL_PX);
    }
    sample_free(&plate.sample);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
