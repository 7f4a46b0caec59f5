/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate_cpu_enlarge.h"

/* Four weights, and the first of the samples that they are for, counted from the pad's first. */
struct spline {
    float weights[4];
    int32_t first;
};

static struct spline spline_of(int32_t k, int32_t phase)
{
    const float at = ((float)phase + 0.5f) / (float)(1 << k) - 0.5f; /* from the sample's centre */
    const int32_t first = at < 0.0f ? 0 : 1;
    const float f = at < 0.0f ? at + 1.0f : at;
    const float g = 1.0f - f;
    return (struct spline){
        .weights = {g * g * g / 6.0f, (3.0f * f * f * f - 6.0f * f * f + 4.0f) / 6.0f,
                    (3.0f * g * g * g - 6.0f * g * g + 4.0f) / 6.0f, f * f * f / 6.0f},
        .first = first,
    };
}

static inline void mix(const float *in, ptrdiff_t step, const float *weights, int32_t count,
                       float *out)
{
    for (int32_t i = 0; i < count; i += LANES) {
        const float *from = in + i;
        *(lanes *)(out + i) =
            *lanes_at(from) * weights[0] + *lanes_at(from + step) * weights[1] +
            (*lanes_at(from + 2 * step) * weights[2] + *lanes_at(from + 3 * step) * weights[3]);
    }
}

void foveate_cpu_enlarge_down(const float *in, ptrdiff_t step, int32_t k, int32_t y, int32_t count,
                              float *out)
{
    const struct spline spline = spline_of(k, y & ((1 << k) - 1));
    mix(in + ((y >> k) + spline.first) * step, step, spline.weights, count, out);
}

void foveate_cpu_enlarge_across(const float *in, int32_t k, int32_t phase, int32_t count,
                                float *out)
{
    const struct spline spline = spline_of(k, phase);
    mix(in + spline.first, 1, spline.weights, count, out);
}

static void weave_two(const foveate_cpu_word *restrict even, const foveate_cpu_word *restrict odd,
                      int32_t count, foveate_cpu_word *restrict out)
{
    for (int32_t i = 0; i < count; i++) {
        out[2 * i] = even[i];
        out[2 * i + 1] = odd[i];
    }
}

/* Phase p with phase p + half of them, again and again. */
foveate_cpu_word *foveate_cpu_weave(foveate_cpu_word *phases, foveate_cpu_word *other, int32_t k,
                                    int32_t count)
{
    for (; k > 0; k--, count *= 2) {
        const int32_t half = 1 << (k - 1);
        for (int32_t p = 0; p < half; p++) {
            weave_two(phases + (ptrdiff_t)p * count, phases + (ptrdiff_t)(p + half) * count, count,
                      other + (ptrdiff_t)p * 2 * count);
        }
        foveate_cpu_word *next = other;
        other = phases;
        phases = next;
    }
    return phases;
}
