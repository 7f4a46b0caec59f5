/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engines of blur: a kernel that makes samples of pixels, one that makes pixels of samples, and
 * between them passes over samples, which glsl/ has alike. Samples are four floats, so that every
 * format and light keeps to its bound. Where a device has eight of these a pixel in its cache, the
 * passes are bound by that; else by memory. */

#include "kernels/image/image.cuh"
#include "kernels/image/light.cuh"
#include "params.h"

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

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
static __device__ void load_samples(const blur_image_frame &frame, const Image &src)
{
    int x;
    int y;
    if (!find_pixel(frame, x, y)) {
        return;
    }
    float4 value = Pixel::decode(src.load(x, y));
    if (frame.light != IMAGE_LIGHT_STORED) {
        const frame_light light(frame.light, frame.light_value, (const float *)frame.light_samples);
        value = levels_to_light<Pixel>(value, light);
    }
    view_samples(frame)[(int64_t)y * frame.width_px + x] = value;
}

template <typename Pixel, typename Image>
static __device__ void store_samples(const blur_image_frame &frame, const Image &src,
                                     const Image &dst)
{
    int x;
    int y;
    if (!find_pixel(frame, x, y)) {
        return;
    }
    float4 value = view_samples(frame)[(int64_t)y * frame.width_px + x];
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

#define IMAGE_KERNELS(kind, suffix, format)                                                        \
    KERNEL(BLUR_CUDA_SIDE_X *BLUR_CUDA_SIDE_Y)                                                     \
    blur_load_##kind##_##suffix(const __grid_constant__ blur_##kind##_params params)               \
    {                                                                                              \
        const blur_image_frame &frame = params.frame;                                              \
        load_samples<pixel<format>>(                                                               \
            frame, image_of_block<pixel<format>>(frame, params.src, frame.src_next_bytes));        \
    }                                                                                              \
    KERNEL(BLUR_CUDA_SIDE_X *BLUR_CUDA_SIDE_Y)                                                     \
    blur_store_##kind##_##suffix(const __grid_constant__ blur_##kind##_params params)              \
    {                                                                                              \
        const blur_image_frame &frame = params.frame;                                              \
        store_samples<pixel<format>>(                                                              \
            frame, image_of_block<pixel<format>>(frame, params.src, frame.src_next_bytes),         \
            image_of_block<pixel<format>>(frame, params.dst, frame.dst_next_bytes));               \
    }
IMAGE_OF_EVERY_FORMAT(IMAGE_KERNELS)

/* ---- Samples */

static __device__ float4 plus(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

static __device__ float4 times(float scale, float4 v)
{
    return make_float4(scale * v.x, scale * v.y, scale * v.z, scale * v.w);
}

static __device__ float4 mixed(float4 most, float4 least)
{
    return plus(times(0.75f, most), times(0.25f, least));
}

static __device__ float4 none()
{
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

static __device__ float4 *samples_of(const blur_pass_params &params)
{
    return (float4 *)params.samples + blockIdx.z * params.next_samples;
}

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

/* ---- Levels: a thread makes a sample */

struct level {
    const blur_level_constants &own;
    float4 *samples;

    __device__ float4 read(int x, int y) const
    {
        const blur_pass_level &fine = own.fine;
        const int column = min(max(x, fine.first), fine.last_x) - fine.first;
        const int row = min(max(y, fine.first), fine.last_y) - fine.first;
        return samples[own.frame.from + row * fine.pitch + column];
    }
};

static __device__ float4 halved(const level &level, int x, int y)
{
    const float weights[4] = {13.0f / 64, 19.0f / 64, 19.0f / 64, 13.0f / 64};
    float4 sum = none();
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float4 row = none();
#pragma unroll
        for (int i = 0; i < 4; i++) {
            row = plus(row, times(weights[i], level.read(2 * x - 1 + i, 2 * y - 1 + j)));
        }
        sum = plus(sum, times(weights[j], row));
    }
    return sum;
}

static __device__ float4 widened(const level &level, int x, int y)
{
    float4 sum = none();
    for (int j = -3; j <= 3; j++) {
        float4 row = none();
        for (int i = -3; i <= 3; i++) {
            row = plus(row, times(level.own.taps[abs(i)], level.read(x + i, y + j)));
        }
        sum = plus(sum, times(level.own.taps[abs(j)], row));
    }
    return sum;
}

/* Between the sample that it lies in and the ones that it lies next to. */
static __device__ float4 doubled(const level &level, int x, int y)
{
    const int own_x = x >> 1;
    const int own_y = y >> 1;
    const int other_x = own_x + 2 * (x & 1) - 1;
    const int other_y = own_y + 2 * (y & 1) - 1;
    return mixed(mixed(level.read(own_x, own_y), level.read(other_x, own_y)),
                 mixed(level.read(own_x, other_y), level.read(other_x, other_y)));
}

template <int WORK> static __device__ void make_level(const blur_pass_params &params)
{
    const blur_level_constants &own = params.constants.level;
    const level level = {own, samples_of(params)};
    const int column = (int)(blockIdx.x * BLUR_LEVEL_SIDE + threadIdx.x);
    const int row = (int)(blockIdx.y * BLUR_LEVEL_SIDE + threadIdx.y);
    const int x = own.made.first + column;
    const int y = own.made.first + row;
    if (x > own.made.last_x || y > own.made.last_y) {
        return;
    }
    level.samples[own.frame.to + row * own.made.pitch + column] =
        WORK == BLUR_LEVEL_HALVE   ? halved(level, x, y)
        : WORK == BLUR_LEVEL_WIDEN ? widened(level, x, y)
                                   : doubled(level, x, y);
}

KERNEL(BLUR_LEVEL_SIDE *BLUR_LEVEL_SIDE)
blur_halve(const __grid_constant__ blur_pass_params params)
{
    make_level<BLUR_LEVEL_HALVE>(params);
}

KERNEL(BLUR_LEVEL_SIDE *BLUR_LEVEL_SIDE)
blur_widen(const __grid_constant__ blur_pass_params params)
{
    make_level<BLUR_LEVEL_WIDEN>(params);
}

KERNEL(BLUR_LEVEL_SIDE *BLUR_LEVEL_SIDE)
blur_double(const __grid_constant__ blur_pass_params params)
{
    make_level<BLUR_LEVEL_DOUBLE>(params);
}

/* ---- Heat: up to eight steps in shared memory. A block makes 16 x 16 pixels from them and the
 * eight around: after each step what is right is one pixel less wide. */

#define HEAT_SIDE (BLUR_HEAT_MADE + 2 * BLUR_HEAT_STEPS)
#define HEAT_OWN (HEAT_SIDE * HEAT_SIDE / BLUR_HEAT_THREADS)

/* What comes from the pixel `next` places away; nothing where there is none. */
static __device__ float4 heat_flow(const float4 *heat, int place, int next, bool is_there,
                                   float per_square)
{
    if (!is_there) {
        return none();
    }
    const float4 difference = plus(heat[place + next], times(-1.0f, heat[place]));
    const float squares =
        difference.x * difference.x + difference.y * difference.y + difference.z * difference.z;
    return per_square > 0.0f ? times(1.0f / (1.0f + squares * per_square), difference) : difference;
}

static __device__ float4 heat_step(const blur_heat_constants &own, const float4 *heat, int place,
                                   int corner_x, int corner_y)
{
    const int x = place % HEAT_SIDE;
    const int y = place / HEAT_SIDE;
    const bool left = x > 0 && corner_x + x > 0;
    const bool right = x < HEAT_SIDE - 1 && corner_x + x < own.frame.width_px - 1;
    const bool above = y > 0 && corner_y + y > 0;
    const bool below = y < HEAT_SIDE - 1 && corner_y + y < own.frame.height_px - 1;
    float4 sum = heat_flow(heat, place, -1, left, own.per_square);
    sum = plus(sum, heat_flow(heat, place, 1, right, own.per_square));
    sum = plus(sum, heat_flow(heat, place, -HEAT_SIDE, above, own.per_square));
    sum = plus(sum, heat_flow(heat, place, HEAT_SIDE, below, own.per_square));
    return plus(heat[place], times(own.rate, sum));
}

KERNEL(BLUR_HEAT_THREADS) blur_heat(const __grid_constant__ blur_pass_params params)
{
    __shared__ float4 heat[HEAT_SIDE * HEAT_SIDE];
    const blur_heat_constants &own = params.constants.heat;
    float4 *samples = samples_of(params);
    const int width = own.frame.width_px;
    const int corner_x = (int)blockIdx.x * BLUR_HEAT_MADE - BLUR_HEAT_STEPS;
    const int corner_y = (int)blockIdx.y * BLUR_HEAT_MADE - BLUR_HEAT_STEPS;
    const int first = (int)threadIdx.x;
#pragma unroll
    for (int i = 0; i < HEAT_OWN; i++) {
        const int place = first + i * BLUR_HEAT_THREADS;
        const int x = min(max(corner_x + place % HEAT_SIDE, 0), width - 1);
        const int y = min(max(corner_y + place / HEAT_SIDE, 0), own.frame.height_px - 1);
        heat[place] = samples[own.frame.from + y * width + x];
    }
    __syncthreads();
    for (int n = 0; n < own.steps; n++) {
        float4 next[HEAT_OWN];
#pragma unroll
        for (int i = 0; i < HEAT_OWN; i++) {
            next[i] = heat_step(own, heat, first + i * BLUR_HEAT_THREADS, corner_x, corner_y);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < HEAT_OWN; i++) {
            heat[first + i * BLUR_HEAT_THREADS] = next[i];
        }
        __syncthreads();
    }
    const int x = BLUR_HEAT_STEPS + first % BLUR_HEAT_MADE;
    const int y = BLUR_HEAT_STEPS + first / BLUR_HEAT_MADE;
    if (corner_x + x < width && corner_y + y < own.frame.height_px) {
        samples[own.frame.to + (corner_y + y) * width + corner_x + x] = heat[y * HEAT_SIDE + x];
    }
}
