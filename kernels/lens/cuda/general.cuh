/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pixels of any format, light and filter, whose places come from a type: lens_formula_places below,
 * or grid.cuh's lens_grid_places. A thread makes LENS_ROWS pixels, one below the other. */
#ifndef FOVEA_KERNELS_LENS_CUDA_GENERAL_CUH
#define FOVEA_KERNELS_LENS_CUDA_GENERAL_CUH

#include "images.cuh"
#include "kernels/image/light.cuh"
#include "kernels/lens/blank.h"
#include "place.cuh"

/* Places by the polynomial. */
struct lens_formula_places {
    typedef lens_shown shown; /* what the colours of a pixel share */

    static __device__ __forceinline__ lens_shown shown_at(const lens_frame &frame, int x, int y,
                                                          lens_offset offset)
    {
        return lens_shown_at(frame.shape, x, y, offset);
    }
    static __device__ __forceinline__ lens_place at(const lens_frame &frame, int color,
                                                    const lens_shown &shown)
    {
        return lens_place_at(frame.shape, color, shown);
    }
};

/* ---- Pixels between others */

static __device__ __forceinline__ int lens_inside(int at, int count)
{
    return min(max(at, 0), count - 1);
}

static __device__ __forceinline__ frame_light lens_light_of(const lens_frame &frame)
{
    return frame_light(frame.light, frame.light_value, (const float *)frame.samples);
}

template <typename Pixel>
static __device__ __forceinline__ bool lens_is_light(const frame_light &light)
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

/* A spline undershoots, but no light is negative. */
template <typename Pixel, int FILTER, typename Places, typename Image>
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
            place = Places::at(frame, of.color,
                               Places::shown_at(frame, of.x, of.y, lens_offset_of(across, i)));
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
    return sum;
}

/* ---- Pixels of any format */

static __device__ __forceinline__ float lens_blank_or(bool blank, const lens_shape &shape,
                                                      int color, float value)
{
    return blank ? shape.blank[color] : value;
}

/* Reads the pixel at the place of a colour that has one of its own. */
template <typename Pixel, int FILTER, typename Places, typename Image>
static __device__ float4 lens_value_of_color(const lens_frame &frame, const frame_light &light,
                                             const Image &src, int color,
                                             const typename Places::shown &shown, bool &blank)
{
    const lens_place place = Places::at(frame, color, shown);
    blank = lens_is_outside(&frame.shape, &place);
    return blank ? make_float4(0.0f, 0.0f, 0.0f, 0.0f)
                 : lens_mean<Pixel, FILTER, Places>(frame, light, src,
                                                    {shown.x, shown.y, color, place});
}

/* kept: the pixel whose alpha is kept where alpha is not interpolated. */
template <typename Pixel, int FILTER, typename Places, typename Image>
static __device__ typename Pixel::word lens_warp(const lens_frame &frame, const frame_light &light,
                                                 const Image &src, const lens_place &axis,
                                                 const typename Places::shown &shown,
                                                 typename Pixel::word kept)
{
    const lens_shape &shape = frame.shape;
    const bool outside = lens_is_outside(&shape, &axis);
    bool blank[LENS_COLORS] = {outside, outside, outside};
    float4 v = outside ? make_float4(0.0f, 0.0f, 0.0f, 0.0f)
                       : lens_mean<Pixel, FILTER, Places>(frame, light, src,
                                                          {shown.x, shown.y, LENS_AXIS, axis});
    if (Pixel::channels > 1 && frame.colored) {
        v.x = lens_value_of_color<Pixel, FILTER, Places>(frame, light, src, 0, shown, blank[0]).x;
        v.z = lens_value_of_color<Pixel, FILTER, Places>(frame, light, src, 2, shown, blank[2]).z;
    }
    if (lens_is_light<Pixel>(light)) {
        v = light_to_levels<Pixel>(v, light);
    }
    const typename Pixel::word color = Pixel::encode(
        make_float4(lens_blank_or(blank[0], shape, 0, v.x), lens_blank_or(blank[1], shape, 1, v.y),
                    lens_blank_or(blank[2], shape, 2, v.z), outside ? lens_opaque<Pixel>() : v.w));
    return frame.averages_alpha ? color : Pixel::keep_alpha(color, kept);
}

/* A block is a tile. */
static __device__ __forceinline__ bool lens_block_is_blank(const lens_frame &frame)
{
    static_assert(LENS_SIDE_X == LENS_TILE_PX && LENS_SIDE_Y * LENS_ROWS == LENS_TILE_PX,
                  "of the same size");
    const uint32_t *words = (const uint32_t *)frame.blank_words;
    return words &&
           lens_tile_is_blank(words, lens_tiles(frame.shape.width_px), blockIdx.x, blockIdx.y);
}

template <typename Pixel, int FILTER, typename Places, typename Image>
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
    const bool blank = lens_block_is_blank(frame);
#pragma unroll 1
    for (int i = 0; i < LENS_ROWS; i++) {
        const int y = first + i * LENS_SIDE_Y;
        if (y >= shape.height_px) {
            return;
        }
        if (blank) {
            dst.store(x, y, lens_blank_of<Pixel>(shape));
            continue;
        }
        const typename Places::shown shown = Places::shown_at(frame, x, y, {0.0f, 0.0f});
        const lens_place axis = Places::at(frame, LENS_AXIS, shown);
        typename Pixel::word word = lens_blank_of<Pixel>(shape);
        if (!lens_is_outside(&shape, &axis)) {
            word = src.load(lens_nearest(axis.at_x, axis.part_x),
                            lens_nearest(axis.at_y, axis.part_y));
        }
        if (FILTER != LENS_NEAREST || (Pixel::channels > 1 && frame.colored)) {
            word = lens_warp<Pixel, FILTER, Places>(frame, light, src, axis, shown, word);
        }
        dst.store(x, y, word);
    }
}

#endif
