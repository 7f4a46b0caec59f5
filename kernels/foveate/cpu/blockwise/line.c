/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "line.h"

#ifndef FOVEATE_CPU_LINE
#define FOVEATE_CPU_LINE foveate_cpu_line_base
#endif

/* A register. */
#ifdef __AVX__
#define LANES 8
#else
#define LANES 4
#endif

/* Any float's address will do. */
typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

static inline const lanes *lanes_at(const float *in)
{
    return (const lanes *)in;
}

/* `count` registers of sums at a time; it is a constant, so that they stay in registers. */
static inline void sum_taps(float *out, const float *in, ptrdiff_t step, const float *taps,
                            uint32_t radius, const int count)
{
    lanes sum[4 * FOVEATE_CPU_GROUP / LANES];
    for (int i = 0; i < count; i++) {
        sum[i] = lanes_at(in)[i] * taps[0];
    }
    const float *left = in;
    const float *right = in;
    for (uint32_t k = 1; k <= radius; k++) {
        left -= step;
        right += step;
        for (int i = 0; i < count; i++) {
            sum[i] += (lanes_at(left)[i] + lanes_at(right)[i]) * taps[k];
        }
    }
    for (int i = 0; i < count; i++) {
        ((lanes *)out)[i] = sum[i];
    }
}

/* Four groups at a time have enough sums in flight to hide the latency of an addition. */
void FOVEATE_CPU_LINE(float *out, const float *in, ptrdiff_t step, const float *taps,
                      uint32_t radius, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 * FOVEATE_CPU_GROUP <= count; i += 4 * FOVEATE_CPU_GROUP) {
        sum_taps(out + i, in + i, step, taps, radius, 4 * FOVEATE_CPU_GROUP / LANES);
    }
    for (; i < count; i += FOVEATE_CPU_GROUP) {
        sum_taps(out + i, in + i, step, taps, radius, FOVEATE_CPU_GROUP / LANES);
    }
}
