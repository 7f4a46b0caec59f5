/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A Gaussian with a sigma of its own for each sample, along one axis, a register of neighbouring
 * samples at a time.
 *
 * Its weights are w(i) = g^(i^2): the next of them is the last one times g^(2i + 1), which itself
 * grows by g^2, so that two products a step make all of them from the first, and a register makes
 * those of its samples at once, for all channels. */
#pragma once

#include "kernels/gauss/cpu/common/lanes.h"
#include "kernels/gauss/cpu/common/picture.h"

#define gauss_cpu_weights GAUSS_CPU_NAME(gauss_cpu_weights)
#define gauss_cpu_blur GAUSS_CPU_NAME(gauss_cpu_blur)
#define gauss_cpu_blur_direct GAUSS_CPU_NAME(gauss_cpu_blur_direct)

/* The variance left to blur on a level is (sigma^2 - taken) * scale, in its samples squared. */
struct gauss_cpu_residual {
    float taken; /* taken by decimation before and up-sampling after, pixels squared */
    float scale;
    /* true: the discrete weights have exactly that variance; false: they follow the Gaussian */
    bool exact;
};

/* Writes g for a row of sigmas, which may be `out`. The count here is rounded up to whole
 * registers. */
void gauss_cpu_weights(const struct gauss_cpu_residual *residual, const float *sigma_px,
                       int32_t count, float *out);

/* A row of each channel. Their neighbours lie `step` apart. */
struct gauss_cpu_blur {
    const float *in;
    ptrdiff_t in_plane;
    ptrdiff_t step;
    float *out;
    ptrdiff_t out_plane;
    const float *weights;
    int32_t radius;
    int32_t count;
};
void gauss_cpu_blur(const struct gauss_cpu_blur *blur, int32_t channels);

/* Blurs both axes at once, with all weights of a sample's square by its own sigma: exact whatever
 * sigma's slope, and radius / 2 times as much work. Neighbours along x lie side by side, along y
 * `step` apart. */
#define GAUSS_CPU_BLUR_RADIUS 24 /* at most */
void gauss_cpu_blur_direct(const struct gauss_cpu_blur *blur, int32_t channels);
