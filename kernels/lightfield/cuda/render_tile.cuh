/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blended micro-images of bytes, by tiles. A thread has four neighbouring raw pixels of a lens and
 * goes down the rows: of each row of the picture it adds up the rows of lenses, two products of 16
 * bits at once, with weights that are whole numbers of 1 / 65535 of the largest. Some rows of such
 * sums lie in shared memory, where a thread for each pixel adds them up along the lenses. Each raw
 * pixel is read once; what bounds it is what a block works out before, and how long loads take. */
#pragma once

#include "tile_weights.cuh"

struct render_tile_memory {
    tile_slots slots;
    tile_row rows[LIGHTFIELD_TILE_ROWS][LIGHTFIELD_TILE_LENSES];
    float row_weights[LIGHTFIELD_TILE_ROWS]; /* sums */
    int row_ends[2];
    /* A pixel takes sums of two raw pixels of each column of lenses, with these weights. */
    uint32_t places[LIGHTFIELD_TILE_LENSES][LIGHTFIELD_TILE_COLUMNS];
    float2 weights[LIGHTFIELD_TILE_LENSES][LIGHTFIELD_TILE_COLUMNS];
};

/* Places along a lens grow or shrink with the column: its first and last ones, and those of each
 * warp, say what is wanted. */
DEVICE bool tile_is_last(int lens, int columns)
{
    const int lane = (int)threadIdx.x % 32;
    const int before = __shfl_up_sync(~0u, lens, 1);
    const int after = __shfl_down_sync(~0u, lens, 1);
    return lane == 0 || lane == 31 || (int)threadIdx.x == columns - 1 || before != lens ||
           after != lens;
}

/* Returns the weight of all lenses. */
static __device__ float tile_place_column(const lightfield_cuda_rendering &params, double at,
                                          bool is_last, render_tile_memory &memory)
{
    const int column = (int)threadIdx.x;
    const int lens = place_nearest(at);
    tile_column own;
    tile_weigh_column<LIGHTFIELD_TILE_RANGE>(params, at, params.range, own);
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        memory.places[i][column] = (uint32_t)own.first[i];
        memory.weights[i][column] = own.weights[i];
        if (is_last && own.counts[i]) {
            tile_want(memory.slots, lens + i - LIGHTFIELD_TILE_RANGE, own.first[i],
                      own.first[i] + 1);
        }
    }
    return own.weight;
}

/* Sums of the four pixels of a chunk lie in four planes: neither those who write nor those who read
 * meet in banks. */
template <typename Raw> DEVICE uint32_t tile_plane()
{
    return blockDim.x + Raw::beside;
}

template <typename Raw> DEVICE uint32_t tile_sum_at(uint32_t texel)
{
    return texel % LIGHTFIELD_TILE_CHUNK * tile_plane<Raw>() + texel / LIGHTFIELD_TILE_CHUNK;
}

/* After the order of slots is known. */
template <typename Raw> DEVICE void tile_find_column(int lens, render_tile_memory &memory)
{
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        const int slot = lens + i - LIGHTFIELD_TILE_RANGE - memory.slots.base;
        const float2 weights = memory.weights[i][threadIdx.x];
        uint32_t &place = memory.places[i][threadIdx.x];
        const uint32_t texel = weights.x + weights.y > 0.0f ? place + memory.slots.start[slot] : 0;
        place = tile_sum_at<Raw>(texel) | tile_sum_at<Raw>(texel + 1) << 16;
    }
}

/* The last threads begin, for the first ones have columns. */
#define EACH_OF_TILE(item, count)                                                                  \
    for (int item = (int)(blockDim.x - 1 - threadIdx.x); item < (count); item += (int)blockDim.x)

static __device__ void tile_weigh_rows(const lightfield_cuda_rendering &params, tile_rows rows,
                                       render_tile_memory &memory)
{
    EACH_OF_TILE(item, LIGHTFIELD_TILE_LENSES * LIGHTFIELD_TILE_ROWS)
    {
        const int lens = item / LIGHTFIELD_TILE_ROWS;
        const int number = item % LIGHTFIELD_TILE_ROWS;
        tile_row_parts parts;
        if (number < rows.count) {
            tile_place_row(params, tile_y(params.array, rows, number), lens, parts);
            memory.rows[number][lens] = tile_weigh_row(params, parts, lens, params.range);
        }
    }
}

/* Says which rows take the row above them from the row before, and sums up their weights. */
static __device__ void tile_join_rows(const lightfield_cuda_rendering &params, tile_rows rows,
                                      render_tile_memory &memory)
{
    EACH_OF_TILE(number, rows.count)
    {
        uint32_t sum = 0;
#pragma unroll
        for (int j = 0; j < LIGHTFIELD_TILE_LENSES; j++) {
            tile_row &row = memory.rows[number][j];
            sum += (row.weights & 65535u) + (row.weights >> 16);
            if (number > 0) {
                const tile_row &before = memory.rows[number - 1][j];
                row.is_new =
                    before.weights == 0 || before.above + params.raw.row_stride_bytes != row.above;
            }
        }
        memory.row_weights[number] = (float)sum;
    }
}

/* ---- Sums down the rows of lenses */

template <int WORDS> struct tile_words {
    uint32_t of[WORDS];
};

template <typename Raw>
DEVICE void tile_sum_down(const lightfield_cuda_raw &raw, const char *column,
                          const tile_row rows[LIGHTFIELD_TILE_LENSES],
                          tile_words<Raw::words> last[], uint32_t sums[4 * Raw::words])
{
    tile_words<Raw::words> below[LIGHTFIELD_TILE_LENSES];
#pragma unroll
    for (int j = 0; j < LIGHTFIELD_TILE_LENSES; j++) {
        const tile_row row = rows[j];
        const char *at = column + row.above;
        if (row.weights != 0 && row.is_new) {
            Raw::load(at, last[j].of);
        }
        if (row.weights != 0) {
            Raw::load(at + raw.row_stride_bytes, below[j].of);
        }
    }
#pragma unroll
    for (int j = 0; j < LIGHTFIELD_TILE_LENSES; j++) {
        const uint32_t weights = rows[j].weights;
        if (weights != 0) {
#pragma unroll
            for (int word = 0; word < Raw::words; word++) {
                const uint32_t first = __byte_perm(last[j].of[word], below[j].of[word], 0x5140);
                const uint32_t second = __byte_perm(last[j].of[word], below[j].of[word], 0x7362);
                sums[4 * word] = __dp2a_lo(weights, first, sums[4 * word]);
                sums[4 * word + 1] = __dp2a_hi(weights, first, sums[4 * word + 1]);
                sums[4 * word + 2] = __dp2a_lo(weights, second, sums[4 * word + 2]);
                sums[4 * word + 3] = __dp2a_hi(weights, second, sums[4 * word + 3]);
            }
            last[j] = below[j];
        }
    }
}

/* ---- Sums along the lenses */

/* Adds up rows of sums for a pixel of each. */
template <typename Raw>
DEVICE void tile_sum_along(const render_tile_memory &memory, const typename Raw::sum *sums,
                           color3 out[LIGHTFIELD_TILE_BATCH])
{
    const uint32_t row = LIGHTFIELD_TILE_CHUNK * tile_plane<Raw>();
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        const uint32_t places = memory.places[i][threadIdx.x];
        const float2 weights = memory.weights[i][threadIdx.x];
#pragma unroll
        for (int n = 0; n < LIGHTFIELD_TILE_BATCH; n++) {
            tile_add(out[n], weights.x, sums[(places & 65535u) + n * row]);
            tile_add(out[n], weights.y, sums[(places >> 16) + n * row]);
        }
    }
}

template <typename Raw>
DEVICE void render_tile(const lightfield_tile_rendering &params, render_tile_memory &memory,
                        typename Raw::sum *sums)
{
    const lightfield_cuda_rendering &of = params.of;
    const int thread = (int)threadIdx.x;
    const int first_x = (int)blockIdx.x * params.tile.columns;
    const int columns = min(params.tile.columns, of.dst.width_px - first_x);
    const uint32_t plane = tile_plane<Raw>();
    const double at = place_at(of.array.across, first_x + thread);
    const int part = (int)blockIdx.y;
    float weight = 0.0f;
    tile_words<Raw::words> last[LIGHTFIELD_TILE_LENSES];
    tile_clear(thread, place_nearest(at) - LIGHTFIELD_TILE_RANGE, memory.slots);
    tile_find_ends(of.array, part / params.tile.parts, (int)blockDim.x - 1 - thread,
                   memory.row_ends);
    __syncthreads();
    const bool is_last = tile_is_last(place_nearest(at), columns);
    if (thread < columns) {
        weight = tile_place_column(of, at, is_last, memory);
    }
    const tile_rows rows = tile_rows_of(part, params.tile.parts, memory.row_ends);
    tile_weigh_rows(of, rows, memory);
    __syncthreads();
    if (thread < LIGHTFIELD_TILE_SLOTS) {
        tile_order(thread, memory.slots);
    }
    tile_join_rows(of, rows, memory);
    __syncthreads();
    if (thread < columns) {
        tile_find_column<Raw>(place_nearest(at), memory);
    }
    __syncthreads();
    const bool has_chunk = thread < memory.slots.chunks;
    const char *chunk =
        (const char *)of.raw.data + (has_chunk ? memory.slots.chunk_x[thread] : 0) * Raw::bytes;
    for (int begin = 0; begin < rows.count; begin += LIGHTFIELD_TILE_BATCH) {
        const int end = min(begin + LIGHTFIELD_TILE_BATCH, rows.count);
        typename Raw::sum *row = sums + thread;
        for (int number = begin; has_chunk && number < end; number++) {
            uint32_t down[4 * Raw::words] = {};
            tile_sum_down<Raw>(of.raw, chunk, memory.rows[number], last, down);
#pragma unroll
            for (int texel = 0; texel < LIGHTFIELD_TILE_CHUNK; texel++) {
                row[texel * plane] = Raw::sum_of(down, texel);
            }
            row += LIGHTFIELD_TILE_CHUNK * plane;
        }
        __syncthreads();
        if (thread < columns) {
            color3 along[LIGHTFIELD_TILE_BATCH] = {};
            tile_sum_along<Raw>(memory, sums, along);
#pragma unroll
            for (int n = 0; n < LIGHTFIELD_TILE_BATCH; n++) {
                if (begin + n < end) {
                    picture_store(of.dst, first_x + thread, tile_y(of.array, rows, begin + n),
                                  Raw::color_of(along[n]), weight * memory.row_weights[begin + n]);
                }
            }
        }
        __syncthreads();
    }
}
