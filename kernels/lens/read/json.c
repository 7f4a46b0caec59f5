/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Two kinds of JSON. Ours:
 *
 *     {"fovea-lens": 1, "polynomial": {"unit": "half-width", "center": [0.5, 0.5],
 *                                      "green": [r0, r1, r2, r3, r4], "red": .., "blue": ..}}
 *     {"fovea-lens": 1, "grid": {"points": [128, 128], "between": "linear", "green": [x, y, ..]}}
 *     {"fovea-lens": 1, "grid": {"size": [1920, 1080], "spacing": 16, "in": "pixels", ..}}
 *     {"fovea-lens": 1, "left": {"polynomial": ..}, "right": {"grid": ..}}
 *
 * And Monado's values (monado.c). */
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHIFT 2.0 /* lens.shift_x and lens.shift_y in operator.def */

/* A count of pictures or points, which has to be whole. */
static bool whole(struct json_scan *scan, double number, double most, uint32_t *out_whole)
{
    if (!(number >= 1.0 && number <= most) || number != floor(number)) {
        return json_fail(scan, "expected a whole number, 1 to %g", most);
    }
    *out_whole = (uint32_t)number;
    return true;
}

/* ---- A polynomial */

/* As far off as the shifts of the settings go: one in pixels is farther. */
static bool center_is_near(struct json_scan *scan, const double center_uv[2])
{
    bool near = true;
    for (int i = 0; i < 2; i++) {
        near = near && fabs(center_uv[i] - 0.5) <= MOST_SHIFT;
    }
    return near || json_fail(scan, "a center is in parts of the picture, %g to %g",
                             0.5 - MOST_SHIFT, 0.5 + MOST_SHIFT);
}

struct polynomial {
    struct lens_polynomial *own;
    bool has[LENS_COLORS];
    bool has_unit;
    bool has_center;
};

static bool polynomial_member(struct json_scan *scan, const char *name, void *user)
{
    static const char *const units[] = {"half-width", "half-height", "half-diagonal", "half-short",
                                        NULL};
    struct polynomial *polynomial = user;
    const uint32_t color = lens_read_index(lens_color_names, name);
    if (color < LENS_COLORS) {
        return lens_read_once(scan, name, &polynomial->has[color]) &&
               lens_read_numbers(scan, LENS_POWERS, LENS_POWERS, polynomial->own->terms[color]);
    }
    if (strcmp(name, "unit") == 0) {
        return lens_read_once(scan, name, &polynomial->has_unit) &&
               lens_read_choice(scan, units, &polynomial->own->unit);
    }
    if (strcmp(name, "center") == 0) {
        polynomial->own->centered = true;
        return lens_read_once(scan, name, &polynomial->has_center) &&
               lens_read_numbers(scan, 2, 2, polynomial->own->center_uv) &&
               center_is_near(scan, polynomial->own->center_uv);
    }
    return json_fail(scan, "a polynomial has no \"%s\"", name);
}

static bool read_polynomial(struct json_scan *scan, struct lens_polynomial *own)
{
    struct polynomial polynomial = {.own = own};
    if (!json_object(scan, polynomial_member, &polynomial)) {
        return false;
    }
    if (!polynomial.has[LENS_AXIS]) {
        return json_fail(scan, "the polynomial has no \"green\"");
    }
    for (int color = 0; color < LENS_COLORS; color++) {
        if (!polynomial.has[color]) {
            memcpy(own->terms[color], own->terms[LENS_AXIS], sizeof own->terms[color]);
        }
    }
    return true;
}

/* ---- A grid. Its points come after what says how many there are. */

/* In the order of grid_members. */
enum { GRID_BETWEEN, GRID_IN, GRID_POINTS, GRID_SIZE, GRID_SPACING, GRID_MEMBERS };

struct grid {
    struct lens_points *points;
    double size_px[2]; /* 0: not given */
    uint32_t in_pixels;
    bool has[LENS_COLORS];
    bool has_member[GRID_MEMBERS];
};

static bool read_sides(struct json_scan *scan, struct grid *grid)
{
    double sides[2];
    if (!lens_read_numbers(scan, 2, 2, sides) ||
        !whole(scan, sides[0], LENS_POINTS_MAX, &grid->points->columns) ||
        !whole(scan, sides[1], LENS_POINTS_MAX, &grid->points->rows)) {
        return false;
    }
    grid->points->step_uv[0] = 1.0 / (grid->points->columns - 1.0);
    grid->points->step_uv[1] = 1.0 / (grid->points->rows - 1.0);
    return true;
}

static bool read_size(struct json_scan *scan, struct grid *grid)
{
    uint32_t size[2];
    return lens_read_numbers(scan, 2, 2, grid->size_px) &&
           whole(scan, grid->size_px[0], 65536, &size[0]) &&
           whole(scan, grid->size_px[1], 65536, &size[1]);
}

static bool read_spacing(struct json_scan *scan, struct grid *grid)
{
    double spacing_px = 0.0;
    if (!json_number(scan, &spacing_px)) {
        return false;
    }
    if (!(grid->size_px[0] > 0.0 && spacing_px >= 1.0 && spacing_px <= 65536.0)) {
        return json_fail(scan, "spacing is at least 1 px, and comes after \"size\"");
    }
    grid->points->step_uv[0] = spacing_px / grid->size_px[0];
    grid->points->step_uv[1] = spacing_px / grid->size_px[1];
    const double columns = ceil(grid->size_px[0] / spacing_px) + 1.0;
    const double rows = ceil(grid->size_px[1] / spacing_px) + 1.0;
    return whole(scan, columns, LENS_POINTS_MAX, &grid->points->columns) &&
           whole(scan, rows, LENS_POINTS_MAX, &grid->points->rows);
}

static bool read_points(struct json_scan *scan, struct grid *grid, uint32_t color)
{
    struct lens_points *points = grid->points;
    const size_t count = 2 * (size_t)points->columns * points->rows;
    if (count == 0) {
        return json_fail(scan, "\"points\", or \"size\" and \"spacing\", come before \"%s\"",
                         lens_color_names[color]);
    }
    if (count > scan->count) { /* before there is memory for them */
        return json_fail(scan, "the file cannot hold %zu numbers", count);
    }
    if (!points->memory) {
        points->memory = calloc(LENS_COLORS * count, sizeof *points->memory);
    }
    if (!points->memory) {
        return json_fail(scan, "out of memory");
    }
    return lens_read_floats(scan, count, points->memory + (size_t)color * count);
}

static bool read_between(struct json_scan *scan, struct grid *grid)
{
    static const char *const words[] = {"linear", "quadratic", NULL};
    uint32_t number = 0;
    const bool read = lens_read_choice(scan, words, &number);
    grid->points->quadratic = number == 1;
    return read;
}

static bool read_in(struct json_scan *scan, struct grid *grid)
{
    static const char *const words[] = {"uv", "pixels", NULL};
    return lens_read_choice(scan, words, &grid->in_pixels);
}

static const struct {
    const char *name;
    bool (*read)(struct json_scan *scan, struct grid *grid);
} grid_members[GRID_MEMBERS] = {{"between", read_between},
                                {"in", read_in},
                                {"points", read_sides},
                                {"size", read_size},
                                {"spacing", read_spacing}};

static bool grid_member(struct json_scan *scan, const char *name, void *user)
{
    struct grid *grid = user;
    const uint32_t color = lens_read_index(lens_color_names, name);
    int which = 0;
    if (color < LENS_COLORS) {
        return lens_read_once(scan, name, &grid->has[color]) && read_points(scan, grid, color);
    }
    while (which < GRID_MEMBERS && strcmp(grid_members[which].name, name) != 0) {
        which++;
    }
    if (which == GRID_MEMBERS) {
        return json_fail(scan, "a grid has no \"%s\"", name);
    }
    if (which >= GRID_POINTS && grid->points->memory) {
        return json_fail(scan, "\"%s\" comes before the points, or not at all", name);
    }
    if (!lens_read_once(scan, name, &grid->has_member[which])) {
        return false;
    }
    if (grid->has_member[GRID_POINTS] && grid->has_member[GRID_SPACING]) {
        return json_fail(scan, "\"points\" and \"spacing\" are two grids");
    }
    return grid_members[which].read(scan, grid);
}

static void pixels_to_uv(const struct grid *grid)
{
    const struct lens_points *points = grid->points;
    const size_t count = 2 * (size_t)LENS_COLORS * points->columns * points->rows;
    for (size_t i = 0; i < count; i++) {
        points->memory[i] = (float)((double)points->memory[i] / grid->size_px[i % 2]);
    }
}

static bool read_grid(struct json_scan *scan, struct lens_points *points)
{
    struct grid grid = {.points = points};
    if (!json_object(scan, grid_member, &grid)) {
        return false;
    }
    if (!grid.has[LENS_AXIS]) {
        return json_fail(scan, "the grid has no \"green\"");
    }
    if (grid.in_pixels && !(grid.size_px[0] > 0.0)) {
        return json_fail(scan, "places in pixels need \"size\"");
    }
    if (grid.in_pixels) {
        pixels_to_uv(&grid);
    }
    const size_t count = 2 * (size_t)points->columns * points->rows;
    for (int color = 0; color < LENS_COLORS; color++) {
        points->places_uv[color] =
            points->memory + (size_t)(grid.has[color] ? color : LENS_AXIS) * count;
    }
    return true;
}

/* ---- One lens: any of these */

struct lens {
    struct lens_map *map;
    struct lens_monado monado;
    bool has_map;
    bool has_values;
};

static struct lens lens_of(struct lens_map *map)
{
    return (struct lens){.map = map, .monado = lens_monado_empty};
}

static bool lens_member(struct json_scan *scan, const char *name, void *user)
{
    struct lens *lens = user;
    const bool polynomial = strcmp(name, "polynomial") == 0;
    if (!polynomial && strcmp(name, "grid") != 0) {
        lens->has_values = true;
        return lens_monado_member(scan, name, &lens->monado);
    }
    if (lens->has_map) {
        return json_fail(scan, "one lens is enough");
    }
    lens->has_map = true;
    return polynomial ? read_polynomial(scan, &lens->map->polynomial)
                      : read_grid(scan, &lens->map->points);
}

static bool finish_lens(struct json_scan *scan, const struct lens *lens)
{
    if (lens->has_map && lens->has_values) {
        return json_fail(scan, "these are two lenses");
    }
    if (!lens->has_map && !lens->has_values) {
        return json_fail(scan, "there is no lens; expected \"polynomial\" or \"grid\"");
    }
    return lens->has_map || lens_monado_finish(scan, &lens->monado, lens->map);
}

/* ---- A file: one for both eyes, or one for each */

struct file {
    struct lens_calibration *calibration;
    struct lens lens; /* of both eyes */
    bool ours;
    bool has_eye[LENS_EYES];
};

static const char *const eye_names[LENS_EYES] = {"left", "right"};

static bool read_eye(struct json_scan *scan, struct file *file, int eye)
{
    struct lens lens = lens_of(&file->calibration->eyes[eye]);
    if (file->has_eye[eye]) {
        return json_fail(scan, "one lens is enough for the %s eye", eye_names[eye]);
    }
    file->has_eye[eye] = true;
    return json_object(scan, lens_member, &lens) && finish_lens(scan, &lens);
}

static bool file_member(struct json_scan *scan, const char *name, void *user)
{
    struct file *file = user;
    double version = 0.0;
    if (strcmp(name, "fovea-lens") == 0) {
        file->ours = true;
        return json_number(scan, &version) &&
               (version == 1.0 || json_fail(scan, "version 1 is the only one"));
    }
    const bool left = strcmp(name, eye_names[0]) == 0;
    const bool eyes = left || strcmp(name, eye_names[1]) == 0;
    const bool of_eye = file->ours && eyes;
    const bool has_eye = file->has_eye[0] || file->has_eye[1];
    if (of_eye ? file->lens.has_map || file->lens.has_values : has_eye) {
        return json_fail(scan, "there is a lens for both eyes beside one for one of them");
    }
    if (of_eye) {
        return read_eye(scan, file, left ? 0 : 1);
    }
    if (!file->ours && (eyes || strcmp(name, "polynomial") == 0 || strcmp(name, "grid") == 0)) {
        return json_fail(scan, "\"fovea-lens\": 1 comes before \"%s\"", name);
    }
    return lens_member(scan, name, &file->lens);
}

static bool finish_file(struct json_scan *scan, const struct file *file)
{
    const struct lens *lens = &file->lens;
    if (file->has_eye[0] && file->has_eye[1]) {
        file->calibration->eye_count = LENS_EYES;
        return true;
    }
    if (file->has_eye[0] || file->has_eye[1]) {
        return json_fail(scan, "the %s eye has no lens", eye_names[file->has_eye[0] ? 1 : 0]);
    }
    if (!file->ours && !lens->has_values) {
        return json_fail(scan, "there is no lens in this file");
    }
    return finish_lens(scan, lens);
}

static bool knows(struct json_scan *scan)
{
    return json_sees(scan, '{');
}

static bool read(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct file file = {.calibration = calibration, .lens = lens_of(&calibration->eyes[0])};
    return json_object(scan, file_member, &file) && json_end(scan) && finish_file(scan, &file);
}

const struct lens_reader lens_reader_json = {knows, read};
