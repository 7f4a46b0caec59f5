/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients of the machine (tables.h has the formulas). Every kernel but the last makes one sample
 * or pixel a thread, all its channels, in blocks of 32 x 8; z is the image. Neighbours along x read
 * neighbours, but for columns, whose rows' weights are read again from the cache. Nothing is added
 * by two threads, so that results are always the same. */

#include "params.h"

#include "kernels/cuda/ptx.cuh"
#include "kernels/gauss/grid.h"
#include "kernels/image/image.cuh"
#include "kernels/operator/gaze.h"

#define MAX_CHANNELS 4

typedef gauss_gradient_params gradient_params;

/* A kernel that makes the place (x, y) of so many columns and rows in a thread. */
#define KERNEL(name, columns, rows)                                                                \
    static __device__ void name##_at(const gradient_params &params, int x, int y);                 \
    extern "C" __global__ void __launch_bounds__(GAUSS_GRADIENT_SIDE_X *GAUSS_GRADIENT_SIDE_Y)     \
        name(const __grid_constant__ gradient_params params)                                       \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        const int x = (int)(blockIdx.x * GAUSS_GRADIENT_SIDE_X + threadIdx.x);                     \
        const int y = (int)(blockIdx.y * GAUSS_GRADIENT_SIDE_Y + threadIdx.y);                     \
        if (x < (columns) && y < (rows)) {                                                         \
            name##_at(params, x, y);                                                               \
        }                                                                                          \
    }                                                                                              \
    static __device__ void name##_at(const gradient_params &params, int x, int y)
#define OF_PIXELS(name) KERNEL(name, params.width, params.height)
#define OF_SAMPLES(name) KERNEL(name, params.band.out_width, params.band.out_height)

namespace {

__device__ float *scratch_at(const gradient_params &params, int64_t at)
{
    return (float *)params.scratch + blockIdx.z * params.next_floats + at;
}

__device__ gauss_gradient_row row_at(const gradient_params &params, int i)
{
    return ((const gauss_gradient_row *)params.rows)[params.band.first_row + i];
}

/* Adds what a row has of the samples from the first one on, `next` floats apart. */
__device__ float sum_of(const gradient_params &params, const gauss_gradient_row &row,
                        const float *in, int64_t next, float sum)
{
    const float *weights = (const float *)params.weights + row.at;
    for (int t = 0; t < row.count; t++) {
        sum += weights[t] * in[t * next];
    }
    return sum;
}

/* The gaze is fovea 0. */
__device__ int2 fovea_of(const gradient_params &params, int k)
{
    return k == 0 ? ((const int2 *)params.gazes)[blockIdx.z]
                  : ((const int2 *)params.others)[blockIdx.z * params.other_count + k - 1];
}

/* ---- Pixels */

/* Reads a value of this block's image. */
template <typename Pixel>
__device__ float4 value_at(const image_linear &first, int64_t next_bytes, int x, int y)
{
    linear_image<Pixel> image = {first};
    image.view.data += blockIdx.z * next_bytes;
    return Pixel::decode(image.load(x, y));
}

template <typename Pixel> __device__ void read_pixel(const gradient_params &params, int x, int y)
{
    const float4 value = value_at<Pixel>(params.image, params.image_next_bytes, x, y);
    const float values[MAX_CHANNELS] = {value.x, value.y, value.z, value.w};
    float *out = scratch_at(params, params.band.out) + (int64_t)y * params.width + x;
    for (int c = 0; c < params.channels; c++) {
        out[(int64_t)c * params.height * params.width] = values[c];
    }
}

/* Alpha that is kept is that of the image that is read. */
template <typename Pixel> __device__ void write_pixel(const gradient_params &params, int x, int y)
{
    linear_image<Pixel> from = {params.image};
    linear_image<Pixel> to = {params.written};
    from.view.data += blockIdx.z * params.image_next_bytes;
    to.view.data += blockIdx.z * params.written_next_bytes;
    const float *in = scratch_at(params, params.band.in) + (int64_t)y * params.width + x;
    float values[MAX_CHANNELS] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int c = 0; c < params.channels; c++) {
        values[c] = in[(int64_t)c * params.height * params.width];
    }
    const typename Pixel::word word =
        Pixel::encode(make_float4(values[0], values[1], values[2], values[3]));
    to.store(x, y,
             params.channels < Pixel::channels ? Pixel::keep_alpha(word, from.load(x, y)) : word);
}

} // namespace

#define FORMAT(suffix, format)                                                                     \
    OF_PIXELS(gradient_read_linear_##suffix)                                                       \
    {                                                                                              \
        read_pixel<pixel<format>>(params, x, y);                                                   \
    }                                                                                              \
    OF_PIXELS(gradient_write_linear_##suffix)                                                      \
    {                                                                                              \
        write_pixel<pixel<format>>(params, x, y);                                                  \
    }

FORMAT(rgba16f, FOVEA_FORMAT_RGBA16F)
FORMAT(rgba32f, FOVEA_FORMAT_RGBA32F)
FORMAT(rgb16f, FOVEA_FORMAT_RGB16F)
FORMAT(r16f, FOVEA_FORMAT_R16F)
FORMAT(rgb32f, FOVEA_FORMAT_RGB32F)
FORMAT(r32f, FOVEA_FORMAT_R32F)

namespace {

/* Returns a sigma of the law that no gaze changes, as it was given. */
__device__ float given_sigma(const gradient_params &params, int x, int y)
{
    if (params.law.law.kind != GAUSS_LAW_PICTURE) {
        return params.law.law.strength * *(const float *)params.law.table;
    }
    const float4 value =
        params.sigmas_are_halves
            ? value_at<pixel<FOVEA_FORMAT_R16F>>(params.sigmas, params.sigmas_next_bytes, x, y)
            : value_at<pixel<FOVEA_FORMAT_R32F>>(params.sigmas, params.sigmas_next_bytes, x, y);
    return value.x;
}

__device__ float still_sigma(const gradient_params &params, int x, int y)
{
    const float sigma = given_sigma(params, x, y);
    return params.law.law.kind == GAUSS_LAW_PICTURE
               ? gauss_law_pictured(sigma, *(const float *)params.law.table)
               : sigma;
}

/* Returns the least sigma of the foveas; without a gaze none. */
__device__ float seen_sigma(const gradient_params &params, int x, int y)
{
    const int2 gaze = fovea_of(params, 0);
    const float *table = (const float *)params.law.table;
    float least = 0.0f;
    if (gaze.x != GAZE_NONE) {
        gauss_frame frame = {};
        frame.width_px = params.width;
        frame.height_px = params.height;
        frame.fragment_px = params.law.fragment_px;
        frame.gaze_x_q8 = gaze.x;
        frame.gaze_y_q8 = gaze.y;
        gauss_frame from = frame;
        least = gauss_frame_sigma(&params.law.law, table, &frame, &from, x, y);
        for (int k = 1; k <= params.other_count; k++) {
            const int2 other = fovea_of(params, k);
            from.gaze_x_q8 = other.x;
            from.gaze_y_q8 = other.y;
            if (other.x != GAZE_NONE) {
                least =
                    fminf(least, gauss_frame_sigma(&params.law.law, table, &frame, &from, x, y));
            }
        }
    }
    return least;
}

} // namespace

/* The places of pixels. Of no blur it is that of node 0, which is the picture itself. */
OF_PIXELS(gradient_places)
{
    const float sigma =
        params.law.looks_at_gaze ? seen_sigma(params, x, y) : still_sigma(params, x, y);
    scratch_at(params, params.places)[(int64_t)y * params.width + x] = gauss_gradient_place(sigma);
}

/* ---- Bands */

/* This goes along x. */
OF_SAMPLES(gradient_columns)
{
    const gauss_gradient_band_params &band = params.band;
    const gauss_gradient_row row = row_at(params, x);
    for (int c = 0; c < params.channels; c++) {
        const int64_t line = (int64_t)c * band.out_height + y;
        const float *in = scratch_at(params, band.in) + line * band.in_width + row.first;
        float *out = scratch_at(params, band.out) + line * band.out_width + x;
        *out = sum_of(params, row, in, 1, band.adds ? *out : 0.0f);
    }
}

/* This goes along y. */
OF_SAMPLES(gradient_rows)
{
    const gauss_gradient_band_params &band = params.band;
    const gauss_gradient_row row = row_at(params, y);
    for (int c = 0; c < params.channels; c++) {
        const int64_t first = (int64_t)c * band.in_height + row.first;
        const float *in = scratch_at(params, band.in) + first * band.out_width + x;
        float *out =
            scratch_at(params, band.out) + ((int64_t)c * band.out_height + y) * band.out_width + x;
        *out = sum_of(params, row, in, band.out_width, band.adds ? *out : 0.0f);
    }
}

/* Along y, from pixels, of each as much as the node has of it. */
OF_SAMPLES(gradient_node_rows)
{
    const gauss_gradient_band_params &band = params.band;
    const gauss_gradient_row row = row_at(params, y);
    const float *weights = (const float *)params.weights + row.at;
    const float *places = scratch_at(params, params.places) + x;
    const float *in = scratch_at(params, params.derivative) + x;
    float sums[MAX_CHANNELS] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int t = 0; t < row.count; t++) {
        const int64_t at = (int64_t)(row.first + t) * params.width;
        const float share = gauss_gradient_weight(places[at], band.node, params.node_count);
        for (int c = 0; c < params.channels && share != 0.0f; c++) {
            sums[c] += weights[t] * share * in[(int64_t)c * params.height * params.width + at];
        }
    }
    for (int c = 0; c < params.channels; c++) {
        scratch_at(params, band.out)[((int64_t)c * band.out_height + y) * band.out_width + x] =
            sums[c];
    }
}

/* Along y, to pixels, and what the node says of the pixel's place. */
OF_PIXELS(gradient_node_dots)
{
    const gauss_gradient_band_params &band = params.band;
    const int64_t at = (int64_t)y * params.width + x;
    const gauss_gradient_row row = row_at(params, y);
    const float *derivative = scratch_at(params, params.derivative) + at;
    const float slope = gauss_gradient_weight_slope(scratch_at(params, params.places)[at],
                                                    band.node, params.node_count);
    float *out = scratch_at(params, params.dots) + at;
    float dot = 0.0f;
    for (int c = 0; c < params.channels && slope != 0.0f; c++) {
        const int64_t first = (int64_t)c * band.in_height + row.first;
        const float *in = scratch_at(params, band.in) + first * params.width + x;
        dot += sum_of(params, row, in, params.width, 0.0f) *
               derivative[(int64_t)c * params.height * params.width];
    }
    const float added = slope == 0.0f ? 0.0f : slope * dot;
    *out = band.adds ? *out + added : added;
}

/* ---- Sigmas */

/* A sigma above the largest counts as that, and one that blurs nothing as 0: neither changes
 * anything, so its derivative is 0. */
OF_PIXELS(gradient_sigmas)
{
    const int64_t at = (int64_t)y * params.width + x;
    const float sigma = given_sigma(params, x, y);
    const bool counts =
        params.law.law.kind != GAUSS_LAW_PICTURE || sigma <= *(const float *)params.law.table;
    const float slope = counts ? gauss_gradient_place_slope(sigma) : 0.0f;
    float *out = (float *)params.d_sigmas + (int64_t)blockIdx.z * params.height * params.width + at;
    *out = slope > 0.0f ? scratch_at(params, params.dots)[at] * slope : 0.0f;
}

/* ---- The gaze */

namespace {

/* Gazes farther out count as this far. */
__device__ bool moves(int gaze_q8, int size_px)
{
    return gaze_q8 > gaze_to_q8(-GAZE_REACH_UV, size_px) &&
           gaze_q8 < gaze_to_q8(1.0 + GAZE_REACH_UV, size_px);
}

__device__ float sigma_of(const gradient_params &params, int x, int y, float gaze_x, float gaze_y)
{
    return gauss_law_sigma(&params.law.law, (const float *)params.law.table, x, y, gaze_x, gaze_y);
}

/* Finds the fovea that a pixel has its sigma by; -1: there is none. */
__device__ int owner_of(const gradient_params &params, int x, int y, float &least)
{
    int owner = -1;
    for (int k = 0; k <= params.other_count; k++) {
        const int2 place = fovea_of(params, k);
        const float sigma =
            sigma_of(params, x, y, (float)place.x / 256.0f, (float)place.y / 256.0f);
        if (place.x != GAZE_NONE && (owner < 0 || sigma < least)) {
            least = sigma;
            owner = k;
        }
    }
    return owner;
}

/* Parts take the memory of dst's derivative. */
__device__ double *parts_at(const gradient_params &params, int64_t at)
{
    return (double *)scratch_at(params, params.derivative) + 2 * at;
}

} // namespace

/* Makes a pixel's part of the derivative of the fovea that it has its sigma by, whose number then
 * stands where the pixel's dot stood. */
OF_PIXELS(gradient_gaze_parts)
{
    const int64_t at = (int64_t)y * params.width + x;
    float *dot = scratch_at(params, params.dots) + at;
    float sigma = 0.0f;
    const int owner = owner_of(params, x, y, sigma);
    const float slope = owner < 0 ? 0.0f : gauss_gradient_place_slope(sigma);
    double part_x = 0.0;
    double part_y = 0.0;
    if (slope > 0.0f) {
        const int2 gaze = fovea_of(params, owner);
        const float gaze_x = (float)gaze.x / 256.0f;
        const float gaze_y = (float)gaze.y / 256.0f;
        const double scaled = (double)(*dot * slope);
        part_x = scaled * (double)(sigma_of(params, x, y, gaze_x + 0.5f, gaze_y) -
                                   sigma_of(params, x, y, gaze_x - 0.5f, gaze_y));
        part_y = scaled * (double)(sigma_of(params, x, y, gaze_x, gaze_y + 0.5f) -
                                   sigma_of(params, x, y, gaze_x, gaze_y - 0.5f));
    }
    parts_at(params, at)[0] = part_x;
    parts_at(params, at)[1] = part_y;
    *dot = (float)owner;
}

/* Sums over an image's pixels, a block a fovea, y, of an image, always in the same order. */
extern "C" __global__ void __launch_bounds__(GAUSS_GRADIENT_GAZE_THREADS)
    gradient_gaze(const __grid_constant__ gradient_params params)
{
    ptx_wait_for_kernel_ahead();
    __shared__ double sums_x[GAUSS_GRADIENT_GAZE_THREADS];
    __shared__ double sums_y[GAUSS_GRADIENT_GAZE_THREADS];
    const int thread = (int)threadIdx.x;
    const int fovea = (int)blockIdx.y;
    const int2 gaze = fovea_of(params, fovea);
    const bool has = gaze.x != GAZE_NONE && fovea_of(params, 0).x != GAZE_NONE;
    const int64_t count = (int64_t)params.width * params.height;
    sums_x[thread] = 0.0;
    sums_y[thread] = 0.0;
    if (has) {
        for (int64_t at = thread; at < count; at += GAUSS_GRADIENT_GAZE_THREADS) {
            if (scratch_at(params, params.dots)[at] == (float)fovea) {
                sums_x[thread] += parts_at(params, at)[0];
                sums_y[thread] += parts_at(params, at)[1];
            }
        }
    }
    for (int half = GAUSS_GRADIENT_GAZE_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) {
            sums_x[thread] += sums_x[thread + half];
            sums_y[thread] += sums_y[thread + half];
        }
    }
    if (thread == 0) {
        float *out = (float *)params.d_gazes_uv +
                     2 * ((int64_t)blockIdx.z * (params.other_count + 1) + fovea);
        out[0] = has && moves(gaze.x, params.width) ? (float)(sums_x[0] * params.width) : 0.0f;
        out[1] = has && moves(gaze.y, params.height) ? (float)(sums_y[0] * params.height) : 0.0f;
    }
}
