/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's other ways in CUDA that need no texture units, a thread a pixel but for scans:
 *
 *     table_*          a pass of a summed-area table by Hensley; box: means from it
 *     scan, transpose  the same by scans of rows in shared memory, which stand for cuDPP's
 *     spread, divide   spreading: a derivative's value added somewhere else; what is integrated
 *     diffuse_*        a step of the heat equation
 *     split, multiply, merge   what stands around the transforms
 *
 * Bound by memory. */

#include "blur_pixels.cuh"

namespace {

/* ---- Summed-area tables */

template <bool kRows> __device__ void table_pass(const blur_thesis_params &p)
{
    const place at = own_place(p);
    if (!at.inside) {
        return;
    }
    float4 sum = zero();
    for (int i = 0; i < p.taps; i++) {
        const int x = at.x - (kRows ? i * p.step_px : 0);
        const int y = at.y - (kRows ? 0 : i * p.step_px);
        if (x >= 0 && y >= 0) {
            add(sum, 1.0f, source(p, x, y));
        }
    }
    target(p, at.x, at.y) = sum;
}

__device__ float4 of_table(const blur_thesis_params &p, int x, int y)
{
    return x < 0 || y < 0 ? zero() : source(p, x, y);
}

/* The mean of what of the box lies within the picture. */
__device__ void box_of_table(const blur_thesis_params &p)
{
    const place at = own_place(p);
    if (!at.inside) {
        return;
    }
    const int left = clamped(at.x - p.taps / 2, p.width_px - 1) - 1;
    const int above = clamped(at.y - p.taps / 2, p.height_px - 1) - 1;
    const int right = clamped(at.x + p.taps / 2, p.width_px - 1);
    const int below = clamped(at.y + p.taps / 2, p.height_px - 1);
    const float part = 1.0f / (float)((right - left) * (below - above));
    float4 sum = zero();
    add(sum, part, of_table(p, right, below));
    add(sum, -part, of_table(p, left, below));
    add(sum, -part, of_table(p, right, above));
    add(sum, part, of_table(p, left, above));
    target(p, at.x, at.y) = sum;
}

__device__ float4 plus(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* A block a row, piece by piece; the sum so far is carried on. */
__device__ void scan_row(const blur_thesis_params &p)
{
    float4 *sums = (float4 *)shared_memory;
    float4 carried = zero();
    const int lane = threadIdx.x;
    for (int first = 0; first < p.width_px; first += BLUR_THESIS_SCAN) {
        const int x = first + lane;
        sums[lane] = x < p.width_px ? source(p, x, blockIdx.x) : zero();
        for (int reach = 1; reach < BLUR_THESIS_SCAN; reach *= 2) {
            __syncthreads();
            const float4 before = lane >= reach ? sums[lane - reach] : zero();
            __syncthreads();
            sums[lane] = plus(sums[lane], before);
        }
        __syncthreads();
        if (x < p.width_px) {
            target(p, x, blockIdx.x) = plus(carried, sums[lane]);
        }
        carried = plus(carried, sums[BLUR_THESIS_SCAN - 1]);
        __syncthreads();
    }
}

/* The picture that is written is as wide as the one that is read is high. */
__device__ void transpose(const blur_thesis_params &p)
{
    float4 *tile = (float4 *)shared_memory;
    const int x = blockIdx.y * BLUR_THESIS_TILE + threadIdx.x;
    const int y = blockIdx.x * BLUR_THESIS_TILE + threadIdx.y;
    if (x < p.from_width_px && y < p.from_height_px) {
        tile[threadIdx.y * (BLUR_THESIS_TILE + 1) + threadIdx.x] =
            ((const float4 *)p.src)[(size_t)y * p.from_width_px + x];
    }
    __syncthreads();
    const place at = own_place(p);
    if (at.inside) {
        target(p, at.x, at.y) = tile[threadIdx.x * (BLUR_THESIS_TILE + 1) + threadIdx.y];
    }
}

/* ---- Spreading */

__device__ void spread(const blur_thesis_params &p)
{
    const place at = own_place(p);
    const bool within = at.x >= p.border_px && at.y >= p.border_px &&
                        at.x < p.width_px - p.border_px && at.y < p.height_px - p.border_px;
    if (at.inside && within) {
        add(target(p, at.x + p.move_x_px, at.y + p.move_y_px), p.factor, source(p, at.x, at.y));
    }
}

__device__ void divide(const blur_thesis_params &p)
{
    const place at = own_place(p);
    if (at.inside) {
        float4 sum = zero();
        add(sum, p.factor, of_table(p, at.x + p.move_x_px, at.y + p.move_y_px));
        target(p, at.x, at.y) = sum;
    }
}

/* ---- Diffusion */

__device__ float step_of(float middle, float left, float right, float above, float below)
{
    return middle + 0.25f * (left + right + above + below - 4.0f * middle);
}

__device__ float4 steps_of(float4 middle, float4 left, float4 right, float4 above, float4 below)
{
    return make_float4(step_of(middle.x, left.x, right.x, above.x, below.x),
                       step_of(middle.y, left.y, right.y, above.y, below.y),
                       step_of(middle.z, left.z, right.z, above.z, below.z),
                       step_of(middle.w, left.w, right.w, above.w, below.w));
}

__device__ void diffuse_global(const blur_thesis_params &p)
{
    const place at = own_place(p);
    if (at.inside) {
        target(p, at.x, at.y) =
            steps_of(source(p, at.x, at.y), source(p, at.x - 1, at.y), source(p, at.x + 1, at.y),
                     source(p, at.x, at.y - 1), source(p, at.x, at.y + 1));
    }
}

__device__ float *cell(float *planes, int channel, int x, int y)
{
    const int side = BLUR_THESIS_TILE + 2;
    return planes + (channel * side + y + 1) * side + x + 1;
}

__device__ void load_cell(const blur_thesis_params &p, float *planes, int x, int y)
{
    const float4 v =
        source(p, blockIdx.x * BLUR_THESIS_TILE + x, blockIdx.y * BLUR_THESIS_TILE + y);
    *cell(planes, 0, x, y) = v.x;
    *cell(planes, 1, x, y) = v.y;
    *cell(planes, 2, x, y) = v.z;
    *cell(planes, 3, x, y) = v.w;
}

/* Threads at the block's rim load what lies around it. */
__device__ void diffuse_shared(const blur_thesis_params &p)
{
    float *planes = (float *)shared_memory;
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int last = BLUR_THESIS_TILE - 1;
    load_cell(p, planes, x, y);
    if (x == 0 || x == last) {
        load_cell(p, planes, x == 0 ? -1 : last + 1, y);
    }
    if (y == 0 || y == last) {
        load_cell(p, planes, x, y == 0 ? -1 : last + 1);
    }
    __syncthreads();
    const place at = own_place(p);
    float made[4];
    for (int i = 0; i < 4; i++) {
        made[i] =
            step_of(*cell(planes, i, x, y), *cell(planes, i, x - 1, y), *cell(planes, i, x + 1, y),
                    *cell(planes, i, x, y - 1), *cell(planes, i, x, y + 1));
    }
    if (at.inside) {
        target(p, at.x, at.y) = make_float4(made[0], made[1], made[2], made[3]);
    }
}

/* ---- Around the transforms: four planes of floats, or of half as many complex numbers and one */

__device__ void split(const blur_thesis_params &p)
{
    const place at = own_place(p);
    if (at.inside) {
        const size_t pixels = (size_t)p.width_px * p.height_px;
        const size_t i = (size_t)at.y * p.width_px + at.x;
        const float4 v = ((const float4 *)p.src)[i];
        float *planes = (float *)p.dst;
        planes[i] = v.x;
        planes[pixels + i] = v.y;
        planes[2 * pixels + i] = v.z;
        planes[3 * pixels + i] = v.w;
    }
}

/* width: of a row of complex numbers. */
__device__ void multiply(const blur_thesis_params &p)
{
    const place at = own_place(p);
    if (at.inside) {
        const size_t numbers = (size_t)p.width_px * p.height_px;
        const size_t i = (size_t)at.y * p.width_px + at.x;
        const float2 k = ((const float2 *)p.weights)[i];
        float2 *planes = (float2 *)p.dst;
        for (int channel = 0; channel < 4; channel++) {
            const float2 v = planes[channel * numbers + i];
            planes[channel * numbers + i] =
                make_float2((v.x * k.x - v.y * k.y) * p.factor, (v.x * k.y + v.y * k.x) * p.factor);
        }
    }
}

__device__ void merge(const blur_thesis_params &p)
{
    const place at = own_place(p);
    if (at.inside) {
        const size_t pixels = (size_t)p.width_px * p.height_px;
        const size_t i = (size_t)at.y * p.width_px + at.x;
        const float *planes = (const float *)p.src;
        target(p, at.x, at.y) = make_float4(planes[i], planes[pixels + i], planes[2 * pixels + i],
                                            planes[3 * pixels + i]);
    }
}

} // namespace

KERNEL(table_rows, TILE, table_pass<true>)
KERNEL(table_columns, TILE, table_pass<false>)
KERNEL(box, TILE, box_of_table)
KERNEL(scan, BLUR_THESIS_SCAN, scan_row)
KERNEL(transpose, TILE, transpose)
KERNEL(spread, TILE, spread)
KERNEL(divide, TILE, divide)
KERNEL(diffuse_global, TILE, diffuse_global)
KERNEL(diffuse_shared, TILE, diffuse_shared)
KERNEL(split, TILE, split)
KERNEL(multiply, TILE, multiply)
KERNEL(merge, TILE, merge)
