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

/* ---- Boxes of an axis: as glsl/blur_boxes.comp has them. */

#define BOX_EACH BLUR_BOX_PLACES

struct box_places {
    const blur_box_constants &own;
    float4 *places; /* from the thread's first one on */
    float4 *sums; /* from that of its part on */

    __device__ float4 sum_of(int first, int end) const
    {
        float4 sum = none();
        for (int i = first; i < end; i++) {
            sum = plus(sum, places[i]);
        }
        return sum;
    }

    /* The sum of the places that all boxes of a part have, but for its first box's first ones. */
    __device__ float4 common_sum() const
    {
        const int before = own.half_px / BOX_EACH;
        const int after = (own.half_px + 1) / BOX_EACH;
        const int left_end = min((1 - before) * BOX_EACH, own.half_px + 1);
        float4 sum = sum_of(BOX_EACH - own.half_px, left_end);
        for (int i = 1 - before; i < after; i++) {
            sum = plus(sum, sums[i]);
        }
        return plus(sum, sum_of(max(after * BOX_EACH, left_end), own.half_px + 1));
    }

    __device__ void make_narrow(float4 (&means)[BOX_EACH]) const
    {
#pragma unroll
        for (int i = 0; i < BOX_EACH; i++) {
            const float4 ends = plus(places[i - own.half_px - 1], places[i + own.half_px + 1]);
            const float4 sum = sum_of(i - own.half_px, i + own.half_px + 1);
            means[i] = times(own.scale, plus(sum, times(own.end, ends)));
        }
    }

    __device__ void make_wide(float4 (&means)[BOX_EACH]) const
    {
        float4 left = none();
#pragma unroll
        for (int i = BOX_EACH - 1; i >= 0; i--) {
            const float4 place = places[i - own.half_px];
            if (i + 1 < BOX_EACH) {
                means[(i + 1) % BOX_EACH] = plus(left, times(own.end, place));
            }
            left = plus(left, place);
        }
        means[0] = plus(left, times(own.end, places[-own.half_px - 1]));
        float4 come = common_sum();
#pragma unroll
        for (int i = 0; i < BOX_EACH; i++) {
            const float4 place = places[i + own.half_px + 1];
            means[i] = times(own.scale, plus(means[i], plus(come, times(own.end, place))));
            come = plus(come, place);
        }
    }

    __device__ void make(float4 (&means)[BOX_EACH]) const
    {
        if (2 * own.half_px + 1 < BOX_EACH) {
            make_narrow(means);
        } else {
            make_wide(means);
        }
    }

    /* Parts that a box makes no place of that counts stay as they were. */
    __device__ void make_boxes(bool works) const
    {
        const int first = (int)threadIdx.x % own.parts * BOX_EACH;
        if (works) {
            *sums = sum_of(0, BOX_EACH);
        }
        __syncthreads();
        for (int n = 1; n <= own.boxes; n++) {
            const bool counts = works && first + BOX_EACH > n * own.reach_px &&
                                first < own.parts * BOX_EACH - n * own.reach_px;
            float4 means[BOX_EACH];
            if (counts) {
                make(means);
            }
            __syncthreads();
            if (counts) {
#pragma unroll
                for (int i = 0; i < BOX_EACH; i++) {
                    places[i] = means[i];
                }
                *sums = sum_of(0, BOX_EACH);
            }
            __syncthreads();
        }
    }
};

KERNEL(BLUR_BOX_THREADS) blur_box(const __grid_constant__ blur_pass_params params)
{
    ptx_wait_for_kernel_ahead();
    __shared__ float4 all[(BLUR_BOX_THREADS + 2) * BOX_EACH];
    __shared__ float4 sums[BLUR_BOX_THREADS];
    const blur_box_constants &own = params.constants.box;
    const int thread = (int)threadIdx.x;
    const bool along_x = own.axis == 0;
    const bool works = thread < own.lines * own.parts;
    const int begin = along_x ? thread % own.parts : thread / own.lines;
    const int own_line = along_x ? thread / own.parts : thread % own.lines;
    const int width = own.frame.width_px;
    const int count = along_x ? own.frame.height_px : width;
    const int line = (int)blockIdx.x * own.lines + own_line;
    const int first = (int)blockIdx.y * own.made; /* of those that are made */
    const int margin = own.boxes * own.reach_px;
    float4 *places = all + BOX_EACH + own_line * own.parts * BOX_EACH + begin;
    if (works) {
        const float4 *samples = samples_of(params) + own.frame.from;
        const int64_t at =
            along_x ? (int64_t)min(line, count - 1) * own.in_count : min(line, count - 1);
        float4 read[BOX_EACH];
#pragma unroll
        for (int i = 0; i < BOX_EACH; i++) {
            const int place = own.out_first - own.in_first + first - margin + begin + i * own.parts;
            const int64_t along = min(max(place, 0), own.in_count - 1);
            read[i] = samples[at + (along_x ? along : along * width)];
        }
#pragma unroll
        for (int i = 0; i < BOX_EACH; i++) {
            places[i * own.parts] = read[i];
        }
    }
    __syncthreads();
    box_places{own, all + (thread + 1) * BOX_EACH, sums + thread}.make_boxes(works);
    const int stop = works && line < count ? min(own.made, own.out_count - first) : 0;
    float4 *made = samples_of(params) + own.frame.to;
#pragma unroll
    for (int i = 0; i < BOX_EACH; i++) {
        const int64_t along = first + begin + i * own.parts;
        if (begin + i * own.parts < stop) {
            made[along_x ? (int64_t)line * own.out_count + along : along * width + line] =
                places[margin + i * own.parts];
        }
    }
}

/* ---- Tents along lines: a thread makes 16 places of a line that follow each other. */

struct line {
    const blur_line_constants &own;
    float4 *samples;
    int number;

    __device__ int index_of(int place) const
    {
        return own.axis == 0 ? number * own.length + place : place * own.frame.width_px + number;
    }

    __device__ float4 read(int place) const
    {
        return samples[own.frame.from + index_of(min(max(place, 0), own.length - 1))];
    }

    __device__ void put(int place, float4 value) const
    {
        samples[own.frame.to + index_of(place)] = value;
    }
};

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

KERNEL(BLUR_LINE_GROUP) blur_tent(const __grid_constant__ blur_pass_params params)
{
    ptx_wait_for_kernel_ahead();
    const blur_line_constants &own = params.constants.line;
    const int number = (int)(blockIdx.x * BLUR_LINE_GROUP + threadIdx.x);
    const int first = (int)blockIdx.y * BLUR_LINE_EACH;
    if (number < (own.axis == 0 ? own.frame.height_px : own.frame.width_px)) {
        make_tent({own, samples_of(params), number}, first,
                  min(BLUR_LINE_EACH, own.length - first));
    }
}
