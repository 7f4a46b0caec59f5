/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Quasi-convolution: down by [13 19 19 13]/64 a level, and up by quadratic B-splines, [3 1]/4 and
 * [1 3]/4 (Kraus 2009). What whole levels leave of sigma^2 is three times [side, 1 - 2 side, side]
 * at the coarsest.
 */

#include "blur_cpu.h"

#include "core/bounds.h"

/* A level, whose pitch is floats from a row to the next. */
static struct blur_pass_level level_of(const struct blur_plan *plan, uint32_t channels,
                                       int32_t number)
{
    struct blur_pass_level level = blur_level_of(plan, number);
    level.pitch *= (int32_t)channels;
    return level;
}

static const float *row_of(const struct blur_pass_level *level, const float *samples, int32_t y)
{
    return samples + (size_t)level->pitch *
                         (size_t)(bounds_clamped(y, level->first, level->last_y) - level->first);
}

static float *row_to(const struct blur_pass_level *level, float *samples, int32_t y)
{
    return samples + (size_t)level->pitch * (size_t)(y - level->first);
}

/* The rows of a chunk. */
static int32_t chunk_first(const struct blur_pass_level *level, int32_t chunk)
{
    return level->first + chunk * BLUR_STRIP_ROWS;
}

static int32_t chunk_last(const struct blur_pass_level *level, int32_t chunk)
{
    const int32_t last = chunk_first(level, chunk) + BLUR_STRIP_ROWS - 1;
    return last < level->last_y ? last : level->last_y;
}

/* A sum of four rows, each times its own weight. */
static void sum_rows(const float *const rows[4], const float weights[4], size_t count, float *to)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = (weights[0] * rows[0][i] + weights[3] * rows[3][i]) +
                (weights[1] * rows[1][i] + weights[2] * rows[2][i]);
    }
}

/* ---- Down: step->level from the one below it */

static void halve(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t chunk,
                  float *scratch)
{
    static const float weights[4] = {13.0f / 64, 19.0f / 64, 19.0f / 64, 13.0f / 64};
    const uint32_t channels = cpu->channels;
    const struct blur_pass_level fine = level_of(cpu->plan, channels, step->level - 1);
    const struct blur_pass_level coarse = level_of(cpu->plan, channels, step->level);
    for (int32_t y = chunk_first(&coarse, chunk); y <= chunk_last(&coarse, chunk); y++) {
        const float *const rows[4] = {
            row_of(&fine, step->from, 2 * y - 1), row_of(&fine, step->from, 2 * y),
            row_of(&fine, step->from, 2 * y + 1), row_of(&fine, step->from, 2 * y + 2)};
        float *to = row_to(&coarse, step->to, y);
        sum_rows(rows, weights, (size_t)fine.pitch, scratch);
        for (int32_t x = coarse.first; x <= coarse.last_x; x++) {
            const float *taps[4];
            for (int32_t i = 0; i < 4; i++) {
                const int32_t at = bounds_clamped(2 * x - 1 + i, fine.first, fine.last_x);
                taps[i] = scratch + (size_t)(at - fine.first) * channels;
            }
            sum_rows(taps, weights, channels, to);
            to += channels;
        }
    }
}

/* ---- At the coarsest level: seven taps each way */

static void widen_values(const float *const at[2 * BLUR_WIDEN_REACH + 1],
                         const float taps[BLUR_WIDEN_REACH + 1], size_t count, float *to)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = taps[3] * (at[0][i] + at[6][i]) + taps[2] * (at[1][i] + at[5][i]) +
                (taps[1] * (at[2][i] + at[4][i]) + taps[0] * at[3][i]);
    }
}

static void widen(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t chunk,
                  float *scratch)
{
    const uint32_t channels = cpu->channels;
    const struct blur_pass_level level = level_of(cpu->plan, channels, step->level);
    float taps[BLUR_WIDEN_REACH + 1];
    blur_pyramid_taps(&cpu->plan->pyramid, taps);
    for (int32_t y = chunk_first(&level, chunk); y <= chunk_last(&level, chunk); y++) {
        const float *at[2 * BLUR_WIDEN_REACH + 1];
        float *to = row_to(&level, step->to, y);
        for (int32_t i = 0; i <= 2 * BLUR_WIDEN_REACH; i++) {
            at[i] = row_of(&level, step->from, y + i - BLUR_WIDEN_REACH);
        }
        widen_values(at, taps, (size_t)level.pitch, scratch);
        for (int32_t x = level.first; x <= level.last_x; x++) {
            for (int32_t i = 0; i <= 2 * BLUR_WIDEN_REACH; i++) {
                const int32_t place =
                    bounds_clamped(x + i - BLUR_WIDEN_REACH, level.first, level.last_x);
                at[i] = scratch + (size_t)(place - level.first) * channels;
            }
            widen_values(at, taps, channels, to);
            to += channels;
        }
    }
}

/* ---- Up: step->level from the one above it */

static void mix(const float *most, const float *least, size_t count, float *to)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = 0.75f * most[i] + 0.25f * least[i];
    }
}

/* The coarse sample that a fine one lies in, and the other one that it lies next to. */
static int32_t own_of(int32_t fine)
{
    return (fine - (fine < 0 && fine % 2 != 0 ? 1 : 0)) / 2;
}

static int32_t other_of(int32_t fine)
{
    return own_of(fine) + (fine % 2 == 0 ? -1 : 1);
}

static void double_up(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t chunk,
                      float *scratch)
{
    const uint32_t channels = cpu->channels;
    const struct blur_pass_level fine = level_of(cpu->plan, channels, step->level);
    const struct blur_pass_level coarse = level_of(cpu->plan, channels, step->level + 1);
    for (int32_t y = chunk_first(&fine, chunk); y <= chunk_last(&fine, chunk); y++) {
        float *to = row_to(&fine, step->to, y);
        mix(row_of(&coarse, step->from, own_of(y)), row_of(&coarse, step->from, other_of(y)),
            (size_t)coarse.pitch, scratch);
        for (int32_t x = fine.first; x <= fine.last_x; x++) {
            const int32_t own = bounds_clamped(own_of(x), coarse.first, coarse.last_x);
            const int32_t other = bounds_clamped(other_of(x), coarse.first, coarse.last_x);
            mix(scratch + (size_t)(own - coarse.first) * channels,
                scratch + (size_t)(other - coarse.first) * channels, channels, to);
            to += channels;
        }
    }
}

/* ---- The engine */

/* Returns where a level from 1 on lies in `more`; those that were widened come behind all of them.
 */
static float *samples_of(const struct blur_cpu *cpu, int32_t number)
{
    return cpu->more + BLUR_MOST_CHANNELS * (size_t)blur_level_samples_before(cpu->plan, number);
}

static void add_step(struct blur_cpu *cpu, int32_t level_number,
                     void (*make)(const struct blur_cpu *, const struct blur_cpu_step *, int32_t,
                                  float *),
                     const float *from, float *to)
{
    const struct blur_pass_level level = level_of(cpu->plan, cpu->channels, level_number);
    blur_cpu_add(
        cpu, (struct blur_cpu_step){.make = make, .from = from, .to = to, .level = level_number},
        blur_strips(blur_level_rows(&level)));
}

/* Levels on the way up take the place of those on the way down. */
static float *add(struct blur_cpu *cpu)
{
    const int32_t levels = cpu->plan->pyramid.levels;
    float *from = cpu->pixels;
    for (int32_t i = 1; i <= levels; i++) {
        add_step(cpu, i, halve, from, samples_of(cpu, i));
        from = samples_of(cpu, i);
    }
    float *widened = samples_of(cpu, levels + 1);
    add_step(cpu, levels, widen, from, widened);
    from = widened;
    for (int32_t i = levels - 1; i >= 0; i--) {
        float *to = i > 0 ? samples_of(cpu, i) : cpu->pixels;
        add_step(cpu, i, double_up, from, to);
        from = to;
    }
    return from;
}

static size_t more_floats(const struct blur_plan *plan)
{
    return BLUR_MOST_CHANNELS * (size_t)blur_passes_quasi.samples(plan);
}

/* A row of the longest level: of the picture, or of a small one with what is around it. */
static size_t scratch_floats(const struct blur_plan *plan)
{
    return ((size_t)plan->machine.width_px + 4) * BLUR_MOST_CHANNELS;
}

const struct blur_cpu_engine blur_cpu_quasi = {
    .more_floats = more_floats, .scratch_floats = scratch_floats, .add = add};
