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

#define foveate_cpu_enlarge_down FOVEATE_CPU_NAME(foveate_cpu_enlarge_down)
#define foveate_cpu_enlarge_across FOVEATE_CPU_NAME(foveate_cpu_enlarge_across)
#define foveate_cpu_weave FOVEATE_CPU_NAME(foveate_cpu_weave)

/* Samples before the one that covers the first pixel. */
#define FOVEATE_CPU_ENLARGE_PAD 2

/* Row `y` of pixels from rows of samples `step` apart, which begin with the pad. */
void foveate_cpu_enlarge_down(const float *in, ptrdiff_t step, int32_t k, int32_t y, int32_t count,
                              float *out);
/* One phase of a row of `count` samples, which begins with the pad. */
void foveate_cpu_enlarge_across(const float *in, int32_t k, int32_t phase, int32_t count,
                                float *out);
/* Floats or pixels. */
typedef uint32_t foveate_cpu_word __attribute__((may_alias));

/* All phases, `count` words each, one after the other, as one row: in one of the two, which is returned. */
foveate_cpu_word *foveate_cpu_weave(foveate_cpu_word *phases, foveate_cpu_word *other, int32_t k,
                                    int32_t count);

#endif
