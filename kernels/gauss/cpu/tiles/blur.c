/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blur.h"

/* ---- The first weight */

/* Products of weights would fall below the smallest normal float, and such products are slow. This
 * is added to each of them, which changes no sum. */
#define TINY 1e-25f

/* exp(-25) is no weight any more. */
#define LEAST_POWER (-25.0f)

/* The samples of a Gaussian have its variance from here on. Below, where less than one of
 * them counts, g must solve sum(i^2 g^(i^2)) / sum(g^(i^2)) = v: this polynomial is within a
 * thousandth of it (tests/fit/fits.py). */
#define SAMPLED_FROM 0.6f

static inline lanes solved(const lanes *v)
{
    const lanes x = *v;
    return x *
           (0.50034221f +
            x * (0.49422777f +
                 x * (0.30924196f + x * (3.22919751f + x * (-13.13284221f + x * 10.55670533f)))));
}

static inline lanes sampled(const lanes *v)
{
    const lanes least = LEAST_POWER - (lanes){0};
    const lanes raw = -0.5f / *v;
    const whole_lanes enough = raw > least;
    const lanes power = lanes_choose(&enough, &raw, &least);
    lanes out;
    lanes_exponential(&power, &out);
    return out;
}

static inline void make_weights(const struct gauss_cpu_residual *residual, const float *sigma_px,
                                int32_t count, bool exact, float *out)
{
    const lanes zero = {0};
    for (int32_t i = 0; i < count; i += LANES) {
        const lanes sigma = *lanes_at(sigma_px + i);
        const lanes whole = (sigma * sigma - residual->taken) * residual->scale;
        const whole_lanes positive = whole > zero;
        const lanes v = (lanes)((whole_lanes)whole & positive);
        lanes g = sampled(&v);
        if (exact) {
            const lanes other = solved(&v);
            const whole_lanes wide = v > SAMPLED_FROM;
            g = lanes_choose(&wide, &g, &other);
        }
        *(lanes *)(out + i) = g;
    }
}

void gauss_cpu_weights(const struct gauss_cpu_residual *residual, const float *sigma_px,
                       int32_t count, float *out)
{
    if (residual->exact) {
        make_weights(residual, sigma_px, count, true, out);
    } else {
        make_weights(residual, sigma_px, count, false, out);
    }
}

/* ---- The sum */

/* Registers side by side are summed together, because each waits for its weights and not for the
 * others. */
#define TOGETHER 3

/* `count` registers; it and `channels` are constants, so that all sums are registers. */
__attribute__((always_inline)) static inline void blur_lanes(const struct gauss_cpu_blur *blur,
                                                             int32_t at, const int32_t count,
                                                             const int32_t channels)
{
    const int32_t radius = blur->radius;
    const ptrdiff_t plane = blur->in_plane;
    const ptrdiff_t step = blur->step;
    const float *left = blur->in + at;
    const float *right = left;
    lanes weight[TOGETHER];
    lanes ratio[TOGETHER]; /* to the next weight */
    lanes factor[TOGETHER]; /* the factor by which that grows */
    lanes total[TOGETHER];
    lanes sum[TOGETHER][GAUSS_CPU_MAX_CHANNELS];
    for (int32_t n = 0; n < count; n++) {
        weight[n] = *lanes_at(blur->weights + at + n * LANES);
        factor[n] = weight[n] * weight[n];
        ratio[n] = factor[n] * weight[n];
        total[n] = (lanes){0};
        for (int32_t c = 0; c < channels; c++) {
            sum[n][c] = *lanes_at(left + c * plane + n * LANES);
        }
    }
    for (int32_t i = 0; i < radius; i++) {
        left -= step;
        right += step;
        for (int32_t n = 0; n < count; n++) {
            total[n] += weight[n];
            for (int32_t c = 0; c < channels; c++) {
                const ptrdiff_t place = c * plane + n * LANES;
                sum[n][c] += weight[n] * (*lanes_at(left + place) + *lanes_at(right + place));
            }
            weight[n] = weight[n] * ratio[n] + TINY;
            ratio[n] = ratio[n] * factor[n] + TINY;
        }
    }
    for (int32_t n = 0; n < count; n++) {
        const lanes all = 1.0f + 2.0f * total[n];
        const lanes scale = lanes_reciprocal(&all);
        for (int32_t c = 0; c < channels; c++) {
            *(lanes *)(blur->out + c * blur->out_plane + at + n * LANES) = sum[n][c] * scale;
        }
    }
}

static inline void blur_row(const struct gauss_cpu_blur *blur, const int32_t channels)
{
    int32_t at = 0;
    for (; at + (TOGETHER - 1) * LANES < blur->count; at += TOGETHER * LANES) {
        blur_lanes(blur, at, TOGETHER, channels);
    }
    if (at + LANES < blur->count) {
        blur_lanes(blur, at, 2, channels);
    } else if (at < blur->count) {
        blur_lanes(blur, at, 1, channels);
    }
}

void gauss_cpu_blur(const struct gauss_cpu_blur *blur, int32_t channels)
{
    if (channels == 3) {
        blur_row(blur, 3);
    } else if (channels == 4) {
        blur_row(blur, 4);
    } else {
        blur_row(blur, 1);
    }
}

/* ---- Both axes */

/* Adds two rows, as far above as below. */
static inline lanes row_pair(const float *above, const float *below)
{
    return *lanes_at(above) + *lanes_at(below);
}

static inline lanes pair_sum(const float *above, const float *below, const lanes *weights,
                             int32_t radius)
{
    lanes sum = row_pair(above, below);
    for (int32_t i = 1; i <= radius; i++) {
        sum += weights[i] * (row_pair(above - i, below - i) + row_pair(above + i, below + i));
    }
    return sum;
}

static inline lanes weights_of(const lanes *first, int32_t radius, lanes *out)
{
    const lanes factor = *first * *first;
    lanes ratio = factor * *first;
    lanes total = *first;
    out[1] = *first;
    for (int32_t i = 2; i <= radius; i++) {
        out[i] = out[i - 1] * ratio + TINY;
        ratio = ratio * factor + TINY;
        total += out[i];
    }
    return 1.0f + 2.0f * total;
}

void gauss_cpu_blur_direct(const struct gauss_cpu_blur *blur, int32_t channels)
{
    for (int32_t at = 0; at < blur->count; at += LANES) {
        lanes weights[GAUSS_CPU_BLUR_RADIUS + 1];
        const lanes total = weights_of(lanes_at(blur->weights + at), blur->radius, weights);
        const lanes all = total * total;
        const lanes scale = lanes_reciprocal(&all);
        for (int32_t c = 0; c < channels; c++) {
            const float *in = blur->in + c * blur->in_plane + at;
            lanes sum = 0.5f * pair_sum(in, in, weights, blur->radius);
            for (int32_t j = 1; j <= blur->radius; j++) {
                sum += weights[j] *
                       pair_sum(in - j * blur->step, in + j * blur->step, weights, blur->radius);
            }
            *(lanes *)(blur->out + c * blur->out_plane + at) = sum * scale;
        }
    }
}
