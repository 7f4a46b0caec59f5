/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens in one launch; a thread makes LENS_ROWS pixels, one below the other, so that neighbouring
 * threads read and write neighbouring pixels. The place is worked out in registers, and nothing
 * lies in memory between.
 *
 *     lens_nearest    pixels move as they are, bit by bit, or each colour does
 *     lens_bilinear   of all formats and lights
 *     lens_bicubic    likewise
 *     lens_bytes      RGBA8, bilinear, as it is stored: sums of whole numbers
 *     lens_light      RGBA8, bilinear, in sRGB's light: by a table in shared memory
 *
 * The last two have a twin for colours that lie apart, lens_bytes_colored and lens_light_colored.
 */

#include "kernels/image/image.cuh"
#include "kernels/image/light.cuh"
#include "kernels/lens/place.h"
#include "params.h"

namespace {

/* ---- Places */

/* place.h's lens_place_of without conversions, of which a multiprocessor does an eighth as many: a
 * number is rounded where it is added to one whose last digit is 1. A part may thus be 1. */
__device__ __forceinline__ void split(float way, int32_t at_px, int32_t &at, float &part)
{
    const float ONES = 12582912.0f; /* 1.5 * 2^23 */
    const float rounded = (way - 0.5f) + ONES;
    at = at_px + (__float_as_int(rounded) - __float_as_int(ONES));
    part = way - (rounded - ONES);
}

__device__ __forceinline__ lens_place place_of(const lens_shape &shape, int color, int x, int y)
{
    const float *terms = shape.terms + color * LENS_POWERS;
    const float from_x = (float)x + 0.5f - shape.center_x_px;
    const float from_y = (float)y + 0.5f - shape.center_y_px;
    const float r_x = from_x * shape.per_px;
    const float r_y = from_y * shape.per_px;
    const float r = sqrtf(r_x * r_x + r_y * r_y);
    const float factor = terms[0] + r * (terms[1] + r * (terms[2] + r * (terms[3] + r * terms[4])));
    lens_place place;
    split(lens_within(from_x * factor), x, place.at_x, place.part_x);
    split(lens_within(from_y * factor), y, place.at_y, place.part_y);
    return place;
}

__device__ __forceinline__ int inside(int at, int count)
{
    return min(max(at, 0), count - 1);
}

/* ---- Pixels between others */

__device__ __forceinline__ frame_light light_of(const lens_frame &frame)
{
    return frame_light(frame.light, frame.light_value, (const float *)frame.samples);
}

template <typename Pixel> __device__ __forceinline__ bool is_light(const frame_light &light)
{
    return Pixel::white > 0 && light.kind != IMAGE_LIGHT_STORED;
}

template <typename Pixel> __device__ __forceinline__ float opaque()
{
    return Pixel::alpha_white > 0 ? (float)Pixel::alpha_white : 1.0f;
}

/* Beyond the picture's edges is its outermost pixel. */
template <typename Pixel, typename Image>
__device__ float4 value_at(const lens_shape &shape, const frame_light &light, const Image &src,
                           int x, int y)
{
    const float4 v = Pixel::decode(src.load(inside(x, shape.width_px), inside(y, shape.height_px)));
    return is_light<Pixel>(light) ? levels_to_light<Pixel>(v, light) : v;
}

/* Of light none is negative, though a spline undershoots. */
template <typename Pixel, int FILTER, typename Image>
__device__ float4 interpolate(const lens_shape &shape, const frame_light &light, const Image &src,
                              const lens_place &place)
{
    if (FILTER == LENS_NEAREST) {
        return value_at<Pixel>(shape, light, src, lens_nearest(place.at_x, place.part_x),
                               lens_nearest(place.at_y, place.part_y));
    }
    const int TAPS = FILTER == LENS_BICUBIC ? 4 : 2;
    const int before = FILTER == LENS_BICUBIC ? 1 : 0;
    float across[4];
    float down[4];
    lens_weights(FILTER, place.part_x, across);
    lens_weights(FILTER, place.part_y, down);
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int j = 0; j < TAPS; j++) {
#pragma unroll
        for (int i = 0; i < TAPS; i++) {
            const float weight = across[i] * down[j];
            const float4 v = value_at<Pixel>(shape, light, src, place.at_x - before + i,
                                             place.at_y - before + j);
            sum.x += weight * v.x;
            sum.y += weight * v.y;
            sum.z += weight * v.z;
            sum.w += weight * v.w;
        }
    }
    if (is_light<Pixel>(light)) {
        sum = make_float4(fmaxf(sum.x, 0.0f), fmaxf(sum.y, 0.0f), fmaxf(sum.z, 0.0f),
                          fmaxf(sum.w, 0.0f));
    }
    return sum;
}

/* ---- Pixels of any format */

__device__ __forceinline__ float blank_or(bool blank, const lens_shape &shape, int color,
                                          float value)
{
    return blank ? shape.blank[color] : value;
}

template <typename Pixel> __device__ typename Pixel::word blank_of(const lens_shape &shape)
{
    return Pixel::encode(
        make_float4(shape.blank[0], shape.blank[1], shape.blank[2], opaque<Pixel>()));
}

/* What lies at the place of a colour that has one of its own. */
template <typename Pixel, int FILTER, typename Image>
__device__ float4 value_of_color(const lens_frame &frame, const frame_light &light,
                                 const Image &src, int color, int x, int y, bool &blank)
{
    const lens_place place = place_of(frame.shape, color, x, y);
    blank = lens_is_outside(&frame.shape, &place);
    return blank ? make_float4(0.0f, 0.0f, 0.0f, 0.0f)
                 : interpolate<Pixel, FILTER>(frame.shape, light, src, place);
}

/* kept: the pixel whose alpha is kept where alpha is not interpolated. */
template <typename Pixel, int FILTER, typename Image>
__device__ typename Pixel::word warp(const lens_frame &frame, const frame_light &light,
                                     const Image &src, const lens_place &axis, int x, int y,
                                     typename Pixel::word kept)
{
    const lens_shape &shape = frame.shape;
    const bool outside = lens_is_outside(&shape, &axis);
    bool blank[LENS_COLORS] = {outside, outside, outside};
    float4 v = outside ? make_float4(0.0f, 0.0f, 0.0f, 0.0f)
                       : interpolate<Pixel, FILTER>(shape, light, src, axis);
    if (Pixel::channels > 1 && frame.colored) {
        v.x = value_of_color<Pixel, FILTER>(frame, light, src, 0, x, y, blank[0]).x;
        v.z = value_of_color<Pixel, FILTER>(frame, light, src, 2, x, y, blank[2]).z;
    }
    if (is_light<Pixel>(light)) {
        v = light_to_levels<Pixel>(v, light);
    }
    const typename Pixel::word color = Pixel::encode(
        make_float4(blank_or(blank[0], shape, 0, v.x), blank_or(blank[1], shape, 1, v.y),
                    blank_or(blank[2], shape, 2, v.z), outside ? opaque<Pixel>() : v.w));
    return frame.averages_alpha ? color : Pixel::keep_alpha(color, kept);
}

template <typename Pixel, int FILTER, typename Image>
__device__ void make_picture(const lens_frame &frame, const Image &src, const Image &dst)
{
    const lens_shape &shape = frame.shape;
    const frame_light light = light_of(frame);
    const int x = blockIdx.x * LENS_SIDE_X + threadIdx.x;
    const int first = blockIdx.y * LENS_SIDE_Y * LENS_ROWS + threadIdx.y;
    if (x >= shape.width_px) {
        return;
    }
#pragma unroll 1
    for (int i = 0; i < LENS_ROWS; i++) {
        const int y = first + i * LENS_SIDE_Y;
        if (y >= shape.height_px) {
            return;
        }
        const lens_place axis = place_of(shape, LENS_AXIS, x, y);
        typename Pixel::word word = blank_of<Pixel>(shape);
        if (!lens_is_outside(&shape, &axis)) {
            word = src.load(lens_nearest(axis.at_x, axis.part_x),
                            lens_nearest(axis.at_y, axis.part_y));
        }
        if (FILTER != LENS_NEAREST || (Pixel::channels > 1 && frame.colored)) {
            word = warp<Pixel, FILTER>(frame, light, src, axis, x, y, word);
        }
        dst.store(x, y, word);
    }
}

/* ---- RGBA8, bilinear */

/* Pixels that lie beside each other, in less than 2^31 bytes. */
struct packed_image {
    char *data;
    uint32_t row_bytes;

    __device__ uint32_t load(int x, int y) const
    {
        return __ldg((const uint32_t *)(data + ((uint32_t)y * row_bytes + (uint32_t)x * 4u)));
    }
    __device__ void store(int x, int y, uint32_t word) const
    {
        *(uint32_t *)(data + ((uint32_t)y * row_bytes + (uint32_t)x * 4u)) = word;
    }
};

/* The four pixels that a place lies among. */
struct four_pixels {
    uint32_t above[2];
    uint32_t below[2];
};

template <typename Image>
__device__ __forceinline__ four_pixels four_at(const lens_shape &shape, const Image &src,
                                               const lens_place &place)
{
    const int left = max(place.at_x, 0);
    const int right = min(place.at_x + 1, shape.width_px - 1);
    const int above = max(place.at_y, 0);
    const int below = min(place.at_y + 1, shape.height_px - 1);
    return {{src.load(left, above), src.load(right, above)},
            {src.load(left, below), src.load(right, below)}};
}

__device__ __forceinline__ uint32_t nearest_of(const four_pixels &four, const lens_place &place)
{
    const bool right = place.part_x >= 0.5f;
    const uint32_t above = right ? four.above[1] : four.above[0];
    const uint32_t below = right ? four.below[1] : four.below[0];
    return place.part_y >= 0.5f ? below : above;
}

/* Their weights, of which the sum is 1. */
__device__ __forceinline__ float4 weights_of(const lens_place &place)
{
    const float right_below = place.part_x * place.part_y;
    const float left_below = place.part_y - right_below;
    return make_float4(1.0f - place.part_x - left_below, place.part_x - right_below, left_below,
                       right_below);
}

/* What is added to 2^23 has its whole part in the last digits. */
__device__ __forceinline__ uint32_t whole_of(float value, float scale)
{
    return __float_as_uint(fmaf(value, scale, 8388608.0f));
}

/* Bytes as they are stored: weights are 16 bits, and an instruction sums two products. */
struct stored_bytes {
    /* In 1/65535, of the two pixels above and of the two below. */
    struct pairs {
        uint32_t above;
        uint32_t below;
    };

    static __device__ __forceinline__ pairs pairs_of(const lens_place &place)
    {
        const float4 w = weights_of(place);
        return {__byte_perm(whole_of(w.x, 65535.0f), whole_of(w.y, 65535.0f), 0x5410),
                __byte_perm(whole_of(w.z, 65535.0f), whole_of(w.w, 65535.0f), 0x5410)};
    }

    /* 65536 times the value, and a half of that. LOW: of the two lower bytes of both words. */
    template <bool LOW>
    static __device__ __forceinline__ uint32_t sum(const pairs &weights, uint32_t above,
                                                   uint32_t below)
    {
        return LOW ? __dp2a_lo(weights.below, below, __dp2a_lo(weights.above, above, 32768u))
                   : __dp2a_hi(weights.below, below, __dp2a_hi(weights.above, above, 32768u));
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t one(const four_pixels &four, const lens_place &place) const
    {
        const uint32_t bytes = CHANNEL | (CHANNEL + 4) << 4;
        return sum<true>(pairs_of(place), __byte_perm(four.above[0], four.above[1], bytes),
                         __byte_perm(four.below[0], four.below[1], bytes)) >>
               16;
    }

    __device__ __forceinline__ uint32_t all(const four_pixels &four, const lens_place &place,
                                            bool averages_alpha) const
    {
        const pairs weights = pairs_of(place);
        const uint32_t above = __byte_perm(four.above[0], four.above[1], 0x5140);
        const uint32_t below = __byte_perm(four.below[0], four.below[1], 0x5140);
        const uint32_t last_above = __byte_perm(four.above[0], four.above[1], 0x7362);
        const uint32_t last_below = __byte_perm(four.below[0], four.below[1], 0x7362);
        const uint32_t first_two = __byte_perm(sum<true>(weights, above, below),
                                               sum<false>(weights, above, below), 0x0062);
        const uint32_t third = sum<true>(weights, last_above, last_below);
        const uint32_t alpha = averages_alpha ? sum<false>(weights, last_above, last_below)
                                              : nearest_of(four, place) >> 8;
        return __byte_perm(first_two, __byte_perm(third, alpha, 0x0062), 0x5410);
    }
};

/* Bytes as sRGB's light, from a table in shared memory: a power for each of twelve bytes would take
 * as long as four copies of the picture. Each lane reads its own bank of it. */
struct light_bytes {
    static const int LEVELS = 256;
    static const int LANES = 32;

    const float *levels; /* of this lane; those of one level lie beside each other */

    /* By a block of as many threads as there are levels. */
    static __device__ void fill(float *table, int thread)
    {
        const float light = srgb_to_light((float)thread * (1.0f / 255.0f));
        for (int i = 0; i < LANES; i++) {
            table[thread * LANES + (thread + i) % LANES] = light;
        }
    }

    template <int CHANNEL> __device__ __forceinline__ float at(uint32_t word) const
    {
        return levels[(word >> (8 * CHANNEL) & 255u) * LANES];
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t sum(const four_pixels &four, const float4 &w) const
    {
        const float light = w.x * at<CHANNEL>(four.above[0]) + w.y * at<CHANNEL>(four.above[1]) +
                            w.z * at<CHANNEL>(four.below[0]) + w.w * at<CHANNEL>(four.below[1]);
        return whole_of(light_to_srgb(fmaxf(light, 0.0f)), 255.0f);
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t one(const four_pixels &four, const lens_place &place) const
    {
        return sum<CHANNEL>(four, weights_of(place));
    }

    __device__ __forceinline__ uint32_t all(const four_pixels &four, const lens_place &place,
                                            bool averages_alpha) const
    {
        const float4 w = weights_of(place);
        const uint32_t first_two = __byte_perm(sum<0>(four, w), sum<1>(four, w), 0x0040);
        const uint32_t alpha =
            averages_alpha ? stored_bytes().one<3>(four, place) : nearest_of(four, place) >> 24;
        return __byte_perm(first_two, __byte_perm(sum<2>(four, w), alpha, 0x0040), 0x5410);
    }
};

/* The channel around that colour's place. */
template <int COLOR, typename Image, typename Bytes>
__device__ __forceinline__ uint32_t byte_of_color(const lens_shape &shape, const Image &src,
                                                  const Bytes &bytes, int x, int y, uint32_t blank)
{
    const lens_place place = place_of(shape, COLOR, x, y);
    return lens_is_outside(&shape, &place)
               ? blank >> (8 * COLOR)
               : bytes.template one<COLOR>(four_at(shape, src, place), place);
}

/* Green and alpha, which come from the axis's place, and red and blue, which do not. */
template <typename Image, typename Bytes>
__device__ __forceinline__ uint32_t colored_word(const lens_frame &frame, const Image &src,
                                                 const Bytes &bytes, int x, int y, uint32_t blank)
{
    const lens_shape &shape = frame.shape;
    const lens_place axis = place_of(shape, LENS_AXIS, x, y);
    uint32_t green = blank >> 8;
    uint32_t alpha = blank >> 24;
    if (!lens_is_outside(&shape, &axis)) {
        const four_pixels four = four_at(shape, src, axis);
        green = bytes.template one<1>(four, axis);
        alpha =
            frame.averages_alpha ? stored_bytes().one<3>(four, axis) : nearest_of(four, axis) >> 24;
    }
    const uint32_t red = byte_of_color<0>(shape, src, bytes, x, y, blank);
    const uint32_t blue = byte_of_color<2>(shape, src, bytes, x, y, blank);
    return __byte_perm(__byte_perm(red, green, 0x0040), __byte_perm(blue, alpha, 0x0040), 0x5410);
}

template <typename Image, typename Bytes>
__device__ __forceinline__ uint32_t word_of(const lens_frame &frame, const Image &src,
                                            const Bytes &bytes, int x, int y, uint32_t blank)
{
    const lens_place place = place_of(frame.shape, LENS_AXIS, x, y);
    return lens_is_outside(&frame.shape, &place)
               ? blank
               : bytes.all(four_at(frame.shape, src, place), place, frame.averages_alpha);
}

template <bool COLORED, int ROWS, typename Image, typename Bytes>
__device__ __forceinline__ void make_bytes(const lens_frame &frame, const Image &src,
                                           const Image &dst, const Bytes &bytes)
{
    const uint32_t blank = blank_of<pixel<FOVEA_FORMAT_RGBA8>>(frame.shape);
    const int x = blockIdx.x * LENS_SIDE_X + threadIdx.x;
    const int first = blockIdx.y * LENS_SIDE_Y * ROWS + threadIdx.y;
    if (x >= frame.shape.width_px) {
        return;
    }
#pragma unroll 4
    for (int i = 0; i < ROWS; i++) {
        const int y = first + i * LENS_SIDE_Y;
        if (y < frame.shape.height_px) {
            dst.store(x, y,
                      COLORED ? colored_word(frame, src, bytes, x, y, blank)
                              : word_of(frame, src, bytes, x, y, blank));
        }
    }
}

template <bool COLORED, typename Image>
__device__ __forceinline__ void make_light(const lens_frame &frame, const Image &src,
                                           const Image &dst)
{
    __shared__ float levels[light_bytes::LEVELS * light_bytes::LANES];
    light_bytes::fill(levels, threadIdx.y * LENS_SIDE_X + threadIdx.x);
    __syncthreads();
    make_bytes<COLORED, LENS_LIGHT_ROWS>(frame, src, dst, light_bytes{levels + threadIdx.x});
}

/* ---- Images */

template <typename Pixel>
__device__ linear_image<Pixel> image_of(const lens_frame &frame, image_linear image,
                                        int64_t next_bytes)
{
    image.data += blockIdx.z * next_bytes + frame.origin_y_px * image.row_stride_bytes +
                  frame.origin_x_px * image.pixel_stride_bytes;
    return {image};
}

template <typename Pixel>
__device__ surface_image<Pixel> image_of(const lens_frame &frame, uint64_t surface, int64_t)
{
    return {surface, frame.origin_x_px, frame.origin_y_px};
}

__device__ packed_image bytes_of(const lens_frame &frame, const image_linear &image,
                                 int64_t next_bytes)
{
    const linear_image<pixel<FOVEA_FORMAT_RGBA8>> own =
        image_of<pixel<FOVEA_FORMAT_RGBA8>>(frame, image, next_bytes);
    return {(char *)own.view.data, (uint32_t)own.view.row_stride_bytes};
}

__device__ surface_image<pixel<FOVEA_FORMAT_RGBA8>> bytes_of(const lens_frame &frame,
                                                             uint64_t surface, int64_t)
{
    return {surface, frame.origin_x_px, frame.origin_y_px};
}

} // namespace

#define KERNEL(name, filter, kind, suffix, format)                                                 \
    extern "C" __global__ void __launch_bounds__(LENS_SIDE_X *LENS_SIDE_Y)                         \
        lens_##name##_##kind##_##suffix(const __grid_constant__ lens_##kind##_params params)       \
    {                                                                                              \
        typedef pixel<format> own;                                                                 \
        const lens_frame &frame = params.frame;                                                    \
        make_picture<own, filter>(frame, image_of<own>(frame, params.src, frame.src_next_bytes),   \
                                  image_of<own>(frame, params.dst, frame.dst_next_bytes));         \
    }
#define KERNELS(kind, suffix, format)                                                              \
    KERNEL(nearest, LENS_NEAREST, kind, suffix, format)                                            \
    KERNEL(bilinear, LENS_BILINEAR, kind, suffix, format)                                          \
    KERNEL(bicubic, LENS_BICUBIC, kind, suffix, format)

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

#define BYTE_KERNEL(name, kind, ...)                                                               \
    extern "C" __global__ void __launch_bounds__(LENS_SIDE_X *LENS_SIDE_Y)                         \
        lens_##name##_##kind##_rgba8(const __grid_constant__ lens_##kind##_params params)          \
    {                                                                                              \
        const lens_frame &frame = params.frame;                                                    \
        const auto src = bytes_of(frame, params.src, frame.src_next_bytes);                        \
        const auto dst = bytes_of(frame, params.dst, frame.dst_next_bytes);                        \
        __VA_ARGS__;                                                                               \
    }
#define BYTE_KERNELS(kind)                                                                         \
    BYTE_KERNEL(bytes, kind, make_bytes<false, LENS_ROWS>(frame, src, dst, stored_bytes()))        \
    BYTE_KERNEL(bytes_colored, kind, make_bytes<true, LENS_ROWS>(frame, src, dst, stored_bytes())) \
    BYTE_KERNEL(light, kind, make_light<false>(frame, src, dst))                                   \
    BYTE_KERNEL(light_colored, kind, make_light<true>(frame, src, dst))

BYTE_KERNELS(linear)
BYTE_KERNELS(surface)
