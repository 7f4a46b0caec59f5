/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Which fragment a pixel belongs to and which ring a fragment belongs to, in whole numbers, so that
 * every backend decides alike. C and CUDA C; the GLSL twin is foveate/glsl/grid.glsl.
 *
 * The grid lies so that the gaze is in the middle of a fragment, moved left and up only:
 * Malkin, Deza and Poggio 2020, and calc_shift of ElianMalkin/foveate_blockwise. */
#ifndef FOVEA_KERNELS_FOVEATE_GRID_H
#define FOVEA_KERNELS_FOVEATE_GRID_H

#include "frame.h"

#ifdef __CUDACC__
#define FOVEATE_GRID_FN static inline __host__ __device__
#else
#define FOVEATE_GRID_FN static inline
#endif

/* The ring of a fragment that is copied. */
#define FOVEATE_RING_NONE (-1)

/* How far fragment 0 starts left of (or above) pixel 0: 0 .. fragment_px - 1. With g the gaze and F
 * the side: floor of F/2 - (g mod F), or of 3F/2 - (g mod F) where the first is negative. */
FOVEATE_GRID_FN int32_t foveate_grid_shift_px(int32_t gaze_q8, int32_t fragment_px)
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

/* How many fragments cover size_px pixels. */
FOVEATE_GRID_FN int32_t foveate_grid_count(int32_t size_px, int32_t fragment_px, int32_t shift_px)
{
    return (size_px + shift_px + fragment_px - 1) / fragment_px;
}

/* The first pixel of a fragment; fragment 0 may start outside the image. */
FOVEATE_GRID_FN int32_t foveate_grid_start_px(int32_t index, int32_t fragment_px, int32_t shift_px)
{
    return index * fragment_px - shift_px;
}

/* The fragment's centre, truncated toward zero as the published program does. */
FOVEATE_GRID_FN int32_t foveate_grid_center_px(int32_t index, int32_t fragment_px, int32_t shift_px)
{
    return (2 * index * fragment_px + fragment_px - 2 * shift_px) / 2;
}

FOVEATE_GRID_FN uint64_t foveate_grid_distance_sq_q16(int32_t x_px, int32_t y_px, int32_t gaze_x_q8,
                                                      int32_t gaze_y_q8)
{
    const int64_t x_q8 = (int64_t)x_px * 256 - gaze_x_q8;
    const int64_t y_q8 = (int64_t)y_px * 256 - gaze_y_q8;
    return (uint64_t)(x_q8 * x_q8 + y_q8 * y_q8);
}

FOVEATE_GRID_FN uint64_t foveate_ring_bound_sq_q16(const struct foveate_ring *ring)
{
    return (uint64_t)ring->bound_sq_high << 32 | ring->bound_sq_low;
}

/* Returns the last ring whose inner bound is not beyond the distance; FOVEATE_RING_NONE inside the
 * first. */
FOVEATE_GRID_FN int32_t foveate_grid_ring(const struct foveate_ring *rings, int32_t ring_count,
                                          uint64_t distance_sq_q16)
{
    int32_t low = 0;
    int32_t high = ring_count;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (distance_sq_q16 < foveate_ring_bound_sq_q16(&rings[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low - 1;
}

/* Returns the filter of a bank for sigma: the nearest, or where the length of filters changes
 * between the two, its neighbour on sigma's side. FOVEATE_RING_NONE for less than the first, which
 * is a copy. */
FOVEATE_GRID_FN int32_t foveate_grid_bank_ring(const struct foveate_ring *rings,
                                               const struct foveate_law *law, int32_t ring_count,
                                               float sigma_px)
{
    if (!(sigma_px > 0.0f)) {
        return FOVEATE_RING_NONE;
    }
    const float place = (log2f(sigma_px) - law->bank_log2_first) * law->bank_per_octave;
    const int32_t nearest = (int32_t)floorf(place + 0.5f);
    if (nearest < 0 || nearest >= ring_count) {
        return nearest < 0 ? FOVEATE_RING_NONE : ring_count - 1;
    }
    const uint32_t radius_px = (uint32_t)(law->bank_taps_per_sigma * sigma_px + 0.5f);
    if (radius_px > rings[nearest].radius_px && nearest + 1 < ring_count) {
        return nearest + 1;
    }
    return radius_px < rings[nearest].radius_px ? nearest - 1 : nearest;
}

/* Chooses among the paper's rings by the fragment's centre. */
FOVEATE_GRID_FN int32_t foveate_grid_fragment_ring(const struct foveate_ring *rings,
                                                   const struct foveate_frame *frame,
                                                   int32_t index_x, int32_t index_y)
{
    const int32_t side_px = frame->fragment_px;
    const int32_t shift_x_px = foveate_grid_shift_px(frame->gaze_x_q8, side_px);
    const int32_t shift_y_px = foveate_grid_shift_px(frame->gaze_y_q8, side_px);
    const int32_t x_px = foveate_grid_center_px(index_x, side_px, shift_x_px);
    const int32_t y_px = foveate_grid_center_px(index_y, side_px, shift_y_px);
    return foveate_grid_ring(
        rings, frame->ring_count,
        foveate_grid_distance_sq_q16(x_px, y_px, frame->gaze_x_q8, frame->gaze_y_q8));
}

/* A plan's tables for finding filters. */
struct foveate_grid_filters {
    const struct foveate_ring *rings;
    const struct foveate_law *law;
    const float *law_table;
};

/* Returns the nearest place in the picture. */
FOVEATE_GRID_FN float foveate_grid_within(int32_t place_px, int32_t size_px)
{
    return (float)(place_px < 0 ? 0 : place_px > size_px ? size_px : place_px);
}

/* By a law, at the same centre: a place counted as the gaze is, so with an even side the corner
 * between the four pixels in the fragment's middle. Where a fragment hangs over an edge of the
 * picture so far that its centre is outside, the place of the edge nearest to that counts: a law
 * may ask for anything where there is no picture. */
FOVEATE_GRID_FN int32_t foveate_grid_law_ring(const struct foveate_grid_filters *filters,
                                              const struct foveate_frame *frame, int32_t index_x,
                                              int32_t index_y)
{
    const int32_t side_px = frame->fragment_px;
    const int32_t shift_x_px = foveate_grid_shift_px(frame->gaze_x_q8, side_px);
    const int32_t shift_y_px = foveate_grid_shift_px(frame->gaze_y_q8, side_px);
    const int32_t x_px = foveate_grid_center_px(index_x, side_px, shift_x_px);
    const int32_t y_px = foveate_grid_center_px(index_y, side_px, shift_y_px);
    const float sigma_px = foveate_law_sigma_at(
        filters->law, filters->law_table, foveate_grid_within(x_px, frame->width_px),
        foveate_grid_within(y_px, frame->height_px), (float)frame->gaze_x_q8 / 256.0f,
        (float)frame->gaze_y_q8 / 256.0f);
    return foveate_grid_bank_ring(filters->rings, filters->law, frame->ring_count, sigma_px);
}

/* Returns the filter of a fragment for any plan; FOVEATE_RING_NONE: it is copied. */
FOVEATE_GRID_FN int32_t foveate_grid_filter(const struct foveate_grid_filters *filters,
                                            const struct foveate_frame *frame, int32_t index_x,
                                            int32_t index_y)
{
    if (filters->law->bank_per_octave > 0.0f) {
        return foveate_grid_law_ring(filters, frame, index_x, index_y);
    }
    return foveate_grid_fragment_ring(filters->rings, frame, index_x, index_y);
}

#endif
