/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parts of places of a block's columns and rows, in shared memory: each is worked out once. */
#pragma once

#include "place.cuh"

/* With weights in place of distances, once they are known. */
struct block_parts {
    place_part columns[2][LIGHTFIELD_CUDA_LENSES][LIGHTFIELD_CUDA_WIDTH];
    place_part rows[LIGHTFIELD_CUDA_LENSES][LIGHTFIELD_CUDA_HEIGHT];
    float column_least[2][LIGHTFIELD_CUDA_WIDTH]; /* squares, of each kind of row */
    int row_of[LIGHTFIELD_CUDA_HEIGHT]; /* the nearest row of lenses */
};

/* Says which pixel of the picture a block's first one is. */
struct block_spot {
    int first_x, first_y;
};

DEVICE int thread_of_block()
{
    return (int)(threadIdx.y * LIGHTFIELD_CUDA_WIDTH + threadIdx.x);
}

/* For all items of a block, some to each thread. */
#define EACH_OF_BLOCK(item, count)                                                                 \
    for (int item = thread_of_block(); item < (count); item += LIGHTFIELD_CUDA_THREADS)

static __device__ void parts_place(const lightfield_cuda_array &array, const block_spot &spot,
                                   int range, double patch_px, block_parts &parts)
{
    const int lenses = 2 * range + 1;
    const int kinds = array.hexagonal ? 2 : 1;
    EACH_OF_BLOCK(item, kinds * lenses * LIGHTFIELD_CUDA_WIDTH)
    {
        const int column = item % LIGHTFIELD_CUDA_WIDTH;
        const int lens = item / LIGHTFIELD_CUDA_WIDTH % lenses;
        const int kind = item / LIGHTFIELD_CUDA_WIDTH / lenses;
        const double at = place_at(array.across, spot.first_x + column);
        parts.columns[kind][lens][column] =
            place_column(array, at, kind != 0, lens - range, patch_px);
    }
    EACH_OF_BLOCK(item, lenses * LIGHTFIELD_CUDA_HEIGHT)
    {
        const int row = item % LIGHTFIELD_CUDA_HEIGHT;
        const int lens = item / LIGHTFIELD_CUDA_HEIGHT;
        const double at = place_at(array.down, spot.first_y + row);
        parts.rows[lens][row] = place_row(array, at, lens - range, patch_px);
        parts.row_of[row] = place_nearest(at);
    }
    __syncthreads();
}

/* Each pixel's largest weight is 1, so that none of them gets lost where all are small: along the
 * columns that of each kind of row, and along the rows that of all lenses, by what their columns
 * have at least. One kind needs no such sum. */
DEVICE float parts_square(float from, float view)
{
    const float apart = from - view;
    return isfinite(apart) ? apart * apart : INFINITY;
}

DEVICE float parts_weight_of(float square, float least, float factor)
{
    return isfinite(square) ? expf(factor * (square - least)) : 0.0f;
}

DEVICE float parts_weight(float from, float view, float least, float factor)
{
    return parts_weight_of(parts_square(from, view), least, factor);
}

/* Depth: a lens counts or does not; those next to the nearest do wherever there are any. */
DEVICE float parts_even(float from, int away)
{
    return !isinf(from) && (abs(away) <= 1 || isfinite(from)) ? 1.0f : 0.0f;
}

static __device__ void parts_make_even(const lightfield_cuda_array &array, int range,
                                       block_parts &parts)
{
    const int lenses = 2 * range + 1;
    const int kinds = array.hexagonal ? 2 : 1;
    EACH_OF_BLOCK(item, kinds * lenses * LIGHTFIELD_CUDA_WIDTH)
    {
        const int lens = item / LIGHTFIELD_CUDA_WIDTH % lenses;
        place_part &part =
            parts
                .columns[item / LIGHTFIELD_CUDA_WIDTH / lenses][lens][item % LIGHTFIELD_CUDA_WIDTH];
        part.from = parts_even(part.from, lens - range);
    }
    EACH_OF_BLOCK(item, lenses * LIGHTFIELD_CUDA_HEIGHT)
    {
        const int lens = item / LIGHTFIELD_CUDA_HEIGHT;
        place_part &part = parts.rows[lens][item % LIGHTFIELD_CUDA_HEIGHT];
        part.from = parts_even(part.from, lens - range);
    }
    __syncthreads();
}
