/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Monado's formula: with r the distance from the centre over `scale`, the source is as many times
 * as far as k0 + k1 r + k2 r^2 + k3 r^3 + k4 r^4, times the aberration of the colour. Distances are
 * the viewport's, which the picture covers whatever its own aspect is: where it has another one
 * than the viewport, circles of equal r are ellipses of the picture's pixels. */
#include "read.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define MOST_OFF 2.0 /* viewports that the centre may be off the middle, as the settings' shift */

/* How many numbers a member has, and where they go. All but the last must be there. */
static const struct {
    const char *name;
    size_t least, most, at;
} members[LENS_MONADO_MEMBERS] = {
    {"distortion_k", LENS_POWERS - 1, LENS_POWERS, offsetof(struct lens_monado, k)},
    {"scale", 1, 1, offsetof(struct lens_monado, scale)},
    {"lens_center", 2, 2, offsetof(struct lens_monado, center)},
    {"viewport_size", 2, 2, offsetof(struct lens_monado, viewport)},
    {"aberration_k", LENS_COLORS, LENS_COLORS, offsetof(struct lens_monado, aberration)},
};

const struct lens_monado lens_monado_empty = {.aberration = {1.0, 1.0, 1.0}};

bool lens_monado_member(struct json_scan *scan, const char *name, struct lens_monado *monado)
{
    for (int i = 0; i < LENS_MONADO_MEMBERS; i++) {
        if (strcmp(name, members[i].name) == 0) {
            double *numbers = (double *)(void *)((char *)monado + members[i].at);
            return lens_read_once(scan, name, &monado->has[i]) &&
                   lens_read_numbers(scan, members[i].least, members[i].most, numbers);
        }
    }
    return json_fail(scan,
                     "there is no \"%s\" in a calibration; docs/lens.md says what is read, and how "
                     "a grid is made of all else",
                     name);
}

/* The viewport's corner that is farthest from the centre, as r. */
static double farthest_of(const struct lens_monado *monado)
{
    double far[2];
    for (int i = 0; i < 2; i++) {
        far[i] = fmax(fabs(monado->center[i]), fabs(monado->viewport[i] - monado->center[i]));
    }
    return hypot(far[0], far[1]) / monado->scale;
}

static bool is_right(struct json_scan *scan, const struct lens_monado *monado)
{
    for (int i = 0; i < LENS_MONADO_MEMBERS - 1; i++) {
        if (!monado->has[i]) {
            return json_fail(scan, "the lens has no \"%s\"", members[i].name);
        }
    }
    if (!(monado->scale > 0.0 && monado->viewport[0] > 0.0 && monado->viewport[1] > 0.0)) {
        return json_fail(scan, "\"scale\" and both of \"viewport_size\" must be above 0");
    }
    for (int i = 0; i < 2; i++) {
        if (!(fabs(monado->center[i] / monado->viewport[i] - 0.5) <= MOST_OFF)) {
            return json_fail(
                scan, "\"lens_center\" is %g of \"viewport_size\"; it must be %g to %g",
                monado->center[i] / monado->viewport[i], 0.5 - MOST_OFF, 0.5 + MOST_OFF);
        }
    }
    for (int color = 0; color < LENS_COLORS; color++) {
        if (!(monado->aberration[color] > 0.0)) {
            return json_fail(scan, "\"aberration_k\" must be above 0");
        }
    }
    return true;
}

/* Aberrations above 0 move no fold, and none depends on the picture's size. */
static bool does_not_fold(struct json_scan *scan, const struct lens_monado *monado)
{
    const double farthest = farthest_of(monado);
    const double fold = lens_fold_of(monado->k, farthest);
    return fold > farthest ||
           json_fail(
               scan,
               "the lens folds back from r = %.4g of \"scale\" on; the farthest corner of the "
               "viewport is at r = %.4g",
               fold, farthest);
}

/* Those in half widths of pictures that have the viewport's aspect. */
static void set_polynomial(const struct lens_monado *monado, struct lens_polynomial *own)
{
    const double per_unit = 0.5 * monado->viewport[0] / monado->scale;
    own->unit = LENS_HALF_WIDTH;
    own->centered = true;
    for (int i = 0; i < 2; i++) {
        own->center_uv[i] = monado->center[i] / monado->viewport[i];
    }
    for (int color = 0; color < LENS_COLORS; color++) {
        for (int i = 0; i < LENS_POWERS; i++) {
            own->terms[color][i] = monado->aberration[color] * monado->k[i] * pow(per_unit, i);
        }
    }
}

/* Nothing of the picture lies at `beyond`. Sources that would be farther away stay there, because
 * points must be near the picture. */
static void place_of(const void *user, int color, const double uv[2], double out_uv[2])
{
    const struct lens_monado *monado = user;
    const double beyond = 4.0 * farthest_of(monado);
    double from[2];
    for (int i = 0; i < 2; i++) {
        from[i] = (uv[i] * monado->viewport[i] - monado->center[i]) / monado->scale;
    }
    const double r = hypot(from[0], from[1]);
    const double wanted = lens_factor_at(monado->k, r) * monado->aberration[color];
    const double factor = r * wanted > beyond ? beyond / r : wanted;
    for (int i = 0; i < 2; i++) {
        out_uv[i] = (monado->center[i] + from[i] * factor * monado->scale) / monado->viewport[i];
    }
}

bool lens_monado_finish(struct json_scan *scan, const struct lens_monado *monado,
                        struct lens_map *map)
{
    if (!is_right(scan, monado) || !does_not_fold(scan, monado)) {
        return false;
    }
    set_polynomial(monado, &map->polynomial);
    map->aspect = monado->viewport[0] / monado->viewport[1];
    return lens_read_formula(scan, place_of, monado, LENS_COLORS, &map->points);
}
