/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Places as whole numbers of steps, of which a pixel has 2^bits (params.h): one product and one sum
 * an axis give the pixel and what lies between, where floats take three more. A step is so small
 * that 2^22 of them reach over the picture; a place that is farther away stays outside. */
#pragma once

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

DEVICE lens_parts lens_parts_of(const lens_frame &frame, const lens_spot &spot)
{
    const int left_out = 32 - frame.fixed.bits;
    return {(uint32_t)spot.x << left_out, (uint32_t)spot.y << left_out};
}

/* Says whether the picture has all N x N pixels from x, y on. */
template <int N> DEVICE bool lens_has(const lens_frame &frame, int x, int y)
{
    return ((uint32_t)x < (uint32_t)max(frame.shape.width_px - (N - 1), 0)) &
           ((uint32_t)y < (uint32_t)max(frame.shape.height_px - (N - 1), 0));
}

/* Says whether it lies within the picture's edges. */
template <bool NEAREST> DEVICE bool lens_is_inside(const lens_frame &frame, const lens_spot &spot)
{
    const lens_fixed &fixed = frame.fixed;
    const uint32_t half = NEAREST ? 0u : fixed.half;
    return ((uint32_t)spot.x + half < fixed.width) & ((uint32_t)spot.y + half < fixed.height);
}

/* ---- Places of the shown picture ------------------------------------------------------------- */

/* The float whose last bit is 1 holds a whole number in its low bits. */
#define LENS_ONES 12582912.0f /* 1.5 * 2^23 */
#define LENS_ONES_BITS 0x4b400000

/* Returns the bits of LENS_ONES and a move in steps, of which a part comes as a factor. A step
 * before the move's end leaves the nearest pixel as it is, the nearest step does not. */
template <bool NEAREST> DEVICE uint32_t lens_move_bits(float move, float factor)
{
    return __float_as_uint(NEAREST ? __fmaf_rd(move, factor, LENS_ONES)
                                   : fmaf(move, factor, LENS_ONES));
}

/* A place that is shown. */
struct lens_shown {
    float x_px; /* from the first pixel's centre */
    float y_px;
    int32_t x; /* likewise in steps, less what the bits of a move have too much */
    int32_t y;
};

template <bool NEAREST> DEVICE lens_shown lens_shown_at(const lens_frame &frame, int x, int y)
{
    const uint32_t before = (NEAREST ? frame.fixed.half : 0u) - LENS_ONES_BITS;
    return {(float)x, (float)y, (int32_t)((uint32_t)(x << frame.fixed.bits) + before),
            (int32_t)((uint32_t)(y << frame.fixed.bits) + before)};
}

/* A place beside a pixel's centre, to the next step. */
DEVICE lens_shown lens_shown_beside(const lens_frame &frame, const lens_shown &pixel,
                                    float right_px, float down_px)
{
    const float steps = frame.fixed.steps_a_px;
    return {pixel.x_px + right_px, pixel.y_px + down_px,
            (int32_t)((uint32_t)pixel.x + lens_move_bits<false>(right_px, steps) - LENS_ONES_BITS),
            (int32_t)((uint32_t)pixel.y + lens_move_bits<false>(down_px, steps) - LENS_ONES_BITS)};
}

/* ---- Sources by the polynomial --------------------------------------------------------------- */

/* Most polynomials have no odd powers of r, and so take no root. */
DEVICE float lens_polynomial(const lens_fixed &fixed, int color, float square)
{
    const float *terms = fixed.terms + color * LENS_POWERS;
    if (fixed.is_even) {
        return fmaf(square, fmaf(square, terms[4], terms[2]), terms[0]);
    }
    const float r = ptx_sqrt(square);
    return fmaf(r, fmaf(r, fmaf(r, fmaf(r, terms[4], terms[3]), terms[2]), terms[1]), terms[0]);
}

struct lens_by_formula {
    static const int REGISTERS = 32; /* where pixels are as they are stored */
    static const int COLORED_REGISTERS = 40; /* and as light */

    /* The sources of a column of the picture from a place on. */
    template <bool NEAREST> struct column {
        const lens_frame &frame;
        lens_shown shown;
        float from_x_px; /* the centre */
        float from_y_px;
        float square_x; /* from_x_px^2 */

        MEMBER column(const lens_frame &frame, const lens_shown &shown)
            : frame(frame), shown(shown), from_x_px(shown.x_px + frame.fixed.first_x_px),
              from_y_px(shown.y_px + frame.fixed.first_y_px), square_x(from_x_px * from_x_px)
        {
        }
        MEMBER lens_spot at(int color, int32_t down) const
        {
            const float y_px = from_y_px + (float)down;
            const float steps = lens_polynomial(frame.fixed, color, fmaf(y_px, y_px, square_x));
            return {(int32_t)(lens_move_bits<NEAREST>(from_x_px, steps) + (uint32_t)shown.x),
                    (int32_t)(lens_move_bits<NEAREST>(y_px, steps) +
                              (uint32_t)(shown.y + (down << frame.fixed.bits)))};
        }
    };

    template <typename Make> DEVICE void make(const lens_frame &, const Make &make)
    {
        make(lens_by_formula());
    }
};
