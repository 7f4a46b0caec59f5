/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Costs of patch sizes, their averages, and the least of them, of every kind of array and raw
 * picture. A thread has one pixel, a block one patch size. Loads bound the costs, memory the rest;
 * depth_tile.cuh is faster where it can do it. */
#pragma once

#include "parts.cuh"
#include "picture.cuh"

#define BOX_REACH 2

DEVICE float *costs_at(const lightfield_cuda_matching &params, uint64_t memory, int size, int y)
{
    return (float *)memory +
           ((int64_t)size * params.row_count + (y - params.row_first)) * params.depth.width_px;
}

DEVICE float apart(color3 a, color3 b)
{
    return fabsf(a.r - b.r) + fabsf(a.g - b.g) + fabsf(a.b - b.b);
}

/* Beyond the ring every other patch size is compared with the next lenses. */
DEVICE bool depth_is_coarse(const lightfield_cuda_matching &params, int x, int row)
{
    return params.rings.is_on && place_range_at(params.rings, params.array, x, row, 2) < 2;
}

template <typename Sampler>
static __device__ float cost_of_pixel(const lightfield_cuda_matching &params,
                                      const block_parts &parts, int own_range)
{
    const int range = params.range;
    const int middle = parts.row_of[threadIdx.y];
    const place_part &own =
        parts.columns[place_is_shifted(params.array, middle) ? 1 : 0][range][threadIdx.x];
    const place_part &own_row = parts.rows[range][threadIdx.y];
    const color3 main = Sampler::sample(params.raw, own.x + own_row.x, own.y + own_row.y);
    float sum = 0.0f;
    float count = 0.0f;
    for (int i = 0; i < (2 * range + 1) * (2 * range + 1); i++) {
        const int down = i / (2 * range + 1);
        const int right = i % (2 * range + 1);
        if (max(abs(down - range), abs(right - range)) > own_range) {
            continue;
        }
        const int kind = place_is_shifted(params.array, middle + down - range) ? 1 : 0;
        const place_part &row = parts.rows[down][threadIdx.y];
        const place_part &column = parts.columns[kind][right][threadIdx.x];
        if (column.from * row.from > 0.0f && i != 2 * range * (range + 1)) {
            sum += apart(Sampler::sample(params.raw, column.x + row.x, column.y + row.y), main);
            count += 1.0f;
        }
    }
    return count > 0.0f ? sum / count : 0.0f;
}

template <typename Sampler>
static __device__ void make_costs(const lightfield_cuda_matching &params, int x, int y,
                                  block_parts &parts)
{
    const int size = (int)blockIdx.z;
    const block_spot spot = {x - (int)threadIdx.x, y - (int)threadIdx.y};
    parts_place(params.array, spot, params.range, params.first_px + size * params.step_px, parts);
    parts_make_even(params.array, params.range, parts);
    if (x < params.depth.width_px && y < params.row_first + params.row_count) {
        const bool coarse = depth_is_coarse(params, x, parts.row_of[threadIdx.y]);
        costs_at(params, params.costs, size, y)[x] =
            coarse && size % 2 != 0
                ? INFINITY
                : cost_of_pixel<Sampler>(params, parts, coarse ? 1 : params.range);
    }
}

/* ---- The box: sums of columns first */

static __device__ void make_boxes(const lightfield_cuda_matching &params, int x, int y)
{
    const int size = (int)blockIdx.z;
    const int top = max(y - BOX_REACH, 0);
    const int bottom = min(y + BOX_REACH + 1, params.depth.height_px);
    const int left = max(x - BOX_REACH, 0);
    const int right = min(x + BOX_REACH + 1, params.depth.width_px);
    float sum = 0.0f;
    if (x >= params.depth.width_px || y >= params.out_first + params.out_count) {
        return;
    }
    for (int column = left; column < right; column++) {
        float of_column = 0.0f;
        for (int row = top; row < bottom; row++) {
            of_column += costs_at(params, params.costs, size, row)[column];
        }
        sum += of_column;
    }
    costs_at(params, params.boxes, size, y)[x] = sum / (float)((right - left) * (bottom - top));
}

/* ---- The least of them */

static __device__ void choose_size(const lightfield_cuda_matching &params, int x, int y)
{
    if (x >= params.depth.width_px || y >= params.out_first + params.out_count) {
        return;
    }
    const float *costs = costs_at(params, params.box ? params.boxes : params.costs, 0, y) + x;
    const int64_t pitch = (int64_t)params.row_count * params.depth.width_px;
    float confidence;
    const int best = lightfield_least(costs, pitch, params.size_count, params.step_px, &confidence);
    picture_store_float(params.depth, x, y, (float)(params.first_px + best * params.step_px));
    picture_store_float(params.confidence, x, y, confidence);
}
