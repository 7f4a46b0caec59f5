/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How fast sigma changes over the picture, whatever the gaze: a bound from the table of the law, so
 * that a few values of sigma say what all others between them can be. */
#pragma once

#include "kernels/gauss/gauss.h"

struct gauss_slope {
    float slope; /* pixels of sigma a pixel */
    float sigma_px; /* the largest of any gaze */
};

/* For a map's table: its largest sigma, and the largest step from an entry to the next. */
struct gauss_extremes {
    float value;
    float step;
};

/* Only the map_* members of the law are asked for. */
struct gauss_extremes gauss_cpu_extremes_of_map(const struct gauss_law *law, const float *table);

struct gauss_slope gauss_slope_of(const struct gauss_plan *plan);

/* Returns the slope up to which GPUs take the law in tiles, whose limit for most laws is `most`. */
double gauss_plan_tile_slope(const struct gauss_plan *plan, double most);
