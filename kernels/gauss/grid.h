/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method is a law with steps: all pixels of a fragment have the sigma of its middle.
 * This finds a pixel's fragment, and its ring, in whole numbers, so that every backend decides
 * alike. C and CUDA C; the GLSL twin is gauss/glsl/grid.glsl.
 *
 * The grid lies so that the gaze is in the middle of a fragment, moved left and up only:
 * Malkin, Deza and Poggio 2020, and calc_shift of the program that they published. */
#pragma once

#include "frame.h"

/* The ring of a fragment that is copied. */
#define GAUSS_RING_NONE (-1)

/* Returns how far fragment 0 starts left of (or above) pixel 0: 0 .. fragment_px - 1. With g the
 * gaze and F the side: floor of F/2 - (g mod F), or of 3F/2 - (g mod F) where the first is
 * negative. */
HOST_DEVICE int32_t gauss_grid_shift_px(int32_t gaze_q8, int32_t fragment_px)
{
    const int32_t side_q8 = fragment_px * 256;
    int32_t remainder_q8 = gaze_q8 % side_q8;
    if (remainder_q8 < 0) {
        remainder_q8 += side_q8;
    }
    const int32_t half_q8 = side_q8 / 2;
    const int32_t shift_q8 =
        remainder_q8 <= half_q8 ? half_q8 - remainder_q8 : half_q8 + side_q8 - remainder_q8;
    return shift_q8 / 256;
}

/* Returns the middle of a fragment, truncated toward zero as the published program does. */
HOST_DEVICE int32_t gauss_grid_middle_px(int32_t index, int32_t fragment_px, int32_t shift_px)
{
    return (2 * index * fragment_px + fragment_px - 2 * shift_px) / 2;
}

/* Floats know a place among rings to a third of this part of it and of 1, with the approximate
 * roots and divisions that kernels have. */
#define GAUSS_GRID_UNSURE (1.0f / 262144)

/* Returns the last ring whose inner bound, bound_i = F/2 + 1.4 F i, is not beyond a place at (dx,
 * dy) from the gaze; GAUSS_RING_NONE within the first. Exact: (5 d)^2 is compared with (5
 * bound_i)^2, from some ring on. */
HOST_DEVICE int32_t gauss_grid_ring_from(int32_t dx_q8, int32_t dy_q8, int32_t fragment_px,
                                         int32_t ring_count, int32_t ring)
{
    const int64_t x = (int64_t)dx_q8 * 5;
    const int64_t y = (int64_t)dy_q8 * 5;
    const int64_t distance_sq = x * x + y * y;
    const int64_t unit = 128 * (int64_t)fragment_px; /* five tenths of a fragment */
    while (ring >= 0 && distance_sq < unit * unit * (5 + 14 * ring) * (5 + 14 * ring)) {
        ring--;
    }
    while (ring + 1 < ring_count &&
           distance_sq >= unit * unit * (19 + 14 * ring) * (19 + 14 * ring)) {
        ring++;
    }
    return ring;
}

/* Returns the same. Floats find it but for places that lie nearly on a bound. */
HOST_DEVICE int32_t gauss_grid_ring(int32_t dx_q8, int32_t dy_q8, int32_t fragment_px,
                                    int32_t ring_count)
{
    const float x = (float)dx_q8;
    const float y = (float)dy_q8;
    const float fragments = sqrtf(x * x + y * y) / (256.0f * (float)fragment_px);
    const float place = (fragments - 0.5f) / 1.4f;
    const float last = (float)(ring_count - 1);
    const int32_t ring = (int32_t)floorf(fminf(fmaxf(place, -1.0f), last));
    const bool unsure = fabsf(place - rintf(place)) < GAUSS_GRID_UNSURE * (fabsf(place) + 1.0f);
    return unsure ? gauss_grid_ring_from(dx_q8, dy_q8, fragment_px, ring_count, ring) : ring;
}

/* Returns the nearest place in the picture. */
HOST_DEVICE float gauss_grid_within(int32_t place_px, int32_t size_px)
{
    return (float)(place_px < 0 ? 0 : place_px > size_px ? size_px : place_px);
}

/* Returns sigma of the fragments whose middle is there. The middle is a place counted as the gaze
 * is, so with an even side the corner between the four pixels in the fragment's middle. Where a
 * fragment hangs over an edge of the picture so far that its middle is outside, a law counts at the
 * nearest place of the edge: it may ask for anything where there is no picture. */
HOST_DEVICE float gauss_grid_sigma(const struct gauss_law *law, const float *table,
                                   const struct gauss_frame *frame, int32_t middle_x_px,
                                   int32_t middle_y_px)
{
    if (law->kind == GAUSS_LAW_RINGS) {
        const int32_t ring = gauss_grid_ring(middle_x_px * 256 - frame->gaze_x_q8,
                                             middle_y_px * 256 - frame->gaze_y_q8,
                                             frame->fragment_px, law->table_count);
        return ring == GAUSS_RING_NONE ? 0.0f : law->strength * table[ring];
    }
    return gauss_law_sigma_at(law, table, gauss_grid_within(middle_x_px, frame->width_px),
                              gauss_grid_within(middle_y_px, frame->height_px),
                              (float)frame->gaze_x_q8 / 256.0f, (float)frame->gaze_y_q8 / 256.0f);
}

/* Returns the middle of the fragment that holds a pixel, along an axis. */
HOST_DEVICE int32_t gauss_grid_middle_of(int32_t pixel, int32_t gaze_q8, int32_t fragment_px)
{
    const int32_t shift_px = gauss_grid_shift_px(gaze_q8, fragment_px);
    return gauss_grid_middle_px((pixel + shift_px) / fragment_px, fragment_px, shift_px);
}

/* Returns sigma of a pixel by a view's own gaze, or another one in its stead (`from`), by steps
 * where the frame has fragments. */
HOST_DEVICE float gauss_frame_sigma(const struct gauss_law *law, const float *table,
                                    const struct gauss_frame *frame, const struct gauss_frame *from,
                                    int32_t x, int32_t y)
{
    if (frame->fragment_px == 0) {
        return gauss_law_sigma(law, table, x, y, (float)from->gaze_x_q8 / 256.0f,
                               (float)from->gaze_y_q8 / 256.0f);
    }
    return gauss_grid_sigma(law, table, from,
                            gauss_grid_middle_of(x, frame->gaze_x_q8, frame->fragment_px),
                            gauss_grid_middle_of(y, frame->gaze_y_q8, frame->fragment_px));
}
