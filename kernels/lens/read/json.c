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
 * And Monado's and OpenHMD's values of a headset, by their names in Monado. With r the distance
 * from the centre over `scale`, the source is as many times as far as k0 + k1 r + k2 r^2 + k3 r^3 +
 * k4 r^4, times the aberration of the colour. Distances are the viewport's, which the picture
 * covers whatever its own aspect is: where it has another one than the viewport, circles of equal r
 * are ellipses of the picture's pixels. */
#include "read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A polynomial */

/* A center is as far off as lens.shift_x and lens.shift_y in operator.def go; one in pixels is
 * farther. */
enum { RED, GREEN, BLUE, UNIT, CENTER };
static const char *const unit_words[] = {"half-width", "half-height", "half-diagonal", "half-short",
                                         NULL};
static const struct json_member polynomial_members[] = {
    JSON_NUMBERS("red", struct lens_polynomial, terms[RED], 0.0, 0.0, false),
    JSON_NUMBERS("green", struct lens_polynomial, terms[GREEN], 0.0, 0.0, false),
    JSON_NUMBERS("blue", struct lens_polynomial, terms[BLUE], 0.0, 0.0, false),
    {.name = "unit", .at = offsetof(struct lens_polynomial, unit), .words = unit_words},
    JSON_NUMBERS("center", struct lens_polynomial, center_uv, -1.5, 2.5, false),
    {.name = NULL}};
static const struct json_members polynomial_object = {.what = "the polynomial",
                                                      .more = LENS_READ_MORE,
                                                      .needs = 1u << GREEN,
                                                      .all = polynomial_members};

static bool read_polynomial(struct json_scan *scan, void *to)
{
    struct lens_polynomial *polynomial = &(*(struct lens_map **)to)->polynomial;
    uint32_t has = 0;
    if (!json_members_read(scan, &polynomial_object, polynomial, &has)) {
        return false;
    }
    polynomial->centered = has >> CENTER & 1;
    for (int color = 0; color < LENS_COLORS; color++) {
        if (!(has >> color & 1)) {
            memcpy(polynomial->terms[color], polynomial->terms[GREEN],
                   sizeof polynomial->terms[color]);
        }
    }
    return true;
}

/* ---- A grid. Its points come after what says how many there are. */

struct grid {
    struct lens_points *points;
    double sides[2]; /* 0: not given */
    double size_px[2];
    double spacing_px;
    uint32_t between;
    uint32_t in_pixels;
    uint32_t has;
    uint32_t has_colors;
};

enum { POINTS, SIZE, SPACING };
static const char *const between_words[] = {"linear", "quadratic", NULL};
static const char *const in_words[] = {"uv", "pixels", NULL};
static const struct json_member grid_members[] = {
    JSON_NUMBERS("points", struct grid, sides, 1.0, LENS_POINTS_MAX, true),
    JSON_NUMBERS("size", struct grid, size_px, 1.0, 65536.0, true),
    JSON_NUMBERS("spacing", struct grid, spacing_px, 1.0, 65536.0, false),
    {.name = "between", .at = offsetof(struct grid, between), .words = between_words},
    {.name = "in", .at = offsetof(struct grid, in_pixels), .words = in_words},
    {.name = NULL}};
static const struct json_members grid_object = {
    .what = "the grid", .more = LENS_READ_MORE, .all = grid_members};

/* Returns how many numbers a colour has; 0: it is not said. */
static size_t set_sides(const struct grid *grid)
{
    struct lens_points *points = grid->points;
    double sides[2];
    for (int i = 0; i < 2; i++) {
        const bool spaced = grid->spacing_px > 0.0;
        sides[i] = spaced && grid->size_px[i] > 0.0
                       ? ceil(grid->size_px[i] / grid->spacing_px) + 1.0
                       : grid->sides[i];
        points->step_uv[i] = spaced ? grid->spacing_px / grid->size_px[i] : 1.0 / (sides[i] - 1.0);
    }
    points->columns = (uint32_t)sides[0];
    points->rows = (uint32_t)sides[1];
    return 2 * (size_t)points->columns * points->rows;
}

static bool read_points(struct json_scan *scan, const struct grid *grid, uint32_t color)
{
    struct lens_points *points = grid->points;
    const size_t count = set_sides(grid);
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
    return json_floats(scan, count, points->memory + (size_t)color * count);
}

static bool grid_member(struct json_scan *scan, const char *name, void *user)
{
    struct grid *grid = user;
    const uint32_t color = json_index(lens_color_names, name);
    if (color < LENS_COLORS) {
        return json_once(scan, name, 1u << color, &grid->has_colors) &&
               read_points(scan, grid, color);
    }
    if (!json_member_read(scan, &grid_object, name, grid, &grid->has)) {
        return false;
    }
    return !(grid->has >> POINTS & grid->has >> SPACING & 1) ||
           json_fail(scan, "\"points\" and \"spacing\" are two grids");
}

static bool read_grid(struct json_scan *scan, void *to)
{
    struct lens_points *points = &(*(struct lens_map **)to)->points;
    struct grid grid = {.points = points};
    if (!json_object(scan, grid_member, &grid)) {
        return false;
    }
    if (!(grid.has_colors >> GREEN & 1)) {
        return json_fail(scan, "the grid has no \"green\"");
    }
    if (grid.in_pixels && !(grid.has >> SIZE & 1)) {
        return json_fail(scan, "places in pixels need \"size\"");
    }
    const size_t count = 2 * (size_t)points->columns * points->rows;
    points->quadratic = grid.between == 1;
    for (size_t i = 0; grid.in_pixels && i < LENS_COLORS * count; i++) {
        points->memory[i] = (float)((double)points->memory[i] / grid.size_px[i % 2]);
    }
    for (int color = 0; color < LENS_COLORS; color++) {
        const int from = grid.has_colors >> color & 1 ? color : GREEN;
        points->places_uv[color] = points->memory + (size_t)from * count;
    }
    return true;
}

/* ---- One lens: any of these, or Monado's values */

struct lens {
    struct lens_formula formula;
    struct lens_map *map;
    double k[LENS_POWERS];
    double aberration[LENS_COLORS];
    double farthest; /* r of the viewport's corner that is farthest from the centre */
    uint32_t has;
};

enum { DISTORTION, SCALE, LENS_CENTER, VIEWPORT, ABERRATION, POLYNOMIAL, GRID };
static const struct json_member lens_members[] = {
    {.name = "distortion_k",
     .at = offsetof(struct lens, k),
     .least = LENS_POWERS - 1,
     .most = LENS_POWERS},
    JSON_NUMBERS("scale", struct lens, formula.unit[0], 0.0, 0.0, false),
    JSON_NUMBERS("lens_center", struct lens, formula.center, 0.0, 0.0, false),
    JSON_NUMBERS("viewport_size", struct lens, formula.size, 0.0, 0.0, false),
    JSON_NUMBERS("aberration_k", struct lens, aberration, 0.0, 0.0, false),
    {.name = "polynomial", .at = offsetof(struct lens, map), .read = read_polynomial},
    {.name = "grid", .at = offsetof(struct lens, map), .read = read_grid},
    {.name = NULL}};
static const struct json_members lens_object = {.what = "the lens",
                                                .more = LENS_READ_MORE,
                                                .needs = 1u << DISTORTION | 1u << SCALE |
                                                         1u << LENS_CENTER | 1u << VIEWPORT,
                                                .all = lens_members};

/* Nothing of the picture lies at `beyond`. Sources that would be farther away stay there, because
 * points must be near the picture. */
static void source(const struct lens_formula *formula, int color, const double at[2],
                   double out_at[2])
{
    const struct lens *lens = (const struct lens *)formula;
    const double beyond = 4.0 * lens->farthest;
    const double r = hypot(at[0], at[1]);
    const double wanted = lens_factor_at(lens->k, r) * lens->aberration[color];
    const double factor = r * wanted > beyond ? beyond / r : wanted;
    out_at[0] = at[0] * factor;
    out_at[1] = at[1] * factor;
}

/* In half widths of pictures that have the viewport's aspect. */
static void set_polynomial(const struct lens *lens, struct lens_polynomial *own)
{
    const struct lens_formula *formula = &lens->formula;
    const double per_unit = 0.5 * formula->size[0] / formula->unit[0];
    own->unit = LENS_HALF_WIDTH;
    own->centered = true;
    own->center_uv[0] = formula->center[0] / formula->size[0];
    own->center_uv[1] = formula->center[1] / formula->size[1];
    for (int i = 0; i < LENS_COLORS * LENS_POWERS; i++) {
        const int power = i % LENS_POWERS;
        own->terms[i / LENS_POWERS][power] =
            lens->aberration[i / LENS_POWERS] * lens->k[power] * pow(per_unit, power);
    }
}

/* A polynomial, with points for pictures of another aspect. Aberrations above 0 move no fold, and
 * none depends on the picture's size. */
static bool finish_values(struct json_scan *scan, struct lens *lens)
{
    struct lens_formula *formula = &lens->formula;
    double far[2];
    for (int i = 0; i < 2; i++) {
        far[i] = fmax(fabs(formula->center[i]), fabs(formula->size[i] - formula->center[i]));
    }
    formula->unit[1] = formula->unit[0];
    lens->farthest = hypot(far[0], far[1]) / formula->unit[0];
    if (!(fmin(lens->aberration[0], fmin(lens->aberration[1], lens->aberration[2])) > 0.0)) {
        return json_fail(scan, "\"aberration_k\" must be above 0");
    }
    if (!lens_read_formula(scan, formula, &lens->map->points)) {
        return false;
    }
    set_polynomial(lens, &lens->map->polynomial);
    lens->map->aspect = formula->size[0] / formula->size[1];
    const double fold = lens_fold_of(lens->k, lens->farthest);
    return fold > lens->farthest ||
           json_fail(scan,
                     "the lens folds back from r = %.4g of \"scale\" on; the farthest corner of "
                     "the viewport is at r = %.4g",
                     fold, lens->farthest);
}

static struct lens lens_of(struct lens_map *map)
{
    return (struct lens){.formula = {.source = source, .color_count = LENS_COLORS},
                         .map = map,
                         .aberration = {1.0, 1.0, 1.0}};
}

static bool lens_member(struct json_scan *scan, const char *name, void *user)
{
    struct lens *lens = user;
    return json_member_read(scan, &lens_object, name, lens, &lens->has);
}

static bool finish_lens(struct json_scan *scan, struct lens *lens)
{
    if (lens->has == 0) {
        return json_fail(scan, "there is no lens; expected \"polynomial\" or \"grid\"");
    }
    if (lens->has >= 1u << POLYNOMIAL) {
        return lens->has == 1u << POLYNOMIAL || lens->has == 1u << GRID ||
               json_fail(scan, "these are two lenses");
    }
    return json_members_need(scan, &lens_object, lens->has) && finish_values(scan, lens);
}

/* ---- A file: one for both eyes, or one for each */

struct file {
    struct lens_calibration *calibration;
    struct lens lens; /* of both eyes */
    bool ours;
    uint32_t has_eyes;
};

static const char *const eye_names[] = {"left", "right", NULL};

static bool file_member(struct json_scan *scan, const char *name, void *user)
{
    struct file *file = user;
    const uint32_t eye = json_index(eye_names, name);
    double version = 0.0;
    if (strcmp(name, "fovea-lens") == 0) {
        file->ours = true;
        return json_number(scan, &version) &&
               (version == 1.0 || json_fail(scan, "version 1 is the only one"));
    }
    if (!file->ours &&
        (eye < LENS_EYES || strcmp(name, "polynomial") == 0 || strcmp(name, "grid") == 0)) {
        return json_fail(scan, "\"fovea-lens\": 1 comes before \"%s\"", name);
    }
    if (eye < LENS_EYES ? file->lens.has : file->has_eyes) {
        return json_fail(scan, "there is a lens for both eyes beside one for one of them");
    }
    if (eye == LENS_EYES) {
        return lens_member(scan, name, &file->lens);
    }
    struct lens lens = lens_of(&file->calibration->eyes[eye]);
    return json_once(scan, name, 1u << eye, &file->has_eyes) &&
           json_object(scan, lens_member, &lens) && finish_lens(scan, &lens);
}

static bool knows(struct json_scan *scan)
{
    return json_sees(scan, '{');
}

static bool read(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct file file = {.calibration = calibration, .lens = lens_of(&calibration->eyes[0])};
    if (!json_object(scan, file_member, &file) || !json_end(scan)) {
        return false;
    }
    if (file.has_eyes == 0) {
        return finish_lens(scan, &file.lens);
    }
    calibration->eye_count = LENS_EYES;
    return file.has_eyes == 3 ||
           json_fail(scan, "the %s eye has no lens", eye_names[file.has_eyes == 1]);
}

const struct lens_reader lens_reader_json = {knows, read};
