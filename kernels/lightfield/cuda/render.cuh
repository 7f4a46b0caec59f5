/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blended micro-images of every kind of array and raw picture. A thread makes one pixel; a warp has
 * 32 of a row, which take neighbouring pixels from each lens. Loads bound it: four for each sample,
 * of which the cache has most. render_tile.cuh is faster where it can do it. */
#pragma once

#include "parts.cuh"
#include "picture.cuh"

/* One for all pixels, where there are no patches. */
DEVICE double patch_of(const lightfield_cuda_rendering &params)
{
    return params.focus ? ((const lightfield_cuda_focus *)params.focus)->patch_px : params.patch_px;
}

struct blended {
    color3 sum;
    float weight;
};

template <typename Sampler>
DEVICE void blend(const lightfield_cuda_raw &raw, const place_part &column, const place_part &row,
                  blended &out)
{
    const float weight = column.from * row.from;
    if (!(weight > 0.0f)) {
        return;
    }
    const color3 color = Sampler::sample(raw, column.x + row.x, column.y + row.y);
    out.sum.r += weight * color.r;
    out.sum.g += weight * color.g;
    out.sum.b += weight * color.b;
    out.weight += weight;
}

/* Makes weights of the distances of so many parts. Returns the least square of a distance. */
DEVICE float weigh_parts(place_part *parts, int step, int count, float view_px, float factor)
{
    float least = INFINITY;
    for (int i = 0; i < count; i++) {
        least = fminf(least, parts_square(parts[i * step].from, view_px));
    }
    for (int i = 0; i < count; i++) {
        parts[i * step].from = parts_weight(parts[i * step].from, view_px, least, factor);
    }
    return least;
}

/* ---- One patch size: parts are the block's */

/* Each pixel weighs rows by itself where there are two kinds of row. */
static __device__ void weigh_block(const lightfield_cuda_rendering &params, block_parts &parts)
{
    const int thread = thread_of_block();
    const int row = thread - LIGHTFIELD_CUDA_WIDTH;
    const int lenses = 2 * params.range + 1;
    if (thread < LIGHTFIELD_CUDA_WIDTH) {
        for (int kind = 0; kind < (params.array.hexagonal ? 2 : 1); kind++) {
            parts.column_least[kind][thread] =
                weigh_parts(&parts.columns[kind][0][thread], LIGHTFIELD_CUDA_WIDTH, lenses,
                            params.view_x_px, params.factor);
        }
    } else if (row < LIGHTFIELD_CUDA_HEIGHT && !params.array.hexagonal) {
        weigh_parts(&parts.rows[0][row], LIGHTFIELD_CUDA_HEIGHT, lenses, params.view_y_px,
                    params.factor);
    }
    __syncthreads();
}

static __device__ float row_square(const lightfield_cuda_rendering &params,
                                   const block_parts &parts, int j)
{
    const int row = parts.row_of[threadIdx.y] + j - params.range;
    const int kind = place_is_shifted(params.array, row) ? 1 : 0;
    return parts_square(parts.rows[j][threadIdx.y].from, params.view_y_px) +
           parts.column_least[kind][threadIdx.x];
}

/* Takes the least of the rows that the pixel takes. */
static __device__ float least_of_pixel(const lightfield_cuda_rendering &params,
                                       const block_parts &parts, int own)
{
    float least = INFINITY;
    for (int j = params.range - own; j <= params.range + own; j++) {
        least = fminf(least, row_square(params, parts, j));
    }
    return least;
}

template <typename Sampler>
static __device__ void render_one(const lightfield_cuda_rendering &params, int x, int y,
                                  block_parts &parts)
{
    const block_spot spot = {x - (int)threadIdx.x, y - (int)threadIdx.y};
    blended out = {};
    parts_place(params.array, spot, params.range, patch_of(params), parts);
    weigh_block(params, parts);
    if (x >= params.dst.width_px || y >= params.dst.height_px) {
        return;
    }
    const int middle = parts.row_of[threadIdx.y];
    const int own = place_range_at(params.rings, params.array, x, middle, params.range);
    const float least = params.array.hexagonal ? least_of_pixel(params, parts, own) : 0.0f;
    for (int j = params.range - own; j <= params.range + own; j++) {
        place_part row = parts.rows[j][threadIdx.y];
        const int number = middle + j - params.range;
        if (params.array.hexagonal) {
            row.from = parts_weight_of(row_square(params, parts, j), least, params.factor);
        }
        const int kind = place_is_shifted(params.array, number) ? 1 : 0;
        for (int i = params.range - own; i <= params.range + own; i++) {
            blend<Sampler>(params.raw, parts.columns[kind][i][threadIdx.x], row, out);
        }
    }
    picture_store(params.dst, x, y, out.sum, out.weight);
}

/* ---- A patch size for each pixel: parts are the pixel's */

/* Holds the columns of one row of the array, with weights. */
struct pixel_columns {
    place_part of[2][LIGHTFIELD_CUDA_LENSES];
    float least[2]; /* squares; 0 where there is one kind of row */
};

static __device__ void place_columns(const lightfield_cuda_rendering &params, double at,
                                     double patch_px, int range, pixel_columns &out)
{
    for (int kind = 0; kind < (params.array.hexagonal ? 2 : 1); kind++) {
        float least = INFINITY;
        for (int i = 0; i <= 2 * range; i++) {
            place_part &part = out.of[kind][i];
            part = place_column(params.array, at, kind != 0, i - range, patch_px);
            least = fminf(least, parts_square(part.from, params.view_x_px));
        }
        for (int i = 0; i <= 2 * range; i++) {
            place_part &part = out.of[kind][i];
            part.from = parts_weight(part.from, params.view_x_px, least, params.factor);
        }
        out.least[kind] = params.array.hexagonal ? least : 0.0f;
    }
}

/* kind: out, of the row. */
static __device__ place_part place_pixel_row(const lightfield_cuda_rendering &params, double at,
                                             int down, double patch_px,
                                             const pixel_columns &columns, int &kind, float &square)
{
    const place_part part = place_row(params.array, at, down, patch_px);
    kind = place_is_shifted(params.array, place_nearest(at) + down) ? 1 : 0;
    square = parts_square(part.from, params.view_y_px) + columns.least[kind];
    return part;
}

static __device__ float least_of_rows(const lightfield_cuda_rendering &params, double at,
                                      double patch_px, int range, const pixel_columns &columns)
{
    float least = INFINITY;
    for (int j = -range; j <= range; j++) {
        int kind;
        float square;
        place_pixel_row(params, at, j, patch_px, columns, kind, square);
        least = fminf(least, square);
    }
    return least;
}

DEVICE double patch_at(const lightfield_cuda_rendering &params, int x, int y)
{
    const double given = (double)picture_float(params.patches, x, y);
    return given >= 1.0 && given <= params.array.pitch_x_px ? given : params.patch_px;
}

template <typename Sampler>
static __device__ void render_each(const lightfield_cuda_rendering &params, int x, int y)
{
    if (x >= params.dst.width_px || y >= params.dst.height_px) {
        return;
    }
    const double patch_px = patch_at(params, x, y);
    const double at_y = place_at(params.array.down, y);
    const int middle = place_nearest(at_y);
    const int range = place_range_at(params.rings, params.array, x, middle, params.range);
    pixel_columns columns;
    blended out = {};
    place_columns(params, place_at(params.array.across, x), patch_px, range, columns);
    const float least = least_of_rows(params, at_y, patch_px, range, columns);
    for (int j = -range; j <= range; j++) {
        int kind;
        float square;
        place_part row = place_pixel_row(params, at_y, j, patch_px, columns, kind, square);
        row.from = parts_weight_of(square, least, params.factor);
        for (int i = 0; row.from > 0.0f && i <= 2 * range; i++) {
            blend<Sampler>(params.raw, columns.of[kind][i], row, out);
        }
    }
    picture_store(params.dst, x, y, out.sum, out.weight);
}
