/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blended micro-images of bytes, by tiles. A thread has a column of pixels, of which each row of
 * raw pixels is summed once along the lenses: two products of 16 bits each at once. Weights along a
 * row are whole numbers of 1 / 65535 of the largest, of which their sum is made, too. What it reads
 * bounds it: each raw pixel comes once. */
#ifndef FOVEA_KERNELS_LIGHTFIELD_CUDA_RENDER_TILE_CUH
#define FOVEA_KERNELS_LIGHTFIELD_CUDA_RENDER_TILE_CUH

#include "render.cuh"
#include "tile.cuh"

#define TILE_WEIGHT 65535.0f

/* A row of the picture, and what it takes of each row of lenses. */
struct tile_row {
    int above; /* row of the tile */
    float weight_above, weight_below;
};

struct render_tile_memory {
    tile_slots slots;
    tile_row rows[LIGHTFIELD_TILE_LENSES][LIGHTFIELD_TILE_ROWS];
    float row_froms[LIGHTFIELD_TILE_LENSES][LIGHTFIELD_TILE_ROWS];
    float row_weights[LIGHTFIELD_TILE_RANGE + 1][LIGHTFIELD_TILE_ROWS]; /* sums by range */
    int range; /* the most of the block's pixels */
    int row_ends[2];
    int row_first[LIGHTFIELD_TILE_LENSES], row_count[LIGHTFIELD_TILE_LENSES]; /* of the raw */
};

/* What a pixel takes of each column of lenses. */
struct tile_column {
    int offset[LIGHTFIELD_TILE_LENSES];
    uint32_t weights[LIGHTFIELD_TILE_LENSES]; /* of that pixel, and of the next one */
    uint32_t weight;
    int lens; /* the nearest */
    int range; /* lenses to each side that count */
};

/* The pixel of a place before which there is one, and the part of that. */
static __device__ __forceinline__ int tile_place(const lightfield_cuda_raw &raw, int place,
                                                 int pixels, float &part)
{
    if (!raw.nearest) {
        return sample_place(place, pixels, part);
    }
    const int at = place_within(place >> 16, pixels);
    const int first = min(at, pixels - 2);
    part = (float)(at - first);
    return first;
}

static __device__ __forceinline__ uint32_t tile_weight(float weight)
{
    return __float2uint_rn(weight * TILE_WEIGHT);
}

static __device__ void tile_place_column(const lightfield_cuda_rendering &params, int x, int row,
                                         render_tile_memory &memory, tile_column &out)
{
    const lightfield_cuda_array &array = params.array;
    const double at = place_at(x, params.dst.width_px, array.columns);
    const double patch_px = patch_of(params);
    const int origin = place_fixed(array.origin_x_px);
    place_part parts[LIGHTFIELD_TILE_LENSES];
    float least = INFINITY;
    out.weight = 0;
    out.lens = place_nearest(at);
    out.range = place_range(params.rings, array, params.dst, out.lens, row, params.range);
    atomicMax(&memory.range, out.range);
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        const int right = i - LIGHTFIELD_TILE_RANGE;
        parts[i] = place_column(array, at, false, right, patch_px);
        parts[i].from = abs(right) > out.range ? NAN : parts[i].from;
        least = fminf(least, parts_square(parts[i].from, params.view_x_px));
    }
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        float part;
        const float weight = parts_weight(parts[i].from, params.view_x_px, least, params.factor);
        const int first = tile_place(params.raw, parts[i].x + origin, params.raw.width_px, part);
        const uint32_t next = tile_weight(weight * part);
        const uint32_t own = min(tile_weight(weight * (1.0f - part)), 65535u - next);
        const int lens = out.lens + i - LIGHTFIELD_TILE_RANGE;
        out.weights[i] = own | next << 16;
        out.weight += own + next;
        out.offset[i] = first;
        if (out.weights[i] != 0) {
            tile_want(memory.slots, lens, first, first + 1);
        }
    }
}

/* After the order of slots is known. */
static __device__ __forceinline__ void tile_find_column(const tile_slots &slots, tile_column &out)
{
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        const int slot = out.lens + i - LIGHTFIELD_TILE_RANGE - slots.base;
        out.offset[i] = out.weights[i] != 0 ? out.offset[i] + slots.start[slot] : 0;
    }
}

/* In the order in which their places in the raw come. */
static __device__ __forceinline__ int tile_y(const lightfield_cuda_array &array, tile_rows rows,
                                             int number)
{
    return rows.first + (array.sign < 0.0 ? rows.count - 1 - number : number);
}

static __device__ __forceinline__ void tile_weigh_row(const lightfield_cuda_rendering &params,
                                                      int j, int number, int place,
                                                      render_tile_memory &memory)
{
    float least = INFINITY;
    float below;
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        least = fminf(least, parts_square(memory.row_froms[i][number], params.view_y_px));
    }
    const float weight =
        parts_weight(memory.row_froms[j][number], params.view_y_px, least, params.factor);
    const int first = tile_place(params.raw, place, params.raw.height_px, below);
    memory.rows[j][number] = {weight > 0.0f ? first : -1, weight * (1.0f - below), weight * below};
    if (weight > 0.0f) {
        atomicMin(&memory.row_first[j], first);
        atomicMax(&memory.row_count[j], first + 2);
    }
}

/* A thread has a row of the picture and a row of lenses; from places in the raw to places in the
 * tile. */
static __device__ void tile_place_rows(const lightfield_cuda_rendering &params, tile_rows rows,
                                       render_tile_memory &memory)
{
    const int thread = (int)threadIdx.x;
    const int j = thread / LIGHTFIELD_TILE_ROWS;
    const int number = thread % LIGHTFIELD_TILE_ROWS;
    const int down = j - LIGHTFIELD_TILE_RANGE;
    const bool is_one = thread < LIGHTFIELD_TILE_LENSES * LIGHTFIELD_TILE_ROWS;
    place_part part = {0, 0, NAN};
    if (is_one && number < rows.count && abs(down) <= memory.range) {
        const int y = tile_y(params.array, rows, number);
        const double at = place_at(y, params.dst.height_px, params.array.rows);
        part = place_row(params.array, at, down, patch_of(params));
    }
    if (is_one) {
        memory.row_froms[j][number] = part.from;
    }
    if (thread < LIGHTFIELD_TILE_LENSES) {
        memory.row_first[thread] = INT32_MAX;
        memory.row_count[thread] = 0;
    }
    __syncthreads();
    if (is_one) {
        tile_weigh_row(params, j, number, part.y, memory);
    }
    __syncthreads();
    if (is_one && memory.rows[j][number].above >= 0) {
        memory.rows[j][number].above -= memory.row_first[j];
    }
    if (thread < LIGHTFIELD_TILE_ROWS) {
        float sum = 0.0f;
        for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
            /* The nearest row first: 2, 1, 3, 0, 4 */
            const tile_row &row =
                memory.rows[LIGHTFIELD_TILE_RANGE + (i % 2 ? -(i + 1) / 2 : i / 2)][thread];
            sum += row.weight_above + row.weight_below;
            memory.row_weights[(i + 1) / 2][thread] = sum;
        }
    }
}

/* ---- Sums of a row of raw pixels along the lenses */

static __device__ __forceinline__ color3 tile_sum(const uint32_t *row, const tile_column &column)
{
    uint32_t r = 0, g = 0, b = 0;
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        const uint32_t own = row[column.offset[i]];
        const uint32_t next = row[column.offset[i] + 1];
        const uint32_t red_green = __byte_perm(own, next, 0x5140);
        r = __dp2a_lo(column.weights[i], red_green, r);
        g = __dp2a_hi(column.weights[i], red_green, g);
        b = __dp2a_lo(column.weights[i], __byte_perm(own, next, 0x7362), b);
    }
    return {(float)r, (float)g, (float)b};
}

static __device__ __forceinline__ color3 tile_sum(const unsigned char *row,
                                                  const tile_column &column)
{
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        const uint32_t own = row[column.offset[i]];
        const uint32_t next = row[column.offset[i] + 1];
        sum = __dp2a_lo(column.weights[i], own | next << 8, sum);
    }
    return {(float)sum, (float)sum, (float)sum};
}

template <typename Texel>
static __device__ __forceinline__ void tile_blend(const tile_row *rows, const Texel *tile,
                                                  int pitch, const tile_column &column,
                                                  color3 sums[LIGHTFIELD_TILE_ROWS])
{
    color3 above = {};
    color3 below = {};
    int next = 0; /* row of the tile */
#pragma unroll
    for (int number = 0; number < LIGHTFIELD_TILE_ROWS; number++) {
        const tile_row row = rows[number];
        while (next < row.above + 2) {
            above = below;
            below = tile_sum(tile + next * pitch, column);
            next++;
        }
        color3 &sum = sums[number];
        sum.r += row.weight_above * above.r + row.weight_below * below.r;
        sum.g += row.weight_above * above.g + row.weight_below * below.g;
        sum.b += row.weight_above * above.b + row.weight_below * below.b;
    }
}

/* Through shared memory: what a loop goes through lies in no registers. */
static __device__ __forceinline__ void tile_store(const lightfield_cuda_rendering &params, int x,
                                                  tile_rows rows, const render_tile_memory &memory,
                                                  const tile_column &column,
                                                  const color3 sums[LIGHTFIELD_TILE_ROWS],
                                                  color3 *own)
{
#pragma unroll
    for (int number = 0; number < LIGHTFIELD_TILE_ROWS; number++) {
        own[number * LIGHTFIELD_TILE_COLUMNS] = sums[number];
    }
#pragma unroll 1
    for (int number = 0; number < rows.count; number++) {
        picture_store(params.dst, x, tile_y(params.array, rows, number),
                      own[number * LIGHTFIELD_TILE_COLUMNS],
                      (float)column.weight * memory.row_weights[column.range][number]);
    }
}

template <typename Raw>
static __device__ __forceinline__ void render_tile(const lightfield_tile_rendering &params,
                                                   render_tile_memory &memory,
                                                   typename Raw::texel *tile)
{
    const lightfield_cuda_rendering &of = params.of;
    const int thread = (int)threadIdx.x;
    const int first_x = (int)blockIdx.x * params.tile.columns;
    const int last_x = min(first_x + params.tile.columns, of.dst.width_px) - 1;
    tile_column column;
    color3 sums[LIGHTFIELD_TILE_ROWS] = {};
    if (thread == 0) {
        memory.range = 0;
    }
    tile_clear(thread,
               place_nearest(place_at(first_x, of.dst.width_px, of.array.columns)) -
                   LIGHTFIELD_TILE_RANGE,
               memory.slots);
    tile_place_column(of, min(first_x + thread, last_x), (int)blockIdx.y / params.tile.parts,
                      memory, column);
    const tile_rows rows =
        tile_rows_of_block(of.array, of.dst.height_px, params.tile.parts, thread, memory.row_ends);
    tile_place_rows(of, rows, memory);
    tile_order(thread, memory.slots);
    tile_find_column(memory.slots, column);
    for (int j = 0; j < LIGHTFIELD_TILE_LENSES; j++) {
        if (memory.row_count[j] > 0) {
            tile_copy<Raw, LIGHTFIELD_TILE_COLUMNS>(of.raw, memory.slots, memory.row_first[j],
                                                    memory.row_count[j] - memory.row_first[j],
                                                    tile);
            if (abs(j - LIGHTFIELD_TILE_RANGE) <= column.range) {
                tile_blend(memory.rows[j], tile, memory.slots.chunks * LIGHTFIELD_TILE_CHUNK,
                           column, sums);
            }
            __syncthreads();
        }
    }
    if (first_x + thread <= last_x) {
        tile_store(of, first_x + thread, rows, memory, column, sums, (color3 *)tile + thread);
    }
}

#endif
