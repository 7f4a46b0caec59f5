/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Units: what a warp of foveate_bands.cu makes at a time. A unit has up to four quarters side by side, each of up to 8
 * columns of one fragment:
 *
 *     fragments of more than 16 px    two quarters by 32 rows, of one fragment
 *     of 9 to 16 px                   four by 16 rows: two fragments, two quarters each
 *     of up to 8 px                   four by 8 rows: four fragments, or by 16: eight whose filters
 *                                     are the same in pairs one above the other
 *
 * A block lists those of its region. */
#ifndef FOVEA_KERNELS_FOVEATE_BANDS_UNIT_CUH
#define FOVEA_KERNELS_FOVEATE_BANDS_UNIT_CUH

#include "foveate_bands_window.cuh"

const int QUARTERS = 4;
const int QUARTER_PX = 8;
const int TILE_ROWS = 16;
/* Of fragments of 4 px, none above one that is like it. */
const int MOST_UNITS = FOVEATE_BANDS_MAX_FRAGMENTS / QUARTERS;

struct unit {
    int16_t x, y; /* the first pixel, from the region's on */
    int16_t width; /* of pixels that are its fragments' */
    int16_t rows;
    int16_t rings[QUARTERS];
};

struct unit_list {
    int count;
    unit at[MOST_UNITS];

    __device__ __forceinline__ void add(const unit &u)
    {
        at[atomicAdd(&count, 1)] = u;
    }
};

/* A quarter's first column in its unit, and the first beyond its fragment. */
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
/* Its columns that are pixels of the fragment. */
static __device__ __forceinline__ int quarter_columns(const unit &u, int side, int q)
{
    return min(max(min((int)u.width, quarter_end(side, q)) - quarter_start(side, q), 0),
               QUARTER_PX);
}

/* Side by side from a fragment on. */
static __device__ __forceinline__ unit unit_of_fragments(const bands_region &region,
                                                         const int16_t *rings, int side, int column,
                                                         int row)
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
        u.rings[q] = rings[row * region.fragments_x + column + fragment];
    }
    return u;
}

static __device__ __forceinline__ bool have_same_filters(const unit &a, const unit &b)
{
    return a.rings[0] == b.rings[0] && a.rings[1] == b.rings[1] && a.rings[2] == b.rings[2] &&
           a.rings[3] == b.rings[3];
}

static __device__ __forceinline__ void list_small(const bands_region &region, const int16_t *rings,
                                                  int side, int i, unit_list &list)
{
    const int across = side <= QUARTER_PX ? QUARTERS : QUARTERS / 2;
    const int down = side <= QUARTER_PX ? 2 : 1;
    const int columns = (region.fragments_x + across - 1) / across;
    const int row = i / columns * down;
    const int column = i % columns * across;
    if (row >= region.fragments_y) {
        return;
    }
    unit upper = unit_of_fragments(region, rings, side, column, row);
    if (down == 2 && row + 1 < region.fragments_y) {
        const unit lower = unit_of_fragments(region, rings, side, column, row + 1);
        if (have_same_filters(upper, lower)) {
            upper.rows = (int16_t)(2 * side);
        } else {
            list.add(lower);
        }
    }
    list.add(upper);
}

static __device__ __forceinline__ void list_large(const bands_region &region, const int16_t *rings,
                                                  int side, int i, unit_list &list)
{
    const int width = QUARTERS / 2 * QUARTER_PX;
    const int rows = 2 * TILE_ROWS;
    const int parts_x = (side + width - 1) / width;
    const int parts_y = (side + rows - 1) / rows;
    const int column = i % (region.fragments_x * parts_x);
    const int row = i / (region.fragments_x * parts_x);
    if (row >= region.fragments_y * parts_y) {
        return;
    }
    const int part_x = column % parts_x * width;
    const int part_y = row % parts_y * rows;
    unit u = {};
    u.x = (int16_t)(column / parts_x * side + part_x);
    u.y = (int16_t)(row / parts_y * side + part_y);
    u.width = (int16_t)min(side - part_x, width);
    u.rows = (int16_t)min(side - part_y, rows);
#pragma unroll
    for (int q = 0; q < QUARTERS; q++) {
        u.rings[q] = rings[row / parts_y * region.fragments_x + column / parts_x];
    }
    list.add(u);
}

/* By a warp, whose lanes wrote `rings`. The order does not matter. */
static __device__ __forceinline__ void list_units(const bands_region &region, const int16_t *rings,
                                                  int side, unit_list &list)
{
    const int lane = (int)threadIdx.x;
    if (lane == 0) {
        list.count = 0;
    }
    __syncwarp();
    for (int i = lane; i < MOST_UNITS / 2; i += 32) {
        if (side <= 2 * QUARTER_PX) {
            list_small(region, rings, side, i, list);
        } else {
            list_large(region, rings, side, i, list);
        }
    }
}

#endif
