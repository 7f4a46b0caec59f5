/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Finds a pixel's source. Only the move from the pixel to it is a float, so that its error does
 * not grow with the pixel's own coordinates. C and CUDA include it; lens.comp says the same. */
#pragma once

#include "kernels/cuda/host_device.h"
#include "shape.h"

#include <math.h>
#include <stdbool.h>

/* A place lies between the centres of pixels `at` and at + 1, along each axis. */
struct lens_place {
    int32_t at_x;
    int32_t at_y;
    float part_x; /* from 0 to below 1 */
    float part_y;
};

/* No picture is as wide: what lies farther away is outside anyway, and fits an integer. */
#define LENS_FARTHEST_PX 1e6f

/* Choices and conversions, not fminf and floorf: compilers make vectors of these. A NaN is far
 * away, too. */
HOST_DEVICE float lens_within(float move_px)
{
    const float above = move_px > -LENS_FARTHEST_PX ? move_px : -LENS_FARTHEST_PX;
    return above < LENS_FARTHEST_PX ? above : LENS_FARTHEST_PX;
}

HOST_DEVICE int32_t lens_floor(float number)
{
    const int32_t whole = (int32_t)number;
    return whole - (number < (float)whole ? 1 : 0);
}

HOST_DEVICE struct lens_place lens_place_after(float move_x, float move_y, int32_t x_px,
                                               int32_t y_px)
{
    const int32_t whole_x = lens_floor(move_x);
    const int32_t whole_y = lens_floor(move_y);
    struct lens_place place;
    place.at_x = x_px + whole_x;
    place.at_y = y_px + whole_y;
    place.part_x = move_x - (float)whole_x;
    place.part_y = move_y - (float)whole_y;
    return place;
}

/* A place in a pixel lies so far from its centre, less than half a pixel. */
struct lens_offset {
    float x_px;
    float y_px;
};

/* Number i of the `across` x `across` places of a pixel that a mean is of (lens.samples). */
HOST_DEVICE struct lens_offset lens_offset_of(int32_t across, int32_t i)
{
    struct lens_offset offset;
    offset.x_px = ((float)(i % across) + 0.5f) / (float)across - 0.5f;
    offset.y_px = ((float)(i / across) + 0.5f) / (float)across - 0.5f;
    return offset;
}

/* Finds the source of a place beside the pixel's centre. */
HOST_DEVICE struct lens_place lens_place_beside(const struct lens_shape *shape, int32_t color,
                                                int32_t x_px, int32_t y_px,
                                                struct lens_offset offset)
{
    const float *terms = shape->terms + color * LENS_POWERS;
    const float from_x = (float)x_px + 0.5f - shape->center_x_px + offset.x_px;
    const float from_y = (float)y_px + 0.5f - shape->center_y_px + offset.y_px;
    const float r_x = from_x * shape->per_px;
    const float r_y = from_y * shape->per_px;
    const float r = sqrtf(r_x * r_x + r_y * r_y);
    const float factor = terms[0] + r * (terms[1] + r * (terms[2] + r * (terms[3] + r * terms[4])));
    const float move_x = lens_within(from_x * factor) + offset.x_px;
    const float move_y = lens_within(from_y * factor) + offset.y_px;
    return lens_place_after(move_x, move_y, x_px, y_px);
}

/* ---- Grids */

/* The points that a pixel lies among, along an axis, and their weights. */
struct lens_between {
    int32_t from;
    float weights[3];
};

/* Quadratic: through the nearest point and both beside it. */
HOST_DEVICE struct lens_between lens_between_at(const struct lens_grid *grid, float at_px,
                                                float per_px, int32_t points)
{
    const float at = at_px * per_px - grid->start;
    struct lens_between between;
    if (grid->quadratic) {
        const int32_t nearest = (int32_t)(at + 0.5f);
        const int32_t middle = nearest < 1 ? 1 : nearest > points - 2 ? points - 2 : nearest;
        const float t = at - (float)middle;
        between.from = middle - 1;
        between.weights[0] = 0.5f * t * (t - 1.0f);
        between.weights[1] = 1.0f - t * t;
        between.weights[2] = 0.5f * t * (t + 1.0f);
    } else {
        const int32_t before = (int32_t)at;
        between.from = before < points - 2 ? before : points - 2;
        between.weights[1] = at - (float)between.from;
        between.weights[0] = 1.0f - between.weights[1];
        between.weights[2] = 0.0f;
    }
    return between;
}

/* moves: x and y in pixels, by rows of points. */
HOST_DEVICE struct lens_place lens_grid_place_beside(const struct lens_shape *shape,
                                                     const float *moves, int32_t color,
                                                     int32_t x_px, int32_t y_px,
                                                     struct lens_offset offset)
{
    const struct lens_grid *grid = &shape->grid;
    const int32_t count = grid->quadratic ? 3 : 2;
    const struct lens_between across =
        lens_between_at(grid, (float)x_px + 0.5f + offset.x_px, grid->per_px_x, grid->columns);
    const struct lens_between down =
        lens_between_at(grid, (float)y_px + 0.5f + offset.y_px, grid->per_px_y, grid->rows);
    float move_x = 0.0f;
    float move_y = 0.0f;
    for (int32_t j = 0; j < count; j++) {
        const float *row =
            moves + 2 * (grid->first[color] + (down.from + j) * grid->columns + across.from);
        float row_x = 0.0f;
        float row_y = 0.0f;
        for (int32_t i = 0; i < count; i++) {
            row_x += across.weights[i] * row[2 * i];
            row_y += across.weights[i] * row[2 * i + 1];
        }
        move_x += down.weights[j] * row_x;
        move_y += down.weights[j] * row_y;
    }
    return lens_place_after(lens_within(move_x) + offset.x_px, lens_within(move_y) + offset.y_px,
                            x_px, y_px);
}

/* By the grid where there are moves, else by the polynomial. */
HOST_DEVICE struct lens_place lens_source_beside(const struct lens_shape *shape, const float *moves,
                                                 int32_t color, int32_t x_px, int32_t y_px,
                                                 struct lens_offset offset)
{
    return moves ? lens_grid_place_beside(shape, moves, color, x_px, y_px, offset)
                 : lens_place_beside(shape, color, x_px, y_px, offset);
}

HOST_DEVICE int32_t lens_nearest(int32_t at, float part)
{
    return at + (part >= 0.5f ? 1 : 0);
}

/* True if the place lies beyond the picture's edges. */
HOST_DEVICE bool lens_is_outside(const struct lens_shape *shape, const struct lens_place *place)
{
    const int32_t x_px = lens_nearest(place->at_x, place->part_x);
    const int32_t y_px = lens_nearest(place->at_y, place->part_y);
    return x_px < 0 || y_px < 0 || x_px >= shape->width_px || y_px >= shape->height_px;
}

/* Weights of the pixels from at - 1 on, or bilinear from `at` on; returns how many. */
HOST_DEVICE int32_t lens_weights(int32_t filter, float part, float out[4])
{
    if (filter == LENS_BICUBIC) { /* Catmull and Rom's spline */
        const float t = part;
        out[0] = t * (-0.5f + t * (1.0f - 0.5f * t));
        out[1] = 1.0f + t * t * (-2.5f + 1.5f * t);
        out[2] = t * (0.5f + t * (2.0f - 1.5f * t));
        out[3] = t * t * (-0.5f + 0.5f * t);
        return 4;
    }
    out[0] = 1.0f - part;
    out[1] = part;
    return 2;
}
