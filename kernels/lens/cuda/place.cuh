/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Where a pixel comes from, and what it is where that lies outside. */
#ifndef FOVEA_KERNELS_LENS_CUDA_PLACE_CUH
#define FOVEA_KERNELS_LENS_CUDA_PLACE_CUH

#include "kernels/cuda/ptx.cuh"
#include "kernels/image/pixel.cuh"
#include "kernels/lens/place.h"

/* place.h's lens_place_of with the fast root, and without conversions, of which a multiprocessor
 * does an eighth as many: a number is rounded where it is added to one whose last digit is 1. A
 * part may thus be 1. */
static __device__ __forceinline__ void lens_split(float way, int32_t at_px, int32_t &at,
                                                  float &part)
{
    const float ONES = 12582912.0f; /* 1.5 * 2^23 */
    const float rounded = (way - 0.5f) + ONES;
    at = at_px + (__float_as_int(rounded) - __float_as_int(ONES));
    part = way - (rounded - ONES);
}

static __device__ __forceinline__ lens_place lens_place_at(const lens_shape &shape, int color,
                                                           int x, int y)
{
    const float *terms = shape.terms + color * LENS_POWERS;
    const float from_x = (float)x + 0.5f - shape.center_x_px;
    const float from_y = (float)y + 0.5f - shape.center_y_px;
    const float r_x = from_x * shape.per_px;
    const float r_y = from_y * shape.per_px;
    const float r = ptx_sqrt(r_x * r_x + r_y * r_y);
    const float factor = terms[0] + r * (terms[1] + r * (terms[2] + r * (terms[3] + r * terms[4])));
    lens_place place;
    lens_split(lens_within(from_x * factor), x, place.at_x, place.part_x);
    lens_split(lens_within(from_y * factor), y, place.at_y, place.part_y);
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
