/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Monado's formula: with r the distance from the centre over `scale`, the source is as many times
 * as far as k0 + k1 r + k2 r^2 + k3 r^3 + k4 r^4, times the aberration of the colour. Distances are
 * the viewport's, which the picture covers whatever its own aspect is: where it has another one
 * than the viewport, circles of equal r are ellipses of the picture's pixels. */
#include "read.h"

#include <math.h>

struct headset {
    struct lens_formula formula;
    const struct lens_monado *monado;
    double farthest; /* r of the viewport's corner that is farthest from the centre */
};

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
static void source(const struct lens_formula *formula, int color, const double at[2],
                   double out_at[2])
{
    const struct headset *headset = (const struct headset *)formula;
    const double beyond = 4.0 * headset->farthest;
    const double r = hypot(at[0], at[1]);
    const double wanted =
        lens_factor_at(headset->monado->k, r) * headset->monado->aberration[color];
    const double factor = r * wanted > beyond ? beyond / r : wanted;
    out_at[0] = at[0] * factor;
    out_at[1] = at[1] * factor;
}

/* Aberrations above 0 move no fold, and none depends on the picture's size. */
bool lens_monado_finish(struct json_scan *scan, const struct lens_monado *monado,
                        struct lens_map *map)
{
    struct headset headset = {.formula = {.source = source, .color_count = LENS_COLORS},
                              .monado = monado};
    double far[2];
    for (int color = 0; color < LENS_COLORS; color++) {
        if (!(monado->aberration[color] > 0.0)) {
            return json_fail(scan, "\"aberration_k\" must be above 0");
        }
    }
    for (int i = 0; i < 2; i++) {
        headset.formula.size[i] = monado->viewport[i];
        headset.formula.center[i] = monado->center[i];
        headset.formula.unit[i] = monado->scale;
        far[i] = fmax(fabs(monado->center[i]), fabs(monado->viewport[i] - monado->center[i]));
    }
    headset.farthest = hypot(far[0], far[1]) / monado->scale;
    if (!lens_read_formula(scan, &headset.formula, &map->points)) {
        return false;
    }
    const double fold = lens_fold_of(monado->k, headset.farthest);
    set_polynomial(monado, &map->polynomial);
    map->aspect = monado->viewport[0] / monado->viewport[1];
    return fold > headset.farthest ||
           json_fail(scan,
                     "the lens folds back from r = %.4g of \"scale\" on; the farthest corner of "
                     "the viewport is at r = %.4g",
                     fold, headset.farthest);
}
