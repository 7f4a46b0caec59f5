/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "upsample.h"

#include "kernels/gauss/cpu/common/words.h"

static struct gauss_cpu_spline spline_of(int32_t k, int32_t phase)
{
    const float at =
        ((float)phase + 0.5f) / (float)(1 << k) - 0.5f; /* offset from the sample's centre */
    const int32_t first = at < 0.0f ? 0 : 1;
    const float f = at < 0.0f ? at + 1.0f : at;
    const float g = 1.0f - f;
    return (struct gauss_cpu_spline){
        .weights = {g * g * g / 6.0f, (3.0f * f * f * f - 6.0f * f * f + 4.0f) / 6.0f,
                    (3.0f * g * g * g - 6.0f * g * g + 4.0f) / 6.0f, f * f * f / 6.0f},
        .first = first,
    };
}

void gauss_cpu_splines_make(int32_t k, struct gauss_cpu_splines *out)
{
    out->k = k;
    for (int32_t i = 0; i < 1 << k; i++) {
        out->phases[i] = spline_of(k, i);
    }
}

/* ---- Along x */

static void weave_two(const float *restrict even, const float *restrict odd, int32_t count,
                      float *restrict out)
{
    for (int32_t i = 0; i < count; i++) {
        out[2 * i] = even[i];
        out[2 * i + 1] = odd[i];
    }
}

/* Repeats phase p and phase p + half of them, again and again. */
static void weave(const struct gauss_cpu_upsample_scratch *scratch, int32_t k, int32_t count,
                  float *out)
{
    const float *from = scratch->phases;
    for (int32_t half = 1 << (k - 1); half > 0; half /= 2, count *= 2) {
        float *other = from == scratch->phases ? scratch->other : scratch->phases;
        float *to = half == 1 ? out : other;
        for (int32_t p = 0; p < half; p++) {
            weave_two(from + (ptrdiff_t)p * count, from + (ptrdiff_t)(p + half) * count, count,
                      to + (ptrdiff_t)p * 2 * count);
        }
        from = to;
    }
}

/* A register of samples of one phase. */
static inline lanes phase_at(const struct gauss_cpu_spline *spline, const float *in)
{
    const float *from = in + spline->first;
    const float *w = spline->weights;
    return *lanes_at(from) * w[0] + *lanes_at(from + 1) * w[1] +
           (*lanes_at(from + 2) * w[2] + *lanes_at(from + 3) * w[3]);
}

/* Two and four phases, the most common ones, are woven in registers. */
static void upsample_twice(const struct gauss_cpu_spline *phases, const float *in, int32_t count,
                           float *out)
{
    for (int32_t i = 0; i < count; i += LANES) {
        const lanes even = phase_at(&phases[0], in + i);
        const lanes odd = phase_at(&phases[1], in + i);
        lanes_weave(&even, &odd, (lanes *)(out + 2 * i));
    }
}

static void upsample_four_times(const struct gauss_cpu_spline *phases, const float *in,
                                int32_t count, float *out)
{
    for (int32_t i = 0; i < count; i += LANES) {
        lanes phase[4];
        lanes even[2];
        lanes odd[2];
        for (int p = 0; p < 4; p++) {
            phase[p] = phase_at(&phases[p], in + i);
        }
        lanes_weave(&phase[0], &phase[2], even);
        lanes_weave(&phase[1], &phase[3], odd);
        lanes_weave(&even[0], &odd[0], (lanes *)(out + 4 * i));
        lanes_weave(&even[1], &odd[1], (lanes *)(out + 4 * i) + 2);
    }
}

static void upsample_more(const struct gauss_cpu_splines *splines,
                          const struct gauss_cpu_upsample_scratch *scratch, const float *in,
                          int32_t count, float *out)
{
    float *to = scratch->phases;
    for (int32_t phase = 0; phase < 1 << splines->k; phase++, to += count) {
        for (int32_t i = 0; i < count; i += LANES) {
            *(lanes *)(to + i) = phase_at(&splines->phases[phase], in + i);
        }
    }
    weave(scratch, splines->k, count, out);
}

void gauss_cpu_upsample_across(const struct gauss_cpu_splines *splines,
                               const struct gauss_cpu_upsample_scratch *scratch, const float *in,
                               int32_t count, float *out)
{
    if (splines->k == 1) {
        upsample_twice(splines->phases, in, count, out);
    } else if (splines->k == 2) {
        upsample_four_times(splines->phases, in, count, out);
    } else {
        upsample_more(splines, scratch, in, count, out);
    }
}

/* ---- Along y */

static inline lanes mixed(const float *const in[4], ptrdiff_t at, const lanes *weights)
{
    return *lanes_at(in[0] + at) * weights[0] + *lanes_at(in[1] + at) * weights[1] +
           (*lanes_at(in[2] + at) * weights[2] + *lanes_at(in[3] + at) * weights[3]);
}

static inline void load_weights(const float *in, lanes *out)
{
    for (int i = 0; i < 4; i++) {
        out[i] = in[i] - (lanes){0};
    }
}

void gauss_cpu_upsample_down(const struct gauss_cpu_upsample_rows *rows, int32_t channels,
                             float *out, ptrdiff_t out_plane)
{
    lanes weights[4];
    load_weights(rows->weights, weights);
    for (int32_t c = 0; c < channels; c++) {
        for (int32_t i = 0; i < rows->count; i += LANES) {
            *(lanes *)(out + c * out_plane + i) = mixed(rows->in, c * rows->plane + i, weights);
        }
    }
}

static inline void words_at(const struct gauss_cpu_upsample_rows *rows, const lanes *weights,
                            int32_t i, const struct pixel_light *light, gauss_cpu_words *out)
{
    lanes channels[3];
    for (int32_t c = 0; c < 3; c++) {
        channels[c] = mixed(rows->in, c * rows->plane + i, weights);
    }
    *out = gauss_cpu_words_of(channels, light);
}

static inline void upsample_words(const struct gauss_cpu_upsample_rows *rows,
                                  const struct pixel_light *light, const unsigned char *alpha,
                                  unsigned char *out)
{
    const struct gauss_cpu_upsample_rows own = *rows;
    lanes weights[4];
    gauss_cpu_words words;
    load_weights(rows->weights, weights);
    const bool stream = gauss_cpu_may_stream(out);
    int32_t i = 0;
    for (; i + LANES <= own.count; i += LANES) {
        words_at(&own, weights, i, light, &words);
        gauss_cpu_store_words(&words, alpha + 4 * (ptrdiff_t)i, stream, out + 4 * (ptrdiff_t)i);
    }
    if (i < own.count) {
        words_at(&own, weights, i, light, &words);
        gauss_cpu_store_few_words(&words, own.count - i, alpha + 4 * (ptrdiff_t)i,
                                  out + 4 * (ptrdiff_t)i);
    }
}

void gauss_cpu_upsample_words(const struct gauss_cpu_upsample_rows *rows,
                              const struct pixel_light *light, const unsigned char *alpha,
                              unsigned char *out)
{
    if (light) {
        upsample_words(rows, light, alpha, out);
    } else {
        upsample_words(rows, NULL, alpha, out);
    }
}
