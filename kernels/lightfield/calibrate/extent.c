/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The part of an endless array that a picture has whole: rows and columns of lenses are taken away
 * where most of a side is not in the picture, until none is. */

#include "calibrate.h"

#include <math.h>

#define SIDES 4 /* the first and the last column, the first and the last row */
#define LENSES_MAX 4096

struct extent {
    const struct calibrate_lattice *lattice;
    double width_px, height_px, margin_px;
    int32_t column[2], row[2]; /* the first, and the last */
};

/* Columns count from the first row's: a row that is shifted where the first one is not begins half
 * a lens later. */
static double column_of(const struct extent *extent, int32_t column, int32_t row)
{
    const double first = calibrate_column(extent->lattice, 0, extent->row[0]);
    const bool shifted = extent->lattice->hexagonal && ((row - extent->row[0]) & 1) != 0;
    return column + first + (shifted ? 0.5 : 0.0);
}

static bool is_in(const struct extent *extent, int32_t column, int32_t row)
{
    const double place[2] = {column_of(extent, column, row), row};
    double at[2];
    calibrate_place(extent->lattice, place, at);
    return at[0] >= extent->margin_px && at[1] >= extent->margin_px &&
           at[0] <= extent->width_px - extent->margin_px &&
           at[1] <= extent->height_px - extent->margin_px;
}

/* The part of a side that is not in the picture. */
static double missing(const struct extent *extent, int side)
{
    const bool is_row = side >= 2;
    const int32_t *along = is_row ? extent->column : extent->row;
    const int32_t at = is_row ? extent->row[side - 2] : extent->column[side];
    int32_t out = 0;
    for (int32_t i = along[0]; i <= along[1]; i++) {
        out += is_in(extent, is_row ? i : at, is_row ? at : i) ? 0 : 1;
    }
    return (double)out / (along[1] - along[0] + 1);
}

static bool shrink(struct extent *extent)
{
    int worst = -1;
    double most = 0.0;
    for (int side = 0; side < SIDES; side++) {
        const double part = missing(extent, side);
        if (part > most) {
            most = part;
            worst = side;
        }
    }
    if (worst == 0 || worst == 2) {
        (worst == 0 ? extent->column : extent->row)[0]++;
    } else if (worst > 0) {
        (worst == 1 ? extent->column : extent->row)[1]--;
    }
    return worst >= 0 && extent->column[0] <= extent->column[1] && extent->row[0] <= extent->row[1];
}

/* All lenses that can have a centre in the picture. */
static void widen(struct extent *extent)
{
    const struct calibrate_lattice *lattice = extent->lattice;
    const double cross = calibrate_cross(lattice->across, lattice->down);
    double low[2] = {1e9, 1e9};
    double high[2] = {-1e9, -1e9};
    for (int i = 0; i < 4; i++) {
        const double from[2] = {(i % 2 ? extent->width_px : 0.0) - lattice->origin[0],
                                (i / 2 ? extent->height_px : 0.0) - lattice->origin[1]};
        const double place[2] = {calibrate_cross(from, lattice->down) / cross,
                                 calibrate_cross(lattice->across, from) / cross};
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = fmin(low[axis], place[axis]);
            high[axis] = fmax(high[axis], place[axis]);
        }
    }
    extent->column[0] = (int32_t)floor(low[0]) - 1;
    extent->column[1] = (int32_t)ceil(high[0]);
    extent->row[0] = (int32_t)floor(low[1]);
    extent->row[1] = (int32_t)ceil(high[1]);
}

bool calibrate_extent_find(const struct calibrate_lattice *lattice, uint32_t width_px,
                           uint32_t height_px, struct fovea_lightfield_geometry *out)
{
    const double pitch_x = sqrt(calibrate_dot(lattice->across, lattice->across));
    const double pitch_y = sqrt(calibrate_dot(lattice->down, lattice->down));
    /* A tenth of a micro-image may be cut off. */
    struct extent extent = {.lattice = lattice,
                            .width_px = width_px,
                            .height_px = height_px,
                            .margin_px = 0.4 * fmin(pitch_x, pitch_y)};
    widen(&extent);
    while (shrink(&extent)) {
    }
    const int32_t columns = extent.column[1] - extent.column[0] + 1;
    const int32_t rows = extent.row[1] - extent.row[0] + 1;
    const double place[2] = {column_of(&extent, extent.column[0], extent.row[0]), extent.row[0]};
    double origin[2];
    calibrate_place(lattice, place, origin);
    out->raw_width_px = width_px;
    out->raw_height_px = height_px;
    out->columns = (uint32_t)(columns > 0 ? columns : 0);
    out->rows = (uint32_t)(rows > 0 ? rows : 0);
    out->arrangement =
        lattice->hexagonal ? FOVEA_LIGHTFIELD_ROWS_HEXAGONAL : FOVEA_LIGHTFIELD_ROWS_RECTANGULAR;
    out->pitch_x_px = pitch_x;
    out->pitch_y_px = pitch_y;
    out->origin_x_px = origin[0];
    out->origin_y_px = origin[1];
    out->rotation_deg = atan2(lattice->across[1], lattice->across[0]) / CALIBRATE_DEGREE;
    return columns >= CALIBRATE_LENSES_LEAST - 1 && rows >= CALIBRATE_LENSES_LEAST - 1 &&
           columns <= LENSES_MAX && rows <= LENSES_MAX;
}
