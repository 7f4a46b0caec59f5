/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A candidate is a pixel whose response is above that of its 26 neighbours in place and scale; of
 * equal ones the first, by scale, from the top, from the left. Responses of coarser levels are
 * interpolated between samples by the polynomial through six of them. Places outside the picture
 * are no neighbours. Compiled without fused multiply-adds, as are the loops. */

#include "saliency_cpu.h"

#include <string.h>

#define ROWS (SALIENCY_FINE_ROWS + 2)
#define PITCH (SALIENCY_TILE_WIDTH + SALIENCY_REGISTER)
#define NODES (SALIENCY_OUT_BEFORE + 1 + SALIENCY_OUT_AFTER)
#define SAMPLE_ROWS (ROWS / 2 + NODES + 1)
#define NO_NEIGHBOUR (-1.0f)

/* Whole numbers of the response as its values, exactly. */
#define UNIT ((float)(1.0 / (SALIENCY_UNIT * SALIENCY_BINS)))

struct saliency_maxima {
    float planes[3][ROWS * PITCH]; /* of scale i in planes[i % 3] */
    float samples[SAMPLE_ROWS * PITCH]; /* interpolated along rows */
    float weights[PITCH][NODES];
    int32_t nodes[PITCH]; /* the first sample of each pixel */
};

const size_t saliency_maxima_bytes = sizeof(struct saliency_maxima);

/* Pixels of a plane. */
struct area {
    int32_t x_px, y_px, width, height;
};

/* ---- Interpolation */

/* Writes the weights of the samples -2 .. 3 at t in 0 .. 1. */
static void weigh(float t, float out[NODES])
{
    const float a = t + 2.0f;
    const float b = t + 1.0f;
    const float c = t - 1.0f;
    const float d = t - 2.0f;
    const float e = t - 3.0f;
    const float ab = a * b;
    const float de = d * e;
    const float tc = t * c;
    out[0] = b * tc * de * (-1.0f / 120.0f);
    out[1] = a * tc * de * (1.0f / 24.0f);
    out[2] = ab * c * de * (-1.0f / 12.0f);
    out[3] = ab * t * de * (1.0f / 12.0f);
    out[4] = ab * tc * e * (-1.0f / 24.0f);
    out[5] = ab * tc * d * (1.0f / 120.0f);
}

/* The first of the six samples, counted from the response's first. */
static int32_t nodes_of(int32_t pixel, int32_t step, float out_weights[NODES])
{
    weigh((float)(pixel % step) / (float)step, out_weights);
    return pixel / step;
}

static void interpolate_row(const struct saliency_maxima *maxima, const int32_t *row, int32_t count,
                            float *out)
{
    for (int32_t x = 0; x < count; x++) {
        const int32_t *in = row + maxima->nodes[x];
        const float *weights = maxima->weights[x];
        float sum = weights[0] * (float)in[0];
        for (int32_t i = 1; i < NODES; i++) {
            sum += weights[i] * (float)in[i];
        }
        out[x] = sum;
    }
}

static void interpolate_column(const float *in, const float weights[NODES], int32_t count,
                               float *restrict out)
{
    for (int32_t x = 0; x < count; x++) {
        float sum = weights[0] * in[x];
        for (int32_t i = 1; i < NODES; i++) {
            sum += weights[i] * in[i * PITCH + x];
        }
        out[x] = sum * UNIT;
    }
}

static const int32_t *response_of(const struct saliency_cpu *cpu,
                                  const struct saliency_scale *scale, int32_t row)
{
    return cpu->response + scale->offset + (size_t)row * (size_t)scale->width;
}

/* `out` has rows of PITCH. */
static void fill_coarse(const struct saliency_cpu *cpu, struct saliency_maxima *maxima,
                        const struct saliency_scale *scale, const struct area *area, float *out)
{
    const int32_t step = cpu->plan->levels[scale->level].step_px;
    const int32_t first = area->y_px / step;
    const int32_t last = (area->y_px + area->height - 1) / step + NODES - 1;
    for (int32_t x = 0; x < area->width; x++) {
        maxima->nodes[x] = nodes_of(area->x_px + x, step, maxima->weights[x]);
    }
    for (int32_t row = first; row <= last; row++) {
        interpolate_row(maxima, response_of(cpu, scale, row), area->width,
                        maxima->samples + (row - first) * PITCH);
    }
    for (int32_t y = 0; y < area->height; y++) {
        float weights[NODES];
        const int32_t row = nodes_of(area->y_px + y, step, weights) - first;
        interpolate_column(maxima->samples + row * PITCH, weights, area->width, out + y * PITCH);
    }
}

static void fill(const struct saliency_cpu *cpu, struct saliency_maxima *maxima, uint32_t number,
                 const struct area *area, float *out)
{
    const struct saliency_scale *scale = &cpu->plan->scales[number];
    if (cpu->plan->levels[scale->level].step_px > 1) {
        fill_coarse(cpu, maxima, scale, area, out);
        return;
    }
    for (int32_t y = 0; y < area->height; y++) {
        const int32_t *row = response_of(cpu, scale, area->y_px + y) + area->x_px;
        for (int32_t x = 0; x < area->width; x++) {
            out[y * PITCH + x] = (float)row[x] * UNIT;
        }
    }
}

void saliency_cpu_response_row(const struct saliency_cpu *cpu, uint32_t scale, int32_t y_px,
                               float *out)
{
    struct saliency_maxima *maxima = cpu->workers[0].maxima;
    const int32_t width = cpu->plan->width_px;
    for (int32_t x = 0; x < width; x += SALIENCY_TILE_WIDTH) {
        const int32_t left = width - x;
        const struct area area = {x, y_px, left < SALIENCY_TILE_WIDTH ? left : SALIENCY_TILE_WIDTH,
                                  1};
        fill(cpu, maxima, scale, &area, maxima->planes[0]);
        memcpy(out + x, maxima->planes[0], (size_t)area.width * sizeof *out);
    }
}

/* ---- Candidates */

/* Row 0 and column 0 of a plane are the neighbours of the tile's first pixels. */
static void fill_plane(const struct saliency_cpu *cpu, struct saliency_maxima *maxima,
                       uint32_t scale, const struct area *tile)
{
    const int32_t before_x = tile->x_px > 0 ? 1 : 0;
    const int32_t before_y = tile->y_px > 0 ? 1 : 0;
    const int32_t after_x = tile->x_px + tile->width < cpu->plan->width_px ? 1 : 0;
    const int32_t after_y = tile->y_px + tile->height < cpu->plan->height_px ? 1 : 0;
    const struct area area = {tile->x_px - before_x, tile->y_px - before_y,
                              tile->width + before_x + after_x, tile->height + before_y + after_y};
    float *plane = maxima->planes[scale % 3];
    for (int32_t i = 0; i < ROWS * PITCH; i++) {
        plane[i] = NO_NEIGHBOUR;
    }
    fill(cpu, maxima, scale, &area, plane + (1 - before_y) * PITCH + 1 - before_x);
}

/* It is above those before it, and not below those after it. */
static bool is_above(const float *at, const float *below, const float *above)
{
    const float value = *at;
    if (value <= at[-1] || value < at[1] || value <= below[0] || value < above[0]) {
        return false;
    }
    for (int32_t x = -1; x <= 1; x++) {
        if (value <= at[x - PITCH] || value < at[x + PITCH]) {
            return false;
        }
        for (int32_t y = -PITCH; y <= PITCH; y += PITCH) {
            if (value <= below[x + y] || value < above[x + y]) {
                return false;
            }
        }
    }
    return true;
}

/* The top of the parabola through three values: where, -0.5 .. 0.5, and how much above the middle.
 */
struct top {
    float at, more;
};

static struct top top_of(float before, float middle, float after)
{
    const float slope = (after - before) * 0.5f;
    const float curvature = (middle - before) + (middle - after);
    if (before == NO_NEIGHBOUR || after == NO_NEIGHBOUR || !(curvature > 0.0f)) {
        return (struct top){0.0f, 0.0f};
    }
    const float at = slope / curvature;
    return (struct top){at, slope * at * 0.5f};
}

/* 2^(t / 3), to 1e-7 for |t| up to 0.5. */
static float scale_factor(float t)
{
    const float u = t * 0.23104906f; /* ln 2 / 3 */
    return 1.0f + u * (1.0f + u * (0.5f + u * (0.16666667f + u * 0.041666667f)));
}

static void add(const struct saliency_cpu *cpu, const struct saliency_maxima *maxima,
                uint32_t scale, const int32_t at_px[2], const float *at,
                struct saliency_candidates *out)
{
    const ptrdiff_t place = at - maxima->planes[scale % 3];
    const struct top x = top_of(at[-1], *at, at[1]);
    const struct top y = top_of(at[-PITCH], *at, at[PITCH]);
    const struct top s =
        top_of(maxima->planes[(scale + 2) % 3][place], *at, maxima->planes[(scale + 1) % 3][place]);
    const struct saliency_candidate candidate = {
        .blob = {.x_px = (float)at_px[0] + x.at,
                 .y_px = (float)at_px[1] + y.at,
                 .sigma_px = cpu->plan->scales[scale].sigma_px * scale_factor(s.at),
                 .strength = ((*at + x.more) + y.more) + s.more},
        .scale = scale,
        .place = (uint32_t)(at_px[1] * cpu->plan->width_px + at_px[0]),
    };
    saliency_candidates_add(out, &candidate);
}

static void find_at_scale(const struct saliency_cpu *cpu, const struct saliency_maxima *maxima,
                          uint32_t scale, const struct area *tile, struct saliency_candidates *out)
{
    const double set = cpu->plan->numbers.threshold;
    const float threshold = set > 0.0 ? (float)set : 0.0f;
    const float *below = maxima->planes[(scale + 2) % 3] + PITCH + 1;
    const float *above = maxima->planes[(scale + 1) % 3] + PITCH + 1;
    const float *own = maxima->planes[scale % 3] + PITCH + 1;
    for (int32_t y = 0; y < tile->height; y++) {
        for (int32_t x = 0; x < tile->width; x++) {
            const int32_t i = y * PITCH + x;
            if (own[i] > threshold && is_above(own + i, below + i, above + i)) {
                const int32_t at_px[2] = {tile->x_px + x, tile->y_px + y};
                add(cpu, maxima, scale, at_px, own + i, out);
            }
        }
    }
}

void saliency_maxima_find(const struct saliency_cpu *cpu, struct saliency_maxima *maxima,
                          int32_t number, struct saliency_candidates *out)
{
    const struct saliency_plan *plan = cpu->plan;
    const int32_t across = (plan->width_px + SALIENCY_TILE_WIDTH - 1) / SALIENCY_TILE_WIDTH;
    struct area tile = {number % across * SALIENCY_TILE_WIDTH, number / across * SALIENCY_FINE_ROWS,
                        SALIENCY_TILE_WIDTH, SALIENCY_FINE_ROWS};
    tile.width = tile.x_px + tile.width > plan->width_px ? plan->width_px - tile.x_px : tile.width;
    tile.height =
        tile.y_px + tile.height > plan->height_px ? plan->height_px - tile.y_px : tile.height;
    for (uint32_t scale = 0; scale < plan->scale_count; scale++) {
        fill_plane(cpu, maxima, scale, &tile);
        if (scale >= 2) {
            find_at_scale(cpu, maxima, scale - 1, &tile, out);
        }
    }
}
