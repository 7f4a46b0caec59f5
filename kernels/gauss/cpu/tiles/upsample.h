/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Up-samples a level to pixels by cubic B-splines, whose variance is that of four boxes as wide as
 * a sample, 4^k / 3 pixels squared, nearly the same at every pixel. They smooth as a Gaussian does
 * and do not ring.
 *
 * A sample covers 2^k pixels along an axis, its phases. Pixels of one phase have the same four
 * weights, so that along x they are made together and only then woven with those of other phases. x
 * comes first: most of the work is done for every pixel along y, where neighbours need no
 * shuffling. */
#pragma once

#include "kernels/gauss/cpu/common/lanes.h"
#include "kernels/gauss/cpu/common/picture.h"

#define gauss_cpu_splines_make GAUSS_CPU_NAME(gauss_cpu_splines_make)
#define gauss_cpu_upsample_across GAUSS_CPU_NAME(gauss_cpu_upsample_across)
#define gauss_cpu_upsample_down GAUSS_CPU_NAME(gauss_cpu_upsample_down)
#define gauss_cpu_upsample_words GAUSS_CPU_NAME(gauss_cpu_upsample_words)

/* Samples before the one that covers the first pixel. */
#define GAUSS_CPU_UPSAMPLE_PAD 2

/* One phase: four weights, and the first of their samples, counted from the pad's. */
struct gauss_cpu_spline {
    float weights[4];
    int32_t first;
};

struct gauss_cpu_splines {
    int32_t k;
    struct gauss_cpu_spline phases[1 << (GAUSS_MAX_LEVELS - 1)];
};

void gauss_cpu_splines_make(int32_t k, struct gauss_cpu_splines *out);

/* Memory for the phases of a row, twice. */
struct gauss_cpu_upsample_scratch {
    float *phases;
    float *other;
};

/* Up-samples a row of `count` samples, which begins with the pad, to count << k pixels, and up to a
 * register of samples more. */
void gauss_cpu_upsample_across(const struct gauss_cpu_splines *splines,
                               const struct gauss_cpu_upsample_scratch *scratch, const float *in,
                               int32_t count, float *out);

/* Up-samples four such rows to one row of pixels; planes and counts as everywhere. */
struct gauss_cpu_upsample_rows {
    const float *in[4];
    ptrdiff_t plane;
    const float *weights;
    int32_t count; /* is not rounded up for words */
};
void gauss_cpu_upsample_down(const struct gauss_cpu_upsample_rows *rows, int32_t channels,
                             float *out, ptrdiff_t out_plane);
/* Writes three channels as RGBA8 with the alpha of other pixels. */
void gauss_cpu_upsample_words(const struct gauss_cpu_upsample_rows *rows,
                              const struct pixel_light *light, const unsigned char *alpha,
                              unsigned char *out);
