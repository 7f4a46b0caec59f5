/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This header finds the source of a pixel, and the blank pixel that stands where it lies outside.
 */
#ifndef FOVEA_KERNELS_LENS_CUDA_PLACE_CUH
#define FOVEA_KERNELS_LENS_CUDA_PLACE_CUH

#include "kernels/cuda/ptx.cuh"
#include "kernels/image/pixel.cuh"
#include "kernels/lens/place.h"

/* A pixel that is shown, and how far it lies from the centre. */
struct lens_shown {
    float x_px;
    float y_px;
    float from_x_px;
    float from_y_px;
    float r;
};

static __device__ __forceinline__ lens_shown lens_shown_at(const lens_shape &shape, float x_px,
                                                           float y_px)
{
    const float from_x_px = x_px + (0.5f - shape.center_x_px);
    const float from_y_px = y_px + (0.5f - shape.center_y_px);
    const float r_x = from_x_px * shape.per_px;
    const float r_y = from_y_px * shape.per_px;
    return {x_px, y_px, from_x_px, from_y_px, ptx_sqrt(fmaf(r_y, r_y, r_x * r_x))};
}

/* The source's coordinates, of which whole numbers are centres of pixels. A float holds them to
 * 2^-12 px below 8192, far within the bound. */
static __device__ __forceinline__ float2 lens_source_of(const lens_shape &shape, int color,
                                                        const lens_shown &shown)
{
    const float *terms = shape.terms + color * LENS_POWERS;
    const float r = shown.r;
    const float factor =
        fmaf(r, fmaf(r, fmaf(r, fmaf(r, terms[4], terms[3]), terms[2]), terms[1]), terms[0]);
    return make_float2(fmaf(shown.from_x_px, factor, shown.x_px),
                       fmaf(shown.from_y_px, factor, shown.y_px));
}

/* The whole part is taken by adding a number whose last digit is 1, since a multiprocessor does an
 * eighth as many conversions. What lies beyond 2^22 px gets an `at` outside every picture. */
static __device__ __forceinline__ void lens_split(float source_px, int32_t &at, float &part)
{
    const float ONES = 12582912.0f; /* 1.5 * 2^23 */
    const float whole = __fadd_rd(source_px, ONES);
    at = __float_as_int(whole) - __float_as_int(ONES);
    part = source_px - (whole - ONES);
}

static __device__ __forceinline__ lens_place lens_place_of_source(float2 source_px)
{
    lens_place place;
    lens_split(source_px.x, place.at_x, place.part_x);
    lens_split(source_px.y, place.at_y, place.part_y);
    return place;
}

static __device__ __forceinline__ lens_place lens_place_at(const lens_shape &shape, int color,
                                                           const lens_shown &shown)
{
    const float2 source_px = lens_source_of(shape, color, shown);
    return lens_place_of_source(make_float2(lens_within(source_px.x), lens_within(source_px.y)));
}

template <typename Pixel> static __device__ __forceinline__ float lens_opaque()
{
    return Pixel::alpha_white > 0 ? (float)Pixel::alpha_white : 1.0f;
}

template <typename Pixel>
static __device__ typename Pixel::word lens_blank_of(const lens_shape &shape)
{
    return Pixel::encode(
        make_float4(shape.blank[0], shape.blank[1], shape.blank[2], lens_opaque<Pixel>()));
}

#endif
