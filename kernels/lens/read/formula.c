/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "read.h"

#include <stdlib.h>

#define SIDE 257 /* points, each way */

static void fill(lens_formula_fn place, const void *user, int color, float *places_uv)
{
    for (int32_t i = 0; i < SIDE * SIDE; i++) {
        const double uv[] = {(double)(i % SIDE) / (SIDE - 1), (double)(i / SIDE) / (SIDE - 1)};
        double source_uv[2];
        place(user, color, uv, source_uv);
        *places_uv++ = (float)source_uv[0];
        *places_uv++ = (float)source_uv[1];
    }
}

bool lens_read_formula(struct json_scan *scan, lens_formula_fn place, const void *user,
                       int color_count, struct lens_points *points)
{
    const size_t count = (size_t)2 * SIDE * SIDE;
    points->memory = calloc((size_t)color_count * count, sizeof *points->memory);
    if (!points->memory) {
        return json_fail(scan, "out of memory");
    }
    points->columns = points->rows = SIDE;
    points->quadratic = true;
    points->step_uv[0] = points->step_uv[1] = 1.0 / (SIDE - 1);
    for (int color = 0; color < LENS_COLORS; color++) {
        float *places_uv = points->memory + (size_t)(color < color_count ? color : 0) * count;
        points->places_uv[color] = places_uv;
        if (color < color_count) {
            fill(place, user, color, places_uv);
        }
    }
    return true;
}
