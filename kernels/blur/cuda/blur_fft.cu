/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine fft of blur: a kernel makes planes of pixels, one transforms rows, one transforms
 * columns, multiplies them by the kernel's and transforms them back, one transforms rows back, and
 * one makes pixels of planes. Each reads and writes every number once, and computes where it is in
 * shared memory. */

#include "kernels/image/image.cuh"
#include "kernels/image/light.cuh"
#include "params.h"
#include "transform.cuh"

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

static __device__ int64_t place_of(const blur_planes &planes, int c, int x, int y)
{
    const int64_t plane = (int64_t)blockIdx.z * planes.count + c;
    return (plane * planes.rows + y) * planes.across.length + x;
}

static __device__ void put(const blur_planes &planes, int64_t place, float upper, float lower)
{
    if (planes.precise) {
        ((complex_of<double> *)planes.at)[place] = {upper, lower};
    } else {
        ((complex_of<float> *)planes.at)[place] = {upper, lower};
    }
}

template <typename Real>
static __device__ float get_part(const blur_planes &planes, int64_t place, bool lower)
{
    return (float)((const Real *)planes.at)[2 * place + (lower ? 1 : 0)];
}

static __device__ float get(const blur_planes &planes, int64_t place, bool lower)
{
    return planes.precise ? get_part<double>(planes, place, lower)
                          : get_part<float>(planes, place, lower);
}

/* The picture's value there, which is its outermost one beyond its edges. */
template <typename Pixel, typename Image>
static __device__ float4 value_at(const blur_image_frame &frame, const frame_light &light,
                                  const Image &src, int x, int y)
{
    const float4 value = Pixel::decode(
        src.load(min(max(x, 0), frame.width_px - 1), min(max(y, 0), frame.height_px - 1)));
    return frame.light != IMAGE_LIGHT_STORED ? levels_to_light<Pixel>(value, light) : value;
}

/* A thread makes a number of each plane. */
template <typename Pixel, typename Image>
static __device__ void load_planes(const blur_image_frame &frame, const blur_planes &planes,
                                   const Image &src)
{
    const int column = (int)(blockIdx.x * BLUR_CUDA_SIDE_X + threadIdx.x);
    const int row = (int)(blockIdx.y * BLUR_CUDA_SIDE_Y + threadIdx.y);
    if (column >= planes.across.length || row >= planes.rows) {
        return;
    }
    float4 upper = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float4 lower = upper;
    if (column < frame.width_px + 2 * planes.reach_x_px) {
        const frame_light light(frame.light, frame.light_value, (const float *)frame.light_samples);
        const int x = column - planes.reach_x_px;
        const int y = row - planes.reach_y_px;
        upper = value_at<Pixel>(frame, light, src, x, y);
        lower = value_at<Pixel>(frame, light, src, x, y + planes.half_px);
    }
    const float values[4] = {upper.x, upper.y, upper.z, upper.w};
    const float lower_values[4] = {lower.x, lower.y, lower.z, lower.w};
    for (int c = 0; c < planes.count; c++) {
        put(planes, place_of(planes, c, column, row), values[c], lower_values[c]);
    }
}

/* Transforms leave a little less or more than nothing where nothing is left; light has no root of
 * that. */
static __device__ float4 not_negative(float4 v)
{
    return make_float4(fmaxf(v.x, 0.0f), fmaxf(v.y, 0.0f), fmaxf(v.z, 0.0f), fmaxf(v.w, 0.0f));
}

/* A thread makes a pixel. */
template <typename Pixel, typename Image>
static __device__ void store_planes(const blur_image_frame &frame, const blur_planes &planes,
                                    const Image &src, const Image &dst)
{
    const int x = (int)(blockIdx.x * BLUR_CUDA_SIDE_X + threadIdx.x);
    const int y = (int)(blockIdx.y * BLUR_CUDA_SIDE_Y + threadIdx.y);
    if (x >= frame.width_px || y >= frame.height_px) {
        return;
    }
    const bool lower = y >= planes.half_px;
    const int row = planes.reach_y_px + y - (lower ? planes.half_px : 0);
    float values[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int c = 0; c < planes.count; c++) {
        values[c] = get(planes, place_of(planes, c, planes.reach_x_px + x, row), lower);
    }
    float4 value = make_float4(values[0], values[1], values[2], values[3]);
    if (frame.light != IMAGE_LIGHT_STORED) {
        const frame_light light(frame.light, frame.light_value, (const float *)frame.light_samples);
        value = light_to_levels<Pixel>(not_negative(value), light);
    }
    typename Pixel::word word = Pixel::encode(value);
    if (Pixel::channels == 4 && !frame.averages_alpha) {
        word = Pixel::keep_alpha(word, src.load(x, y));
    }
    dst.store(x, y, word);
}

#define IMAGE_KERNELS(kind, suffix, format)                                                        \
    KERNEL(BLUR_CUDA_SIDE_X *BLUR_CUDA_SIDE_Y)                                                     \
    blur_fft_load_##kind##_##suffix(const __grid_constant__ blur_planes_##kind##_params params)    \
    {                                                                                              \
        const blur_image_frame &frame = params.frame;                                              \
        load_planes<pixel<format>>(                                                                \
            frame, params.planes,                                                                  \
            image_of_block<pixel<format>>(frame, params.src, frame.src_next_bytes));               \
    }                                                                                              \
    KERNEL(BLUR_CUDA_SIDE_X *BLUR_CUDA_SIDE_Y)                                                     \
    blur_fft_store_##kind##_##suffix(const __grid_constant__ blur_planes_##kind##_params params)   \
    {                                                                                              \
        const blur_image_frame &frame = params.frame;                                              \
        store_planes<pixel<format>>(                                                               \
            frame, params.planes,                                                                  \
            image_of_block<pixel<format>>(frame, params.src, frame.src_next_bytes),                \
            image_of_block<pixel<format>>(frame, params.dst, frame.dst_next_bytes));               \
    }
IMAGE_OF_EVERY_FORMAT(IMAGE_KERNELS)

/* ---- Transforms */

extern __shared__ __align__(16) char fft_shared[];

/* A block transforms a row. */
template <typename Real, bool BACK>
static __device__ void transform_row(const blur_fft_rows_params &params)
{
    typedef complex_of<Real> number;
    const blur_transform &transform = params.transform;
    const int threads = (int)blockDim.x;
    const int thread = (int)threadIdx.x;
    number *row = (number *)params.at + blockIdx.y * params.next +
                  (params.first + (int64_t)blockIdx.x) * transform.length;
    const transformed_line<Real> line = {transform, (number *)fft_shared, thread, threads};
    if (!BACK) {
        line.there(transform.steps, [&](int i) { return row[i]; });
    }
    for (int i = thread; i < transform.length; i += threads) {
        if (BACK) {
            line.at(i) = row[i];
        } else {
            row[i] = line.at(i);
        }
    }
    if (BACK) {
        __syncthreads();
        line.back(transform.steps, [&](int i, number v) { row[i] = v; });
    }
}

/* Threads of an x transform a column together; neighbouring threads have neighbouring columns. */
template <typename Real> struct columns {
    typedef complex_of<Real> number;

    const blur_fft_columns_params &params;
    const int column;
    number *at; /* the column's first number */

    __device__ explicit columns(const blur_fft_columns_params &own)
        : params(own), column((int)(blockIdx.x / (unsigned)own.planes * blockDim.x + threadIdx.x)),
          at((number *)own.at + (int)(blockIdx.x % (unsigned)own.planes) * own.next + column)
    {
    }

    __device__ transformed_line<Real> line() const
    {
        return {params.transform, (number *)fft_shared + (int)threadIdx.x * params.places,
                (int)threadIdx.y, (int)blockDim.y};
    }

    __device__ number get(int row) const
    {
        const bool is_there = row < params.rows && column < params.width;
        return is_there ? at[(int64_t)row * params.width] : number{0, 0};
    }

    /* Rows that are written lie where those that are read begin. */
    __device__ void put(int row, number v) const
    {
        const int from = row - params.first_written;
        if (from >= 0 && from < params.written && column < params.width) {
            at[(int64_t)row * params.width] = v;
        }
    }
};

template <typename Real> static __device__ void convolve_columns(const blur_fft_columns_params &own)
{
    typedef complex_of<Real> number;
    const columns<Real> columns(own);
    const transformed_line<Real> line = columns.line();
    const int steps = own.transform.steps - 1;
    const number *kernel = (const number *)own.kernel + min(columns.column, own.width - 1);
    line.there(steps, [&](int row) { return columns.get(row); });
    line.turn_around([&](int row) { return kernel[(int64_t)row * own.width]; });
    line.back(steps, [&](int row, number v) { columns.put(row, v); });
}

template <typename Real>
static __device__ void transform_columns(const blur_fft_columns_params &own)
{
    const columns<Real> columns(own);
    const transformed_line<Real> line = columns.line();
    line.there(own.transform.steps, [&](int row) { return columns.get(row); });
    for (int i = line.thread; i < own.transform.length; i += line.threads) {
        columns.put(i, line.at(i));
    }
}

#define TRANSFORM_KERNELS(suffix, Real)                                                            \
    KERNEL(BLUR_FFT_MOST_THREADS)                                                                  \
    blur_fft_rows_there##suffix(const __grid_constant__ blur_fft_rows_params params)               \
    {                                                                                              \
        transform_row<Real, false>(params);                                                        \
    }                                                                                              \
    KERNEL(BLUR_FFT_MOST_THREADS)                                                                  \
    blur_fft_rows_back##suffix(const __grid_constant__ blur_fft_rows_params params)                \
    {                                                                                              \
        transform_row<Real, true>(params);                                                         \
    }                                                                                              \
    KERNEL(BLUR_FFT_MOST_THREADS)                                                                  \
    blur_fft_columns##suffix(const __grid_constant__ blur_fft_columns_params params)               \
    {                                                                                              \
        convolve_columns<Real>(params);                                                            \
    }                                                                                              \
    KERNEL(BLUR_FFT_MOST_THREADS)                                                                  \
    blur_fft_columns_there##suffix(const __grid_constant__ blur_fft_columns_params params)         \
    {                                                                                              \
        transform_columns<Real>(params);                                                           \
    }
TRANSFORM_KERNELS(, float)
TRANSFORM_KERNELS(_precise, double)
