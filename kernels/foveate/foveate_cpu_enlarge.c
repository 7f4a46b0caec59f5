/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate_cpu_enlarge.h"

#include "foveate_cpu_words.h"

static struct foveate_cpu_spline spline_of(int32_t k, int32_t phase)
{
    const float at = ((float)phase + 0.5f) / (float)(1 << k) - 0.5f; /* from the sample's centre */
    const int32_t first = at < 0.0f ? 0 : 1;
    const float f = at < 0.0f ? at + 1.0f : at;
    const float g = 1.0f - f;
    return (struct foveate_cpu_spline){
        .weights = {g * g * g / 6.0f, (3.0f * f * f * f - 6.0f * f * f + 4.0f) / 6.0f,
                    (3.0f * g * g * g - 6.0f * g * g + 4.0f) / 6.0f, f * f * f / 6.0f},
        .first = first,
    };
}

void foveate_cpu_splines_make(int32_t k, struct foveate_cpu_splines *out)
{
    out->k = k;
    for (int32_t i = 0; i < 1 << k; i++) {
        out->phases[i] = spline_of(k, i);
    }
}

static inline lanes mixed(const float *in, ptrdiff_t step, const float *weights)
{
    return *lanes_at(in) * weights[0] + *lanes_at(in + step) * weights[1] +
           (*lanes_at(in + 2 * step) * weights[2] + *lanes_at(in + 3 * step) * weights[3]);
}

void foveate_cpu_enlarge_down(const struct foveate_cpu_splines *splines, const float *in,
                              ptrdiff_t step, int32_t y, int32_t count, float *out)
{
    const int32_t k = splines->k;
    const struct foveate_cpu_spline *spline = &splines->phases[y & ((1 << k) - 1)];
    const float *first = in + ((y >> k) + spline->first) * step;
    for (int32_t i = 0; i < count; i += LANES) {
        *(lanes *)(out + i) = mixed(first + i, step, spline->weights);
    }
}

void foveate_cpu_enlarge_across(const struct foveate_cpu_splines *splines, const float *in,
                                int32_t count, float *out)
{
    for (int32_t phase = 0; phase < 1 << splines->k; phase++, out += count) {
        const struct foveate_cpu_spline *spline = &splines->phases[phase];
        for (int32_t i = 0; i < count; i += LANES) {
            *(lanes *)(out + i) = mixed(in + spline->first + i, 1, spline->weights);
        }
    }
}

static inline void enlarge_words(const struct foveate_cpu_spline *spline, const float *in,
                                 ptrdiff_t plane, int32_t count, const struct pixel_light *light,
                                 uint32_t *out)
{
    const float weights[4] = {spline->weights[0], spline->weights[1], spline->weights[2],
                              spline->weights[3]};
    in += spline->first;
    for (int32_t i = 0; i < count; i += LANES) {
        lanes channels[3];
        for (int32_t c = 0; c < 3; c++) {
            channels[c] = mixed(in + c * plane + i, 1, weights);
        }
        foveate_cpu_store_words(channels, light, out + i);
    }
}

void foveate_cpu_enlarge_words(const struct foveate_cpu_splines *splines, const float *in,
                               ptrdiff_t plane, int32_t count, const struct pixel_light *light,
                               uint32_t *out)
{
    for (int32_t phase = 0; phase < 1 << splines->k; phase++, out += count) {
        if (light) {
            enlarge_words(&splines->phases[phase], in, plane, count, light, out);
        } else {
            enlarge_words(&splines->phases[phase], in, plane, count, NULL, out);
        }
    }
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
