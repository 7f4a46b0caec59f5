/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blended micro-images of bytes under a gaze, where pixels take more or fewer lenses. A block is
 * smaller than a tile, and each thread adds up its own pixels, in the same numbers: where a row
 * of the raw picture has few pixels that are wanted, few threads would add them up for all others.
 * One barrier stands behind places and weights; these, and how long loads take, bound it. */
#pragma once

#include "tile_weights.cuh"

#define RINGS (LIGHTFIELD_TILE_RANGE + 1) /* pixels of one have as many lenses */

static_assert(LIGHTFIELD_RINGS_COLUMNS + LIGHTFIELD_RINGS_ROWS * LIGHTFIELD_TILE_LENSES <=
                  LIGHTFIELD_RINGS_THREADS,
              "a thread for each column, and for each row in each row of lenses");

struct rings_memory {
    tile_row rows[RINGS][LIGHTFIELD_RINGS_ROWS][LIGHTFIELD_TILE_LENSES];
    int places[LIGHTFIELD_TILE_LENSES][LIGHTFIELD_RINGS_COLUMNS];
    float2 weights[LIGHTFIELD_TILE_LENSES][LIGHTFIELD_RINGS_COLUMNS];
    float column_weights[LIGHTFIELD_RINGS_COLUMNS]; /* of all lenses */
    unsigned char ranges[LIGHTFIELD_RINGS_COLUMNS];
};

template <int RANGE>
DEVICE void rings_weigh_lenses(const lightfield_cuda_rendering &params, double at, int column,
                               rings_memory &memory)
{
    tile_column own;
    tile_weigh_column<RANGE>(params, at, RANGE, own);
#pragma unroll
    for (int i = LIGHTFIELD_TILE_RANGE - RANGE; i <= LIGHTFIELD_TILE_RANGE + RANGE; i++) {
        memory.places[i][column] = own.first[i];
        memory.weights[i][column] = own.weights[i];
    }
    memory.column_weights[column] = own.weight;
}

/* Most columns take fewer lenses than there may be, and places take most of what a block does. */
DEVICE void rings_weigh_column(const lightfield_cuda_rendering &params, int column, int x,
                               int array_row, rings_memory &memory)
{
    const double at = place_at(params.array.across, x);
    const int range =
        place_range(params.rings, params.array, place_nearest(at), array_row, params.range);
    if (range == 0) {
        rings_weigh_lenses<0>(params, at, column, memory);
    } else if (range == 1) {
        rings_weigh_lenses<1>(params, at, column, memory);
    } else {
        rings_weigh_lenses<LIGHTFIELD_TILE_RANGE>(params, at, column, memory);
    }
    memory.ranges[column] = (unsigned char)range;
}

DEVICE void rings_weigh_row(const lightfield_cuda_rendering &params, tile_rows rows, int item,
                            rings_memory &memory)
{
    const int number = item % LIGHTFIELD_RINGS_ROWS;
    const int lens = item / LIGHTFIELD_RINGS_ROWS;
    tile_row_parts parts;
    if (number >= rows.count || lens >= LIGHTFIELD_TILE_LENSES) {
        return;
    }
    tile_place_row(params, tile_y(params.array, rows, number), lens, parts);
#pragma unroll
    for (int range = 0; range < RINGS; range++) {
        memory.rows[range][number][lens] =
            tile_weigh_row(params, parts, lens, min(range, params.range));
    }
}

/* Adds two rows of the raw picture, one above the other. */
template <typename Raw>
DEVICE void rings_add(uint32_t weights, uint32_t above, uint32_t below,
                      uint32_t sums[LIGHTFIELD_TILE_CHUNK])
{
    const uint32_t first = __byte_perm(above, below, 0x5140);
    sums[0] = __dp2a_lo(weights, first, sums[0]);
    if (Raw::bytes > 1) {
        sums[1] = __dp2a_hi(weights, first, sums[1]);
        sums[2] = __dp2a_lo(weights, __byte_perm(above, below, 0x7362), sums[2]);
    }
}

/* Adds up the lenses that are so many to each side. */
template <typename Raw, int RANGE>
DEVICE color3 rings_sum(const lightfield_cuda_raw &raw, const rings_memory &memory, int column,
                        int number, float &out_weight)
{
    const tile_row *rows = memory.rows[RANGE][number];
    color3 sum = {};
    uint32_t weight = 0;
#pragma unroll
    for (int i = LIGHTFIELD_TILE_RANGE - RANGE; i <= LIGHTFIELD_TILE_RANGE + RANGE; i++) {
        const char *at = (const char *)raw.data + memory.places[i][column] * Raw::bytes;
        const float2 weights = memory.weights[i][column];
        uint32_t left[LIGHTFIELD_TILE_CHUNK] = {};
        uint32_t right[LIGHTFIELD_TILE_CHUNK] = {};
#pragma unroll
        for (int j = LIGHTFIELD_TILE_RANGE - RANGE; j <= LIGHTFIELD_TILE_RANGE + RANGE; j++) {
            const char *above = at + rows[j].above;
            const char *below = above + raw.row_stride_bytes;
            rings_add<Raw>(rows[j].weights, Raw::pixel(above), Raw::pixel(below), left);
            rings_add<Raw>(rows[j].weights, Raw::pixel(above + Raw::bytes),
                           Raw::pixel(below + Raw::bytes), right);
            weight =
                i == LIGHTFIELD_TILE_RANGE ? __dp2a_lo(rows[j].weights, 0x0101u, weight) : weight;
        }
        tile_add(sum, weights.x, Raw::sum_of(left, 0));
        tile_add(sum, weights.y, Raw::sum_of(right, 0));
    }
    out_weight = (float)weight;
    return sum;
}

/* Makes pixels of a column, `step` rows apart, so many at once. */
template <typename Raw, int RANGE, int AT_ONCE>
DEVICE void rings_column(const lightfield_cuda_rendering &params, const rings_memory &memory,
                         int column, int x, tile_rows rows, int first, int step)
{
    const float weight = memory.column_weights[column];
    for (int begin = first; begin < rows.count; begin += AT_ONCE * step) {
        color3 sums[AT_ONCE];
        float weights[AT_ONCE];
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++) {
            const int number = min(begin + n * step, rows.count - 1);
            sums[n] = rings_sum<Raw, RANGE>(params.raw, memory, column, number, weights[n]);
        }
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++) {
            const int number = begin + n * step;
            if (number < rows.count) {
                picture_store(params.dst, x, tile_y(params.array, rows, number),
                              Raw::color_of(sums[n]), weight * weights[n]);
            }
        }
    }
}

template <typename Raw>
DEVICE void render_rings(const lightfield_tile_rendering &params, rings_memory &memory)
{
    const lightfield_cuda_rendering &of = params.of;
    const int thread = (int)threadIdx.x;
    const int first_x = (int)blockIdx.x * params.tile.columns;
    const int columns = min(params.tile.columns, of.dst.width_px - first_x);
    const int part = tile_part_of_block(params.tile);
    const int array_row = part / params.tile.parts;
    const int ends[2] = {tile_first_row(of.array.down, array_row),
                         tile_first_row(of.array.down, array_row + 1)};
    const tile_rows rows = tile_rows_of(part, params.tile.parts, ends);
    if (thread < columns) {
        rings_weigh_column(of, thread, first_x + thread, array_row, memory);
    } else if (thread >= LIGHTFIELD_RINGS_COLUMNS) {
        rings_weigh_row(of, rows, thread - LIGHTFIELD_RINGS_COLUMNS, memory);
    }
    __syncthreads();
    const int column = thread % columns;
    const int first = thread / columns;
    const int step = (int)blockDim.x / columns;
    if (first >= step) {
        return;
    }
    if (memory.ranges[column] == 0) {
        rings_column<Raw, 0, 3>(of, memory, column, first_x + column, rows, first, step);
    } else if (memory.ranges[column] == 1) {
        rings_column<Raw, 1, 1>(of, memory, column, first_x + column, rows, first, step);
    } else {
        rings_column<Raw, 2, 1>(of, memory, column, first_x + column, rows, first, step);
    }
}
