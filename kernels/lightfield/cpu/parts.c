/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Places in the raw picture, along the columns and along the rows of lenses. */

#include "lightfield_cpu.h"

#include <math.h>
#include <stdlib.h>

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

static int32_t nearest_column(const struct lightfield_view *view, int32_t x, double shift)
{
    const uint32_t columns = view->geometry->columns;
    return lightfield_within(
        (int32_t)floor(lightfield_at(x, view->width_px, columns) - shift + 0.5), columns);
}

/* Lenses to each side that count around one. */
static int32_t range_at(const struct lightfield_view *view, const struct lightfield_rings *rings,
                        double column, int32_t row, int32_t range)
{
    const struct fovea_lightfield_geometry *geometry = view->geometry;
    const double x_px = (column + 0.5) / geometry->columns * view->width_px - rings->gaze_x_px;
    const double y_px = (row + 0.5) / geometry->rows * view->height_px - rings->gaze_y_px;
    const double square = x_px * x_px + y_px * y_px;
    const int32_t most = square <= rings->full_px * rings->full_px   ? range
                         : square <= rings->next_px * rings->next_px ? 1
                                                                     : 0;
    return most < range ? most : range;
}

void lightfield_spans_find(const struct lightfield_view *view, const struct lightfield_rings *rings,
                           int32_t row, int32_t range,
                           struct lightfield_span out[LIGHTFIELD_RANGE_MAX + 1])
{
    const double shift = lightfield_row_is_shifted(view->geometry, row) ? 0.5 : 0.0;
    for (int32_t lenses = 0; lenses <= range; lenses++) {
        out[lenses] = rings->is_on && lenses > 0
                          ? (struct lightfield_span){view->width_px, view->width_px}
                          : (struct lightfield_span){0, view->width_px};
    }
    for (int32_t x = 0; rings->is_on && x < view->width_px; x++) {
        const int32_t own =
            range_at(view, rings, nearest_column(view, x, shift) + shift, row, range);
        for (int32_t lenses = 1; lenses <= own; lenses++) {
            struct lightfield_span *span = &out[lenses];
            span->first = x < span->first ? x : span->first;
            span->end = x + 1;
        }
    }
}

static double patch_at(const struct lightfield_patches *patches, double pitch_px, int32_t x)
{
    if (!patches->each) {
        return patches->patch_px;
    }
    const double given = (double)patches->each[x];
    return given >= 1.0 && given <= pitch_px ? given : patches->patch_px;
}

void lightfield_column_place(const struct lightfield_view *view, int32_t x, int32_t shifted,
                             int32_t right, double patch_px, const struct lightfield_part *out,
                             int32_t i)
{
    const struct fovea_lightfield_geometry *geometry = view->geometry;
    const double shift = shifted ? 0.5 : 0.0;
    const double at = lightfield_at(x, view->width_px, geometry->columns) - shift;
    const int32_t wanted = nearest_column(view, x, shift) + right;
    const int32_t column = lightfield_within(wanted, geometry->columns);
    const double from_px = view->sign * (at - column) * patch_px;
    const double at_px = (column + shift) * geometry->pitch_x_px + from_px;
    const uint32_t away = (uint32_t)(right < 0 ? -right : right);
    const bool counts = away == 0 || lightfield_in_range(away, patch_px, geometry->pitch_x_px);
    out->x[i] = lightfield_fixed(view->cos * at_px);
    out->y[i] = lightfield_fixed(view->sin * at_px);
    out->weight[i] = wanted != column ? INFINITY : counts ? (float)from_px : NAN;
}

void lightfield_columns_place(const struct lightfield_view *view, int32_t shifted, int32_t right,
                              const struct lightfield_patches *patches,
                              const struct lightfield_part *out)
{
    for (int32_t x = 0; x < view->width_px; x++) {
        const double patch_px = patch_at(patches, view->geometry->pitch_x_px, x);
        lightfield_column_place(view, x, shifted, right, patch_px, out, x);
    }
}

void lightfield_row_place(const struct lightfield_view *view, int32_t y, int32_t row,
                          double patch_px, const struct lightfield_part *out, int32_t i)
{
    const struct fovea_lightfield_geometry *geometry = view->geometry;
    const double at = lightfield_at(y, view->height_px, geometry->rows);
    const double tall = geometry->pitch_y_px / geometry->pitch_x_px;
    const double from_px = view->sign * (at - row) * patch_px * tall;
    const double at_px = row * geometry->pitch_y_px + from_px;
    const uint32_t away = (uint32_t)abs(row - lightfield_row_of(view, y));
    const bool counts = away == 0 || lightfield_in_range(away, patch_px, geometry->pitch_x_px);
    out->x[i] = lightfield_fixed(geometry->origin_x_px - view->sin * at_px);
    out->y[i] = lightfield_fixed(geometry->origin_y_px + view->cos * at_px);
    out->weight[i] = counts ? (float)from_px : NAN;
}

void lightfield_rows_place(const struct lightfield_view *view, int32_t y, int32_t row,
                           const struct lightfield_patches *patches,
                           const struct lightfield_part *out)
{
    for (int32_t i = 0; patches->each && i < view->width_px; i++) {
        const double patch_px = patch_at(patches, view->geometry->pitch_x_px, i);
        lightfield_row_place(view, y, row, patch_px, out, i);
    }
    if (patches->each) {
        return;
    }
    lightfield_row_place(view, y, row, patches->patch_px, out, 0);
    for (int32_t i = 1; i < view->width_px; i++) {
        out->x[i] = out->x[0];
        out->y[i] = out->y[0];
        out->weight[i] = out->weight[0];
    }
}
