/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blended micro-images of bytes, by tiles. A thread has four neighbouring raw pixels of a lens and
 * goes down the rows: of each row of the picture it adds up the rows of lenses, two products of 16
 * bits at once, with weights that are whole numbers of 1 / 65535 of the largest. Some rows of such
 * sums lie in shared memory, where a thread for each pixel adds them up along the lenses. Each raw
 * pixel is read once; what bounds it is what a block works out before, and how long loads take. */
#pragma once

#include "render.cuh"
#include "tile.cuh"

#define TILE_WEIGHT 65535.0f

/* Says what a row of the picture takes of a row of lenses. */
struct __align__(16) tile_row
{
    int64_t above; /* where the row of the raw picture begins */
    uint32_t weights; /* of that row, and of the next one; 0: nothing */
    uint32_t is_new; /* 0: the row of the picture before took it, as its next one */
};

struct render_tile_memory {
    tile_slots slots;
    tile_row rows[LIGHTFIELD_TILE_RINGS][LIGHTFIELD_TILE_ROWS][LIGHTFIELD_TILE_LENSES];
    place_part row_parts[LIGHTFIELD_TILE_LENSES][LIGHTFIELD_TILE_ROWS];
    float row_weights[LIGHTFIELD_TILE_RINGS][LIGHTFIELD_TILE_ROWS]; /* sums */
    int row_ends[2];
    /* A pixel takes sums of two raw pixels of each column of lenses, with these weights. */
    uint32_t places[LIGHTFIELD_TILE_LENSES][LIGHTFIELD_TILE_COLUMNS];
    float2 weights[LIGHTFIELD_TILE_LENSES][LIGHTFIELD_TILE_COLUMNS];
};

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

/* A column of the picture. */
struct tile_column {
    int lens; /* the nearest */
    int range; /* lenses to each side that count */
    float weight; /* of all */
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

static __device__ void tile_place_column(const lightfield_cuda_rendering &params, double at,
                                         int row, bool is_last, render_tile_memory &memory,
                                         tile_column &out)
{
    const lightfield_cuda_array &array = params.array;
    const int column = (int)threadIdx.x;
    const double patch_px = patch_of(params);
    const int origin = place_fixed(array.origin_x_px);
    place_part parts[LIGHTFIELD_TILE_LENSES];
    float least = INFINITY;
    out.weight = 0.0f;
    out.lens = place_nearest(at);
    out.range = place_range(params.rings, array, params.dst, out.lens, row, params.range);
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
        memory.places[i][column] = (uint32_t)first;
        memory.weights[i][column] = make_float2(weight * (1.0f - part), weight * part);
        out.weight += weight;
        if (is_last && isfinite(parts[i].from)) {
            tile_want(memory.slots, out.lens + i - LIGHTFIELD_TILE_RANGE, out.range, first,
                      first + 1);
        }
    }
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
template <typename Raw>
DEVICE void tile_find_column(const tile_column &column, render_tile_memory &memory)
{
#pragma unroll
    for (int i = 0; i < LIGHTFIELD_TILE_LENSES; i++) {
        const int slot = column.lens + i - LIGHTFIELD_TILE_RANGE - memory.slots.base;
        const float2 weights = memory.weights[i][threadIdx.x];
        uint32_t &place = memory.places[i][threadIdx.x];
        const uint32_t texel =
            weights.x + weights.y > 0.0f ? place + memory.slots.start[column.range][slot] : 0;
        place = tile_sum_at<Raw>(texel) | tile_sum_at<Raw>(texel + 1) << 16;
    }
}

/* In the order in which their places in the raw come. */
DEVICE int tile_y(const lightfield_cuda_array &array, tile_rows rows, int number)
{
    return rows.first + (array.sign < 0.0 ? rows.count - 1 - number : number);
}

/* The last threads begin, for the first ones have columns. */
#define EACH_OF_TILE(item, count)                                                                  \
    for (int item = (int)(blockDim.x - 1 - threadIdx.x); item < (count); item += (int)blockDim.x)

static __device__ void tile_place_rows(const lightfield_cuda_rendering &params, tile_rows rows,
                                       render_tile_memory &memory)
{
    EACH_OF_TILE(item, LIGHTFIELD_TILE_LENSES * LIGHTFIELD_TILE_ROWS)
    {
        const int j = item / LIGHTFIELD_TILE_ROWS;
        const int number = item % LIGHTFIELD_TILE_ROWS;
        const int down = j - LIGHTFIELD_TILE_RANGE;
        place_part part = {0, 0, NAN};
        if (number < rows.count && abs(down) <= params.range) {
            const double at = place_at(tile_y(params.array, rows, number), params.dst.height_px,
                                       params.array.rows);
            part = place_row(params.array, at, down, patch_of(params));
        }
        memory.row_parts[j][number] = part;
    }
}

/* Weighs rows for the pixels of each range. */
static __device__ void tile_weigh_rows(const lightfield_cuda_rendering &params,
                                       render_tile_memory &memory)
{
    const int first = params.rings.is_on ? 0 : params.range; /* ranges that there are */
    const int each = LIGHTFIELD_TILE_ROWS * LIGHTFIELD_TILE_LENSES;
    EACH_OF_TILE(item, (params.range - first + 1) * each)
    {
        const int range = first + item / each;
        const int number = item % LIGHTFIELD_TILE_ROWS;
        const int j = item % each / LIGHTFIELD_TILE_ROWS;
        const place_part &part = memory.row_parts[j][number];
        float least = INFINITY;
        float weight = 0.0f;
        float below;
        for (int i = LIGHTFIELD_TILE_RANGE - range; i <= LIGHTFIELD_TILE_RANGE + range; i++) {
            least = fminf(least, parts_square(memory.row_parts[i][number].from, params.view_y_px));
        }
        if (abs(j - LIGHTFIELD_TILE_RANGE) <= range) {
            weight = parts_weight(part.from, params.view_y_px, least, params.factor) * TILE_WEIGHT;
        }
        const int above = tile_place(params.raw, part.y, params.raw.height_px, below);
        const uint32_t next = __float2uint_rn(weight * below);
        const uint32_t own = min(__float2uint_rn(weight * (1.0f - below)), 65535u - next);
        memory.rows[range][number][j] = {above * params.raw.row_stride_bytes, own | next << 16, 1u};
    }
}

/* Says which rows take the row above them from the row before, and sums up their weights. */
static __device__ void tile_join_rows(const lightfield_cuda_rendering &params,
                                      render_tile_memory &memory)
{
    const int first = params.rings.is_on ? 0 : params.range;
    EACH_OF_TILE(item, (params.range - first + 1) * LIGHTFIELD_TILE_ROWS)
    {
        const int range = first + item / LIGHTFIELD_TILE_ROWS;
        const int number = item % LIGHTFIELD_TILE_ROWS;
        uint32_t sum = 0;
#pragma unroll
        for (int j = 0; j < LIGHTFIELD_TILE_LENSES; j++) {
            tile_row &row = memory.rows[range][number][j];
            sum += (row.weights & 65535u) + (row.weights >> 16);
            if (number > 0) {
                const tile_row &before = memory.rows[range][number - 1][j];
                row.is_new =
                    before.weights == 0 || before.above + params.raw.row_stride_bytes != row.above;
            }
        }
        memory.row_weights[range][number] = (float)sum;
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

/* Adds up rows of sums for a pixel of each, of the lenses that are so many to each side. */
template <typename Raw, int RANGE>
DEVICE void tile_sum_along(const render_tile_memory &memory, const typename Raw::sum *sums,
                           color3 out[LIGHTFIELD_TILE_BATCH])
{
    const uint32_t row = LIGHTFIELD_TILE_CHUNK * tile_plane<Raw>();
#pragma unroll
    for (int i = LIGHTFIELD_TILE_RANGE - RANGE; i <= LIGHTFIELD_TILE_RANGE + RANGE; i++) {
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
    tile_column column;
    tile_words<Raw::words> last[LIGHTFIELD_TILE_LENSES];
    tile_clear(thread,
               thread == 0 ? place_nearest(place_at(first_x, of.dst.width_px, of.array.columns)) -
                                 LIGHTFIELD_TILE_RANGE
                           : 0,
               memory.slots);
    tile_find_ends(of.array, of.dst.height_px, params.tile.parts, (int)blockDim.x - 1 - thread,
                   memory.row_ends);
    __syncthreads();
    const double at = place_at(first_x + thread, of.dst.width_px, of.array.columns);
    const bool is_last = tile_is_last(place_nearest(at), columns);
    if (thread < columns) {
        tile_place_column(of, at, (int)blockIdx.y / params.tile.parts, is_last, memory, column);
    }
    const tile_rows rows = tile_rows_of_block(params.tile.parts, memory.row_ends);
    tile_place_rows(of, rows, memory);
    __syncthreads();
    if (thread < LIGHTFIELD_TILE_SLOTS) {
        tile_order(thread, memory.slots);
    }
    tile_weigh_rows(of, memory);
    __syncthreads();
    if (thread < columns) {
        tile_find_column<Raw>(column, memory);
    }
    tile_join_rows(of, memory);
    __syncthreads();
    const bool has_chunk = thread < memory.slots.chunks;
    const int range = has_chunk ? memory.slots.chunk_range[thread] : 0;
    const char *chunk =
        (const char *)of.raw.data + (has_chunk ? memory.slots.chunk_x[thread] : 0) * Raw::bytes;
    for (int begin = 0; begin < rows.count; begin += LIGHTFIELD_TILE_BATCH) {
        const int end = min(begin + LIGHTFIELD_TILE_BATCH, rows.count);
        typename Raw::sum *row = sums + thread;
        for (int number = begin; has_chunk && number < end; number++) {
            uint32_t down[4 * Raw::words] = {};
            tile_sum_down<Raw>(of.raw, chunk, memory.rows[range][number], last, down);
#pragma unroll
            for (int texel = 0; texel < LIGHTFIELD_TILE_CHUNK; texel++) {
                row[texel * plane] = Raw::sum_of(down, texel);
            }
            row += LIGHTFIELD_TILE_CHUNK * plane;
        }
        __syncthreads();
        if (thread < columns) {
            color3 along[LIGHTFIELD_TILE_BATCH] = {};
            if (column.range == 2) {
                tile_sum_along<Raw, 2>(memory, sums, along);
            } else if (column.range == 1) {
                tile_sum_along<Raw, 1>(memory, sums, along);
            } else {
                tile_sum_along<Raw, 0>(memory, sums, along);
            }
#pragma unroll
            for (int n = 0; n < LIGHTFIELD_TILE_BATCH; n++) {
                if (begin + n < end) {
                    picture_store(of.dst, first_x + thread, tile_y(of.array, rows, begin + n),
                                  Raw::color_of(along[n]),
                                  column.weight * memory.row_weights[column.range][begin + n]);
                }
            }
        }
        __syncthreads();
    }
}
