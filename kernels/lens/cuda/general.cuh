/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pixels of any format, light and filter, from places by the polynomial or by a grid. A thread
 * makes LENS_ROWS pixels, one below the other. */
#pragma once

#include "images.cuh"
#include "kernels/image/light.cuh"
#include "kernels/lens/place.h"

DEVICE lens_place lens_source(const lens_frame &frame, int color, int x, int y, lens_offset offset)
{
    return lens_source_beside(&frame.shape, (const float *)frame.moves, color, x, y, offset);
}

template <typename Pixel> DEVICE float lens_opaque()
{
    return Pixel::alpha_white > 0 ? (float)Pixel::alpha_white : 1.0f;
}

template <typename Pixel>
static __device__ typename Pixel::word lens_blank_of(const lens_shape &shape)
{
    return Pixel::encode(
        make_float4(shape.blank[0], shape.blank[1], shape.blank[2], lens_opaque<Pixel>()));
}

/* ---- Pixels between others */

DEVICE int lens_inside(int at, int count)
{
    return min(max(at, 0), count - 1);
}

DEVICE frame_light lens_light_of(const lens_frame &frame)
{
    return frame_light(frame.light, frame.light_value, (const float *)frame.samples);
}

template <typename Pixel> DEVICE bool lens_is_light(const frame_light &light)
{
    return Pixel::white > 0 && light.kind != IMAGE_LIGHT_STORED;
}

/* Beyond the picture's edges is its outermost pixel. */
template <typename Pixel, typename Image>
static __device__ float4 lens_value_at(const lens_shape &shape, const frame_light &light,
                                       const Image &src, int x, int y)
{
    const float4 v =
        Pixel::decode(src.load(lens_inside(x, shape.width_px), lens_inside(y, shape.height_px)));
    return lens_is_light<Pixel>(light) ? levels_to_light<Pixel>(v, light) : v;
}

template <typename Pixel, int FILTER, typename Image>
static __device__ float4 lens_interpolate(const lens_shape &shape, const frame_light &light,
                                          const Image &src, const lens_place &place)
{
    if (FILTER == LENS_NEAREST) {
        return lens_value_at<Pixel>(shape, light, src, lens_nearest(place.at_x, place.part_x),
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
            const float4 v = lens_value_at<Pixel>(shape, light, src, place.at_x - before + i,
                                                  place.at_y - before + j);
            sum.x += weight * v.x;
            sum.y += weight * v.y;
            sum.z += weight * v.z;
            sum.w += weight * v.w;
        }
    }
    return sum;
}

/* A pixel is the mean of places of one colour, of which the centre is known. */
struct lens_pixel_places {
    int x;
    int y;
    int color;
    lens_place centre;
};

/* A spline overshoots, but no light is negative, and floats that were levels are none beyond white.
 */
template <typename Pixel, int FILTER, typename Image>
static __device__ float4 lens_mean(const lens_frame &frame, const frame_light &light,
                                   const Image &src, const lens_pixel_places &of)
{
    const int across = FILTER == LENS_NEAREST ? 1 : frame.samples_across;
    const float share = 1.0f / (float)(across * across);
    lens_place place = of.centre;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 1
    for (int i = 0; i < across * across; i++) {
        if (across > 1) {
            place = lens_source(frame, of.color, of.x, of.y, lens_offset_of(across, i));
        }
        const float4 v = lens_interpolate<Pixel, FILTER>(frame.shape, light, src, place);
        sum.x += share * v.x;
        sum.y += share * v.y;
        sum.z += share * v.z;
        sum.w += share * v.w;
    }
    if (FILTER != LENS_NEAREST && lens_is_light<Pixel>(light)) {
        sum = make_float4(fmaxf(sum.x, 0.0f), fmaxf(sum.y, 0.0f), fmaxf(sum.z, 0.0f),
                          fmaxf(sum.w, 0.0f));
    }
    if (FILTER == LENS_BICUBIC && Pixel::white == 0 && frame.most > 0.0f) {
        sum = make_float4(fminf(fmaxf(sum.x, 0.0f), frame.most),
                          fminf(fmaxf(sum.y, 0.0f), frame.most),
                          fminf(fmaxf(sum.z, 0.0f), frame.most), fminf(fmaxf(sum.w, 0.0f), 1.0f));
    }
    return sum;
}

/* ---- Pixels of any format */

/* This is worked out of a pixel, with bits of its channels that have no source. */
struct lens_worked {
    float4 value;
    uint32_t blank;
};

/* All comes from the axis's place first, and then red and blue from theirs, where these lie apart.
 */
template <typename Pixel, int FILTER, typename Image>
static __device__ lens_worked lens_work_out(const lens_frame &frame, const frame_light &light,
                                            const Image &src, lens_pixel_places of)
{
    const int count = Pixel::channels > 1 && frame.colored ? LENS_COLORS : 1;
    lens_worked worked = {};
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        if (i > 0) {
            of.color = i == 1 ? 0 : LENS_COLORS - 1;
            of.centre = lens_source(frame, of.color, of.x, of.y, {0.0f, 0.0f});
        }
        float4 mean = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        const bool outside = lens_is_outside(&frame.shape, &of.centre);
        if (!outside) {
            mean = lens_mean<Pixel, FILTER>(frame, light, src, of);
        }
        const uint32_t channels = i == 0 ? 0xfu : 1u << of.color;
        worked.blank = (worked.blank & ~channels) | (outside ? channels : 0u);
        worked.value =
            make_float4(i < 2 ? mean.x : worked.value.x, i == 0 ? mean.y : worked.value.y,
                        i != 1 ? mean.z : worked.value.z, i == 0 ? mean.w : worked.value.w);
    }
    return worked;
}

/* kept: the pixel whose alpha is kept where alpha is not interpolated. */
template <typename Pixel, int FILTER, typename Image>
static __device__ typename Pixel::word lens_warp(const lens_frame &frame, const frame_light &light,
                                                 const Image &src, const lens_pixel_places &axis,
                                                 typename Pixel::word kept)
{
    const float *none = frame.shape.blank;
    const lens_worked worked = lens_work_out<Pixel, FILTER>(frame, light, src, axis);
    const uint32_t blank = worked.blank;
    const float4 v =
        lens_is_light<Pixel>(light) ? light_to_levels<Pixel>(worked.value, light) : worked.value;
    const typename Pixel::word color = Pixel::encode(
        make_float4(blank & 1u ? none[0] : v.x, blank & 2u ? none[1] : v.y,
                    blank & 4u ? none[2] : v.z, blank & 8u ? lens_opaque<Pixel>() : v.w));
    return frame.averages_alpha ? color : Pixel::keep_alpha(color, kept);
}

template <typename Pixel, int FILTER, typename Image>
static __device__ void lens_make_picture(const lens_frame &frame, const Image &src,
                                         const Image &dst)
{
    const lens_shape &shape = frame.shape;
    const frame_light light = lens_light_of(frame);
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
        const lens_place axis = lens_source(frame, LENS_AXIS, x, y, {0.0f, 0.0f});
        typename Pixel::word word = lens_blank_of<Pixel>(shape);
        if (!lens_is_outside(&shape, &axis)) {
            word = src.load(lens_nearest(axis.at_x, axis.part_x),
                            lens_nearest(axis.at_y, axis.part_y));
        }
        if (FILTER != LENS_NEAREST || (Pixel::channels > 1 && frame.colored)) {
            word = lens_warp<Pixel, FILTER>(frame, light, src, {x, y, LENS_AXIS, axis}, word);
        }
        dst.store(x, y, word);
    }
}
