/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This header finds the source of a pixel, and the blank pixel of those that have none. */
#ifndef FOVEA_KERNELS_LENS_CUDA_PLACE_CUH
#define FOVEA_KERNELS_LENS_CUDA_PLACE_CUH

#include "kernels/cuda/ptx.cuh"
#include "kernels/image/pixel.cuh"
#include "kernels/lens/place.h"

/* A pixel that is shown, and how far it lies from the centre. */
struct lens_shown {
    int32_t x;
    int32_t y;
    float from_x_px;
    float from_y_px;
    float r;
    struct lens_offset offset; /* of the place in the pixel */
};

static __device__ __forceinline__ lens_shown lens_shown_at(const lens_shape &shape, int32_t x,
                                                           int32_t y, lens_offset offset)
{
    const float from_x_px = (float)x + 0.5f - shape.center_x_px + offset.x_px;
    const float from_y_px = (float)y + 0.5f - shape.center_y_px + offset.y_px;
    const float r_x = from_x_px * shape.per_px;
    const float r_y = from_y_px * shape.per_px;
    return {x, y, from_x_px, from_y_px, ptx_sqrt(fmaf(r_y, r_y, r_x * r_x)), offset};
}

/* The whole part is taken by adding a number whose last digit is 1, since a multiprocessor does an
 * eighth as many conversions. A way beyond 2^22 px gets an `at` outside every picture. */
static __device__ __forceinline__ void lens_split(float way_px, int32_t from, int32_t &at,
                                                  float &part)
{
    const float ONES = 12582912.0f; /* 1.5 * 2^23 */
    const float whole = __fadd_rd(way_px, ONES);
    at = (int32_t)((uint32_t)from + (__float_as_uint(whole) - __float_as_uint(ONES)));
    part = way_px - (whole - ONES);
}

/* Does what place.h's lens_place_beside does, by the fast root. */
static __device__ __forceinline__ lens_place lens_place_at(const lens_shape &shape, int color,
                                                           const lens_shown &shown)
{
    const float *terms = shape.terms + color * LENS_POWERS;
    const float r = shown.r;
    const float factor =
        fmaf(r, fmaf(r, fmaf(r, fmaf(r, terms[4], terms[3]), terms[2]), terms[1]), terms[0]);
    lens_place place;
    lens_split(fmaf(shown.from_x_px, factor, shown.offset.x_px), shown.x, place.at_x, place.part_x);
    lens_split(fmaf(shown.from_y_px, factor, shown.offset.y_px), shown.y, place.at_y, place.part_y);
    return place;
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
