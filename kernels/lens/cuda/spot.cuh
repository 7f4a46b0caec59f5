/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Places as whole numbers of steps, of which a pixel has 2^bits (params.h): one product and one sum
 * an axis give the pixel and what lies between, where floats take three more. A step is so small
 * that 2^22 of them reach over the picture; a place that is farther away stays outside. */
#ifndef FOVEA_KERNELS_LENS_CUDA_SPOT_CUH
#define FOVEA_KERNELS_LENS_CUDA_SPOT_CUH

#include "kernels/cuda/ptx.cuh"
#include "params.h"

/* From the centre of the picture's first pixel. */
struct lens_spot {
    int32_t x;
    int32_t y;
};

/* What lies between pixel and pixel, in 1 / 2^32 px. */
struct lens_parts {
    uint32_t x;
    uint32_t y;

    __device__ bool right() const
    {
        return (int32_t)x < 0;
    }
    __device__ bool below() const
    {
        return (int32_t)y < 0;
    }
};

/* The float whose last bit is 1 holds a whole number in its low bits. */
#define LENS_ONES 12582912.0f /* 1.5 * 2^23 */
#define LENS_ONES_BITS 0x4b400000

/* A thread's column of the picture, and its first row. */
struct lens_column {
    float from_x_px; /* the centre */
    float from_y_px;
    float square_x; /* from_x_px^2 */
    int32_t x; /* in steps, less LENS_ONES_BITS */
    int32_t y;
};

static __device__ __forceinline__ lens_column lens_column_at(const lens_frame &frame, int32_t x,
                                                             int32_t y)
{
    const float from_x_px = (float)x + frame.fixed.first_x_px;
    return {from_x_px, (float)y + frame.fixed.first_y_px, from_x_px * from_x_px,
            (int32_t)((uint32_t)(x << frame.fixed.bits) - LENS_ONES_BITS),
            (int32_t)((uint32_t)(y << frame.fixed.bits) - LENS_ONES_BITS)};
}

/* EVEN: without odd powers of r, so that it takes no root. */
template <bool EVEN>
static __device__ __forceinline__ float lens_steps_a_px(const lens_fixed &fixed, int color,
                                                        float square)
{
    const float *terms = fixed.terms + color * LENS_POWERS;
    if (EVEN) {
        return fmaf(square, fmaf(square, terms[4], terms[2]), terms[0]);
    }
    const float r = ptx_sqrt(square);
    return fmaf(r, fmaf(r, fmaf(r, fmaf(r, terms[4], terms[3]), terms[2]), terms[1]), terms[0]);
}

/* Of the pixel `down` rows below the column's first. */
template <bool EVEN>
static __device__ __forceinline__ lens_spot lens_spot_at(const lens_frame &frame, int color,
                                                         const lens_column &column, int32_t down)
{
    const float from_y_px = column.from_y_px + (float)down;
    const float steps =
        lens_steps_a_px<EVEN>(frame.fixed, color, fmaf(from_y_px, from_y_px, column.square_x));
    const uint32_t way_x = __float_as_uint(fmaf(column.from_x_px, steps, LENS_ONES));
    const uint32_t way_y = __float_as_uint(fmaf(from_y_px, steps, LENS_ONES));
    return {(int32_t)(way_x + (uint32_t)column.x),
            (int32_t)(way_y + (uint32_t)(column.y + (down << frame.fixed.bits)))};
}

static __device__ __forceinline__ lens_parts lens_parts_of(const lens_frame &frame,
                                                           const lens_spot &spot)
{
    const int left_out = 32 - frame.fixed.bits;
    return {(uint32_t)spot.x << left_out, (uint32_t)spot.y << left_out};
}

/* Says whether the picture has all four pixels around it. */
static __device__ __forceinline__ bool lens_has_four(const lens_frame &frame, const lens_spot &spot)
{
    return ((uint32_t)spot.x < frame.fixed.last_x) & ((uint32_t)spot.y < frame.fixed.last_y);
}

/* Says whether it lies within the picture's edges. */
static __device__ __forceinline__ bool lens_is_inside(const lens_frame &frame,
                                                      const lens_spot &spot)
{
    const lens_fixed &fixed = frame.fixed;
    return (uint32_t)spot.x + fixed.half < fixed.width &&
           (uint32_t)spot.y + fixed.half < fixed.height;
}

#endif
