/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Points of formulas, and the formulas of cameras: with (x, y) the tangents of a direction, r their
 * length and q = r^2, the source of a pixel lies where the lens has put that direction:
 *
 *     x (1 + k1 q + k2 q^2 + k3 q^3) / (1 + k4 q + k5 q^2 + k6 q^3) + 2 p1 x y + p2 (q + 2 x^2) +
 *         s1 q + s2 q^2,   y likewise with p1 and p2 exchanged, s3 and s4
 *
 *     x a (1 + k1 a^2 + k2 a^4 + k3 a^6 + k4 a^8) / r,   a = atan r, of a fisheye */
#include "read.h"

#include <math.h>
#include <stdlib.h>

#define SIDE 257 /* points, each way */
#define MOST_OFF 2.0 /* pictures that the centre may be off the middle, as the settings' shift */

static void fill(const struct lens_formula *formula, int color, float *places_uv)
{
    for (int32_t i = 0; i < SIDE * SIDE; i++) {
        const double uv[] = {(double)(i % SIDE) / (SIDE - 1), (double)(i / SIDE) / (SIDE - 1)};
        double at[2];
        double to[2];
        for (int k = 0; k < 2; k++) {
            at[k] = (uv[k] * formula->size[k] - formula->center[k]) / formula->unit[k];
        }
        formula->source(formula, color, at, to);
        for (int k = 0; k < 2; k++) {
            *places_uv++ =
                (float)((formula->center[k] + to[k] * formula->unit[k]) / formula->size[k]);
        }
    }
}

static bool is_right(struct json_scan *scan, const struct lens_formula *formula)
{
    for (int i = 0; i < 2; i++) {
        const double center = formula->center[i] / formula->size[i];
        if (!(formula->size[i] > 0.0 && formula->unit[i] > 0.0)) {
            return json_fail(scan, "the picture's sides and the %s must be above 0",
                             formula->color_count == 1 ? "focal lengths" : "scale");
        }
        if (!(fabs(center - 0.5) <= MOST_OFF)) {
            return json_fail(scan, "the centre is at %g of the picture; it must be %g to %g",
                             center, 0.5 - MOST_OFF, 0.5 + MOST_OFF);
        }
    }
    return true;
}

bool lens_read_formula(struct json_scan *scan, const struct lens_formula *formula,
                       struct lens_points *points)
{
    const size_t count = (size_t)2 * SIDE * SIDE;
    if (!is_right(scan, formula)) {
        return false;
    }
    points->memory = calloc((size_t)formula->color_count * count, sizeof *points->memory);
    if (!points->memory) {
        return json_fail(scan, "out of memory");
    }
    points->columns = points->rows = SIDE;
    points->quadratic = true;
    points->step_uv[0] = points->step_uv[1] = 1.0 / (SIDE - 1);
    for (int color = 0; color < LENS_COLORS; color++) {
        float *places_uv =
            points->memory + (size_t)(color < formula->color_count ? color : 0) * count;
        points->places_uv[color] = places_uv;
        if (color < formula->color_count) {
            fill(formula, color, places_uv);
        }
    }
    return true;
}

/* ---- Cameras */

static void source(const struct lens_formula *formula, int color, const double at[2],
                   double out_at[2])
{
    const double *t = ((const struct lens_camera *)formula)->terms;
    const double q = at[0] * at[0] + at[1] * at[1];
    const double factor =
        (1.0 + q * (t[0] + q * (t[1] + q * t[4]))) / (1.0 + q * (t[5] + q * (t[6] + q * t[7])));
    const double across = 2.0 * at[0] * at[1];
    (void)color;
    out_at[0] =
        at[0] * factor + t[2] * across + t[3] * (q + 2.0 * at[0] * at[0]) + q * (t[8] + q * t[9]);
    out_at[1] =
        at[1] * factor + t[3] * across + t[2] * (q + 2.0 * at[1] * at[1]) + q * (t[10] + q * t[11]);
}

static void fisheye_source(const struct lens_formula *formula, int color, const double at[2],
                           double out_at[2])
{
    const double *t = ((const struct lens_camera *)formula)->terms;
    const double r = hypot(at[0], at[1]);
    const double angle = atan(r);
    const double q = angle * angle;
    const double distorted = angle * (1.0 + q * (t[0] + q * (t[1] + q * (t[2] + q * t[3]))));
    const double factor = r > 0.0 ? distorted / r : 1.0;
    (void)color;
    out_at[0] = at[0] * factor;
    out_at[1] = at[1] * factor;
}

bool lens_camera_finish(struct json_scan *scan, struct lens_camera *camera, struct lens_map *map)
{
    camera->formula.source = camera->fisheye ? fisheye_source : source;
    camera->formula.color_count = 1;
    return camera->fisheye || (camera->terms[12] == 0.0 && camera->terms[13] == 0.0)
               ? lens_read_formula(scan, &camera->formula, &map->points)
               : json_fail(scan, "a tilted sensor is not read: make a grid of the map");
}
