/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "calibration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const lens_color_names[LENS_COLORS + 1] = {"red", "green", "blue", NULL};

double lens_factor_at(const double terms[LENS_POWERS], double r)
{
    double factor = 0.0;
    for (int power = LENS_POWERS - 1; power >= 0; power--) {
        factor = factor * r + terms[power];
    }
    return factor;
}

double lens_fold_of(const double terms[LENS_POWERS], double farthest)
{
    const int steps = 4096;
    double slopes[LENS_POWERS]; /* the derivative of r times the polynomial */
    for (int power = 0; power < LENS_POWERS; power++) {
        slopes[power] = (power + 1) * terms[power];
    }
    for (int i = 0; i <= steps; i++) {
        const double r = farthest * i / steps;
        if (!(lens_factor_at(slopes, r) > 0.0)) {
            return r;
        }
    }
    return 2.0 * farthest;
}

static void free_calibration(struct shared_data *data)
{
    struct lens_calibration *calibration = (struct lens_calibration *)data;
    for (int eye = 0; eye < LENS_EYES; eye++) {
        free(calibration->eyes[eye].points.memory);
    }
    free(calibration);
}

struct lens_calibration *lens_calibration_make(void)
{
    struct lens_calibration *made = calloc(1, sizeof *made);
    if (made) {
        shared_data_init(&made->base, free_calibration);
        made->eye_count = 1;
    }
    return made;
}

const struct lens_map *lens_calibration_map(const struct lens_calibration *calibration,
                                            enum fovea_map_eye eye)
{
    if (calibration->eye_count == 1 || eye == FOVEA_MAP_EYE_LEFT) {
        return &calibration->eyes[0];
    }
    return eye == FOVEA_MAP_EYE_RIGHT ? &calibration->eyes[1] : NULL;
}

bool lens_map_is_grid(const struct lens_map *map, uint32_t width_px, uint32_t height_px)
{
    const double most_off_px = 0.001; /* and so are the polynomial's places, by about as much */
    return map->points.memory &&
           !(map->aspect > 0.0 && fabs(width_px / map->aspect - height_px) <= most_off_px);
}

/* ---- Points */

static const float *point_at(const struct lens_points *points, int color, uint32_t i, uint32_t j)
{
    return points->places_uv[color] + 2 * ((size_t)j * points->columns + i);
}

static bool sides_are_right(const struct lens_points *points, char *problem)
{
    const uint32_t least = points->quadratic ? 3 : 2;
    const uint32_t sides[] = {points->columns, points->rows};
    for (int i = 0; i < 2; i++) {
        if (sides[i] < least || sides[i] > LENS_POINTS_MAX) {
            snprintf(problem, LENS_PROBLEM_BYTES, "%u %s of points; there must be %u to %d",
                     sides[i], i ? "rows" : "columns", least, LENS_POINTS_MAX);
            return false;
        }
        if (!(points->step_uv[i] * (sides[i] - 1 + 2.0 * points->start) >= 1.0 - 1e-6)) {
            snprintf(problem, LENS_PROBLEM_BYTES, "%u %s of points do not reach over the picture",
                     sides[i], i ? "rows" : "columns");
            return false;
        }
    }
    return true;
}

static bool places_are_finite(const struct lens_points *points, int color, char *problem)
{
    for (uint32_t j = 0; j < points->rows; j++) {
        for (uint32_t i = 0; i < points->columns; i++) {
            const float *place = point_at(points, color, i, j);
            /* Farther away is nothing of use, and its differences are no longer exact. */
            if (!(fabsf(place[0]) <= 100.0f && fabsf(place[1]) <= 100.0f)) {
                snprintf(problem, LENS_PROBLEM_BYTES,
                         "%s: column %u of row %u is (%g, %g) pictures; it must be within 100",
                         lens_color_names[color], i, j, (double)place[0], (double)place[1]);
                return false;
            }
        }
    }
    return true;
}

/* The corners from the left above, around. */
struct cell {
    const float *corners[4];
};

/* Nothing of the picture is seen through a cell that lies beyond one of its edges. */
static bool is_seen(const struct cell *cell)
{
    for (int axis = 0; axis < 2; axis++) {
        int before = 0;
        int after = 0;
        for (int i = 0; i < 4; i++) {
            before += cell->corners[i][axis] < 0.0f;
            after += cell->corners[i][axis] > 1.0f;
        }
        if (before == 4 || after == 4) {
            return false;
        }
    }
    return true;
}

/* The map between four points folds nowhere where it turns the same way at each: to the right, or
 * to the left in a mirror. */
static bool turns(const struct cell *cell, bool right)
{
    for (int i = 0; i < 4; i++) {
        const float *at = cell->corners[i];
        const float *next = cell->corners[(i + 1) % 4];
        const float *last = cell->corners[(i + 3) % 4];
        const double cross = ((double)next[0] - (double)at[0]) * ((double)last[1] - (double)at[1]) -
                             ((double)next[1] - (double)at[1]) * ((double)last[0] - (double)at[0]);
        if (!(right ? cross > 0.0 : cross < 0.0)) {
            return false;
        }
    }
    return true;
}

/* Returns words that say what to do about a cell that folds. */
static const char *cure_of(const struct cell *cell)
{
    if (!turns(cell, false)) {
        return "";
    }
    return cell->corners[2][0] < cell->corners[0][0] ? "; x is mirrored: it must grow to the right"
                                                     : "; y is mirrored: it must grow downward";
}

static bool cells_do_not_fold(const struct lens_points *points, int color, char *problem)
{
    for (uint32_t j = 0; j + 1 < points->rows; j++) {
        for (uint32_t i = 0; i + 1 < points->columns; i++) {
            const struct cell cell = {
                {point_at(points, color, i, j), point_at(points, color, i + 1, j),
                 point_at(points, color, i + 1, j + 1), point_at(points, color, i, j + 1)}};
            if (is_seen(&cell) && !turns(&cell, true)) {
                snprintf(problem, LENS_PROBLEM_BYTES,
                         "%s: the picture folds over between column %u of row %u and column %u of "
                         "row %u%s",
                         lens_color_names[color], i, j, i + 1, j + 1, cure_of(&cell));
                return false;
            }
        }
    }
    return true;
}

static bool points_are_right(const struct lens_points *points, char *problem)
{
    if (!sides_are_right(points, problem)) {
        return false;
    }
    for (int color = 0; color < LENS_COLORS; color++) {
        const bool greens = points->places_uv[color] == points->places_uv[LENS_AXIS];
        if (greens && color != LENS_AXIS) {
            continue;
        }
        if (!places_are_finite(points, color, problem) ||
            !cells_do_not_fold(points, color, problem)) {
            return false;
        }
    }
    return true;
}

/* Values far beyond any lens do not fit a float. */
static bool is_sane(const struct lens_polynomial *polynomial, char *problem)
{
    const double most = 1e6;
    bool sane = fabs(polynomial->center_uv[0]) <= most && fabs(polynomial->center_uv[1]) <= most;
    for (int i = 0; i < LENS_COLORS * LENS_POWERS; i++) {
        sane = sane && fabs(polynomial->terms[i / LENS_POWERS][i % LENS_POWERS]) <= most;
    }
    if (!sane) {
        snprintf(problem, LENS_PROBLEM_BYTES, "a value is beyond all lenses");
    }
    return sane;
}

/* Its problem begins with the eye's name, where each eye has its own. */
static bool eye_is_right(const struct lens_calibration *calibration, uint32_t eye, char *problem)
{
    static const char *const names[LENS_EYES] = {"left eye: ", "right eye: "};
    const struct lens_map *map = &calibration->eyes[eye];
    const size_t named = calibration->eye_count == LENS_EYES ? strlen(names[eye]) : 0;
    if (is_sane(&map->polynomial, problem) &&
        (!map->points.memory || points_are_right(&map->points, problem))) {
        return true;
    }
    memmove(problem + named, problem, LENS_PROBLEM_BYTES - named);
    memcpy(problem, names[eye], named);
    problem[LENS_PROBLEM_BYTES - 1] = '\0';
    return false;
}

enum fovea_result lens_calibration_finish(struct lens_calibration *made, bool filled,
                                          char problem[LENS_PROBLEM_BYTES],
                                          struct shared_data **out_data)
{
    bool right = made && filled;
    for (uint32_t eye = 0; right && eye < made->eye_count; eye++) {
        right = eye_is_right(made, eye, problem);
    }
    struct shared_data *refused = made && !right ? &made->base : NULL;
    *out_data = right ? &made->base : NULL;
    if (!made) {
        snprintf(problem, LENS_PROBLEM_BYTES, "out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    shared_data_release(&refused);
    return right ? FOVEA_OK : FOVEA_ERROR_CONFIG;
}

/* ---- Fields of programs */

/* So many layers from the first one on, which are all colours' or one each. */
static bool take_layers(const struct fovea_field *field, uint32_t first, uint32_t layers,
                        struct lens_points *points)
{
    const size_t count = 2 * (size_t)field->width * field->height;
    float *out = points->memory = calloc(layers * count, sizeof *out);
    for (uint32_t color = 0; out && color < LENS_COLORS; color++) {
        points->places_uv[color] = out + (layers == 1 ? 0 : color * count);
    }
    for (uint32_t row = 0; out && row < layers * field->height; row++) {
        const char *from = (const char *)field->xy +
                           (ptrdiff_t)(first + row / field->height) * field->layer_bytes +
                           (ptrdiff_t)(row % field->height) * field->row_bytes;
        for (uint32_t i = 0; i < field->width; i++, out += 2) {
            memcpy(out, from + i * field->point_bytes, 2 * sizeof *out);
        }
    }
    return out;
}

/* Layers are 1 or LENS_COLORS for both eyes, or twice as many. */
enum fovea_result lens_calibration_of_field(const struct fovea_field *field,
                                            char out_problem[LENS_PROBLEM_BYTES],
                                            struct shared_data **out_data)
{
    const double between = field->centered ? 0.0 : 1.0;
    const struct lens_points points = {
        .columns = field->width,
        .rows = field->height,
        .step_uv = {1.0 / (field->width - between), 1.0 / (field->height - between)},
        .start = field->centered ? 0.5 : 0.0};
    const uint32_t eyes = field->layers % LENS_EYES == 0 ? LENS_EYES : 1;
    const uint32_t layers = field->layers / eyes;
    const bool sides = sides_are_right(&points, out_problem);
    struct lens_calibration *made = lens_calibration_make();
    bool memory = made;
    for (uint32_t eye = 0; memory && sides && eye < eyes; eye++) {
        made->eye_count = eyes;
        made->eyes[eye].points = points;
        memory = take_layers(field, eye * layers, layers, &made->eyes[eye].points);
    }
    if (made && !memory) {
        shared_data_release(&(struct shared_data *){&made->base});
        made = NULL;
    }
    return lens_calibration_finish(made, sides, out_problem, out_data);
}
