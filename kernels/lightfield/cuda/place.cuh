/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Places in the raw picture along the columns and along the rows of lenses, as
 * kernels/lightfield/cpu/parts.c has them: whole numbers of 1 / 65536 px, from double precision. */
#pragma once

#include "params.h"

#define PLACE_ONE 65536

/* from: px from the lens's centre; NaN where the place is out of the micro-image, infinite where
 * there is no lens. */
struct place_part {
    int x, y;
    float from;
};

DEVICE int place_within(int number, int count)
{
    return min(max(number, 0), count - 1);
}

DEVICE int place_fixed(double value)
{
    const double scaled = value * PLACE_ONE;
    return (int)(scaled + copysign(0.5, scaled));
}

/* Returns a / b, rounded as a division is, by 1 / b: what is left of a says how far the product is
 * off. No thread waits for the steps of a division. */
DEVICE double place_divide(double a, double b, double per_b)
{
    const double about = __dmul_rn(a, per_b);
    return __fma_rn(__fma_rn(-about, b, a), per_b, about);
}

/* In lenses; the centre of the first one is at 0. A pixel halfway between two has the one that it
 * has on the processor: nothing is fused. */
DEVICE double place_at(const lightfield_cuda_axis &axis, int pixel)
{
    return __dmul_rn(place_divide(pixel + 0.5, axis.pixels, axis.per_pixel), axis.lenses) - 0.5;
}

/* Returns where the centre of a lens lies in the picture. */
DEVICE double place_of_lens(const lightfield_cuda_axis &axis, double lens)
{
    return __dmul_rn(place_divide(lens + 0.5, axis.lenses, axis.per_lens), axis.pixels);
}

DEVICE int place_nearest(double at)
{
    return (int)floor(at + 0.5);
}

DEVICE bool place_counts(const lightfield_cuda_array &array, int away, double patch_px)
{
    return away == 0 || (2.0 * abs(away) + 1.0) * patch_px <= array.reach_px;
}

DEVICE bool place_is_shifted(const lightfield_cuda_array &array, int row)
{
    return array.hexagonal && (row & 1);
}

/* Counts the lenses to each side that pixels take whose nearest lens is this one. */
DEVICE int place_range(const lightfield_cuda_rings &rings, const lightfield_cuda_array &array,
                       double column, int row, int range)
{
    if (!rings.is_on) {
        return range;
    }
    const double x = place_of_lens(array.across, column) - rings.gaze_x_px;
    const double y = place_of_lens(array.down, row) - rings.gaze_y_px;
    const double square = __dmul_rn(x, x) + __dmul_rn(y, y);
    return square <= rings.full_square ? range : min(range, square <= rings.next_square ? 1 : 0);
}

/* Does the same for a pixel. */
DEVICE int place_range_at(const lightfield_cuda_rings &rings, const lightfield_cuda_array &array,
                          int x, int row, int range)
{
    const double shift = place_is_shifted(array, row) ? 0.5 : 0.0;
    const double at = place_at(array.across, x) - shift;
    const int column = place_within(place_nearest(at), array.columns);
    return place_range(rings, array, column + shift, row, range);
}

/* Places a pixel in the column `right` of the nearest, in rows of a kind. */
DEVICE place_part place_column(const lightfield_cuda_array &array, double at, bool shifted,
                               int right, double patch_px)
{
    const double shift = shifted ? 0.5 : 0.0;
    const double x = at - shift;
    const int wanted = place_within(place_nearest(x), array.columns) + right;
    const int column = place_within(wanted, array.columns);
    const double from_px = array.sign * (x - column) * patch_px;
    const double at_px = (column + shift) * array.pitch_x_px + from_px;
    place_part part = {place_fixed(array.cos * at_px), place_fixed(array.sin * at_px),
                       (float)from_px};
    part.from = wanted != column                       ? INFINITY
                : place_counts(array, right, patch_px) ? part.from
                                                       : NAN;
    return part;
}

/* Places a pixel in the row `down` of the nearest, which need not be there. */
DEVICE place_part place_row(const lightfield_cuda_array &array, double at, int down,
                            double patch_px)
{
    const int row = place_nearest(at) + down;
    const double from_px = array.sign * (at - row) * patch_px * array.tall;
    const double at_px = row * array.pitch_y_px + from_px;
    place_part part = {place_fixed(array.origin_x_px - array.sin * at_px),
                       place_fixed(array.origin_y_px + array.cos * at_px), (float)from_px};
    part.from = row != place_within(row, array.rows)  ? INFINITY
                : place_counts(array, down, patch_px) ? part.from
                                                      : NAN;
    return part;
}
