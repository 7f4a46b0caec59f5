/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A walk along the ring road. Depends on the time only, so that frame n is the same everywhere. */
#pragma once

#include "road.h"

struct camera {
    struct vec3 eye;
    struct vec3 forward;
    float vertical_rad;
};

struct camera camera_at(const struct road *road, double time_s);
