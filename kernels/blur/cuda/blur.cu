/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engines of blur: a kernel that makes samples of pixels, one that makes pixels of samples, and
 * between them passes over samples, which glsl/ has alike. Samples are four floats, so that every
 * format and light keeps to its bound. Where a device has eight of these a pixel in its cache, the
 * passes are bound by that; else by memory. */

#include "blur_heat.cuh"
#include "blur_levels.cuh"
#include "blur_pixels.cuh"

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
static __device__ void load_samples(const blur_image_work &work, const Image &src)
{
    int x;
    int y;
    if (find_pixel(work.frame, x, y)) {
        view_samples(work.frame)[(int64_t)y * work.frame.width_px + x] =
            value_of<Pixel>(work.frame, src.load(x, y));
    }
}

template <typename Pixel, typename Image>
static __device__ void store_samples(const blur_image_work &work, const Image &src,
                                     const Image &dst)
{
    int x;
    int y;
    if (find_pixel(work.frame, x, y)) {
        const float4 value = view_samples(work.frame)[(int64_t)y * work.frame.width_px + x];
        dst.store(x, y, word_of<Pixel>(work.frame, value, src.load(x, y)));
    }
}

/* Four pixels beside each other, weighed. */
template <typename Pixel, bool IN_LIGHT, typename Image>
static __device__ float4 halved_pixels(const blur_image_frame &frame, const Image &src, int x,
                                       int y)
{
    typename Pixel::word words[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        words[i] =
            src.load(min(max(x + i, 0), frame.width_px - 1), min(max(y, 0), frame.height_px - 1));
    }
    return halved_line([&](int i) {
        const float4 value = Pixel::decode(words[i]);
        return IN_LIGHT ? levels_in_light<Pixel>(value, light_of(frame)) : value;
    });
}

/* A thread makes samples of level 1 below each other. Two rows of pixels end one and begin the
 * next. */
template <typename Pixel, bool IN_LIGHT, typename Image>
static __device__ void halve_column(const blur_image_work &work, const Image &src)
{
    const blur_pass_level &made = work.level.made;
    const int x = made.first + (int)(blockIdx.x * BLUR_CUDA_SIDE_X + threadIdx.x);
    const int first = made.first + (int)(blockIdx.y * BLUR_CUDA_SIDE_Y + threadIdx.y) * BLUR_HALVED;
    if (x > made.last_x) {
        return;
    }
    const int end = min(first + BLUR_HALVED, made.last_y + 1);
    float4 *to = view_samples(work.frame) + work.level.frame.to + x - made.first;
    float4 begun = none();
    for (int y = first; y <= end; y++) {
        const float4 upper = halved_pixels<Pixel, IN_LIGHT>(work.frame, src, 2 * x - 1, 2 * y - 1);
        const float4 lower = halved_pixels<Pixel, IN_LIGHT>(work.frame, src, 2 * x - 1, 2 * y);
        if (y > first) {
            to[(y - 1 - made.first) * made.pitch] =
                plus(plus(begun, times(HALVED_NEAR, upper)), times(HALVED_FAR, lower));
        }
        begun = plus(times(HALVED_FAR, upper), times(HALVED_NEAR, lower));
    }
}

template <typename Pixel, typename Image>
static __device__ void halve_image(const blur_image_work &work, const Image &src)
{
    with_whole(src, [&](const auto &image) {
        if (has_light<Pixel>(work.frame)) {
            halve_column<Pixel, true>(work, image);
        } else {
            halve_column<Pixel, false>(work, image);
        }
    });
}

/* Four pixels between the centres of as many samples of level 1. */
template <typename Pixel, typename Source, typename Made>
static __device__ void double_pixels(const blur_image_work &work, const Source &src,
                                     const Made &dst)
{
    const level level = {work.level, view_samples(work.frame)};
    const int x = (int)(blockIdx.x * BLUR_CUDA_SIDE_X + threadIdx.x) - 1;
    const int y = (int)(blockIdx.y * BLUR_CUDA_SIDE_Y + threadIdx.y) - 1;
    if (2 * x + 1 >= work.frame.width_px || 2 * y + 1 >= work.frame.height_px) {
        return;
    }
    const int last_x = work.frame.width_px - 1;
    const int last_y = work.frame.height_px - 1;
    typename Pixel::word words[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        words[i] = src.load(min(max(2 * x + 1 + i % 2, 0), last_x),
                            min(max(2 * y + 1 + i / 2, 0), last_y));
    }
    const float4 corners[2][2] = {{level.read(x, y), level.read(x + 1, y)},
                                  {level.read(x, y + 1), level.read(x + 1, y + 1)}};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int own_x = i % 2;
        const int own_y = i / 2;
        const int to_x = 2 * x + 1 + own_x;
        const int to_y = 2 * y + 1 + own_y;
        if (to_x >= 0 && to_y >= 0 && to_x <= last_x && to_y <= last_y) {
            const float4 value =
                mixed(mixed(corners[own_y][own_x], corners[own_y][1 - own_x]),
                      mixed(corners[1 - own_y][own_x], corners[1 - own_y][1 - own_x]));
            dst.store(to_x, to_y, word_of<Pixel>(work.frame, value, words[i]));
        }
    }
}

template <typename Pixel, typename Image>
static __device__ void double_image(const blur_image_work &work, const Image &src, const Image &dst)
{
    with_whole(src, [&](const auto &from) {
        with_whole(dst, [&](const auto &to) { double_pixels<Pixel>(work, from, to); });
    });
}

#define FROM_IMAGE(name, kind, suffix, format, make)                                               \
    KERNEL(BLUR_CUDA_SIDE_X *BLUR_CUDA_SIDE_Y)                                                     \
    name##_##kind##_##suffix(const __grid_constant__ blur_##kind##_params params)                  \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        const blur_image_frame &frame = params.work.frame;                                         \
        make<pixel<format>>(                                                                       \
            params.work, image_of_block<pixel<format>>(frame, params.src, frame.src_next_bytes));  \
    }
#define TO_IMAGE(name, kind, suffix, format, make)                                                 \
    KERNEL(BLUR_CUDA_SIDE_X *BLUR_CUDA_SIDE_Y)                                                     \
    name##_##kind##_##suffix(const __grid_constant__ blur_##kind##_params params)                  \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
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
    ptx_wait_for_kernel_ahead();
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
    ptx_wait_for_kernel_ahead();
    const blur_line_constants &own = params.constants.line;
    int number;
    int first;
    if (find_line(own, BLUR_LINE_EACH, number, first)) {
        make_tent({own, samples_of(params), number}, own.out_first + first,
                  min(BLUR_LINE_EACH, own.out_count - first));
    }
}
