/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Shifted sums of views. A thread makes one pixel: of each view the four lenses that it lies
 * between have one sample each. Loads bound it. */
#ifndef FOVEA_KERNELS_LIGHTFIELD_CUDA_SUM_CUH
#define FOVEA_KERNELS_LIGHTFIELD_CUDA_SUM_CUH

#include "picture.cuh"

/* A view that is added. */
struct shifted_view {
    int x, y; /* places from the lenses' centres */
    double shift_x, shift_y; /* in lenses */
};

static __device__ __forceinline__ int sum_fixed(double value)
{
    return (int)floor(value * PLACE_ONE + 0.5);
}

template <typename Sampler>
static __device__ color3 sample_lens(const lightfield_cuda_sum &params, const shifted_view &view,
                                     int column, int row)
{
    const lightfield_cuda_array &array = params.array;
    const double x = (column + (place_is_shifted(array, row) ? 0.5 : 0.0)) * array.pitch_x_px;
    const double y = row * array.pitch_y_px;
    const int at_x = sum_fixed(array.origin_x_px + array.cos * x - array.sin * y);
    const int at_y = sum_fixed(array.origin_y_px + array.sin * x + array.cos * y);
    return Sampler::sample(params.raw, at_x + view.x, at_y + view.y);
}

/* Between two lenses of a row. */
template <typename Sampler>
static __device__ color3 sample_row(const lightfield_cuda_sum &params, const shifted_view &view,
                                    int x, int row)
{
    const double shift = view.shift_x + (place_is_shifted(params.array, row) ? 0.5 : 0.0);
    const double at = place_at(x, params.dst.width_px, params.array.columns) - shift;
    const int left = (int)floor(at);
    return color_mix(
        sample_lens<Sampler>(params, view, place_within(left, params.array.columns), row),
        sample_lens<Sampler>(params, view, place_within(left + 1, params.array.columns), row),
        (float)(at - left));
}

template <typename Sampler>
static __device__ color3 sample_view(const lightfield_cuda_sum &params, const shifted_view &view,
                                     int x, int y)
{
    const double at = place_at(y, params.dst.height_px, params.array.rows) - view.shift_y;
    const int above = (int)floor(at);
    return color_mix(
        sample_row<Sampler>(params, view, x, place_within(above, params.array.rows)),
        sample_row<Sampler>(params, view, x, place_within(above + 1, params.array.rows)),
        (float)(at - above));
}

static __device__ __forceinline__ shifted_view view_of(const lightfield_cuda_sum &params, int dx,
                                                       int dy)
{
    const lightfield_cuda_array &array = params.array;
    const double from_x = array.sign * (dx + params.view_x_px);
    const double from_y = array.sign * (dy + params.view_y_px);
    return {sum_fixed(array.cos * from_x - array.sin * from_y),
            sum_fixed(array.sin * from_x + array.cos * from_y), params.shift * dx,
            params.shift * dy * (array.pitch_x_px / array.pitch_y_px)};
}

template <typename Sampler>
static __device__ void sum_views(const lightfield_cuda_sum &params, int x, int y)
{
    const int reach = (int)floor(params.radius_px);
    color3 sum = {};
    float count = 0.0f;
    if (x >= params.dst.width_px || y >= params.dst.height_px) {
        return;
    }
    for (int dy = -reach; dy <= reach; dy++) {
        for (int dx = -reach; dx <= reach; dx++) {
            if (dx * dx + dy * dy <= params.radius_px * params.radius_px) {
                const color3 color = sample_view<Sampler>(params, view_of(params, dx, dy), x, y);
                sum = {sum.r + color.r, sum.g + color.g, sum.b + color.b};
                count += 1.0f;
            }
        }
    }
    picture_store(params.dst, x, y, sum, count);
}

#endif
