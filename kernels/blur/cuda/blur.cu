/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur in three kernels (kernels/blur/README.md):
 *
 *     blur_rows      picture -> rows that are filtered along x and decimated; a thread, a sample
 *     blur_columns   these -> the level; a thread, a sample; not where nothing is decimated
 *     blur_picture   level, or rows -> picture; a thread, BLUR_ROWS pixels
 *
 * Neighbouring threads read neighbouring samples of 16 bytes. The first is bound by arithmetic, the
 * last by shared memory, or by the cache where nothing is decimated. */

#include "kernels/image/image.cuh"
#include "kernels/image/light.cuh"
#include "params.h"

namespace {

const int TILE_HEIGHT = BLUR_SIDE_Y * BLUR_ROWS;

__device__ __forceinline__ float4 add(float4 sum, float weight, float4 v)
{
    return make_float4(fmaf(weight, v.x, sum.x), fmaf(weight, v.y, sum.y), fmaf(weight, v.z, sum.z),
                       fmaf(weight, v.w, sum.w));
}

__device__ __forceinline__ float4 zero()
{
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

__device__ __forceinline__ int inside(int at, int count)
{
    return min(max(at, 0), count - 1);
}

__device__ __forceinline__ float4 *samples_of(const blur_frame &frame)
{
    return (float4 *)frame.samples + blockIdx.z * frame.next_samples;
}

__device__ __forceinline__ float weight_at(const blur_frame &frame, int at)
{
    return __ldg((const float *)frame.tables + at);
}

__device__ __forceinline__ frame_light light_of(const blur_frame &frame)
{
    return frame_light(frame.light, frame.light_value, (const float *)frame.tables);
}

/* ---- Rows */

/* What a block sums is staged CHUNK pixels at a time: the light of a pixel is worked out once for
 * all of its threads, and memory does not grow with sigma. */
template <typename Pixel, typename Image>
__device__ void filter_row(const blur_frame &frame, const Image &src)
{
    const int CHUNK = 512;
    __shared__ float4 staged[CHUNK];
    const blur_shape &shape = frame.shape;
    const frame_light light = light_of(frame);
    const int y = blockIdx.y;
    const int block_column = blockIdx.x * BLUR_ROW_THREADS;
    const int column = block_column + threadIdx.x;
    const int length = 2 * shape.decimate_radius + 1;
    const int block_first = (block_column - shape.margin) * shape.step - shape.decimate_radius;
    const int block_end = block_first + (BLUR_ROW_THREADS - 1) * shape.step + length;
    const int first = block_first + (int)threadIdx.x * shape.step;
    float4 sum = zero();
    for (int chunk = block_first; chunk < block_end; chunk += CHUNK) {
        __syncthreads();
        for (int i = threadIdx.x; i < CHUNK && chunk + i < block_end; i += BLUR_ROW_THREADS) {
            const float4 v = Pixel::decode(src.load(inside(chunk + i, shape.width_px), y));
            staged[i] = light.kind ? levels_to_light<Pixel>(v, light) : v;
        }
        __syncthreads();
        const int end = min(first + length, chunk + CHUNK);
        for (int x = max(first, chunk); x < end; x++) {
            sum = add(sum, weight_at(frame, frame.decimate_at + x - first), staged[x - chunk]);
        }
    }
    if (column < shape.columns) {
        samples_of(frame)[(ptrdiff_t)y * shape.columns + column] = sum;
    }
}

/* ---- Columns */

__device__ void filter_column(const blur_frame &frame)
{
    const blur_shape &shape = frame.shape;
    const int x = blockIdx.x * BLUR_SIDE_X + threadIdx.x;
    const int y = blockIdx.y * BLUR_SIDE_Y + threadIdx.y;
    if (x >= shape.columns || y >= shape.rows) {
        return;
    }
    float4 *samples = samples_of(frame);
    const int first = (y - shape.margin) * shape.step - shape.decimate_radius;
    float4 sum = zero();
    for (int t = 0; t <= 2 * shape.decimate_radius; t++) {
        const int row = inside(first + t, shape.height_px);
        sum = add(sum, weight_at(frame, frame.decimate_at + t),
                  __ldg(samples + (ptrdiff_t)row * shape.columns + x));
    }
    samples[(ptrdiff_t)(shape.height_px + y) * shape.columns + x] = sum;
}

/* ---- The picture */

/* Pixels below each other, of rows that are filtered and not decimated. */
__device__ void from_rows(const blur_frame &frame, int x, int y, float4 sums[BLUR_ROWS])
{
    const blur_shape &shape = frame.shape;
    const float4 *column = samples_of(frame) + inside(x, shape.columns);
    for (int t = 0; t < shape.taps + BLUR_ROWS - 1; t++) {
        const int row = inside(y - shape.before + t, shape.rows);
        const float4 v = __ldg(column + (ptrdiff_t)row * shape.columns);
#pragma unroll
        for (int i = 0; i < BLUR_ROWS; i++) {
            if (t - i >= 0 && t - i < shape.taps) {
                sums[i] = add(sums[i], weight_at(frame, frame.upsample_at + t - i), v);
            }
        }
    }
}

/* A column of the level at the height of a pixel. */
__device__ float4 column_at(const blur_frame &frame, int column, int y)
{
    const blur_shape &shape = frame.shape;
    const float4 *from =
        samples_of(frame) + (ptrdiff_t)(shape.height_px + y / shape.step) * shape.columns + column;
    const int weights = frame.upsample_at + y % shape.step * shape.taps;
    float4 sum = zero();
    for (int t = 0; t < shape.taps; t++) {
        sum = add(sum, weight_at(frame, weights + t), __ldg(from + (ptrdiff_t)t * shape.columns));
    }
    return sum;
}

/* The block's pixels from the level: columns into shared memory, then rows from there. */
__device__ void from_level(const blur_frame &frame, int x, int y, float4 sums[BLUR_ROWS])
{
    const int COLUMNS = 38; /* at most: of step 2, BLUR_SIDE_X / 2 and 22 taps */
    __shared__ float4 staged[TILE_HEIGHT * COLUMNS];
    const blur_shape &shape = frame.shape;
    const int tile_x = blockIdx.x * BLUR_SIDE_X;
    const int tile_y = blockIdx.y * TILE_HEIGHT;
    const int first = tile_x / shape.step;
    const int end = min((tile_x + BLUR_SIDE_X - 1) / shape.step + shape.taps, shape.columns);
    const int count = end - first;
    for (int i = threadIdx.y * BLUR_SIDE_X + threadIdx.x; i < TILE_HEIGHT * count;
         i += BLUR_SIDE_X * BLUR_SIDE_Y) {
        const int row = min(tile_y + i / count, shape.height_px - 1);
        staged[i] = column_at(frame, first + i % count, row);
    }
    __syncthreads();
    const int own_x = min(x, shape.width_px - 1);
    const int weights = frame.upsample_at + own_x % shape.step * shape.taps;
    const float4 *from = staged + (y - tile_y) * count + own_x / shape.step - first;
    for (int t = 0; t < shape.taps; t++) {
        const float weight = weight_at(frame, weights + t);
#pragma unroll
        for (int i = 0; i < BLUR_ROWS; i++) {
            sums[i] = add(sums[i], weight, from[i * count + t]);
        }
    }
}

/* Step 0 copies. */
template <typename Pixel, typename Image>
__device__ void make_picture(const blur_frame &frame, const Image &src, const Image &dst)
{
    const blur_shape &shape = frame.shape;
    const frame_light light = light_of(frame);
    const int x = blockIdx.x * BLUR_SIDE_X + threadIdx.x;
    const int y = blockIdx.y * TILE_HEIGHT + threadIdx.y * BLUR_ROWS;
    float4 sums[BLUR_ROWS] = {};
    if (shape.step > 1) {
        from_level(frame, x, y, sums);
    } else if (shape.step == 1) {
        from_rows(frame, x, y, sums);
    }
#pragma unroll
    for (int i = 0; i < BLUR_ROWS; i++) {
        if (x < shape.width_px && y + i < shape.height_px) {
            typename Pixel::word word = src.load(x, y + i);
            if (shape.step > 0) {
                const typename Pixel::word color =
                    Pixel::encode(light.kind ? light_to_levels<Pixel>(sums[i], light) : sums[i]);
                word = frame.averages_alpha ? color : Pixel::keep_alpha(color, word);
            }
            dst.store(x, y + i, word);
        }
    }
}

/* ---- Images */

template <typename Pixel>
__device__ linear_image<Pixel> image_of(const blur_frame &frame, image_linear image,
                                        int64_t next_bytes)
{
    image.data += blockIdx.z * next_bytes + frame.origin_y_px * image.row_stride_bytes +
                  frame.origin_x_px * image.pixel_stride_bytes;
    return {image};
}

template <typename Pixel>
__device__ surface_image<Pixel> image_of(const blur_frame &frame, uint64_t surface, int64_t)
{
    return {surface, frame.origin_x_px, frame.origin_y_px};
}

} // namespace

#define KERNELS(kind, suffix, format)                                                              \
    extern "C" __global__ void __launch_bounds__(BLUR_ROW_THREADS)                                 \
        blur_rows_##kind##_##suffix(const __grid_constant__ blur_##kind##_params params)           \
    {                                                                                              \
        typedef pixel<format> own;                                                                 \
        const blur_frame &frame = params.frame;                                                    \
        filter_row<own>(frame, image_of<own>(frame, params.src, frame.src_next_bytes));            \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(BLUR_SIDE_X *BLUR_SIDE_Y)                         \
        blur_picture_##kind##_##suffix(const __grid_constant__ blur_##kind##_params params)        \
    {                                                                                              \
        typedef pixel<format> own;                                                                 \
        const blur_frame &frame = params.frame;                                                    \
        make_picture<own>(frame, image_of<own>(frame, params.src, frame.src_next_bytes),           \
                          image_of<own>(frame, params.dst, frame.dst_next_bytes));                 \
    }

KERNELS(linear, rgba8, FOVEA_FORMAT_RGBA8)
KERNELS(linear, rgb8, FOVEA_FORMAT_RGB8)
KERNELS(linear, r8, FOVEA_FORMAT_R8)
KERNELS(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
KERNELS(linear, b10g11r11f, FOVEA_FORMAT_B10G11R11F)
KERNELS(linear, rgba16f, FOVEA_FORMAT_RGBA16F)
KERNELS(linear, rgba32f, FOVEA_FORMAT_RGBA32F)
KERNELS(linear, rgb16f, FOVEA_FORMAT_RGB16F)
KERNELS(linear, r16f, FOVEA_FORMAT_R16F)
KERNELS(linear, rgb32f, FOVEA_FORMAT_RGB32F)
KERNELS(linear, r32f, FOVEA_FORMAT_R32F)

KERNELS(surface, rgba8, FOVEA_FORMAT_RGBA8)
KERNELS(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
KERNELS(surface, b10g11r11f, FOVEA_FORMAT_B10G11R11F)
KERNELS(surface, rgba16f, FOVEA_FORMAT_RGBA16F)

extern "C" __global__ void __launch_bounds__(BLUR_SIDE_X *BLUR_SIDE_Y)
    blur_columns(const __grid_constant__ blur_frame frame)
{
    filter_column(frame);
}
