/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The inner loops of the lens on the processor: places and sums of pixels side by side, in a form
 * that compilers make vectors of. */
#pragma once

#include "kernels/lens/place.h"

#include <stddef.h>

#define LENS_RUN_PX 128

/* A run has up to LENS_RUN_PX pixels of a row of the result. */
struct lens_run {
    int32_t x_px;
    int32_t y_px;
    int32_t count;
};

/* It holds the places of a run's pixels, as struct lens_place has one. */
struct lens_places {
    int32_t at_x[LENS_RUN_PX];
    int32_t at_y[LENS_RUN_PX];
    float part_x[LENS_RUN_PX];
    float part_y[LENS_RUN_PX];
};

/* lens_source_beside for each of them. */
void lens_find_places(const struct lens_shape *shape, const float *moves, int32_t color,
                      const struct lens_run *run, struct lens_offset offset,
                      struct lens_places *out_places);

/* Sets bits of the pixels whose places lie outside. */
void lens_mark_outside(const struct lens_shape *shape, const struct lens_places *places,
                       int32_t count, unsigned char bits, unsigned char *marks);

/* The source as floats, without gaps in a row. */
struct lens_samples {
    const float *values;
    size_t row_floats; /* from one row to the next */
    int32_t width_px;
    int32_t height_px;
    uint32_t channels;
};

/* Channels first..end - 1 around places of a colour, of the pixels that have none of these bits in
 * their marks. */
struct lens_group {
    int32_t color;
    int32_t filter;
    uint32_t first;
    uint32_t end;
    unsigned char bits;
};

/* The nearest sample of each. */
void lens_copy_nearest(const struct lens_samples *samples, const struct lens_group *group,
                       const struct lens_places *places, int32_t count, const unsigned char *marks,
                       float *out);

/* Adds what lies between samples, times `share`. Of four channels it may add to the last one, too,
 * where first is 0. */
void lens_add_between(const struct lens_samples *samples, const struct lens_group *group,
                      const struct lens_places *places, int32_t count, float share,
                      const unsigned char *marks, float *out);
