/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A view's frustum, as an engine has it, in the form of the settings' geometry. */
#pragma once

#include "core/step.h"
#include "fovea_settings.h"

static inline double frustum_edge(double tangent)
{
    const double stepped = step_tangent(tangent);
    return stepped == 0 ? 1e-9 : stepped; /* a geometry has all four */
}

/* tangents: left, right, up and down, as struct fovea_geometry has them. False: those are no angles
 * that a plan can be made for, and *geometry is as it was; else all but its tangents is. */
static inline bool frustum_geometry(const double tangents[4], struct fovea_geometry *geometry)
{
    double edge[4];
    bool fits = true;
    for (int i = 0; i < 4; i++) {
        edge[i] = frustum_edge(tangents[i]);
        fits = fits && fabs(edge[i]) <= 100;
    }
    if (!fits || !(edge[0] + edge[1] >= 0.001) || !(edge[2] + edge[3] >= 0.001)) {
        return false;
    }
    geometry->tan_left = edge[0];
    geometry->tan_right = edge[1];
    geometry->tan_up = edge[2];
    geometry->tan_down = edge[3];
    return true;
}
