/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate_cpu_line.h"

#ifndef FOVEATE_CPU_LINE
#define FOVEATE_CPU_LINE foveate_cpu_line_base
#endif

/* Any float's address will do; processors without such registers use several. */
typedef float group __attribute__((vector_size(4 * FOVEATE_CPU_GROUP), aligned(4), may_alias));

static inline const group *groups_at(const float *in)
{
    return (const group *)in;
}

/* Four groups at a time: enough sums under way to hide the latency of an addition. */
static inline void four_groups(float *out, const float *in, ptrdiff_t step, const float *taps,
                               uint32_t radius)
{
    group sum[4];
    for (int g = 0; g < 4; g++) {
        sum[g] = groups_at(in)[g] * taps[0];
    }
    const float *left = in;
    const float *right = in;
    for (uint32_t k = 1; k <= radius; k++) {
        left -= step;
        right += step;
        for (int g = 0; g < 4; g++) {
            sum[g] += (groups_at(left)[g] + groups_at(right)[g]) * taps[k];
        }
    }
    for (int g = 0; g < 4; g++) {
        ((group *)out)[g] = sum[g];
    }
}

static inline void one_group(float *out, const float *in, ptrdiff_t step, const float *taps,
                             uint32_t radius)
{
    group sum = *groups_at(in) * taps[0];
    const float *left = in;
    const float *right = in;
    for (uint32_t k = 1; k <= radius; k++) {
        left -= step;
        right += step;
        sum += (*groups_at(left) + *groups_at(right)) * taps[k];
    }
    *(group *)out = sum;
}

void FOVEATE_CPU_LINE(float *out, const float *in, ptrdiff_t step, const float *taps,
                      uint32_t radius, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 * FOVEATE_CPU_GROUP <= count; i += 4 * FOVEATE_CPU_GROUP) {
        four_groups(out + i, in + i, step, taps, radius);
    }
    for (; i < count; i += FOVEATE_CPU_GROUP) {
        one_group(out + i, in + i, step, taps, radius);
    }
}
