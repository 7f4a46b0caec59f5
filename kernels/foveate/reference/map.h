/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The reference's own maps, written again from the formulas; they share nothing. */
#pragma once

#include "config/settings.h"

struct reference_map {
    struct fovea_foveation settings;
    long width, height;
    double degrees; /* from a sample to the next */
    double largest, smallest; /* before the floor */
};

/* The settings have the map model; their array is used in place. Files are not read. */
struct reference_map reference_map_of(const struct fovea_foveation *settings);

/* Returns the cycles a degree that are resolved so many degrees right of the gaze and below it. */
double reference_map_cpd(const struct reference_map *map, double right, double down);
