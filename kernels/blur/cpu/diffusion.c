/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Heat: each step adds to a pixel a share of how much warmer its four neighbours are. A neighbour
 * beyond the picture is the pixel itself, so that nothing flows there. Where edges are kept a share
 * falls with the difference of the colours (Perona and Malik 1990, their second function). */

#include "blur_cpu.h"

/* The rows around one. */
struct rows {
    const float *own;
    const float *above;
    const float *below;
    float *to;
};

static struct rows rows_at(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t y)
{
    const size_t row = blur_cpu_row(cpu);
    const float *own = step->from + (size_t)y * row;
    return (struct rows){own, y > 0 ? own - row : own, y + 1 < cpu->height_px ? own + row : own,
                         step->to + (size_t)y * row};
}

/* Floats from `first` to before `end` of a row, whose neighbours are so many floats away. */
static void flow(const struct rows *rows, ptrdiff_t first, ptrdiff_t end, const ptrdiff_t beside[2],
                 float rate)
{
    const float *own = rows->own;
    for (ptrdiff_t i = first; i < end; i++) {
        const float around =
            (own[i - beside[0]] + own[i + beside[1]]) + (rows->above[i] + rows->below[i]);
        rows->to[i] = own[i] + rate * (around - 4.0f * own[i]);
    }
}

static void flow_everywhere(const struct blur_cpu *cpu, const struct rows *rows)
{
    const float rate = (float)cpu->plan->heat.rate;
    const ptrdiff_t next = (ptrdiff_t)cpu->channels;
    const ptrdiff_t end = (ptrdiff_t)blur_cpu_row(cpu);
    if (end == next) {
        flow(rows, 0, end, (const ptrdiff_t[2]){0, 0}, rate);
        return;
    }
    flow(rows, 0, next, (const ptrdiff_t[2]){0, next}, rate);
    flow(rows, next, end - next, (const ptrdiff_t[2]){next, next}, rate);
    flow(rows, end - next, end, (const ptrdiff_t[2]){next, 0}, rate);
}

/* 1 / (1 + mean square of the colours' differences / edge^2). */
static float share_of(const struct blur_cpu *cpu, const float *own, const float *other,
                      float per_square)
{
    float squares = 0.0f;
    for (uint32_t c = 0; c < cpu->colors; c++) {
        squares += (other[c] - own[c]) * (other[c] - own[c]);
    }
    return 1.0f / (1.0f + squares * per_square);
}

static void flow_within_edges(const struct blur_cpu *cpu, const struct rows *rows)
{
    const uint32_t channels = cpu->channels;
    const double edge = cpu->plan->heat.edge * (double)cpu->white;
    const float per_square = (float)(1.0 / (edge * edge * cpu->colors));
    const float rate = (float)cpu->plan->heat.rate;
    for (int32_t x = 0; x < cpu->width_px; x++) {
        const size_t at = (size_t)x * channels;
        const float *own = rows->own + at;
        const float *const around[4] = {x > 0 ? own - channels : own,
                                        x + 1 < cpu->width_px ? own + channels : own,
                                        rows->above + at, rows->below + at};
        float sums[BLUR_MOST_CHANNELS] = {0};
        for (int i = 0; i < 4; i++) {
            const float share = share_of(cpu, own, around[i], per_square);
            for (uint32_t c = 0; c < channels; c++) {
                sums[c] += share * (around[i][c] - own[c]);
            }
        }
        for (uint32_t c = 0; c < channels; c++) {
            rows->to[at + c] = own[c] + rate * sums[c];
        }
    }
}

static void make(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t chunk,
                 float *scratch)
{
    (void)scratch;
    for (int32_t y = chunk * BLUR_STRIP_ROWS; y < blur_strip_end(chunk, cpu->height_px); y++) {
        const struct rows rows = rows_at(cpu, step, y);
        (cpu->plan->heat.edge > 0.0 ? flow_within_edges : flow_everywhere)(cpu, &rows);
    }
}

static float *add(struct blur_cpu *cpu)
{
    float *from = cpu->pixels;
    float *to = cpu->more;
    for (int32_t i = 0; i < cpu->plan->heat.steps; i++) {
        blur_cpu_add(cpu, (struct blur_cpu_step){.make = make, .from = from, .to = to},
                     blur_strips(cpu->height_px));
        float *made = to;
        to = from;
        from = made;
    }
    return from;
}

static size_t more_floats(const struct blur_plan *plan)
{
    return (size_t)plan->machine.width_px * plan->machine.height_px * BLUR_MOST_CHANNELS;
}

const struct blur_cpu_engine blur_cpu_diffusion = {.more_floats = more_floats, .add = add};
