/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Retinas of three animals, as parts of their peak. docs/models.md has a row for each number: which
 * are published, and which are ours because none was found. Published:
 *
 *     kangaroo   Freeman and Tancred 1978 (a possum, the marsupial with such numbers): 2,000 a mm2
 *                along the streak and 5,000 at the peak, 280,000 in 260 mm2, 0.136 mm a degree
 *     hawk       Inzunza et al. 1991: 62,000 a mm2 in the central fovea of Buteo, and a streak;
 *                Tucker 2000: 30 degrees between the foveas; Fite and Rosenfield-Wessels 1975: the
 *                temporal one has fewer
 *     dog        Gonzalez-Soriano et al. 1995: 13,000 and 1,000 a mm2 at the peak and far out;
 *                McGreevy, Grassi and Harman 2003: 2,640 in the area against 880 in the streak */

#include "map.h"

#include <math.h>

struct retina {
    double peak_half_deg; /* where half of what the peak has above the streak is left */
    double streak; /* along the horizon */
    double streak_half_deg; /* above or below it */
    double far; /* above and below, however far */
    double second; /* of a second fovea; 0: there is none */
    double second_deg; /* to the left of the right eye's gaze */
};

static const struct retina kangaroo = {.peak_half_deg = 5.0, .streak = 0.4, .streak_half_deg = 23};
static const struct retina hawk = {
    .peak_half_deg = 2.0, .streak = 0.2, .streak_half_deg = 8.0, .second = 0.5, .second_deg = 30.0};
static const struct retina dog = {
    .peak_half_deg = 5.0, .streak = 1.0 / 3.0, .streak_half_deg = 8.0, .far = 1.0 / 13.0};

/* 1 at the middle, a half at half_deg. */
static double bell(double squared_deg, double half_deg)
{
    return 1.0 / (1.0 + squared_deg / (half_deg * half_deg));
}

/* At every x it falls with |y|, so a rectangle has its smallest density in its first or last row.
 */
static double density(const struct retina *retina, double x_deg, double y_deg)
{
    const double y2 = y_deg * y_deg;
    const double from_second = x_deg + retina->second_deg;
    const double peak = (1.0 - retina->streak) * bell(x_deg * x_deg + y2, retina->peak_half_deg);
    const double second = (retina->second - retina->streak) *
                          bell(from_second * from_second + y2, retina->peak_half_deg);
    const double streak =
        retina->far + (retina->streak - retina->far) * bell(y2, retina->streak_half_deg);
    return streak + fmax(peak, second);
}

double foveate_map_animal(enum fovea_map_kind kind, enum fovea_map_eye eye, double x_deg,
                          double y_deg)
{
    const struct retina *const retina = kind == FOVEA_MAP_KANGAROO ? &kangaroo
                                        : kind == FOVEA_MAP_HAWK   ? &hawk
                                                                   : &dog;
    const double right = density(retina, x_deg, y_deg);
    const double left = density(retina, -x_deg, y_deg);
    return eye == FOVEA_MAP_EYE_RIGHT  ? right
           : eye == FOVEA_MAP_EYE_LEFT ? left
                                       : fmax(right, left);
}
