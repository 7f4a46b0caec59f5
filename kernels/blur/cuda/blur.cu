/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engines of blur: a kernel that makes samples of pixels, one that makes pixels of samples, and
 * between them passes over samples, which glsl/ has alike. Samples are four floats, so that every
 * format and light keeps to its bound. Where a device has eight of these a pixel in its cache, the
 * passes are bound by that; else by memory. */

#include "blur_heat.cuh"
#include "blur_levels.cuh"
#include "kernels/image/image.cuh"
#include "kernels/image/light.cuh"

/* ---- Images */

static __device__ bool find_pixel(const blur_image_frame &frame, int &x, int &y)
{
    x = (int)(blockIdx.x * BLUR_CUDA_SIDE_X + threadIdx.x);
    y = (int)(blockIdx.y * BLUR_CUDA_SIDE_Y + threadIdx.y);
    return x < frame.width_px && y < frame.height_px;
}

static __device__ float4 *view_samples(const blur_image_frame &frame)
{
    return (float4 *)frame.samples + blockIdx.z * frame.next_samples;
}

template <typename Pixel, typename Image>
static __device__ float4 read_pixel(const blur_image_frame &frame, const Image &src, int x, int y)
{
    const float4 value = Pixel::decode(src.load(x, y));
    if (frame.light == IMAGE_LIGHT_STORED) {
        return value;
    }
    const frame_light light(frame.light, frame.light_value, (const float *)frame.light_samples);
    return levels_to_light<Pixel>(value, light);
}

template <typename Pixel, typename Image>
static __device__ void write_pixel(const blur_image_frame &frame, const Image &src,
                                   const Image &dst, int x, int y, float4 value)
{
    if (frame.light != IMAGE_LIGHT_STORED) {
        const frame_light light(frame.light, frame.light_value, (const float *)frame.light_samples);
        value = light_to_levels<Pixel>(value, light);
    }
    typename Pixel::word word = Pixel::encode(value);
    if (Pixel::channels == 4 && !frame.averages_alpha) {
        word = Pixel::keep_alpha(word, src.load(x, y));
    }
    dst.store(x, y, word);
}

template <typename Pixel, typename Image>
static __device__ void load_samples(const blur_image_work &work, const Image &src)
{
    int x;
    int y;
    if (find_pixel(work.frame, x, y)) {
        view_samples(work.frame)[(int64_t)y * work.frame.width_px + x] =
            read_pixel<Pixel>(work.frame, src, x, y);
    }
}

template <typename Pixel, typename Image>
static __device__ void store_samples(const blur_image_work &work, const Image &src,
                                     const Image &dst)
{
    int x;
    int y;
    if (find_pixel(work.frame, x, y)) {
        write_pixel<Pixel>(work.frame, src, dst, x, y,
                           view_samples(work.frame)[(int64_t)y * work.frame.width_px + x]);
    }
}

#define HALVED_COLUMNS (2 * BLUR_CUDA_SIDE_X + 2)
#define HALVED_ROWS (2 * BLUR_CUDA_SIDE_Y + 2)

/* Level 1 of pixels, which a block makes samples once each. Odd columns lie behind even ones, so
 * that neighbouring threads' samples lie in different banks. */
template <typename Pixel, typename Image>
static __device__ void halve_image(const blur_image_work &work, const Image &src)
{
    __shared__ float4 samples[HALVED_ROWS][2][HALVED_COLUMNS / 2];
    const blur_pass_level &made = work.level.made;
    const int first_x = made.first + (int)blockIdx.x * BLUR_CUDA_SIDE_X;
    const int first_y = made.first + (int)blockIdx.y * BLUR_CUDA_SIDE_Y;
    const int thread = (int)(threadIdx.y * BLUR_CUDA_SIDE_X + threadIdx.x);
    for (int i = thread; i < HALVED_COLUMNS * HALVED_ROWS;
         i += BLUR_CUDA_SIDE_X * BLUR_CUDA_SIDE_Y) {
        const int column = i % HALVED_COLUMNS;
        const int row = i / HALVED_COLUMNS;
        const int x = min(max(2 * first_x - 1 + column, 0), work.frame.width_px - 1);
        const int y = min(max(2 * first_y - 1 + row, 0), work.frame.height_px - 1);
        samples[row][column % 2][column / 2] = read_pixel<Pixel>(work.frame, src, x, y);
    }
    __syncthreads();
    const int x = first_x + (int)threadIdx.x;
    const int y = first_y + (int)threadIdx.y;
    if (x <= made.last_x && y <= made.last_y) {
        view_samples(
            work.frame)[work.level.frame.to + (y - made.first) * made.pitch + x - made.first] =
            halved_of([&](int i, int j) {
                return samples[2 * threadIdx.y + j][i % 2][threadIdx.x + i / 2];
            });
    }
}

/* Four pixels between the centres of as many samples of level 1. */
template <typename Pixel, typename Image>
static __device__ void double_image(const blur_image_work &work, const Image &src, const Image &dst)
{
    const level level = {work.level, view_samples(work.frame)};
    const int x = (int)(blockIdx.x * BLUR_CUDA_SIDE_X + threadIdx.x) - 1;
    const int y = (int)(blockIdx.y * BLUR_CUDA_SIDE_Y + threadIdx.y) - 1;
    if (2 * x + 1 >= work.frame.width_px || 2 * y + 1 >= work.frame.height_px) {
        return;
    }
    const float4 corners[2][2] = {{level.read(x, y), level.read(x + 1, y)},
                                  {level.read(x, y + 1), level.read(x + 1, y + 1)}};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int own_x = i % 2;
        const int own_y = i / 2;
        const int to_x = 2 * x + 1 + own_x;
        const int to_y = 2 * y + 1 + own_y;
        if (to_x >= 0 && to_y >= 0 && to_x < work.frame.width_px && to_y < work.frame.height_px) {
            write_pixel<Pixel>(
                work.frame, src, dst, to_x, to_y,
                mixed(mixed(corners[own_y][own_x], corners[own_y][1 - own_x]),
                      mixed(corners[1 - own_y][own_x], corners[1 - own_y][1 - own_x])));
        }
    }
}

#define FROM_IMAGE(name, kind, suffix, format, make)                                               \
    KERNEL(BLUR_CUDA_SIDE_X *BLUR_CUDA_SIDE_Y)                                                     \
    name##_##kind##_##suffix(const __grid_constant__ blur_##kind##_params params)                  \
    {                                                                                              \
        const blur_image_frame &frame = params.work.frame;                                         \
        make<pixel<format>>(                                                                       \
            params.work, image_of_block<pixel<format>>(frame, params.src, frame.src_next_bytes));  \
    }
#define TO_IMAGE(name, kind, suffix, format, make)                                                 \
    KERNEL(BLUR_CUDA_SIDE_X *BLUR_CUDA_SIDE_Y)                                                     \
    name##_##kind##_##suffix(const __grid_constant__ blur_##kind##_params params)                  \
    {                                                                                              \
        const blur_image_frame &frame = params.work.frame;                                         \
        make<pixel<format>>(                                                                       \
            params.work, image_of_block<pixel<format>>(frame, params.src, frame.src_next_bytes),   \
            image_of_block<pixel<format>>(frame, params.dst, frame.dst_next_bytes));               \
    }
#define IMAGE_KERNELS(kind, suffix, format)                                                        \
    FROM_IMAGE(blur_load, kind, suffix, format, load_samples)                                      \
    TO_IMAGE(blur_store, kind, suffix, format, store_samples)                                      \
    FROM_IMAGE(blur_halve, kind, suffix, format, halve_image)                                      \
    TO_IMAGE(blur_double, kind, suffix, format, double_image)
IMAGE_OF_EVERY_FORMAT(IMAGE_KERNELS)

/* ---- Along lines: a thread makes up to 16 places of a line that follow each other. A box's sums
 * have no differences, so that what is not finite reaches as far as the box. */

struct line {
    const blur_line_constants &own;
    float4 *samples;
    int number;

    __device__ float4 read(int place) const
    {
        const int last = own.in_first + own.in_count - 1;
        const int along = min(max(place, own.in_first), last) - own.in_first;
        return samples[own.frame.from + (own.axis == 0 ? number * own.in_count + along
                                                       : along * own.frame.width_px + number)];
    }

    __device__ void put(int place, float4 value) const
    {
        const int along = place - own.out_first;
        samples[own.frame.to + (own.axis == 0 ? number * own.out_count + along
                                              : along * own.frame.width_px + number)] = value;
    }
};

static __device__ void make_box(const line &line, int first, int count, int each)
{
    const int width = 2 * line.own.reach_px + 1;
    const int begin = first - line.own.reach_px;
    const float end = line.own.end;
    float4 left[BLUR_LINE_EACH]; /* of the first places, what is not behind a box yet */
    float4 sum = none();
    for (int i = each - 1; i >= 0; i--) {
        sum = plus(sum, line.read(begin + i));
        left[i] = sum;
    }
    float4 common = none();
    for (int i = each; i < width; i++) {
        common = plus(common, line.read(begin + i));
    }
    float4 come = none();
    for (int i = 0; i < count; i++) {
        const bool reads = end > 0.0f || i + 1 < count;
        const float4 next = reads ? line.read(begin + i + width) : none();
        float4 made = plus(plus(left[i], common), come);
        if (end > 0.0f) {
            made = plus(made, times(end, plus(line.read(begin + i - 1), next)));
        }
        line.put(first + i, times(line.own.scale, made));
        come = plus(come, next);
    }
}

static __device__ void make_tent(const line &line, int first, int count)
{
    float4 sums[BLUR_LINE_EACH];
    const int reach = line.own.reach_px;
#pragma unroll
    for (int i = 0; i < BLUR_LINE_EACH; i++) {
        sums[i] = none();
    }
    for (int k = -reach; k < BLUR_LINE_EACH + reach; k++) {
        const float4 value = line.read(first + k);
#pragma unroll
        for (int i = 0; i < BLUR_LINE_EACH; i++) {
            const float weight = line.own.radius_px - fabsf((float)(k - i));
            if (weight > 0.0f) {
                sums[i] = plus(sums[i], times(weight, value));
            }
        }
    }
#pragma unroll
    for (int i = 0; i < BLUR_LINE_EACH; i++) {
        if (i < count) {
            line.put(first + i, times(line.own.scale, sums[i]));
        }
    }
}

static __device__ bool find_line(const blur_line_constants &own, int each, int &number, int &first)
{
    number = (int)(blockIdx.x * BLUR_LINE_GROUP + threadIdx.x);
    first = (int)blockIdx.y * each;
    return number < (own.axis == 0 ? own.frame.height_px : own.frame.width_px);
}

KERNEL(BLUR_LINE_GROUP) blur_box(const __grid_constant__ blur_pass_params params)
{
    const blur_line_constants &own = params.constants.line;
    const int each = min(2 * own.reach_px + 1, BLUR_LINE_EACH);
    int number;
    int first;
    if (find_line(own, each, number, first)) {
        make_box({own, samples_of(params), number}, own.out_first + first,
                 min(each, own.out_count - first), each);
    }
}

KERNEL(BLUR_LINE_GROUP) blur_tent(const __grid_constant__ blur_pass_params params)
{
    const blur_line_constants &own = params.constants.line;
    int number;
    int first;
    if (find_line(own, BLUR_LINE_EACH, number, first)) {
        make_tent({own, samples_of(params), number}, own.out_first + first,
                  min(BLUR_LINE_EACH, own.out_count - first));
    }
}
