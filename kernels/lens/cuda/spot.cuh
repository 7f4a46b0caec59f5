/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Places as whole numbers of steps, of which a pixel has 2^bits (params.h): one product and one sum
 * an axis give the pixel and what lies between, where floats take three more. A step is so small
 * that 2^22 of them reach over the picture; a place that is farther away stays outside. */
#ifndef FOVEA_KERNELS_LENS_CUDA_SPOT_CUH
#define FOVEA_KERNELS_LENS_CUDA_SPOT_CUH

#include "kernels/cuda/ptx.cuh"
#include "params.h"

/* It counts from the centre of the picture's first pixel; NEAREST ones count from its corner, so
 * that their whole pixels are the nearest ones. */
struct lens_spot {
    int32_t x;
    int32_t y;
};

/* It says in 1 / 2^32 px how far a place lies behind the centre of the pixel before it. */
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

/* Returns the steps to pixel `at` on an axis, less what the bits of a way in steps have too much.
 */
template <bool NEAREST>
static __device__ __forceinline__ int32_t lens_steps_before(const lens_fixed &fixed, int32_t at)
{
    return (int32_t)((uint32_t)(at << fixed.bits) + (NEAREST ? fixed.half : 0u) - LENS_ONES_BITS);
}

/* A thread's column of the picture, and its first row. */
struct lens_column {
    float from_x_px; /* the centre */
    float from_y_px;
    float square_x; /* from_x_px^2 */
    int32_t x; /* lens_steps_before */
    int32_t y;
};

template <bool NEAREST>
static __device__ __forceinline__ lens_column lens_column_at(const lens_frame &frame, int32_t x,
                                                             int32_t y)
{
    const float from_x_px = (float)x + frame.fixed.first_x_px;
    return {from_x_px, (float)y + frame.fixed.first_y_px, from_x_px * from_x_px,
            lens_steps_before<NEAREST>(frame.fixed, x), lens_steps_before<NEAREST>(frame.fixed, y)};
}

/* EVEN: without odd powers of r, so that it takes no root. */
template <bool EVEN>
static __device__ __forceinline__ float lens_polynomial(const float *terms, float square)
{
    if (EVEN) {
        return fmaf(square, fmaf(square, terms[4], terms[2]), terms[0]);
    }
    const float r = ptx_sqrt(square);
    return fmaf(r, fmaf(r, fmaf(r, fmaf(r, terms[4], terms[3]), terms[2]), terms[1]), terms[0]);
}

/* Returns the bits of LENS_ONES and a way in steps. A step before the way's end leaves the nearest
 * pixel as it is, the nearest step does not. */
template <bool NEAREST>
static __device__ __forceinline__ uint32_t lens_way_bits(float from_px, float steps)
{
    return __float_as_uint(NEAREST ? __fmaf_rd(from_px, steps, LENS_ONES)
                                   : fmaf(from_px, steps, LENS_ONES));
}

/* Returns the source of the pixel `down` rows below the column's first. */
template <bool EVEN, bool NEAREST>
static __device__ __forceinline__ lens_spot lens_spot_at(const lens_frame &frame, int color,
                                                         const lens_column &column, int32_t down)
{
    const float from_y_px = column.from_y_px + (float)down;
    const float steps = lens_polynomial<EVEN>(frame.fixed.terms + color * LENS_POWERS,
                                              fmaf(from_y_px, from_y_px, column.square_x));
    const uint32_t way_x = lens_way_bits<NEAREST>(column.from_x_px, steps);
    const uint32_t way_y = lens_way_bits<NEAREST>(from_y_px, steps);
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

/* Says the same of a NEAREST one. */
static __device__ __forceinline__ bool lens_has_nearest(const lens_frame &frame,
                                                        const lens_spot &spot)
{
    return ((uint32_t)spot.x < frame.fixed.width) & ((uint32_t)spot.y < frame.fixed.height);
}

/* ---- Where the places of a thread's pixels come from ----------------------------------------- */

/* Finds a thread's pixels, STEP rows apart, in its column, which has one place a colour for each
 * row. Says whether the picture has all that they take. */
template <int STEP, typename Column, typename Pixel>
static __device__ __forceinline__ bool lens_find(const lens_frame &frame, const Column &column,
                                                 Pixel (&pixels)[LENS_BYTE_ROWS])
{
    bool all = true;
#pragma unroll
    for (int i = 0; i < LENS_BYTE_ROWS; i++) {
        pixels[i].find(column, i * STEP);
        all = all & pixels[i].has_sources(frame);
    }
    return all;
}

template <bool SIMPLE, bool NEAREST> struct lens_formula_column {
    const lens_frame &frame;
    lens_column own;

    __device__ __forceinline__ lens_spot at(int color, int32_t down) const
    {
        return lens_spot_at<SIMPLE, NEAREST>(frame, color, own, down);
    }
};

/* The polynomial. SIMPLE: as most are, with even powers of r alone, and of settings that do not
 * interpolate alpha. */
template <bool SIMPLE> struct lens_formula_spots {
    static __device__ __forceinline__ bool averages_alpha(const lens_frame &frame)
    {
        return !SIMPLE && frame.averages_alpha;
    }

    template <int STEP, typename Pixel>
    static __device__ __forceinline__ bool find(const lens_frame &frame, int x, int first,
                                                Pixel (&pixels)[LENS_BYTE_ROWS])
    {
        return lens_find<STEP>(frame,
                               lens_formula_column<SIMPLE, Pixel::NEAREST>{
                                   frame, lens_column_at<Pixel::NEAREST>(frame, x, first)},
                               pixels);
    }
};

#endif
