/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Places from a grid of points: those of a block lie in a few lines of the cache. */
#ifndef FOVEA_KERNELS_LENS_CUDA_GRID_CUH
#define FOVEA_KERNELS_LENS_CUDA_GRID_CUH

#include "kernels/lens/place.h"
#include "params.h"
#include "pixels.cuh"

/* ---- As floats, for every format ------------------------------------------------------------- */

struct lens_grid_places {
    struct shown {
        int32_t x;
        int32_t y;
        lens_offset offset;
    };

    static __device__ __forceinline__ shown shown_at(const lens_frame &, int x, int y,
                                                     lens_offset offset)
    {
        return {x, y, offset};
    }
    static __device__ __forceinline__ lens_place at(const lens_frame &frame, int color,
                                                    const shown &shown)
    {
        return lens_grid_place_beside(&frame.shape, (const float *)frame.ways, color, shown.x,
                                      shown.y, shown.offset);
    }
};

/* ---- In steps, for RGBA8 --------------------------------------------------------------------- */

/* The points that a pixel lies among, along an axis, and their weights. */
template <int COUNT> struct lens_points_near {
    int32_t from;
    float weights[COUNT];
};

/* Does what place.h's lens_between_of does, without conversions (place.cuh's lens_split). */
static __device__ __forceinline__ lens_points_near<2> lens_near(const lens_grid &grid, float at_px,
                                                                float per_px, int32_t points,
                                                                lens_points_near<2>)
{
    const float at = fmaf(at_px, per_px, -grid.start);
    const float before =
        fminf(fmaxf(__fadd_rd(at, LENS_ONES), LENS_ONES), LENS_ONES + (float)(points - 2));
    const float part = at - (before - LENS_ONES);
    return {(int32_t)(__float_as_uint(before) - LENS_ONES_BITS), {1.0f - part, part}};
}

static __device__ __forceinline__ lens_points_near<3> lens_near(const lens_grid &grid, float at_px,
                                                                float per_px, int32_t points,
                                                                lens_points_near<3>)
{
    const float at = fmaf(at_px, per_px, -grid.start);
    const float middle = fminf(fmaxf(__fadd_rd(at + 0.5f, LENS_ONES), LENS_ONES + 1.0f),
                               LENS_ONES + (float)(points - 2));
    const float t = at - (middle - LENS_ONES);
    return {(int32_t)(__float_as_uint(middle) - LENS_ONES_BITS) - 1,
            {0.5f * t * (t - 1.0f), fmaf(-t, t, 1.0f), 0.5f * t * (t + 1.0f)}};
}

/* Works out the way among points whose uppermost left one is the first, in rows of so many. */
template <int COUNT>
static __device__ __forceinline__ float2 lens_way_among(const float2 *first, int32_t columns,
                                                        const float (&across)[COUNT],
                                                        const float (&down)[COUNT])
{
    float2 ways[COUNT][COUNT];
#pragma unroll
    for (int i = 0; i < COUNT * COUNT; i++) {
        ways[i / COUNT][i % COUNT] = __ldg(first + i / COUNT * columns + i % COUNT);
    }
    float2 way = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int j = 0; j < COUNT; j++) {
        float2 row = make_float2(0.0f, 0.0f);
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            row.x += across[i] * ways[j][i].x;
            row.y += across[i] * ways[j][i].y;
        }
        way.x += down[j] * row.x;
        way.y += down[j] * row.y;
    }
    return way;
}

/* Adds a way in steps to what lies before it (spot.cuh's lens_steps_before). */
template <bool NEAREST>
static __device__ __forceinline__ int32_t lens_steps_after(float way, int32_t before)
{
    const float whole = NEAREST ? __fadd_rd(way, LENS_ONES) : way + LENS_ONES;
    return (int32_t)(__float_as_uint(whole) + (uint32_t)before);
}

/* A thread's column of the picture, whose points across are the same in all its rows. COUNT: 2
 * points an axis, or 3 where the grid is quadratic. */
template <int COUNT, bool NEAREST> struct lens_grid_column {
    const lens_frame &frame;
    lens_points_near<COUNT> across; /* weights times 2^bits */
    float at_y_px; /* the first row's centre */
    int32_t x; /* lens_steps_before */
    int32_t y;

    __device__ __forceinline__ lens_grid_column(const lens_frame &frame, int x_px, int y_px)
        : frame(frame), at_y_px((float)y_px + 0.5f),
          x(lens_steps_before<NEAREST>(frame.fixed, x_px)),
          y(lens_steps_before<NEAREST>(frame.fixed, y_px))
    {
        const lens_grid &grid = frame.shape.grid;
        across = lens_near(grid, (float)x_px + 0.5f, grid.per_px_x, grid.columns,
                           lens_points_near<COUNT>());
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            across.weights[i] *= frame.fixed.steps_a_px;
        }
    }

    __device__ __forceinline__ lens_spot at(int color, int32_t down) const
    {
        const lens_grid &grid = frame.shape.grid;
        const lens_points_near<COUNT> along = lens_near(grid, at_y_px + (float)down, grid.per_px_y,
                                                        grid.rows, lens_points_near<COUNT>());
        const float2 *first = (const float2 *)frame.ways +
                              (grid.first[color] + along.from * grid.columns + across.from);
        const float2 way = lens_way_among(first, grid.columns, across.weights, along.weights);
        return {lens_steps_after<NEAREST>(way.x, x),
                lens_steps_after<NEAREST>(way.y, y + (down << frame.fixed.bits))};
    }
};

/* It takes a dense map's places, one a pixel, as they are. */
template <bool NEAREST> struct lens_dense_column {
    const lens_frame &frame;
    int32_t x_px;
    int32_t y_px;

    __device__ __forceinline__ lens_spot at(int color, int32_t down) const
    {
        const lens_grid &grid = frame.shape.grid;
        const int32_t row = min(y_px + down, grid.rows - 1);
        const float2 way =
            __ldg((const float2 *)frame.ways + (grid.first[color] + row * grid.columns + x_px));
        const float steps = frame.fixed.steps_a_px;
        return {
            lens_steps_after<NEAREST>(way.x * steps, lens_steps_before<NEAREST>(frame.fixed, x_px)),
            lens_steps_after<NEAREST>(way.y * steps,
                                      lens_steps_before<NEAREST>(frame.fixed, y_px + down))};
    }
};

struct lens_grid_spots {
    static __device__ __forceinline__ bool averages_alpha(const lens_frame &frame)
    {
        return frame.averages_alpha;
    }

    template <int STEP, typename Pixel>
    static __device__ __forceinline__ bool find(const lens_frame &frame, int x, int first,
                                                Pixel (&pixels)[LENS_BYTE_ROWS])
    {
        if (frame.fixed.points == LENS_POINTS_DENSE) {
            return lens_find<STEP>(frame, lens_dense_column<Pixel::NEAREST>{frame, x, first},
                                   pixels);
        }
        if (frame.fixed.points == LENS_POINTS_QUADRATIC) {
            return lens_find<STEP>(frame, lens_grid_column<3, Pixel::NEAREST>(frame, x, first),
                                   pixels);
        }
        return lens_find<STEP>(frame, lens_grid_column<2, Pixel::NEAREST>(frame, x, first), pixels);
    }
};

struct lens_by_grid {
    static const int REGISTERS = 40; /* all points of a thread are read before the first sum */
    static const int COLORED_REGISTERS = 48;

    template <template <typename> class Pixel, typename Image, typename Bytes>
    static __device__ __forceinline__ void make_some(const lens_frame &frame, const Image &src,
                                                     const Image &dst, const Bytes &bytes, int x,
                                                     int first, uint32_t blank)
    {
        lens_make_some<Pixel<lens_grid_spots>>(frame, src, dst, bytes, x, first, blank);
    }
};

#endif
