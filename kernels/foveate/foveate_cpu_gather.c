/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate_cpu_gather.h"

#include "foveate_cpu_lanes.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define CHANNELS FOVEATE_CPU_CHANNELS
#define SAMPLES (LANES / CHANNELS) /* in a register */

/* The plan keeps sigma to 1024 px, which is 16 samples of the coarsest level: 2 * 6.5 * 16 + 1. */
#define MAX_TAPS 216

typedef float sample __attribute__((vector_size(4 * CHANNELS), aligned(4), may_alias));

static inline const sample *sample_at(const float *in)
{
    return (const sample *)in;
}

static inline int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* ---- Halving: [1 5 10 10 5 1] / 32, pairs first, so that mirrors are exact */

#define OUTER (1.0f / 32.0f)
#define MIDDLE (5.0f / 32.0f)
#define INNER (10.0f / 32.0f)

static void halve_down(const float *const rows[6], int32_t floats, float *out)
{
    int32_t i = 0;
    for (; i + LANES <= floats; i += LANES) {
        *(lanes *)(out + i) = (*lanes_at(rows[0] + i) + *lanes_at(rows[5] + i)) * OUTER +
                              (*lanes_at(rows[1] + i) + *lanes_at(rows[4] + i)) * MIDDLE +
                              (*lanes_at(rows[2] + i) + *lanes_at(rows[3] + i)) * INNER;
    }
    for (; i < floats; i += CHANNELS) {
        *(sample *)(out + i) = (*sample_at(rows[0] + i) + *sample_at(rows[5] + i)) * OUTER +
                               (*sample_at(rows[1] + i) + *sample_at(rows[4] + i)) * MIDDLE +
                               (*sample_at(rows[2] + i) + *sample_at(rows[3] + i)) * INNER;
    }
}

static void repeat_ends(float *row, int32_t count)
{
    const sample first = *sample_at(row);
    const sample last = *sample_at(row + (ptrdiff_t)(count - 1) * CHANNELS);
    for (int32_t i = 0; i < FOVEATE_CPU_PAD; i++) {
        *(sample *)(row - (ptrdiff_t)(i + 1) * CHANNELS) = first;
        *(sample *)(row + (ptrdiff_t)(count + i) * CHANNELS) = last;
    }
}

static void halve_across(const float *in, int32_t count, float *out)
{
    for (int32_t i = 0; i < count; i++, in += 2 * CHANNELS, out += CHANNELS) {
        const sample *s = sample_at(in);
        *(sample *)out = (s[0] + s[5]) * OUTER + (s[1] + s[4]) * MIDDLE + (s[2] + s[3]) * INNER;
    }
}

static void halve(const struct foveate_cpu_levels *levels, int32_t k, int32_t row, float *scratch)
{
    const struct foveate_level *below = &levels->levels[k - 1];
    const int32_t margin = foveate_level_margin(k - 1);
    const float *rows[6];
    for (int32_t j = 0; j < 6; j++) {
        const int32_t from = clamp(2 * row - 2 + j, -margin, below->height + margin - 1);
        rows[j] = foveate_cpu_level_row(levels, k - 1, from);
    }
    float *whole = scratch + FOVEATE_CPU_PAD * CHANNELS;
    halve_down(rows, below->pitch * CHANNELS, whole);
    repeat_ends(whole, below->pitch);
    const int32_t first = 2 * -foveate_level_margin(k) - 2 + margin;
    halve_across(whole + first * CHANNELS, levels->levels[k].pitch,
                 foveate_cpu_level_row(levels, k, row));
}

/* ---- Weights */

/* The taps along one axis, samples beyond the stored ones added to the last one stored. */
struct axis {
    int32_t first;
    int32_t count;
    float weights[MAX_TAPS];
};

static inline float sum_of_lanes(const lanes *in)
{
    float sum = 0.0f;
    for (int i = 0; i < LANES; i++) {
        sum += (*in)[i];
    }
    return sum;
}

/* Samples low .. high are stored. */
static void fold(struct axis *axis, int32_t low, int32_t high)
{
    const int32_t first = clamp(axis->first, low, high);
    const int32_t last = clamp(axis->first + axis->count - 1, low, high);
    float folded[MAX_TAPS] = {0.0f};
    for (int32_t i = 0; i < axis->count; i++) {
        folded[clamp(axis->first + i, low, high) - first] += axis->weights[i];
    }
    axis->first = first;
    axis->count = last - first + 1;
    memcpy(axis->weights, folded, (size_t)axis->count * sizeof *folded);
}

static inline void axis_make(struct axis *axis, float centre, float rest, float reach, int32_t low,
                             int32_t high)
{
    const float falloff = -0.5f / (rest * rest);
    axis->first = (int32_t)ceilf(centre - reach);
    axis->count = (int32_t)floorf(centre + reach) - axis->first + 1;
    assert(axis->count > 0 && axis->count <= MAX_TAPS);
    const float start = (float)axis->first - centre;
    lanes sum = {0};
    for (int32_t i = 0; i < axis->count; i += LANES) {
        const lanes index = lanes_ramp() + (float)i;
        const lanes distance = start + index;
        const lanes power = distance * distance * falloff;
        const whole_lanes counts = index < (float)axis->count;
        lanes weights;
        const lanes bounded = (lanes)((whole_lanes)power & counts);
        lanes_exponential(&bounded, &weights);
        weights = (lanes)((whole_lanes)weights & counts);
        *(lanes *)(axis->weights + i) = weights;
        sum += weights;
    }
    const float scale = 1.0f / sum_of_lanes(&sum);
    for (int32_t i = 0; i < axis->count; i += LANES) {
        *(lanes *)(axis->weights + i) *= scale;
    }
    if (axis->first < low || axis->first + axis->count - 1 > high) {
        fold(axis, low, high);
    }
}

/* ---- Gathering */

/* Each weight as often as a sample has channels. */
static inline void spread(const struct axis *axis, float *out)
{
    for (int32_t i = 0; i < axis->count; i++) {
        *(sample *)(out + (ptrdiff_t)i * CHANNELS) = axis->weights[i] - (sample){0};
    }
}

static inline sample fold_lanes(const lanes *in)
{
#if SAMPLES == 2
    return *sample_at((const float *)in) + *sample_at((const float *)in + CHANNELS);
#else
    return *in;
#endif
}

static inline sample sum_square(const float *corner, ptrdiff_t pitch, const struct axis *across,
                                const struct axis *down)
{
    float spread_weights[MAX_TAPS * CHANNELS];
    spread(across, spread_weights);
    const int32_t floats = across->count * CHANNELS;
    lanes total = {0};
    sample rest = {0};
    for (int32_t j = 0; j < down->count; j++, corner += pitch) {
        lanes row = {0};
        int32_t i = 0;
        for (; i + LANES <= floats; i += LANES) {
            row += *lanes_at(spread_weights + i) * *lanes_at(corner + i);
        }
        total += row * down->weights[j];
        if (i < floats) {
            rest += *sample_at(corner + i) * *sample_at(spread_weights + i) * down->weights[j];
        }
    }
    return fold_lanes(&total) + rest;
}

static inline sample gather_pixel(const struct foveate_cpu_levels *levels, int32_t x_px,
                                  int32_t y_px, float sigma_px)
{
    const int32_t k = foveate_level_with(sigma_px, levels->rest, levels->count);
    const struct foveate_level *level = &levels->levels[k];
    const int32_t margin = foveate_level_margin(k);
    const float scale = 1.0f / (float)(1 << k);
    const float rest = sqrtf(sigma_px * sigma_px - foveate_level_variance(k)) * scale;
    struct axis across;
    struct axis down;
    const float reach = levels->reach * rest;
    axis_make(&across, ((float)x_px + 0.5f) * scale - 0.5f, rest, reach, -margin,
              level->width + margin - 1);
    axis_make(&down, ((float)y_px + 0.5f) * scale - 0.5f, rest, reach, -margin,
              level->height + margin - 1);
    const float *corner = foveate_cpu_level_row(levels, k, down.first) +
                          (ptrdiff_t)(across.first + margin) * CHANNELS;
    return sum_square(corner, (ptrdiff_t)level->pitch * CHANNELS, &across, &down);
}

static void gather(const struct foveate_cpu_levels *levels, struct foveate_cpu_run run,
                   const float *sigma_px, float *out)
{
    for (int32_t x = run.x0_px; x < run.x1_px; x++, out += CHANNELS) {
        *(sample *)out = gather_pixel(levels, x, run.y_px, sigma_px[x]);
    }
}

const struct foveate_cpu_lines FOVEATE_CPU_NAME(foveate_cpu_lines) = {.halve = halve,
                                                                      .gather = gather};
