/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pixels of an image as values that engines average, and back. */
#pragma once

#include "kernels/image/image.cuh"
#include "kernels/image/light.cuh"
#include "params.h"

/* Linear images whose pixels are read and written whole. */
template <typename Pixel> struct whole_image : linear_image<Pixel> {
    typedef typename Pixel::word word;

    __device__ word load(int x, int y) const
    {
        return *(const word *)this->at(x, y);
    }

    __device__ void store(int x, int y, word w) const
    {
        *(word *)this->at(x, y) = w;
    }
};

/* Calls work(image), which knows at compile time whether pixels are whole: for loops of many
 * pixels. */
template <typename Pixel, typename Work>
static __device__ void with_whole(const linear_image<Pixel> &image, Work work)
{
    if (linear_image<Pixel>::has_whole && image.view.whole_pixels) {
        work(whole_image<Pixel>{image});
    } else {
        work(image);
    }
}

template <typename Pixel, typename Work>
static __device__ void with_whole(const surface_image<Pixel> &image, Work work)
{
    work(image);
}

/* Float formats are stored values. */
template <typename Pixel> static __device__ bool has_light(const blur_image_frame &frame)
{
    return Pixel::white > 0 && frame.light != IMAGE_LIGHT_STORED;
}

/* These two are functions of their own, as a kernel has many places that call them. */
template <typename Pixel>
static __device__ __noinline__ float4 levels_in_light(float4 v, const frame_light light)
{
    return light.kind == IMAGE_LIGHT_SRGB ? levels_to_light<Pixel>(v)
                                          : levels_to_light<Pixel>(v, light);
}

/* Transforms leave a little less or more than nothing where nothing is left; light has no root of
 * that. */
template <typename Pixel>
static __device__ __noinline__ float4 light_in_levels(float4 v, const frame_light light)
{
    v = make_float4(fmaxf(v.x, 0.0f), fmaxf(v.y, 0.0f), fmaxf(v.z, 0.0f), v.w);
    return light.kind == IMAGE_LIGHT_SRGB ? light_to_levels<Pixel>(v)
                                          : light_to_levels<Pixel>(v, light);
}

static __device__ frame_light light_of(const blur_image_frame &frame)
{
    return frame_light(frame.light, frame.light_value, (const float *)frame.light_samples);
}

template <typename Pixel>
static __device__ float4 value_of(const blur_image_frame &frame, typename Pixel::word word)
{
    const float4 value = Pixel::decode(word);
    return has_light<Pixel>(frame) ? levels_in_light<Pixel>(value, light_of(frame)) : value;
}

/* source: the pixel's own word, whose alpha stays where it is not averaged */
template <typename Pixel>
static __device__ typename Pixel::word word_of(const blur_image_frame &frame, float4 value,
                                               typename Pixel::word source)
{
    const typename Pixel::word word = Pixel::encode(
        has_light<Pixel>(frame) ? light_in_levels<Pixel>(value, light_of(frame)) : value);
    return Pixel::channels == 4 && !frame.averages_alpha ? Pixel::keep_alpha(word, source) : word;
}
