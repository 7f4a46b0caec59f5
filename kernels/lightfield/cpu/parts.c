/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Places in the raw picture, along the columns and along the rows of lenses. */

#include "lightfield_cpu.h"

#include <math.h>

struct lightfield_view lightfield_view_of(const struct fovea_lightfield_geometry *geometry,
                                          const struct fovea_image *picture)
{
    const double turn = geometry->rotation_deg * M_PI / 180.0;
    return (struct lightfield_view){.geometry = geometry,
                                    .width_px = (int32_t)picture->width_px,
                                    .height_px = (int32_t)picture->height_px,
                                    .cos = cos(turn),
                                    .sin = sin(turn),
                                    .sign = geometry->flip ? -1.0 : 1.0};
}

int32_t lightfield_row_of(const struct lightfield_view *view, int32_t y)
{
    const uint32_t rows = view->geometry->rows;
    return (int32_t)floor(lightfield_at(y, view->height_px, rows) + 0.5);
}

static int32_t within(int32_t number, uint32_t count)
{
    return number < 0 ? 0 : number >= (int32_t)count ? (int32_t)count - 1 : number;
}

static int32_t fixed(double value)
{
    const double scaled = value * LIGHTFIELD_ONE;
    return (int32_t)(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
}

static double patch_at(const struct lightfield_patches *patches, double pitch_px, int32_t x)
{
    if (!patches->each) {
        return patches->patch_px;
    }
    const double given = (double)patches->each[x];
    return given >= 1.0 && given <= pitch_px ? given : patches->patch_px;
}

void lightfield_columns_place(const struct lightfield_view *view, int32_t shifted, int32_t right,
                              const struct lightfield_patches *patches,
                              const struct lightfield_part *out)
{
    const struct fovea_lightfield_geometry *geometry = view->geometry;
    const double shift = shifted ? 0.5 : 0.0;
    for (int32_t i = 0; i < view->width_px; i++) {
        const double x = lightfield_at(i, view->width_px, geometry->columns) - shift;
        const int32_t wanted = within((int32_t)floor(x + 0.5), geometry->columns) + right;
        const int32_t column = within(wanted, geometry->columns);
        const double patch_px = patch_at(patches, geometry->pitch_x_px, i);
        const double from_px = view->sign * (x - column) * patch_px;
        const double at_px = (column + shift) * geometry->pitch_x_px + from_px;
        const uint32_t away = (uint32_t)(right < 0 ? -right : right);
        const bool counts = away == 0 || lightfield_in_range(away, patch_px, geometry->pitch_x_px);
        out->x[i] = fixed(view->cos * at_px);
        out->y[i] = fixed(view->sin * at_px);
        out->weight[i] = wanted != column ? INFINITY : counts ? (float)from_px : NAN;
    }
}

static void row_place(const struct lightfield_view *view, double y, int32_t row, int32_t down,
                      double patch_px, const struct lightfield_part *out, int32_t i)
{
    const struct fovea_lightfield_geometry *geometry = view->geometry;
    const double tall = geometry->pitch_y_px / geometry->pitch_x_px;
    const double from_px = view->sign * (y - row) * patch_px * tall;
    const double at_px = row * geometry->pitch_y_px + from_px;
    const uint32_t away = (uint32_t)(down < 0 ? -down : down);
    const bool counts = away == 0 || lightfield_in_range(away, patch_px, geometry->pitch_x_px);
    out->x[i] = fixed(geometry->origin_x_px - view->sin * at_px);
    out->y[i] = fixed(geometry->origin_y_px + view->cos * at_px);
    out->weight[i] = counts ? (float)from_px : NAN;
}

void lightfield_rows_place(const struct lightfield_view *view, int32_t y, int32_t row,
                           const struct lightfield_patches *patches,
                           const struct lightfield_part *out)
{
    const struct fovea_lightfield_geometry *geometry = view->geometry;
    const double at = lightfield_at(y, view->height_px, geometry->rows);
    const int32_t down = row - lightfield_row_of(view, y);
    if (patches->each) {
        for (int32_t i = 0; i < view->width_px; i++) {
            row_place(view, at, row, down, patch_at(patches, geometry->pitch_x_px, i), out, i);
        }
        return;
    }
    row_place(view, at, row, down, patches->patch_px, out, 0);
    for (int32_t i = 1; i < view->width_px; i++) {
        out->x[i] = out->x[0];
        out->y[i] = out->y[0];
        out->weight[i] = out->weight[0];
    }
}
