/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Weighted means along an axis: the one inner loop of the cpu backend. Values that are averaged
 * alike lie beside each other, `width` of them, so that registers hold neighbours whatever the axis
 * is. */
#ifndef FOVEA_KERNELS_BLUR_CPU_LINES_H
#define FOVEA_KERNELS_BLUR_CPU_LINES_H

#include <stddef.h>
#include <stdint.h>

/* Groups of values along an axis. */
struct blur_line {
    const float *first;
    ptrdiff_t next; /* floats from one group to the next */
    int32_t last; /* the number of the last; those beyond the ends are the outermost */
};

/* `count` groups from `from` on, and what each weighs. */
struct blur_window {
    const float *weights;
    int32_t from;
    int32_t count;
};

/* A picture's row has one, three or four channels, and a strip of it so many rows. */
#define BLUR_STRIP_ROWS 8
#define BLUR_MAX_CHANNELS 4
#define BLUR_WIDTH (BLUR_STRIP_ROWS * BLUR_MAX_CHANNELS) /* of the widest group */

/* For each number of channels a function whose group has a width that the compiler knows. */
typedef void (*blur_mean_fn)(const struct blur_line *line, const struct blur_window *window,
                             float out[BLUR_WIDTH]);
blur_mean_fn blur_mean_of(uint32_t channels);

#endif
