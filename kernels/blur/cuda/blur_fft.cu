/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine fft of blur, beside cuFFT's transforms: a kernel that makes planes of pixels, one that
 * multiplies what was transformed, one that makes pixels of planes. All are bound by memory: each
 * reads and writes every number once, neighbouring threads neighbouring ones. */

#include "kernels/image/image.cuh"
#include "kernels/image/light.cuh"
#include "params.h"

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

static __device__ int64_t place_of(const blur_planes &planes, int c, int x, int y)
{
    const int64_t row = planes.width + 2;
    const int64_t plane = (int64_t)blockIdx.z * planes.count + c;
    return (plane * planes.height + y) * row + x;
}

static __device__ void put(const blur_planes &planes, int c, int x, int y, float value)
{
    const int64_t place = place_of(planes, c, x, y);
    if (planes.precise) {
        ((double *)planes.at)[place] = value;
    } else {
        ((float *)planes.at)[place] = value;
    }
}

static __device__ float get(const blur_planes &planes, int c, int x, int y)
{
    const int64_t place = place_of(planes, c, x, y);
    return planes.precise ? (float)((const double *)planes.at)[place]
                          : ((const float *)planes.at)[place];
}

/* The picture's pixel that a place of a row, or of a column, shows. */
static __device__ int source_of(int at, int length, int pixels, int reach)
{
    return at < pixels ? at : at < length - reach ? pixels - 1 : 0;
}

/* A thread makes a place of each plane. */
template <typename Pixel, typename Image>
static __device__ void load_planes(const blur_image_frame &frame, const blur_planes &planes,
                                   const Image &src)
{
    const int x = (int)(blockIdx.x * BLUR_CUDA_SIDE_X + threadIdx.x);
    const int y = (int)(blockIdx.y * BLUR_CUDA_SIDE_Y + threadIdx.y);
    if (x >= planes.width || y >= planes.height) {
        return;
    }
    float4 value =
        Pixel::decode(src.load(source_of(x, planes.width, frame.width_px, planes.reach_x_px),
                               source_of(y, planes.height, frame.height_px, planes.reach_y_px)));
    if (frame.light != IMAGE_LIGHT_STORED) {
        const frame_light light(frame.light, frame.light_value, (const float *)frame.light_samples);
        value = levels_to_light<Pixel>(value, light);
    }
    const float values[4] = {value.x, value.y, value.z, value.w};
    /* The two places behind a row: transforms read them, though they do not count. */
    const int behind = x == planes.width - 1 ? 2 : 0;
    for (int c = 0; c < planes.count; c++) {
        put(planes, c, x, y, values[c]);
        for (int i = 1; i <= behind; i++) {
            put(planes, c, x + i, y, 0.0f);
        }
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
    float values[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int c = 0; c < planes.count; c++) {
        values[c] = get(planes, c, x, y);
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

/* ---- Products */

template <typename Real> struct alignas(2 * sizeof(Real)) complex_of {
    Real real;
    Real imaginary;
};

/* A thread multiplies a number of each plane, and reads the kernel's once. */
template <typename Real> static __device__ void multiply(const blur_fft_product_params &params)
{
    const int64_t at = (int64_t)blockIdx.x * BLUR_FFT_THREADS + threadIdx.x;
    if (at >= params.numbers) {
        return;
    }
    const complex_of<Real> kernel = ((const complex_of<Real> *)params.kernel)[at];
    complex_of<Real> *numbers = (complex_of<Real> *)params.planes + at;
    for (int i = 0; i < params.count; i++, numbers += params.numbers) {
        const complex_of<Real> a = *numbers;
        *numbers = {a.real * kernel.real - a.imaginary * kernel.imaginary,
                    a.real * kernel.imaginary + a.imaginary * kernel.real};
    }
}

KERNEL(BLUR_FFT_THREADS) blur_fft_multiply(const __grid_constant__ blur_fft_product_params params)
{
    multiply<float>(params);
}

KERNEL(BLUR_FFT_THREADS)
blur_fft_multiply_precise(const __grid_constant__ blur_fft_product_params params)
{
    multiply<double>(params);
}
