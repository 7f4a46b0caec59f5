/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's kernels of CUDA that need no texture units, a thread a pixel but for scans.
 *
 *     convolve_*       in two dimensions: a block's pixels and those around them in shared memory.
 *                      corners: each thread loads the four corners of its own window, as the
 *                      thesis does, which needs a block wider than the window
 *     rows_*, columns_*   separable: as float4, or as four planes without bank conflicts
 *     reshuffle        pixels with equal weights are summed up first
 *     table_*          a pass of a summed-area table by Hensley; box: means from it
 *     scan, transpose  the same by scans of rows in shared memory, which stand for cuDPP's
 *     spread, divide   spreading: a derivative's value added somewhere else; what is integrated
 *     diffuse_*        a step of the heat equation
 *     split, multiply, merge   what stands around the transforms
 *
 * Bound by memory, but for convolutions, which are bound by arithmetic and shared memory. */

#include "blur_thesis.h"

__constant__ float blur_thesis_weights[BLUR_THESIS_WEIGHTS];
__constant__ int32_t blur_thesis_links[BLUR_THESIS_LINKS];
#ifdef FOVEA_CUDA_HOST
CUDA_HOST_CONSTANT(blur_thesis_weights)
CUDA_HOST_CONSTANT(blur_thesis_links)
#endif

extern __shared__ __align__(16) char shared_memory[];

namespace {

struct place {
    int x, y;
    bool inside;
};

__device__ place own_place(const blur_thesis_params &p)
{
    place at;
    at.x = blockIdx.x * blockDim.x + threadIdx.x;
    at.y = blockIdx.y * blockDim.y + threadIdx.y;
    at.inside = at.x < p.width_px && at.y < p.height_px;
    return at;
}

__device__ int clamped(int value, int last)
{
    return value < 0 ? 0 : value > last ? last : value;
}

__device__ float4 source(const blur_thesis_params &p, int x, int y)
{
    return (
        (const float4 *)
            p.src)[(size_t)clamped(y, p.height_px - 1) * p.width_px + clamped(x, p.width_px - 1)];
}

__device__ float4 &target(const blur_thesis_params &p, int x, int y)
{
    return ((float4 *)p.dst)[(size_t)y * p.width_px + x];
}

__device__ void add(float4 &sum, float weight, float4 v)
{
    sum.x += weight * v.x;
    sum.y += weight * v.y;
    sum.z += weight * v.z;
    sum.w += weight * v.w;
}

__device__ float4 zero()
{
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

/* ---- Convolution in two dimensions */

template <bool kCorners>
__device__ void load_square(const blur_thesis_params &p, int taps, float4 *tile)
{
    const int side = BLUR_THESIS_SIDE + taps - 1;
    const int left = blockIdx.x * BLUR_THESIS_SIDE - taps / 2;
    const int above = blockIdx.y * BLUR_THESIS_SIDE - taps / 2;
    if (kCorners) {
#pragma unroll
        for (int corner = 0; corner < 4; corner++) {
            const int x = threadIdx.x + (corner % 2) * (taps - 1);
            const int y = threadIdx.y + (corner / 2) * (taps - 1);
            tile[y * side + x] = source(p, left + x, above + y);
        }
    } else {
        for (int y = threadIdx.y; y < side; y += BLUR_THESIS_SIDE) {
            for (int x = threadIdx.x; x < side; x += BLUR_THESIS_SIDE) {
                tile[y * side + x] = source(p, left + x, above + y);
            }
        }
    }
    __syncthreads();
}

/* kTaps: a number that the compiler knows, or 0. */
template <bool kCorners, int kTaps, bool kConstant>
__device__ void convolve(const blur_thesis_params &p)
{
    float4 *tile = (float4 *)shared_memory;
    const int taps = kTaps > 0 ? kTaps : p.taps;
    const float *weights =
        kConstant ? (const float *)blur_thesis_weights : (const float *)p.weights;
    load_square<kCorners>(p, taps, tile);
    const place at = own_place(p);
    float4 sum = zero();
    for (int y = 0; y < taps; y++) {
        const float4 *row = tile + (threadIdx.y + y) * (BLUR_THESIS_SIDE + taps - 1) + threadIdx.x;
#pragma unroll(kTaps > 0 ? kTaps : 1)
        for (int x = 0; x < taps; x++) {
            add(sum, weights[y * taps + x], row[x]);
        }
    }
    if (at.inside) {
        target(p, at.x, at.y) = sum;
    }
}

/* Links of one weight follow their number: x + 1024 and, above 16 bits, y + 1024. */
__device__ void reshuffle(const blur_thesis_params &p)
{
    float4 *tile = (float4 *)shared_memory;
    load_square<false>(p, p.taps, tile);
    const place at = own_place(p);
    const float4 *middle = tile + (threadIdx.y + p.taps / 2) * (BLUR_THESIS_SIDE + p.taps - 1) +
                           threadIdx.x + p.taps / 2;
    float4 sum = zero();
    int link = 0;
    for (int i = 0; i < p.step_px; i++) {
        float4 group = zero();
        const int end = link + 1 + blur_thesis_links[link];
        for (link++; link < end; link++) {
            const int x = (blur_thesis_links[link] & 0xffff) - 1024;
            const int y = (blur_thesis_links[link] >> 16) - 1024;
            add(group, 1.0f, middle[y * (BLUR_THESIS_SIDE + p.taps - 1) + x]);
        }
        add(sum, blur_thesis_weights[i], group);
    }
    if (at.inside) {
        target(p, at.x, at.y) = sum;
    }
}

/* ---- Separable convolution: a block has two lines, each thread loads two pixels */

template <bool kRows> __device__ float4 of_line(const blur_thesis_params &p, int along, int across)
{
    return kRows ? source(p, along, across) : source(p, across, along);
}

template <bool kRows, bool kPlanes> __device__ void separable(const blur_thesis_params &p)
{
    const int length = BLUR_THESIS_LINE + p.taps - 1;
    float4 *tile = (float4 *)shared_memory;
    float *planes = (float *)shared_memory;
    const int own = kRows ? threadIdx.x : threadIdx.y;
    const int line = kRows ? threadIdx.y : threadIdx.x;
    const int begin = (kRows ? blockIdx.x : blockIdx.y) * BLUR_THESIS_LINE - p.taps / 2;
    const int across = (kRows ? blockIdx.y : blockIdx.x) * 2 + line;
    for (int i = own; i < length; i += BLUR_THESIS_LINE) {
        const float4 v = of_line<kRows>(p, begin + i, across);
        if (kPlanes) {
            planes[(0 + line) * length + i] = v.x;
            planes[(2 + line) * length + i] = v.y;
            planes[(4 + line) * length + i] = v.z;
            planes[(6 + line) * length + i] = v.w;
        } else {
            tile[line * length + i] = v;
        }
    }
    __syncthreads();
    float4 sum = zero();
    for (int i = 0; i < p.taps; i++) {
        const float weight = blur_thesis_weights[i];
        const int at = own + i;
        add(sum, weight,
            kPlanes
                ? make_float4(planes[(0 + line) * length + at], planes[(2 + line) * length + at],
                              planes[(4 + line) * length + at], planes[(6 + line) * length + at])
                : tile[line * length + at]);
    }
    const place at = own_place(p);
    if (at.inside) {
        target(p, at.x, at.y) = sum;
    }
}

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

/* What is written is as wide as what is read is high. */
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

#define KERNEL(name, threads, does)                                                                \
    extern "C" __global__ void __launch_bounds__(threads)                                          \
        blur_thesis_##name(const __grid_constant__ blur_thesis_params p)                           \
    {                                                                                              \
        does(p);                                                                                   \
    }
#define SQUARE (BLUR_THESIS_SIDE * BLUR_THESIS_SIDE)
#define LINES (2 * BLUR_THESIS_LINE)
#define TILE (BLUR_THESIS_TILE * BLUR_THESIS_TILE)

KERNEL(convolve_corners, SQUARE, (convolve<true, 0, true>))
KERNEL(convolve_wide, SQUARE, (convolve<false, 0, true>))
KERNEL(convolve_global, SQUARE, (convolve<false, 0, false>))
KERNEL(convolve_unrolled_19, SQUARE, (convolve<true, BLUR_THESIS_TAPS_3, true>))
KERNEL(convolve_unrolled_37, SQUARE, (convolve<false, BLUR_THESIS_TAPS_6, true>))
KERNEL(reshuffle, SQUARE, reshuffle)
KERNEL(rows_float4, LINES, (separable<true, false>))
KERNEL(columns_float4, LINES, (separable<false, false>))
KERNEL(rows_planes, LINES, (separable<true, true>))
KERNEL(columns_planes, LINES, (separable<false, true>))
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
