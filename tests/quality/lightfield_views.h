/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* ./run lightfield makes these of arrays on whose lenses the scene is focused (plenoptic 1.0). */
#pragma once

#include "fovea_lightfield.h"

#define LIGHTFIELD_FRAMES 48

struct views_wishes {
    struct fovea_lightfield *field;
    const struct fovea_lightfield_raw *raw;
    const struct fovea_lightfield_geometry *geometry;
    const char *output;
};

/* view.png, those from the left, the right, above and below, sum.png, and refocus-*.png. */
bool views_write(const struct views_wishes *wishes);
