/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The inner loops of the smooth method on the cpu. foveate_cpu_gather.c is compiled once for every
 * processor and once more for x86-64 ones with AVX2 and FMA. A sample is four floats; channels that
 * the format lacks, or that are not filtered, are 0. */
#ifndef FOVEA_KERNELS_FOVEATE_CPU_GATHER_H
#define FOVEA_KERNELS_FOVEATE_CPU_GATHER_H

#include "foveate_smooth.h"

#define FOVEATE_CPU_CHANNELS 4 /* of a sample */
/* Samples that a row of the level below is extended by on both sides before it is halved. */
#define FOVEATE_CPU_PAD 12

struct foveate_cpu_levels {
    const struct foveate_level *levels;
    int32_t count;
    float *samples;
    float rest; /* foveate_light_rest, foveate_light_reach; of gather */
    float reach;
};

/* Pixels of a row that are not copied. */
struct foveate_cpu_run {
    int32_t x0_px;
    int32_t x1_px;
    int32_t y_px;
};

struct foveate_cpu_lines {
    /* Row `row` of level k, margins included when it is -margin .. height + margin - 1. scratch has
     * room for a row of level k - 1 and its pads. */
    void (*halve)(const struct foveate_cpu_levels *levels, int32_t k, int32_t row, float *scratch);
    /* sigma_px[x] > 0 for the run's pixels; out gets a sample for each, the first at out[0]. */
    void (*gather)(const struct foveate_cpu_levels *levels, struct foveate_cpu_run run,
                   const float *sigma_px, float *out);
};

extern const struct foveate_cpu_lines foveate_cpu_lines_base;
#ifdef FOVEATE_CPU_HAVE_AVX2
extern const struct foveate_cpu_lines foveate_cpu_lines_avx2;
#endif

/* Where the row of a level begins: its sample -margin. */
static inline float *foveate_cpu_level_row(const struct foveate_cpu_levels *levels, int32_t k,
                                           int32_t row)
{
    const struct foveate_level *level = &levels->levels[k];
    const int64_t index = level->first + (int64_t)(row + foveate_level_margin(k)) * level->pitch;
    return levels->samples + index * FOVEATE_CPU_CHANNELS;
}

#endif
