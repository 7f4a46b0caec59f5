/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Levels in planes: each half of the one below, through [1 5 10 10 5 1] / 32 along both axes. */
#pragma once

#include "kernels/gauss/cpu/common/planes.h"

#define gauss_cpu_decimate_image GAUSS_CPU_NAME(gauss_cpu_decimate_image)
#define gauss_cpu_decimate_level GAUSS_CPU_NAME(gauss_cpu_decimate_level)
#define gauss_cpu_decimate_rows GAUSS_CPU_NAME(gauss_cpu_decimate_rows)

/* The floats that a row of the image may take here. */
#define GAUSS_CPU_DECIMATE_PAD 64

/* One worker's. */
struct gauss_cpu_decimate_scratch {
    float *rows; /* six rows of the image in planes */
    float *whole; /* one row, between the passes */
    float *even; /* every other one of its samples */
    float *odd;
    float *values; /* a row of pixels as the codec has them */
};

/* Makes rows of level 1, or of level k > 1; margins are rows too. */
void gauss_cpu_decimate_image(const struct gauss_cpu_picture *picture,
                              const struct gauss_cpu_decimate_scratch *scratch, int32_t first_row,
                              int32_t end_row);
void gauss_cpu_decimate_level(const struct gauss_cpu_picture *picture,
                              const struct gauss_cpu_decimate_scratch *scratch, int32_t k,
                              int32_t row);

/* Finds the rows of the level below that row `row` of level k is made from, each from its margin
 * on; rows that are not stored repeat the outermost. */
#define GAUSS_CPU_DECIMATE_TAPS 6
static inline int32_t gauss_cpu_decimate_tap(const struct gauss_plan *plan, int32_t k, int32_t row,
                                             int32_t tap)
{
    const int32_t margin = gauss_level_margin(k - 1);
    return bounds_clamped(2 * row - 2 + tap, -margin, plan->levels[k - 1].height + margin - 1);
}
/* Makes one channel of a row of level k from its margin on. */
void gauss_cpu_decimate_rows(const struct gauss_plan *plan,
                             const struct gauss_cpu_decimate_scratch *scratch, int32_t k,
                             const float *const rows[GAUSS_CPU_DECIMATE_TAPS], float *out);
