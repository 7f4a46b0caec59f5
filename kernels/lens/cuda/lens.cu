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

#include "bytes.cuh"
#include "kernels/image/image.cuh"

namespace {

/* ---- Pixels between others */

__device__ __forceinline__ int inside(int at, int count)
{
    return min(max(at, 0), count - 1);
}

__device__ __forceinline__ frame_light light_of(const lens_frame &frame)
{
    return frame_light(frame.light, frame.light_value, (const float *)frame.samples);
}

template <typename Pixel> __device__ __forceinline__ bool is_light(const frame_light &light)
{
    return Pixel::white > 0 && light.kind != IMAGE_LIGHT_STORED;
}

/* Beyond the picture's edges is its outermost pixel. */
template <typename Pixel, typename Image>
__device__ float4 value_at(const lens_shape &shape, const frame_light &light, const Image &src,
                           int x, int y)
{
    const float4 v = Pixel::decode(src.load(inside(x, shape.width_px), inside(y, shape.height_px)));
    return is_light<Pixel>(light) ? levels_to_light<Pixel>(v, light) : v;
}

/* A spline undershoots, but no light is negative. */
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

/* Reads the pixel at the place of a colour that has one of its own. */
template <typename Pixel, int FILTER, typename Image>
__device__ float4 value_of_color(const lens_frame &frame, const frame_light &light,
                                 const Image &src, int color, const lens_shown &shown, bool &blank)
{
    const lens_place place = lens_place_at(frame.shape, color, shown);
    blank = lens_is_outside(&frame.shape, &place);
    return blank ? make_float4(0.0f, 0.0f, 0.0f, 0.0f)
                 : interpolate<Pixel, FILTER>(frame.shape, light, src, place);
}

/* kept: the pixel whose alpha is kept where alpha is not interpolated. */
template <typename Pixel, int FILTER, typename Image>
__device__ typename Pixel::word warp(const lens_frame &frame, const frame_light &light,
                                     const Image &src, const lens_place &axis,
                                     const lens_shown &shown, typename Pixel::word kept)
{
    const lens_shape &shape = frame.shape;
    const bool outside = lens_is_outside(&shape, &axis);
    bool blank[LENS_COLORS] = {outside, outside, outside};
    float4 v = outside ? make_float4(0.0f, 0.0f, 0.0f, 0.0f)
                       : interpolate<Pixel, FILTER>(shape, light, src, axis);
    if (Pixel::channels > 1 && frame.colored) {
        v.x = value_of_color<Pixel, FILTER>(frame, light, src, 0, shown, blank[0]).x;
        v.z = value_of_color<Pixel, FILTER>(frame, light, src, 2, shown, blank[2]).z;
    }
    if (is_light<Pixel>(light)) {
        v = light_to_levels<Pixel>(v, light);
    }
    const typename Pixel::word color = Pixel::encode(
        make_float4(blank_or(blank[0], shape, 0, v.x), blank_or(blank[1], shape, 1, v.y),
                    blank_or(blank[2], shape, 2, v.z), outside ? lens_opaque<Pixel>() : v.w));
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
        const lens_shown shown = lens_shown_at(shape, x, y);
        const lens_place axis = lens_place_at(shape, LENS_AXIS, shown);
        typename Pixel::word word = lens_blank_of<Pixel>(shape);
        if (!lens_is_outside(&shape, &axis)) {
            word = src.load(lens_nearest(axis.at_x, axis.part_x),
                            lens_nearest(axis.at_y, axis.part_y));
        }
        if (FILTER != LENS_NEAREST || (Pixel::channels > 1 && frame.colored)) {
            word = warp<Pixel, FILTER>(frame, light, src, axis, shown, word);
        }
        dst.store(x, y, word);
    }
}

/* ---- Images */

template <typename Pixel>
__device__ linear_image<Pixel> image_of(const lens_frame &, image_linear image, int64_t next_bytes)
{
    image.data += blockIdx.z * next_bytes;
    return {image};
}

template <typename Pixel>
__device__ surface_image<Pixel> image_of(const lens_frame &frame, uint64_t surface, int64_t)
{
    return {surface, frame.origin_x_px, frame.origin_y_px};
}

__device__ lens_packed_image bytes_of(const lens_frame &frame, const image_linear &image,
                                      int64_t next_bytes)
{
    const linear_image<pixel<FOVEA_FORMAT_RGBA8>> own =
        image_of<pixel<FOVEA_FORMAT_RGBA8>>(frame, image, next_bytes);
    const uint32_t *words = (const uint32_t *)own.view.data;
    ptx_keep(words); /* else each pixel works out the image of the batch again */
    return {(char *)words, (uint32_t)own.view.row_stride_bytes};
}

__device__ lens_surface_image bytes_of(const lens_frame &frame, uint64_t surface, int64_t)
{
    return {image_of<pixel<FOVEA_FORMAT_RGBA8>>(frame, surface, 0)};
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

/* blocks: as many as a multiprocessor is to hold, which limits the registers. */
#define BYTE_KERNEL(name, kind, blocks, ...)                                                       \
    extern "C" __global__ void __launch_bounds__(LENS_SIDE_X *LENS_SIDE_Y, blocks)                 \
        lens_##name##_##kind##_rgba8(const __grid_constant__ lens_##kind##_params params)          \
    {                                                                                              \
        const lens_frame &frame = params.frame;                                                    \
        const auto src = bytes_of(frame, params.src, frame.src_next_bytes);                        \
        const auto dst = bytes_of(frame, params.dst, frame.dst_next_bytes);                        \
        __VA_ARGS__;                                                                               \
    }
#define BYTE_KERNELS(kind)                                                                         \
    BYTE_KERNEL(bytes, kind, 8,                                                                    \
                lens_make_bytes<lens_plain, 1>(frame, src, dst, lens_stored_bytes()))              \
    BYTE_KERNEL(bytes_colored, kind, 6,                                                            \
                lens_make_bytes<lens_colored, 1>(frame, src, dst, lens_stored_bytes()))            \
    BYTE_KERNEL(light, kind, 5, lens_make_light<lens_plain>(frame, src, dst))                      \
    BYTE_KERNEL(light_colored, kind, 5, lens_make_light<lens_colored>(frame, src, dst))

BYTE_KERNELS(linear)
BYTE_KERNELS(surface)
