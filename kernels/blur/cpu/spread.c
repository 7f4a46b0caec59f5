/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Spreading (Kosloff et al. 2009): a pixel becomes a tent of its own radius, whose weights come
 * to 1. Where all pixels have one radius that is what each gathers, along lines. Else pixels give
 * to others: a worker makes some rows of the result and lets all pixels that reach them add to
 * these, in one order however many workers there are. Pixels of the picture's edge stand for those
 * beyond it. */

#include "blur_cpu.h"

#include <math.h>
#include <string.h>

#define ROWS 32 /* of the result that are made at a time */

/* ---- Memory: the result, each pixel's radius, each row's largest reach */

static size_t pixel_count(const struct blur_plan *plan)
{
    return (size_t)plan->machine.width_px * plan->machine.height_px;
}

static float *radii_of(const struct blur_cpu *cpu)
{
    return cpu->more + BLUR_MOST_CHANNELS * pixel_count(cpu->plan);
}

static float *reaches_of(const struct blur_cpu *cpu)
{
    return radii_of(cpu) + pixel_count(cpu->plan);
}

static size_t more_floats(const struct blur_plan *plan)
{
    return plan->has_sigmas ? (BLUR_MOST_CHANNELS + 1) * pixel_count(plan) + plan->machine.height_px
                            : 0;
}

/* Rows of the result, a channel after the other; a pixel's weights along its row. */
static size_t scratch_floats(const struct blur_plan *plan)
{
    const size_t width = plan->machine.width_px;
    return plan->has_sigmas ? (BLUR_MOST_CHANNELS * ROWS + 1) * width : blur_cpu_tent_floats(plan);
}

/* ---- Radii */

static double counted(const struct blur_cpu *cpu, float sigma_px)
{
    return sigma_px > 0.0f ? fmin((double)sigma_px, cpu->plan->numbers.sigma_px) : 0.0;
}

static void find_radii(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t chunk,
                       float *scratch)
{
    (void)step;
    (void)scratch;
    const struct pixel_codec *codec = pixel_codec_of(cpu->sigmas.format);
    for (int32_t y = chunk * BLUR_STRIP_ROWS; y < blur_strip_end(chunk, cpu->height_px); y++) {
        float *radii = radii_of(cpu) + (size_t)y * (size_t)cpu->width_px;
        const struct pixel_row row = pixel_row_of(&cpu->sigmas, codec, 0, y, cpu->width_px);
        float most = 0.0f;
        codec->decode(&row, 1, radii);
        for (int32_t x = 0; x < cpu->width_px; x++) {
            radii[x] = (float)blur_tent_of(counted(cpu, radii[x])).radius_px;
            most = fmaxf(most, radii[x]);
        }
        reaches_of(cpu)[y] = most;
    }
}

/* ---- What a pixel gives */

/* A line's places that a pixel of it reaches. */
struct span {
    int32_t first;
    int32_t end;
};

static struct span span_of(int32_t at, float radius, int32_t first, int32_t end)
{
    const int32_t reach = (int32_t)radius;
    return (struct span){at - reach > first ? at - reach : first,
                         at + reach + 1 < end ? at + reach + 1 : end};
}

static float weight_at(float radius, int32_t distance)
{
    return fmaxf(radius - fabsf((float)distance), 0.0f);
}

/* Returns the weight of a pixel and of those beyond the line's end that are like it. */
static float weight_with_beyond(float radius, int32_t at, int32_t to, int32_t length)
{
    const int32_t reach = (int32_t)radius;
    float sum = weight_at(radius, to - at);
    for (int32_t i = -1; at == 0 && i >= to - reach; i--) {
        sum += weight_at(radius, to - i);
    }
    for (int32_t i = length; at == length - 1 && i <= to + reach; i++) {
        sum += weight_at(radius, to - i);
    }
    return sum;
}

static void weigh(float radius, int32_t at, int32_t length, const struct span *span, float *out)
{
    const bool inside = at > 0 && at < length - 1;
    if (inside) {
        for (int32_t i = span->first; i < span->end; i++) {
            out[i - span->first] = radius - fabsf((float)(i - at));
        }
        return;
    }
    for (int32_t i = span->first; i < span->end; i++) {
        out[i - span->first] = weight_with_beyond(radius, at, i, length);
    }
}

static void add_scaled(const float *weights, float scale, int32_t count, float *to)
{
    for (int32_t i = 0; i < count; i++) {
        to[i] += scale * weights[i];
    }
}

/* The rows of the result from `first` to before `end`, a plane a channel. */
struct made {
    int32_t first;
    int32_t end;
    float *planes;
    float *weights;
};

static void give(const struct blur_cpu *cpu, int32_t x, int32_t y, const struct made *made)
{
    const float radius = radii_of(cpu)[(size_t)y * (size_t)cpu->width_px + (size_t)x];
    const struct span down = span_of(y, radius, made->first, made->end);
    if (down.first >= down.end) {
        return;
    }
    const struct span across = span_of(x, radius, 0, cpu->width_px);
    const float *value = cpu->pixels + (size_t)y * blur_cpu_row(cpu) + (size_t)x * cpu->channels;
    const float whole = floorf(radius);
    const float scale = 1.0f / (whole * whole + (radius - whole) * (2.0f * whole + 1.0f));
    weigh(radius, x, cpu->width_px, &across, made->weights);
    for (int32_t j = down.first; j < down.end; j++) {
        const float share = scale * scale * weight_with_beyond(radius, y, j, cpu->height_px);
        for (uint32_t c = 0; c < cpu->channels; c++) {
            float *row = made->planes +
                         (size_t)(c * ROWS + (uint32_t)(j - made->first)) * (size_t)cpu->width_px;
            add_scaled(made->weights, share * value[c], across.end - across.first,
                       row + across.first);
        }
    }
}

/* A row gives to those that its largest reach comes to. */
static bool reaches(const struct blur_cpu *cpu, int32_t y, const struct made *made)
{
    const int32_t reach = (int32_t)reaches_of(cpu)[y];
    return y + reach >= made->first && y - reach < made->end;
}

static void gather_rows(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t chunk,
                        float *scratch)
{
    const size_t width = (size_t)cpu->width_px;
    struct made made = {.first = chunk * ROWS, .planes = scratch};
    made.end = made.first + ROWS < cpu->height_px ? made.first + ROWS : cpu->height_px;
    made.weights = scratch + BLUR_MOST_CHANNELS * ROWS * width;
    memset(scratch, 0, cpu->channels * ROWS * width * sizeof *scratch);
    for (int32_t y = 0; y < cpu->height_px; y++) {
        for (int32_t x = 0; x < cpu->width_px && reaches(cpu, y, &made); x++) {
            give(cpu, x, y, &made);
        }
    }
    float *to = step->to + (size_t)made.first * blur_cpu_row(cpu);
    for (size_t i = 0; i < (size_t)(made.end - made.first) * width; i++) {
        for (uint32_t c = 0; c < cpu->channels; c++) {
            *to++ = scratch[c * ROWS * width + i];
        }
    }
}

/* ---- The engine */

static float *add(struct blur_cpu *cpu)
{
    if (!cpu->plan->has_sigmas) {
        return blur_cpu_tent_add(cpu);
    }
    blur_cpu_add(cpu, (struct blur_cpu_step){.make = find_radii}, blur_strips(cpu->height_px));
    blur_cpu_add(cpu, (struct blur_cpu_step){.make = gather_rows, .to = cpu->more},
                 (cpu->height_px + ROWS - 1) / ROWS);
    return cpu->more;
}

const struct blur_cpu_engine blur_cpu_spread = {
    .more_floats = more_floats, .scratch_floats = scratch_floats, .add = add};
