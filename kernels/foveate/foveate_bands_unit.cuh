/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Units: what a warp of foveate_bands.cu makes at a time, 16 rows by 16 columns of one fragment or of two small
 * ones. A block lists those of its region. */
#ifndef FOVEA_KERNELS_FOVEATE_BANDS_UNIT_CUH
#define FOVEA_KERNELS_FOVEATE_BANDS_UNIT_CUH

#include "foveate_bands_window.cuh"

const int ROWS = 16;
const int HALF_ROWS = ROWS / 2;
const int COLUMNS = 16;
const int HALF_COLUMNS = COLUMNS / 2;
/* Of the smallest fragments, two to a unit. */
const int MOST_UNITS = FOVEATE_BANDS_MAX_FRAGMENTS / 2;

/* What a warp makes at a time. Its rows are two halves, which are fragments of their own where those have
 * at most 8 px. */
struct unit {
    int16_t x, y; /* the first pixel, from the region's on */
    int16_t columns; /* that are the fragment's */
    int16_t upper_rows; /* of each half likewise */
    int16_t lower_rows;
    int16_t lower; /* where the second half begins */
    int upper_ring;
    int lower_ring;
};

static __device__ __forceinline__ int parts_of(int side)
{
    return (side + ROWS - 1) / ROWS;
}

static __device__ __forceinline__ int count_units(const bands_region &region, int side)
{
    const int rows =
        side <= HALF_ROWS ? (region.fragments_y + 1) / 2 : region.fragments_y * parts_of(side);
    return region.fragments_x * parts_of(side) * rows;
}

static __device__ __forceinline__ unit pair_of_fragments(const bands_region &region,
                                                         const int *rings, int side, int index)
{
    unit u = {};
    const int column = index % region.fragments_x;
    const int row = 2 * (index / region.fragments_x);
    const bool second = row + 1 < region.fragments_y;
    u.x = (int16_t)(column * side);
    u.y = (int16_t)(row * side);
    u.columns = u.upper_rows = u.lower = (int16_t)side;
    u.lower_rows = (int16_t)(second ? side : 0);
    u.upper_ring = rings[row * region.fragments_x + column];
    u.lower_ring = second ? rings[(row + 1) * region.fragments_x + column] : u.upper_ring;
    return u;
}

static __device__ __forceinline__ unit part_of_fragment(const bands_region &region,
                                                        const int *rings, int side, int index)
{
    unit u = {};
    const int parts = parts_of(side);
    const int column = index % (region.fragments_x * parts);
    const int row = index / (region.fragments_x * parts);
    const int part_x = column % parts * COLUMNS;
    const int part_y = row % parts * ROWS;
    u.x = (int16_t)(column / parts * side + part_x);
    u.y = (int16_t)(row / parts * side + part_y);
    u.columns = (int16_t)min(side - part_x, COLUMNS);
    u.upper_rows = (int16_t)min(side - part_y, HALF_ROWS);
    u.lower_rows = (int16_t)min(side - part_y - HALF_ROWS, HALF_ROWS);
    u.lower = HALF_ROWS;
    u.upper_ring = u.lower_ring = rings[row / parts * region.fragments_x + column / parts];
    return u;
}

/* A thread each, since there are divisions in it. */
static __device__ __forceinline__ void list_units(const bands_region &region, const int *rings,
                                                  int side, unit *units)
{
    for (int i = (int)threadIdx.x; i < count_units(region, side); i += BANDS_THREADS) {
        units[i] = side <= HALF_ROWS ? pair_of_fragments(region, rings, side, i)
                                     : part_of_fragment(region, rings, side, i);
    }
}

#endif
