/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Samples of a level as pixels: cubic B-splines, whose variance is that of four boxes as wide as a sample,
 * 4^k / 3 pixels squared, nearly the same at every pixel. They smooth as a Gaussian does and ring nowhere.
 *
 * A sample covers 2^k pixels along an axis, its phases. Pixels of one phase have the same four weights, so
 * that they are made together and mixed with those of other phases only at the end. */
#ifndef FOVEA_KERNELS_FOVEATE_CPU_ENLARGE_H
#define FOVEA_KERNELS_FOVEATE_CPU_ENLARGE_H

#include "foveate_cpu_lanes.h"
#include "foveate_cpu_picture.h"

#define foveate_cpu_splines_make FOVEATE_CPU_NAME(foveate_cpu_splines_make)
#define foveate_cpu_enlarge_down FOVEATE_CPU_NAME(foveate_cpu_enlarge_down)
#define foveate_cpu_enlarge_across FOVEATE_CPU_NAME(foveate_cpu_enlarge_across)
#define foveate_cpu_enlarge_words FOVEATE_CPU_NAME(foveate_cpu_enlarge_words)
#define foveate_cpu_weave FOVEATE_CPU_NAME(foveate_cpu_weave)

/* Samples before the one that covers the first pixel. */
#define FOVEATE_CPU_ENLARGE_PAD 2

/* Of one phase: four weights, and the first of the samples that they are for, counted from the pad's. */
struct foveate_cpu_spline {
    float weights[4];
    int32_t first;
};

struct foveate_cpu_splines {
    int32_t k;
    struct foveate_cpu_spline phases[1 << (FOVEATE_MAX_LEVELS - 1)];
};

void foveate_cpu_splines_make(int32_t k, struct foveate_cpu_splines *out);

/* Row `y` of pixels from rows of samples `step` apart, which begin with the pad. */
void foveate_cpu_enlarge_down(const struct foveate_cpu_splines *splines, const float *in,
                              ptrdiff_t step, int32_t y, int32_t count, float *out);
/* All phases of a row of `count` samples, which begins with the pad, one phase after the other. */
void foveate_cpu_enlarge_across(const struct foveate_cpu_splines *splines, const float *in,
                                int32_t count, float *out);
/* The same of three channels, as RGBA8 words without alpha. */
void foveate_cpu_enlarge_words(const struct foveate_cpu_splines *splines, const float *in,
                               ptrdiff_t plane, int32_t count, const struct pixel_light *light,
                               uint32_t *out);

/* Floats or pixels. */
typedef uint32_t foveate_cpu_word __attribute__((may_alias));

/* All phases, `count` words each, one after the other, as one row: in one of the two, which is returned. */
foveate_cpu_word *foveate_cpu_weave(foveate_cpu_word *phases, foveate_cpu_word *other, int32_t k,
                                    int32_t count);

#endif
