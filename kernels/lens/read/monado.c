/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Monado's formula: with r the distance from the centre over `scale`, the source is as many times
 * as far as k0 + k1 r + k2 r^2 + k3 r^3 + k4 r^4, times the aberration of the colour. Distances are
 * the viewport's, which the picture covers whatever its own aspect is: where it has another one
 * than the viewport, circles of equal r are ellipses of the picture's pixels. */
#include "read.h"

#include <math.h>
#include <string.h>

#define STEPS 4096 /* in which a fold is looked for */
#define MOST_OFF 2.0 /* viewports that the centre may be off the middle, as the settings' shift */

/* All but the last must be there. */
static const char *const members[LENS_MONADO_MEMBERS] = {"distortion_k", "scale", "lens_center",
                                                         "viewport_size", "aberration_k"};

const struct lens_monado lens_monado_empty = {.aberration = {1.0, 1.0, 1.0}};

static bool read_value(struct lens_scan *scan, struct lens_monado *monado, int member)
{
    switch (member) {
    case 0:
        return lens_scan_some(scan, LENS_POWERS - 1, LENS_POWERS, monado->k);
    case 1:
        return lens_scan_number(scan, &monado->scale);
    case 2:
        return lens_scan_numbers(scan, 2, monado->center);
    case 3:
        return lens_scan_numbers(scan, 2, monado->viewport);
    default:
        return lens_scan_numbers(scan, LENS_COLORS, monado->aberration);
    }
}

bool lens_monado_member(struct lens_scan *scan, const char *name, struct lens_monado *monado)
{
    int member = 0;
    while (member < LENS_MONADO_MEMBERS && strcmp(name, members[member]) != 0) {
        member++;
    }
    if (member == LENS_MONADO_MEMBERS) {
        return lens_scan_fail(
            scan,
            "there is no \"%s\" in a calibration; docs/lens.md says what is read, "
            "and how a grid is made of all else",
            name);
    }
    return lens_scan_once(scan, name, &monado->has[member]) && read_value(scan, monado, member);
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

static bool is_right(struct lens_scan *scan, const struct lens_monado *monado)
{
    for (int i = 0; i < LENS_MONADO_MEMBERS - 1; i++) {
        if (!monado->has[i]) {
            return lens_scan_fail(scan, "the lens has no \"%s\"", members[i]);
        }
    }
    if (!(monado->scale > 0.0 && monado->viewport[0] > 0.0 && monado->viewport[1] > 0.0)) {
        return lens_scan_fail(scan, "\"scale\" and both of \"viewport_size\" must be above 0");
    }
    for (int i = 0; i < 2; i++) {
        if (!(fabs(monado->center[i] / monado->viewport[i] - 0.5) <= MOST_OFF)) {
            return lens_scan_fail(
                scan, "\"lens_center\" is %g of \"viewport_size\"; it must be %g to %g",
                monado->center[i] / monado->viewport[i], 0.5 - MOST_OFF, 0.5 + MOST_OFF);
        }
    }
    for (int color = 0; color < LENS_COLORS; color++) {
        if (!(monado->aberration[color] > 0.0)) {
            return lens_scan_fail(scan, "\"aberration_k\" must be above 0");
        }
    }
    return true;
}

/* Aberrations above 0 move no fold, and none depends on the picture's size. */
static bool does_not_fold(struct lens_scan *scan, const struct lens_monado *monado)
{
    const double farthest = farthest_of(monado);
    for (int i = 0; i <= STEPS; i++) {
        const double r = farthest * i / STEPS;
        double slope = 0.0;
        for (int power = LENS_POWERS - 1; power >= 0; power--) {
            slope = slope * r + (power + 1) * monado->k[power];
        }
        if (!(slope > 0.0)) {
            return lens_scan_fail(scan,
                                  "the lens folds back from r = %.4g of \"scale\" on; the farthest "
                                  "corner of the viewport is at r = %.4g",
                                  r, farthest);
        }
    }
    return true;
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
    double factor = 0.0;
    for (int i = 0; i < 2; i++) {
        from[i] = (uv[i] * monado->viewport[i] - monado->center[i]) / monado->scale;
    }
    const double r = hypot(from[0], from[1]);
    for (int power = LENS_POWERS - 1; power >= 0; power--) {
        factor = factor * r + monado->k[power];
    }
    factor *= monado->aberration[color];
    factor = r * factor > beyond ? beyond / r : factor;
    for (int i = 0; i < 2; i++) {
        out_uv[i] = (monado->center[i] + from[i] * factor * monado->scale) / monado->viewport[i];
    }
}

bool lens_monado_finish(struct lens_scan *scan, const struct lens_monado *monado,
                        struct lens_map *map)
{
    if (!is_right(scan, monado) || !does_not_fold(scan, monado)) {
        return false;
    }
    set_polynomial(monado, &map->polynomial);
    map->aspect = monado->viewport[0] / monado->viewport[1];
    return lens_read_formula(scan, place_of, monado, LENS_COLORS, &map->points);
}
