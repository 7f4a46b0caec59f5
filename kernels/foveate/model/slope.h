/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How fast sigma changes over the picture, whatever the gaze: a bound from the table of the law, so
 * that a few values of sigma say what all others between them can be. */
#ifndef FOVEA_KERNELS_FOVEATE_MODEL_SLOPE_H
#define FOVEA_KERNELS_FOVEATE_MODEL_SLOPE_H

#include "kernels/foveate/foveate.h"

struct foveate_slope {
    float slope; /* pixels of sigma a pixel */
    float sigma_px; /* the largest of any gaze */
};

/* For a map's table: its largest sigma, and the largest step from an entry to the next. */
struct foveate_extremes {
    float value;
    float step;
};

/* Of the law its map_* members are asked for. */
struct foveate_extremes foveate_cpu_extremes_of_map(const struct foveate_law *law,
                                                    const float *table);

struct foveate_slope foveate_slope_of(const struct foveate_plan *plan);

#endif
