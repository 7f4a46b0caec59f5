/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The raw pixels of bytes that columns and rows of a block's pixels take, and their weights: those
 * of rows are whole numbers of 1 / 65535 of the largest, so that two rows are added up by one
 * product of 16 bits. */
#pragma once

#include "render.cuh"
#include "tile.cuh"

#define TILE_WEIGHT 65535.0f

/* The pixel of a place before which there is one, and the part of that. */
DEVICE int tile_place(const lightfield_cuda_raw &raw, int place, int pixels, float &part)
{
    if (!raw.nearest) {
        return sample_place(place, pixels, part);
    }
    const int at = place_within(place >> 16, pixels);
    const int first = min(at, pixels - 2);
    part = (float)(at - first);
    return first;
}

/* Says what a column of the picture takes of each column of lenses: a raw pixel and the next one.
 */
struct tile_column {
    int first[LIGHTFIELD_TILE_LENSES];
    float2 weights[LIGHTFIELD_TILE_LENSES];
    bool counts[LIGHTFIELD_TILE_LENSES];
    float weight; /* of all */
};

/* Takes `range` lenses to each side, RANGE at most; says nothing of those beyond. */
template <int RANGE>
DEVICE void tile_weigh_column(const lightfield_cuda_rendering &params, double at, int range,
                              tile_column &out)
{
    const lightfield_cuda_array &array = params.array;
    const double patch_px = patch_of(params);
    const int origin = place_fixed(array.origin_x_px);
    place_part parts[LIGHTFIELD_TILE_LENSES];
    float least = INFINITY;
    out.weight = 0.0f;
#pragma unroll
    for (int i = LIGHTFIELD_TILE_RANGE - RANGE; i <= LIGHTFIELD_TILE_RANGE + RANGE; i++) {
        const int right = i - LIGHTFIELD_TILE_RANGE;
        parts[i] = place_column(array, at, false, right, patch_px);
        parts[i].from = abs(right) > range ? NAN : parts[i].from;
        least = fminf(least, parts_square(parts[i].from, params.view_x_px));
    }
#pragma unroll
    for (int i = LIGHTFIELD_TILE_RANGE - RANGE; i <= LIGHTFIELD_TILE_RANGE + RANGE; i++) {
        float part;
        const float weight = parts_weight(parts[i].from, params.view_x_px, least, params.factor);
        out.first[i] = tile_place(params.raw, parts[i].x + origin, params.raw.width_px, part);
        out.weights[i] = make_float2(weight * (1.0f - part), weight * part);
        out.counts[i] = isfinite(parts[i].from);
        out.weight += weight;
    }
}

/* Says what a row of the picture takes of a row of lenses. */
struct __align__(16) tile_row
{
    int64_t above; /* where the row of the raw picture begins */
    uint32_t weights; /* of that row, and of the next one; 0: nothing */
    uint32_t is_new; /* 0: the row of the picture before took it, as its next one */
};

/* A row of the picture in the rows of lenses around: how far it is from their middles, squared. */
struct tile_row_parts {
    place_part own; /* in the row of lenses that is weighed */
    float squares[LIGHTFIELD_TILE_LENSES];
};

DEVICE void tile_place_row(const lightfield_cuda_rendering &params, int y, int lens,
                           tile_row_parts &out)
{
    const double at = place_at(params.array.down, y);
    const double patch_px = patch_of(params);
    out.own = place_row(params.array, at, lens - LIGHTFIELD_TILE_RANGE, patch_px);
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        const place_part part = place_row(params.array, at, i - LIGHTFIELD_TILE_RANGE, patch_px);
        out.squares[i] = parts_square(part.from, params.view_y_px);
    }
}

/* Weighs it for pixels that take `range` rows of lenses to each side. */
DEVICE tile_row tile_weigh_row(const lightfield_cuda_rendering &params, const tile_row_parts &parts,
                               int lens, int range)
{
    float least = INFINITY;
    float weight = 0.0f;
    float below;
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        least = abs(i - LIGHTFIELD_TILE_RANGE) <= range ? fminf(least, parts.squares[i]) : least;
    }
    if (abs(lens - LIGHTFIELD_TILE_RANGE) <= range) {
        weight = parts_weight(parts.own.from, params.view_y_px, least, params.factor) * TILE_WEIGHT;
    }
    const int above = tile_place(params.raw, parts.own.y, params.raw.height_px, below);
    const uint32_t next = __float2uint_rn(weight * below);
    const uint32_t own = min(__float2uint_rn(weight * (1.0f - below)), 65535u - next);
    return {above * params.raw.row_stride_bytes, own | next << 16, 1u};
}

/* In the order in which their places in the raw come. */
DEVICE int tile_y(const lightfield_cuda_array &array, tile_rows rows, int number)
{
    return rows.first + (array.sign < 0.0 ? rows.count - 1 - number : number);
}

/* ---- Sums along the lenses */

DEVICE void tile_add(color3 &sum, float weight, float4 of)
{
    sum.r += weight * of.x;
    sum.g += weight * of.y;
    sum.b += weight * of.z;
}

DEVICE void tile_add(color3 &sum, float weight, float of)
{
    sum.r += weight * of;
}
