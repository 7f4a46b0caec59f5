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
    complex_of<Real> *numbers = (complex_of<Real> *)fft_shared;
    const int length = params.transform.length;
    const int threads = (int)blockDim.x;
    const int thread = (int)threadIdx.x;
    complex_of<Real> *row = (complex_of<Real> *)params.at + blockIdx.y * params.next +
                            (params.first + (int64_t)blockIdx.x) * length;
    for (int i = thread; i < length; i += threads) {
        numbers[blur_transform_place(i)] = row[i];
    }
    __syncthreads();
    const transformed_line<Real> line = {params.transform, numbers, thread, threads};
    if (BACK) {
        line.back();
    } else {
        line.there();
    }
    for (int i = thread; i < length; i += threads) {
        row[i] = numbers[blur_transform_place(i)];
    }
}

/* A thread transforms a column together with others, and moves numbers such that neighbouring
 * threads have neighbouring columns. */
template <typename Real> struct columns {
    const blur_fft_columns_params &params;
    complex_of<Real> *shared;
    int number; /* of the column of this thread, of those of the block */
    int across; /* the block's first column */
    int plane;

    __device__ explicit columns(const blur_fft_columns_params &own)
        : params(own), shared((complex_of<Real> *)fft_shared), number((int)threadIdx.y),
          across((int)(blockIdx.x / (unsigned)own.planes * blockDim.y)),
          plane((int)(blockIdx.x % (unsigned)own.planes))
    {
    }

    /* Calls move(number in shared memory, row, column) for rows of the block's columns. */
    template <typename Move> __device__ void for_each(int rows, Move move) const
    {
        const int count = (int)blockDim.y;
        const int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
        const int of_block = thread % count;
        const int column = across + of_block;
        if (column < params.width) {
            for (int row = thread / count; row < rows; row += (int)blockDim.x) {
                move(shared[of_block * params.places + blur_transform_place(row)], row, column);
            }
        }
        __syncthreads();
    }

    __device__ void load() const
    {
        const complex_of<Real> *from = (const complex_of<Real> *)params.at + plane * params.next;
        for_each(params.transform.length, [&](complex_of<Real> &own, int row, int column) {
            own = row < params.rows ? from[(int64_t)row * params.width + column]
                                    : complex_of<Real>{0, 0};
        });
    }

    __device__ void multiply() const
    {
        const complex_of<Real> *kernel = (const complex_of<Real> *)params.kernel;
        for_each(params.transform.length, [&](complex_of<Real> &own, int row, int column) {
            own = own * kernel[(int64_t)row * params.width + column];
        });
    }

    __device__ void store() const
    {
        complex_of<Real> *to = (complex_of<Real> *)params.at + plane * params.next +
                               (int64_t)params.first_written * params.width;
        const int first = params.first_written;
        for_each(first + params.written, [&](complex_of<Real> &own, int row, int column) {
            if (row >= first) {
                to[(int64_t)(row - first) * params.width + column] = own;
            }
        });
    }

    __device__ transformed_line<Real> line() const
    {
        return {params.transform, shared + number * params.places, (int)threadIdx.x,
                (int)blockDim.x};
    }
};

template <typename Real> static __device__ void convolve_columns(const blur_fft_columns_params &own)
{
    const columns<Real> columns(own);
    columns.load();
    columns.line().there();
    columns.multiply();
    columns.line().back();
    columns.store();
}

template <typename Real>
static __device__ void transform_columns(const blur_fft_columns_params &own)
{
    const columns<Real> columns(own);
    columns.load();
    columns.line().there();
    columns.store();
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
    KERNEL(BLUR_FFT_COLUMN_THREADS)                                                                \
    blur_fft_columns##suffix(const __grid_constant__ blur_fft_columns_params params)               \
    {                                                                                              \
        convolve_columns<Real>(params);                                                            \
    }                                                                                              \
    KERNEL(BLUR_FFT_COLUMN_THREADS)                                                                \
    blur_fft_columns_there##suffix(const __grid_constant__ blur_fft_columns_params params)         \
    {                                                                                              \
        transform_columns<Real>(params);                                                           \
    }
TRANSFORM_KERNELS(, float)
TRANSFORM_KERNELS(_precise, double)
