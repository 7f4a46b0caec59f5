/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "map.h"

#include <math.h>

/* Spacing of ON midget cells in degrees, times a constant that falls out. Columns of table 1 of
 * Watson 2014 by where they lie in the visual field. */
static double spacing(const double constants[3], double r)
{
    const double near = constants[0] * pow(1.0 + r / constants[1], -2.0);
    const double far = (1.0 - constants[0]) * exp(-r / constants[2]);
    return sqrt((1.0 + r / 41.03) / (near + far));
}

static double human(bool right_eye, double right, double down)
{
    static const double temporal_side[] = {0.9851, 1.058, 22.14};
    static const double nasal_side[] = {0.9729, 1.084, 7.633};
    static const double below_gaze[] = {0.9935, 1.035, 16.35};
    static const double above_gaze[] = {0.996, 0.9932, 12.13};
    const double r = sqrt(right * right + down * down);
    if (r == 0.0) {
        return 1.0;
    }
    const double outwards = right_eye ? right : -right;
    const double s1 = spacing(outwards > 0.0 ? temporal_side : nasal_side, r) * right / r;
    const double s2 = spacing(down > 0.0 ? below_gaze : above_gaze, r) * down / r;
    return 1.0 / (s1 * s1 + s2 * s2);
}

/* The map of a right eye; docs/models.md has the numbers. */
static double animal(enum fovea_map_kind kind, double right, double down)
{
    const double to_gaze2 = right * right + down * down;
    const double to_beak2 = (right + 30.0) * (right + 30.0) + down * down;
    if (kind == FOVEA_MAP_KANGAROO) {
        return 211.6 / (529.0 + down * down) + 15.0 / (25.0 + to_gaze2);
    }
    if (kind == FOVEA_MAP_HAWK) {
        const double central = 3.2 / (4.0 + to_gaze2);
        const double temporal = 1.2 / (4.0 + to_beak2);
        return 12.8 / (64.0 + down * down) + (central > temporal ? central : temporal);
    }
    /* 3, 13 and 39: thirds and thirteenths. */
    return (3.0 + 640.0 / (64.0 + down * down)) / 39.0 + 50.0 / (75.0 + 3.0 * to_gaze2);
}

static double generated(const struct fovea_map *map, double right, double down)
{
    if (map->kind == FOVEA_MAP_STREAK) {
        return (0.4 + 240.0 / (400.0 + right * right)) * 64.0 / (64.0 + down * down);
    }
    const double left_eye =
        map->kind == FOVEA_MAP_HUMAN ? human(false, right, down) : animal(map->kind, -right, down);
    const double right_eye =
        map->kind == FOVEA_MAP_HUMAN ? human(true, right, down) : animal(map->kind, right, down);
    switch (map->eye) {
    case FOVEA_MAP_EYE_LEFT:
        return left_eye;
    case FOVEA_MAP_EYE_RIGHT:
        return right_eye;
    case FOVEA_MAP_EYE_BOTH:
        break;
    }
    return left_eye > right_eye ? left_eye : right_eye;
}

static double value(const struct reference_map *map, long column, long row)
{
    const struct fovea_map *settings = &map->settings.map;
    if (settings->kind == FOVEA_MAP_ARRAY) {
        return (double)settings->values[row * map->width + column];
    }
    return generated(settings, ((double)column - (double)(map->width - 1) / 2.0) * map->degrees,
                     ((double)row - (double)(map->height - 1) / 2.0) * map->degrees);
}

static void look_at(struct reference_map *map, long column, long row)
{
    const double v = value(map, column, row);
    map->largest = fmax(map->largest, v);
    map->smallest = fmin(map->smallest, v);
}

struct reference_map reference_map_of(const struct fovea_foveation *settings)
{
    const bool array = settings->map.kind == FOVEA_MAP_ARRAY;
    struct reference_map map = {
        .settings = *settings,
        .width = array ? (long)settings->map.width : 801,
        .height = array ? (long)settings->map.height : 801,
        .degrees = array ? settings->map.width_deg / settings->map.width : 0.25,
        .smallest = HUGE_VAL,
    };
    /* A formula has its largest value in the middle and its smallest on the border. */
    look_at(&map, map.width / 2, map.height / 2);
    for (long row = 0; row < map.height; row++) {
        const bool all = array || row == 0 || row == map.height - 1;
        for (long column = 0; column < map.width; column += all ? 1 : map.width - 1) {
            look_at(&map, column, row);
        }
    }
    return map;
}

/* Beyond the edge the smallest counts; never less than the floor where the law has one. */
static double counted(const struct reference_map *map, long column, long row)
{
    double v = map->smallest;
    if (column >= 0 && column < map->width && row >= 0 && row < map->height) {
        v = value(map, column, row);
    }
    const bool has_floor = map->settings.map.law == FOVEA_MAP_LAW_SQRT;
    return has_floor ? fmax(v, map->settings.map.floor * map->largest) : v;
}

static double between(const struct reference_map *map, double right, double down)
{
    const double x = right / map->degrees + (double)(map->width - 1) / 2.0;
    const double y = down / map->degrees + (double)(map->height - 1) / 2.0;
    const long column = (long)floor(x);
    const long row = (long)floor(y);
    const double u = x - (double)column;
    const double v = y - (double)row;
    return counted(map, column, row) * (1.0 - u) * (1.0 - v) +
           counted(map, column + 1, row) * u * (1.0 - v) +
           counted(map, column, row + 1) * (1.0 - u) * v +
           counted(map, column + 1, row + 1) * u * v;
}

double reference_map_cpd(const struct reference_map *map, double right, double down)
{
    const struct fovea_map *settings = &map->settings.map;
    const struct fovea_paper *paper = &map->settings.paper;
    const double v = between(map, right, down);
    if (settings->law == FOVEA_MAP_LAW_LINEAR) {
        const double e =
            (1.0 - (v - map->smallest) / (map->largest - map->smallest)) * paper->e_max_deg;
        return paper->e2_deg * log(1.0 / paper->ct0) / (paper->alpha * (e + paper->e2_deg));
    }
    double at_largest = settings->cutoff_cpd;
    if (at_largest == 0.0) {
        at_largest = settings->kind == FOVEA_MAP_HUMAN ? 65.4 : paper->f_max_cpd;
    }
    return at_largest * sqrt(v / map->largest);
}
