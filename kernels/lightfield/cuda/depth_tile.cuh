/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Costs of up to 8 patch sizes at once, of bytes and their nearest pixels, by tiles. A thread has
 * three pixels of a column of the picture, whose neighbours it takes from shared memory: one
 * instruction has the absolute differences of a pixel's colours. Rows of lenses are copied for each
 * row of the picture's lenses around, all of a thread's chunks at once: that copies and sums take
 * turns bounds it, and loads of shared memory. */
#pragma once

#include "depth.cuh"
#include "tile.cuh"

#define DEPTH_NONE 0xffffu /* no lens */
#define DEPTH_SAMPLES (LIGHTFIELD_TILE_SIZES * LIGHTFIELD_TILE_LENSES)
#define DEPTH_PAIRS ((LIGHTFIELD_TILE_LENSES + 1) / 2)
#define DEPTH_GROUPS (LIGHTFIELD_TILE_ROWS / LIGHTFIELD_TILE_GROUP)

struct depth_tile_memory {
    /* Columns of lenses, two in a word, have a column of the picture there in a row, of each patch
     * size. */
    __align__(
        4) unsigned short columns[LIGHTFIELD_TILE_SIZES][DEPTH_PAIRS][LIGHTFIELD_TILE_COLUMNS][2];
    /* A row of the picture begins there, of each row of lenses and patch size. */
    __align__(
        8) unsigned short rows[LIGHTFIELD_TILE_LENSES][LIGHTFIELD_TILE_SIZES][DEPTH_GROUPS * 4];
    double at_x[LIGHTFIELD_TILE_COLUMNS], at_y[LIGHTFIELD_TILE_ROWS]; /* in lenses */
    int lens[LIGHTFIELD_TILE_COLUMNS]; /* the nearest of a row */
    unsigned char is_coarse[LIGHTFIELD_TILE_COLUMNS];
    int is_any_fine;
    int is_any_none; /* a lens is missing, or out of reach */
    tile_slots slots;
    int row_ends[2];
    int row_first[LIGHTFIELD_TILE_LENSES], row_end[LIGHTFIELD_TILE_LENSES]; /* of the raw */
    /* Lenses that are compared, beside each other and, of fine and coarse pixels, above each other
     */
    unsigned char column_counts[LIGHTFIELD_TILE_SIZES][LIGHTFIELD_TILE_COLUMNS];
    unsigned char row_counts[2][LIGHTFIELD_TILE_SIZES][LIGHTFIELD_TILE_ROWS];
};

/* Sums of absolute differences, and the nearest lens's pixels. */
struct depth_sums {
    uint32_t sums[LIGHTFIELD_TILE_SIZES][LIGHTFIELD_TILE_GROUP];
    uint32_t mains[LIGHTFIELD_TILE_SIZES][LIGHTFIELD_TILE_GROUP];
};

DEVICE int depth_thread()
{
    return (int)(threadIdx.y * LIGHTFIELD_TILE_COLUMNS + threadIdx.x);
}

#define EACH_OF_DEPTH(item, count)                                                                 \
    for (int item = depth_thread(); item < (count); item += LIGHTFIELD_TILE_DEPTH_THREADS)

DEVICE double depth_patch(const lightfield_tile_matching &params, int size)
{
    return params.of.first_px + (params.size_first + size) * params.of.step_px;
}

/* Finds the nearest lens of each column of the picture, and the block's rows. */
static __device__ tile_rows depth_place_lenses(const lightfield_tile_matching &params, int first_x,
                                               depth_tile_memory &memory)
{
    const lightfield_cuda_array &array = params.of.array;
    const int column = depth_thread();
    bool is_fine = false;
    const int part = tile_part_of_block(params.tile);
    const int row = part / params.tile.parts;
    tile_find_ends(array, row, LIGHTFIELD_TILE_DEPTH_THREADS - 1 - depth_thread(), memory.row_ends);
    if (column < LIGHTFIELD_TILE_COLUMNS) {
        const int x = min(first_x + column, params.of.depth.width_px - 1);
        memory.at_x[column] = place_at(array.across, x);
        memory.lens[column] = place_nearest(memory.at_x[column]);
        is_fine = !depth_is_coarse(params.of, x, row);
        memory.is_coarse[column] = is_fine ? 0 : 1;
    }
    if (column < LIGHTFIELD_TILE_LENSES) {
        memory.row_first[column] = INT32_MAX;
        memory.row_end[column] = 0;
    }
    if (column == 0) {
        memory.is_any_none = 0;
    }
    tile_clear(column, column == 0 ? memory.lens[0] - LIGHTFIELD_TILE_RANGE : 0, memory.slots);
    const int is_any_fine = __syncthreads_or(is_fine);
    if (column == 0) {
        memory.is_any_fine = is_any_fine;
    }
    return tile_rows_of(part, params.tile.parts, memory.row_ends);
}

/* Says whether a patch size is compared with lenses so far away, of pixels that are coarse or not.
 */
DEVICE bool depth_compares(const lightfield_tile_matching &params, bool coarse, int size, int away)
{
    return size < params.size_count &&
           (coarse ? away <= 1 && (params.size_first + size) % 2 == 0 : away <= params.of.range);
}

/* Places along a lens grow or shrink with the column: its first and last ones say what is wanted.
 */
DEVICE bool depth_is_last(const depth_tile_memory &memory, int column)
{
    return column == 0 || column == LIGHTFIELD_TILE_COLUMNS - 1 ||
           memory.lens[column - 1] != memory.lens[column] ||
           memory.lens[column + 1] != memory.lens[column];
}

DEVICE unsigned short &depth_column(depth_tile_memory &memory, int size, int lens, int column)
{
    return memory.columns[size][lens / 2][column][lens % 2];
}

static __device__ void depth_place_columns(const lightfield_tile_matching &params,
                                           depth_tile_memory &memory)
{
    const lightfield_cuda_array &array = params.of.array;
    const int origin = place_fixed(array.origin_x_px);
    EACH_OF_DEPTH(item, LIGHTFIELD_TILE_COLUMNS * LIGHTFIELD_TILE_SIZES)
    {
        const int column = item % LIGHTFIELD_TILE_COLUMNS;
        const int size = item / LIGHTFIELD_TILE_COLUMNS;
        const bool coarse = memory.is_coarse[column] != 0;
        const bool is_last = depth_is_last(memory, column);
        const double at = memory.at_x[column];
        const double patch_px = depth_patch(params, size);
#pragma unroll
        for (int lens = 0; lens < LIGHTFIELD_TILE_LENSES; lens++) {
            const int right = lens - LIGHTFIELD_TILE_RANGE;
            const place_part part = place_column(array, at, false, right, patch_px);
            const bool exists =
                abs(right) <= params.of.range && parts_even(part.from, right) > 0.0f;
            const bool counts = exists && depth_compares(params, coarse, size, abs(right));
            const int raw_x = place_within((part.x + origin) >> 16, params.of.raw.width_px);
            depth_column(memory, size, lens, column) =
                (unsigned short)(counts ? raw_x : DEPTH_NONE);
            if (!exists) {
                memory.is_any_none = 1;
            }
            if (counts && is_last) {
                tile_want(memory.slots, memory.lens[column] + right, raw_x, raw_x);
            }
        }
    }
}

static __device__ void depth_find_columns(depth_tile_memory &memory)
{
    EACH_OF_DEPTH(item, LIGHTFIELD_TILE_COLUMNS * LIGHTFIELD_TILE_SIZES)
    {
        const int column = item % LIGHTFIELD_TILE_COLUMNS;
        const int size = item / LIGHTFIELD_TILE_COLUMNS;
        const int first = memory.lens[column] - LIGHTFIELD_TILE_RANGE - memory.slots.base;
        int count = 0;
        for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
            unsigned short &place = depth_column(memory, size, i, column);
            if (place != DEPTH_NONE) {
                place = (unsigned short)(place + memory.slots.start[first + i]);
                count++;
            }
        }
        memory.column_counts[size][column] = (unsigned char)count;
    }
}

/* Rows of the raw picture first, then where they begin in the tile. */
DEVICE unsigned short &depth_row(depth_tile_memory &memory, int lens, int size, int number)
{
    return memory
        .rows[lens][size][number / LIGHTFIELD_TILE_GROUP * 4 + number % LIGHTFIELD_TILE_GROUP];
}

static __device__ void depth_place_rows(const lightfield_tile_matching &params, tile_rows rows,
                                        depth_tile_memory &memory)
{
    const lightfield_cuda_array &array = params.of.array;
    EACH_OF_DEPTH(item, LIGHTFIELD_TILE_ROWS * DEPTH_SAMPLES)
    {
        const int number = item % LIGHTFIELD_TILE_ROWS;
        const int lens = item / LIGHTFIELD_TILE_ROWS % LIGHTFIELD_TILE_LENSES;
        const int size = item / LIGHTFIELD_TILE_ROWS / LIGHTFIELD_TILE_LENSES;
        const int down = lens - LIGHTFIELD_TILE_RANGE;
        const place_part part =
            place_row(array, memory.at_y[number], down, depth_patch(params, size));
        const bool exists = abs(down) <= params.of.range && parts_even(part.from, down) > 0.0f;
        const bool counts = number < rows.count && exists &&
                            depth_compares(params, memory.is_any_fine == 0, size, abs(down));
        const int raw_y = place_within(part.y >> 16, params.of.raw.height_px);
        if (!exists && number < rows.count) {
            memory.is_any_none = 1;
        }
        depth_row(memory, lens, size, number) = (unsigned short)(counts ? raw_y : DEPTH_NONE);
        if (counts) {
            atomicMin(&memory.row_first[lens], raw_y);
            atomicMax(&memory.row_end[lens], raw_y + 1);
        }
    }
}

static __device__ void depth_find_rows(tile_rows rows, depth_tile_memory &memory)
{
    const int pitch = memory.slots.chunks * LIGHTFIELD_TILE_CHUNK;
    EACH_OF_DEPTH(item, LIGHTFIELD_TILE_ROWS * LIGHTFIELD_TILE_SIZES)
    {
        const int number = item % LIGHTFIELD_TILE_ROWS;
        const int size = item / LIGHTFIELD_TILE_ROWS;
        int counts[2] = {};
        for (int lens = 0; lens < LIGHTFIELD_TILE_LENSES; lens++) {
            unsigned short &row = depth_row(memory, lens, size, number);
            if (row != DEPTH_NONE) {
                row = (unsigned short)((row - memory.row_first[lens]) * pitch);
                counts[0]++;
                counts[1] += abs(lens - LIGHTFIELD_TILE_RANGE) <= 1;
            } else if (number >= rows.count) {
                row = 0; /* any sample will do: this row of the picture is not there */
            }
        }
        memory.row_counts[0][size][number] = (unsigned char)counts[0];
        memory.row_counts[1][size][number] = (unsigned char)counts[1];
    }
    __syncthreads();
}

/* ---- Samples */

/* Holds where the rows of a thread's pixels begin, of a patch size, in bytes. */
struct depth_row_starts {
    uint32_t of[LIGHTFIELD_TILE_GROUP];
};

template <typename Raw>
DEVICE depth_row_starts depth_starts(const depth_tile_memory &memory, int lens, int size)
{
    const uint32_t bytes = sizeof(typename Raw::texel);
    const uint2 words = *(const uint2 *)&memory.rows[lens][size][threadIdx.y * 4];
    return {{(words.x & 65535u) * bytes, (words.x >> 16) * bytes, (words.y & 65535u) * bytes}};
}

#define DEPTH_NO_ROW (DEPTH_NONE * (uint32_t)sizeof(typename Raw::texel))

/* Finds where a thread's pixel has its sample of a column of lenses. */
DEVICE uint32_t depth_place(const uint32_t pairs[DEPTH_PAIRS], int lens)
{
    return lens % 2 ? pairs[lens / 2] >> 16 : pairs[lens / 2] & 65535u;
}

template <typename Raw>
DEVICE void depth_take_mains(depth_tile_memory &memory, uint32_t tile, depth_sums &out)
{
#pragma unroll
    for (int size = 0; size < LIGHTFIELD_TILE_SIZES; size++) {
        const depth_row_starts starts = depth_starts<Raw>(memory, LIGHTFIELD_TILE_RANGE, size);
        const uint32_t place = depth_column(memory, size, LIGHTFIELD_TILE_RANGE, (int)threadIdx.x);
        const uint32_t column = tile + place * (uint32_t)sizeof(typename Raw::texel);
#pragma unroll
        for (int i = 0; i < LIGHTFIELD_TILE_GROUP; i++) {
            out.sums[size][i] = 0;
            out.mains[size][i] = place != DEPTH_NONE && starts.of[i] != DEPTH_NO_ROW
                                     ? Raw::texel_at(column + starts.of[i])
                                     : 0;
        }
    }
}

/* With a row of lenses. ALL: all of it is there, and is compared. */
template <typename Raw, bool ALL>
DEVICE void depth_differ(const depth_tile_memory &memory, int lens, bool coarse, uint32_t tile,
                         depth_sums &out)
{
#pragma unroll
    for (int size = 0; size < LIGHTFIELD_TILE_SIZES; size++) {
        const depth_row_starts starts = depth_starts<Raw>(memory, lens, size);
        /* All rows of a block have the same rows of lenses. */
        if (!ALL && (starts.of[0] == DEPTH_NO_ROW || (coarse && size % 2 != 0))) {
            continue;
        }
        uint32_t pairs[DEPTH_PAIRS];
#pragma unroll
        for (int n = 0; n < DEPTH_PAIRS; n++) {
            pairs[n] = *(const uint32_t *)memory.columns[size][n][threadIdx.x];
        }
#pragma unroll
        for (int n = 0; n < LIGHTFIELD_TILE_LENSES; n++) {
            const uint32_t place = depth_place(pairs, n);
            /* A missing one is read elsewhere and not added: branches would wait for each. */
            const bool is_there = ALL || place != DEPTH_NONE;
            const uint32_t column =
                tile + (is_there ? place * (uint32_t)sizeof(typename Raw::texel) : 0);
#pragma unroll
            for (int i = 0; i < LIGHTFIELD_TILE_GROUP; i++) {
                const uint32_t sum = ptx_sad4(Raw::texel_at(column + starts.of[i]),
                                              out.mains[size][i], out.sums[size][i]);
                out.sums[size][i] = is_there ? sum : out.sums[size][i];
            }
        }
    }
}

/* ---- The end */

/* Does as choose_size. */
static __device__ void depth_choose(const lightfield_tile_matching &params, int x, int y,
                                    const float costs[LIGHTFIELD_TILE_SIZES])
{
    int best = 0;
    float least = INFINITY;
    float other = INFINITY;
#pragma unroll
    for (int n = LIGHTFIELD_TILE_SIZES - 1; n >= 0; n--) {
        if (n < params.size_count && (costs[n] < least || n == params.size_count - 1)) {
            best = n;
            least = costs[n];
        }
    }
#pragma unroll
    for (int n = 0; n < LIGHTFIELD_TILE_SIZES; n++) {
        if (n < params.size_count && abs(n - best) >= params.apart) {
            other = fminf(costs[n], other);
        }
    }
    picture_store_float(params.of.depth, x, y, (float)depth_patch(params, best));
    picture_store_float(params.of.confidence, x, y,
                        other > 0.0f && isfinite(other) ? 1.0f - least / other : 0.0f);
}

static __device__ void depth_end(const lightfield_tile_matching &params, int x, int y, int number,
                                 int in_group, depth_tile_memory &memory, float scale,
                                 const depth_sums &sums)
{
    float costs[LIGHTFIELD_TILE_SIZES];
#pragma unroll
    for (int n = 0; n < LIGHTFIELD_TILE_SIZES; n++) {
        /* The nearest lens has no difference from itself. Negative: it is not looked at. */
        const int count = memory.column_counts[n][threadIdx.x] *
                              memory.row_counts[memory.is_coarse[threadIdx.x]][n][number] -
                          1;
        costs[n] = count > 0    ? scale * (float)sums.sums[n][in_group] * ptx_rcp((float)count)
                   : count == 0 ? 0.0f
                                : INFINITY;
        if (!params.is_all && n < params.size_count) {
            costs_at(params.of, params.of.costs, params.size_first + n, y)[x] = costs[n];
        }
    }
    if (params.is_all) {
        depth_choose(params, x, y, costs);
    }
}

template <typename Raw>
DEVICE void depth_tile(const lightfield_tile_matching &params, depth_tile_memory &memory,
                       typename Raw::texel *tile)
{
    const int first_x = (int)blockIdx.x * params.tile.columns;
    const int x = first_x + (int)threadIdx.x;
    depth_sums sums;
    const tile_rows rows = depth_place_lenses(params, first_x, memory);
    if (depth_thread() < LIGHTFIELD_TILE_ROWS) {
        memory.at_y[depth_thread()] = place_at(params.of.array.down, rows.first + depth_thread());
    }
    depth_place_columns(params, memory);
    __syncthreads();
    if (depth_thread() < LIGHTFIELD_TILE_SLOTS) {
        tile_order(depth_thread(), memory.slots);
    }
    depth_place_rows(params, rows, memory);
    __syncthreads();
    depth_find_columns(memory);
    depth_find_rows(rows, memory);
    const bool coarse = memory.is_coarse[threadIdx.x] != 0;
    const bool has_all =
        memory.is_any_none == 0 && !coarse && params.size_count == LIGHTFIELD_TILE_SIZES;
    uint32_t address = (uint32_t)__cvta_generic_to_shared(tile);
    asm volatile("" : "+r"(address)); /* so that it is not worked out again */
    for (int n = 0; n < LIGHTFIELD_TILE_LENSES; n++) {
        /* The nearest row first: 2, 1, 3, 0, 4 */
        const int lens = LIGHTFIELD_TILE_RANGE + (n % 2 ? -(n + 1) / 2 : n / 2);
        if (memory.row_end[lens] > 0) {
            tile_copy<Raw, LIGHTFIELD_TILE_DEPTH_THREADS>(
                params.of.raw, memory.slots, memory.row_first[lens],
                memory.row_end[lens] - memory.row_first[lens], tile);
            if (n == 0) {
                depth_take_mains<Raw>(memory, address, sums);
            }
            if (has_all) {
                depth_differ<Raw, true>(memory, lens, false, address, sums);
            } else if (!coarse || abs(lens - LIGHTFIELD_TILE_RANGE) <= 1) {
                depth_differ<Raw, false>(memory, lens, coarse, address, sums);
            }
            __syncthreads();
        }
    }
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_GROUP; i++) {
        const int number = (int)threadIdx.y * LIGHTFIELD_TILE_GROUP + i;
        if (number < rows.count && x < params.of.depth.width_px) {
            depth_end(params, x, rows.first + number, number, i, memory, Raw::colors, sums);
        }
    }
}
