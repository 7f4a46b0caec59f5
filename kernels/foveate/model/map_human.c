/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Watson 2014, A formula for human retinal ganglion cell receptive field density as a function of
 * visual field location, Journal of Vision 14(7):15: equations 4, 7 and 8 along the meridians, and
 * between two of them the spacing of cells by an ellipse (equation 9).
 *
 * Whose meridian is whose: Curcio and Allen 1990 counted more cells on the nasal side of the retina
 * than on the temporal one, by more than 300 % far out, and 60 % more in the upper half than in the
 * lower. The retina's image is upside down and mirrored, so the temporal and the lower visual field
 * have more. Watson's "temporal" (re 22.14) is therefore the visual field's, while his "superior"
 * (re 16.35), the denser of the two, is the retina's. */

#include "map.h"

#include <math.h>

#define PEAK_CONES 14804.6 /* a square degree at the gaze; two midget cells each */
#define MIDGETS_HALVED_DEG 41.03

struct meridian {
    double part; /* of the first term */
    double r2_deg; /* where it has fallen to a quarter */
    double re_deg; /* where the second has fallen by e */
};

/* In the visual field. */
static const struct meridian temporal = {0.9851, 1.058, 22.14};
static const struct meridian nasal = {0.9729, 1.084, 7.633};
static const struct meridian lower = {0.9935, 1.035, 16.35};
static const struct meridian upper = {0.996, 0.9932, 12.13};

static double on_meridian(const struct meridian *m, double r_deg)
{
    const double first = 1.0 + r_deg / m->r2_deg;
    const double all = m->part / (first * first) + (1.0 - m->part) * exp(-r_deg / m->re_deg);
    return 2.0 * PEAK_CONES * all / (1.0 + r_deg / MIDGETS_HALVED_DEG);
}

/* The spacing squared is 1 / density: its ellipse has the spacings of the two meridians as axes. */
static double one_eye(const struct meridian *horizontal, double x_deg, double y_deg)
{
    const double r_deg = hypot(x_deg, y_deg);
    const double along = on_meridian(horizontal, r_deg);
    if (y_deg == 0.0) {
        return along;
    }
    const double across = on_meridian(y_deg > 0.0 ? &lower : &upper, r_deg);
    return r_deg * r_deg / (x_deg * x_deg / along + y_deg * y_deg / across);
}

double foveate_map_human(enum fovea_map_eye eye, double x_deg, double y_deg)
{
    const struct meridian *const of_right = x_deg > 0.0 ? &temporal : &nasal;
    const struct meridian *const of_left = x_deg < 0.0 ? &temporal : &nasal;
    if (eye != FOVEA_MAP_EYE_BOTH) {
        return one_eye(eye == FOVEA_MAP_EYE_RIGHT ? of_right : of_left, x_deg, y_deg);
    }
    return fmax(one_eye(of_right, x_deg, y_deg), one_eye(of_left, x_deg, y_deg));
}
