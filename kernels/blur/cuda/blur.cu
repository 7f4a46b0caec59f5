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

/* ---- Heat: up to eight steps of 64 x 64 pixels in registers, of which 48 x 48 are made: after
 * each step what is right is one pixel less wide. A thread has two columns and eight rows, its
 * neighbours along x are other lanes, and rows of other warps come through shared memory. Beyond
 * its edges the picture is its mirror image and stays so, so that nothing flows there. */

#define HEAT_SIDE (BLUR_CUDA_HEAT_MADE + 2 * BLUR_HEAT_STEPS)
#define HEAT_ROWS 8
#define HEAT_WARPS (HEAT_SIDE / HEAT_ROWS)

static __device__ int mirrored(int place, int length)
{
    const int along = (int)((unsigned)(place < 0 ? -1 - place : place) % (2u * (unsigned)length));
    return min(along, 2 * length - 1 - along);
}

/* What comes from b to a. */
template <int COUNT>
static __device__ void heat_flow(const float (&a)[COUNT], const float (&b)[COUNT], float per_square,
                                 float (&flow)[COUNT])
{
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
        flow[c] = b[c] - a[c];
    }
    const float squares = flow[0] * flow[0] + flow[1] * flow[1] + flow[2] * flow[2];
    const float part = 1.0f / (1.0f + squares * per_square);
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
        flow[c] *= part;
    }
}

template <int COUNT, bool EDGES> struct heat_patch {
    float rate;
    float per_square;
    float v[HEAT_ROWS][2][COUNT];

    __device__ void load(const float4 *samples, const blur_pass_frame &frame, int x, int y)
    {
#pragma unroll
        for (int i = 0; i < 2 * HEAT_ROWS; i++) {
            const int row = mirrored(y + i / 2, frame.height_px);
            const float4 sample =
                samples[row * frame.width_px + mirrored(x + i % 2, frame.width_px)];
            const float values[4] = {sample.x, sample.y, sample.z, sample.w};
#pragma unroll
            for (int c = 0; c < COUNT; c++) {
                v[i / 2][i % 2][c] = values[c];
            }
        }
    }

    __device__ void store(float4 *samples, const blur_pass_frame &frame, int x, int y) const
    {
#pragma unroll
        for (int i = 0; i < 2 * HEAT_ROWS; i++) {
            const float(&own)[COUNT] = v[i / 2][i % 2];
            if (x + i % 2 < frame.width_px && y + i / 2 < frame.height_px) {
                samples[(y + i / 2) * frame.width_px + x + i % 2] =
                    make_float4(own[0], own[1], own[2], COUNT > 3 ? own[COUNT - 1] : 0.0f);
            }
        }
    }

    /* Both numbers of a row from what lies beside them; flows from above are kept for the row
     * below. */
    __device__ void row_within_edges(float (&own)[2][COUNT], const float (&left)[COUNT],
                                     const float (&right)[COUNT], const float (&below)[2][COUNT],
                                     float (&from_above)[2][COUNT]) const
    {
        float across[3][COUNT];
        float down[2][COUNT];
        heat_flow(left, own[0], per_square, across[0]);
        heat_flow(own[0], own[1], per_square, across[1]);
        heat_flow(own[1], right, per_square, across[2]);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            heat_flow(own[i], below[i], per_square, down[i]);
#pragma unroll
            for (int c = 0; c < COUNT; c++) {
                own[i][c] +=
                    rate * (across[i + 1][c] - across[i][c] + (down[i][c] - from_above[i][c]));
                from_above[i][c] = down[i][c];
            }
        }
    }

    __device__ void row_everywhere(float (&own)[2][COUNT], const float (&left)[COUNT],
                                   const float (&right)[COUNT], const float (&below)[2][COUNT],
                                   float (&above)[2][COUNT]) const
    {
#pragma unroll
        for (int c = 0; c < COUNT; c++) {
            const float first = own[0][c];
            const float second = own[1][c];
            const float around[2] = {left[c] + second + (above[0][c] + below[0][c]),
                                     first + right[c] + (above[1][c] + below[1][c])};
            own[0][c] = first + rate * (around[0] - 4.0f * first);
            own[1][c] = second + rate * (around[1] - 4.0f * second);
            above[0][c] = first;
            above[1][c] = second;
        }
    }

    __device__ void step(float (&above)[2][COUNT], const float (&below)[2][COUNT])
    {
        if (EDGES) {
            for (int i = 0; i < 2; i++) {
                float flow[COUNT];
                heat_flow(above[i], v[0][i], per_square, flow);
#pragma unroll
                for (int c = 0; c < COUNT; c++) {
                    above[i][c] = flow[c];
                }
            }
        }
#pragma unroll
        for (int row = 0; row < HEAT_ROWS; row++) {
            float left[COUNT];
            float right[COUNT];
            float next[2][COUNT];
#pragma unroll
            for (int c = 0; c < COUNT; c++) {
                next[0][c] = row + 1 < HEAT_ROWS ? v[(row + 1) % HEAT_ROWS][0][c] : below[0][c];
                next[1][c] = row + 1 < HEAT_ROWS ? v[(row + 1) % HEAT_ROWS][1][c] : below[1][c];
                left[c] = __shfl_up_sync(~0u, v[row][1][c], 1);
                right[c] = __shfl_down_sync(~0u, v[row][0][c], 1);
            }
            if (EDGES) {
                row_within_edges(v[row], left, right, next, above);
            } else {
                row_everywhere(v[row], left, right, next, above);
            }
        }
    }
};

/* Rows at the ends of warps' parts, upper and lower ones. */
typedef float2 heat_rows[HEAT_WARPS][2][4][32];

template <int COUNT, bool EDGES>
static __device__ void make_heat(const blur_pass_params &params, heat_rows *rows)
{
    const blur_heat_constants &own = params.constants.heat;
    const int lane = (int)threadIdx.x % 32;
    const int warp = (int)threadIdx.x / 32;
    const int x = (int)blockIdx.x * BLUR_CUDA_HEAT_MADE - BLUR_HEAT_STEPS + 2 * lane;
    const int y = (int)blockIdx.y * BLUR_CUDA_HEAT_MADE - BLUR_HEAT_STEPS + HEAT_ROWS * warp;
    heat_patch<COUNT, EDGES> patch = {own.rate, own.per_square};
    patch.load(samples_of(params) + own.frame.from, own.frame, x, y);
    for (int n = 0; n < own.steps; n++) {
        heat_rows &all = rows[n % 2];
        float above[2][COUNT];
        float below[2][COUNT];
#pragma unroll
        for (int c = 0; c < COUNT; c++) {
            all[warp][0][c][lane] = make_float2(patch.v[0][0][c], patch.v[0][1][c]);
            all[warp][1][c][lane] =
                make_float2(patch.v[HEAT_ROWS - 1][0][c], patch.v[HEAT_ROWS - 1][1][c]);
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < COUNT; c++) {
            const float2 upper = all[max(warp - 1, 0)][1][c][lane];
            const float2 lower = all[min(warp + 1, HEAT_WARPS - 1)][0][c][lane];
            above[0][c] = upper.x;
            above[1][c] = upper.y;
            below[0][c] = lower.x;
            below[1][c] = lower.y;
        }
        patch.step(above, below);
    }
    const int around = BLUR_HEAT_STEPS;
    if (2 * lane >= around && 2 * lane < HEAT_SIDE - around && HEAT_ROWS * warp >= around &&
        HEAT_ROWS * warp < HEAT_SIDE - around) {
        patch.store(samples_of(params) + own.frame.to, own.frame, x, y);
    }
}

#define HEAT_KERNEL(name, edges)                                                                   \
    extern "C" __global__ void __launch_bounds__(32 * HEAT_WARPS, 2)                               \
        name(const __grid_constant__ blur_pass_params params)                                      \
    {                                                                                              \
        __shared__ heat_rows rows[2];                                                              \
        if (params.averages_alpha) {                                                               \
            make_heat<4, edges>(params, rows);                                                     \
        } else {                                                                                   \
            make_heat<3, edges>(params, rows);                                                     \
        }                                                                                          \
    }
HEAT_KERNEL(blur_heat, false)
HEAT_KERNEL(blur_heat_within_edges, true)
