/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Sources from a grid of points, in steps: those of a block lie in a few lines of the cache. */
#pragma once

#include "kernels/lens/place.h"
#include "spot.cuh"

/* Works out the move among COUNT points an axis, of which the uppermost left one is the first, in
 * rows of so many. */
template <int COUNT>
DEVICE float2 lens_move_among(const float2 *first, int32_t columns, const lens_between &across,
                              const lens_between &along)
{
    float2 moves[COUNT][COUNT];
#pragma unroll
    for (int i = 0; i < COUNT * COUNT; i++) {
        moves[i / COUNT][i % COUNT] = __ldg(first + i / COUNT * columns + i % COUNT);
    }
    float2 move = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int j = 0; j < COUNT; j++) {
        float2 row = make_float2(0.0f, 0.0f);
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            row.x += across.weights[i] * moves[j][i].x;
            row.y += across.weights[i] * moves[j][i].y;
        }
        move.x += along.weights[j] * row.x;
        move.y += along.weights[j] * row.y;
    }
    return move;
}

/* COUNT: 2 points an axis, or 3 where the grid is quadratic. */
template <int COUNT> struct lens_among {
    /* A column's points across are the same in all its rows. */
    template <bool NEAREST> struct column {
        const lens_frame &frame;
        lens_shown shown;
        lens_between across;

        MEMBER column(const lens_frame &frame, const lens_shown &shown)
            : frame(frame), shown(shown),
              across(lens_between_at(&frame.shape.grid, shown.x_px + 0.5f,
                                     frame.shape.grid.per_px_x, frame.shape.grid.columns))
        {
        }
        MEMBER lens_spot at(int color, int32_t down) const
        {
            const lens_grid &grid = frame.shape.grid;
            const lens_between along =
                lens_between_at(&grid, shown.y_px + 0.5f + (float)down, grid.per_px_y, grid.rows);
            const float2 *first = (const float2 *)frame.moves +
                                  (grid.first[color] + along.from * grid.columns + across.from);
            const float2 move = lens_move_among<COUNT>(first, grid.columns, across, along);
            const float steps = frame.fixed.steps_a_px;
            return {(int32_t)(lens_move_bits<NEAREST>(move.x, steps) + (uint32_t)shown.x),
                    (int32_t)(lens_move_bits<NEAREST>(move.y, steps) +
                              (uint32_t)(shown.y + (down << frame.fixed.bits)))};
        }
    };
};

struct lens_by_grid {
    static const int REGISTERS = 40; /* all points of a thread are read before the first sum */
    static const int COLORED_REGISTERS = 48;

    template <typename Make> DEVICE void make(const lens_frame &frame, const Make &make)
    {
        if (frame.shape.grid.quadratic) {
            make(lens_among<3>());
        } else {
            make(lens_among<2>());
        }
    }
};
