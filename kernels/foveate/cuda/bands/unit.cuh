/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A unit is what a warp of foveate_bands.cu makes at a time. It has up to four quarters side by
 * side, each of up to 8 columns of one fragment:
 *
 *     fragments of more than 16 px    two quarters by 32 rows, of one fragment
 *     of 9 to 16 px                   four by 16 rows: two fragments, two quarters each
 *     of up to 8 px                   four by 8 rows: four fragments, or by 16: eight whose filters
 *                                     are the same in pairs one above the other */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_BANDS_UNIT_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_BANDS_UNIT_CUH

#include "window.cuh"

const int QUARTERS = 4;
const int QUARTER_PX = 8;
const int TILE_ROWS = 16;
struct unit {
    int16_t x, y; /* the first pixel, counted from the region's */
    int16_t width; /* only pixels of its fragments */
    int16_t rows;
    int32_t rings[QUARTERS];
};

/* Returns a quarter's first column in its unit; quarter_end the first beyond its fragment. */
static __device__ __forceinline__ int quarter_start(int side, int q)
{
    return side <= QUARTER_PX       ? q * side
           : side <= 2 * QUARTER_PX ? q / 2 * side + q % 2 * QUARTER_PX
                                    : q * QUARTER_PX;
}
static __device__ __forceinline__ int quarter_end(int side, int q)
{
    return side <= QUARTER_PX       ? (q + 1) * side
           : side <= 2 * QUARTER_PX ? (q / 2 + 1) * side
                                    : QUARTERS * QUARTER_PX;
}
/* Returns how many of its columns are pixels of the fragment. */
static __device__ __forceinline__ int quarter_columns(const unit &u, int side, int q)
{
    return min(max(min((int)u.width, quarter_end(side, q)) - quarter_start(side, q), 0),
               QUARTER_PX);
}

/* Collects the quarters side by side from a fragment on. */
static __device__ __forceinline__ unit unit_of_fragments(const bands_region &region,
                                                         const uint16_t *rings_1, int side,
                                                         int column, int row)
{
    unit u = {};
    const int per_fragment = side <= QUARTER_PX ? 1 : 2;
    const int count = min(QUARTERS / per_fragment, region.fragments_x - column);
    u.x = (int16_t)(column * side);
    u.y = (int16_t)(row * side);
    u.width = (int16_t)(count * side);
    u.rows = (int16_t)side;
#pragma unroll
    for (int q = 0; q < QUARTERS; q++) {
        const int fragment = min(q / per_fragment, count - 1);
        u.rings[q] = rings_1[row * region.fragments_x + column + fragment] - 1;
    }
    return u;
}

static __device__ __forceinline__ bool have_same_filters(const unit &a, const unit &b)
{
    return a.rings[0] == b.rings[0] && a.rings[1] == b.rings[1] && a.rings[2] == b.rings[2] &&
           a.rings[3] == b.rings[3];
}

static __device__ __forceinline__ int parts_of(int length, int part)
{
    return (length + part - 1) / part;
}

/* Finds units for fragments of up to 16 px. Those of up to 8 px come in pairs of rows; a pair with
 * the same filters has no `second`. Returns false if there is no such unit. */
static __device__ __forceinline__ bool small_unit(const bands_region &region,
                                                  const uint16_t *rings_1, int side, int i,
                                                  bool second, unit &u)
{
    const int across = side <= QUARTER_PX ? QUARTERS : QUARTERS / 2;
    const int down = side <= QUARTER_PX ? 2 : 1;
    const int columns = parts_of(region.fragments_x, across);
    const int pair = quotient(i, columns);
    const int row = pair * down;
    const int column = (i - pair * columns) * across;
    u = unit_of_fragments(region, rings_1, side, column, row);
    if (down == 1 || row + 1 >= region.fragments_y) {
        return !second;
    }
    const unit lower = unit_of_fragments(region, rings_1, side, column, row + 1);
    if (have_same_filters(u, lower)) {
        u.rows = (int16_t)(2 * side);
        return !second;
    }
    if (second) {
        u = lower;
    }
    return true;
}

/* Finds units for larger ones. */
static __device__ __forceinline__ bool large_unit(const bands_region &region,
                                                  const uint16_t *rings_1, int side, int i, unit &u)
{
    const int width = QUARTERS / 2 * QUARTER_PX;
    const int rows = 2 * TILE_ROWS;
    const int parts_x = parts_of(side, width);
    const int parts_y = parts_of(side, rows);
    const int columns = region.fragments_x * parts_x;
    const int row = quotient(i, columns);
    const int column = i - row * columns;
    const int x = quotient(column, parts_x);
    const int y = quotient(row, parts_y);
    const int part_x = (column - x * parts_x) * width;
    const int part_y = (row - y * parts_y) * rows;
    const int ring = rings_1[y * region.fragments_x + x] - 1;
    u.x = (int16_t)(x * side + part_x);
    u.y = (int16_t)(y * side + part_y);
    u.width = (int16_t)min(side - part_x, width);
    u.rows = (int16_t)min(side - part_y, rows);
#pragma unroll
    for (int q = 0; q < QUARTERS; q++) {
        u.rings[q] = ring;
    }
    return true;
}

/* Counts units of either kind, without the `second`. */
template <bool SMALL>
static __device__ __forceinline__ int count_units(const bands_region &region, int side)
{
    if (SMALL) {
        const int across = side <= QUARTER_PX ? QUARTERS : QUARTERS / 2;
        const int down = side <= QUARTER_PX ? 2 : 1;
        return parts_of(region.fragments_x, across) * parts_of(region.fragments_y, down);
    }
    return region.fragments_x * parts_of(side, QUARTERS / 2 * QUARTER_PX) * region.fragments_y *
           parts_of(side, 2 * TILE_ROWS);
}

#endif
