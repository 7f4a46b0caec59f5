/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The inner loop of the cpu backend. foveate/cpu/blockwise/line.c is compiled once for every x86-64
 * processor (or any other), and once more for those with AVX2 and FMA. */
#ifndef FOVEA_KERNELS_FOVEATE_CPU_BLOCKWISE_LINE_H
#define FOVEA_KERNELS_FOVEATE_CPU_BLOCKWISE_LINE_H

#include <stddef.h>
#include <stdint.h>

/* Lines are read and written in whole groups of so many floats. */
#define FOVEATE_CPU_GROUP 8

/* out[i] = sum over k of taps[|k|] * in[i + k * step], k = -radius .. radius, i < count, count a
 * multiple of the group. Pairs are added before they are multiplied: mirrored pictures give
 * mirrored results to the bit. */
typedef void (*foveate_cpu_line_fn)(float *out, const float *in, ptrdiff_t step, const float *taps,
                                    uint32_t radius, uint32_t count);

void foveate_cpu_line_base(float *out, const float *in, ptrdiff_t step, const float *taps,
                           uint32_t radius, uint32_t count);
#ifdef FOVEATE_CPU_HAVE_AVX2
void foveate_cpu_line_avx2(float *out, const float *in, ptrdiff_t step, const float *taps,
                           uint32_t radius, uint32_t count);
#endif

#endif
