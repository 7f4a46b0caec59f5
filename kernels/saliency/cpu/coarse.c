/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Coarser levels: a plane's samples change by what pixels of its bin weigh. Then it is summed along
 * rows by both lines of a scale, and these sums along columns by the other line, for each scale of
 * the level: once for all planes up to the next that differs in the tile. */

#include "saliency_cpu.h"

#include "core/bounds.h"

#include <stdlib.h>
#include <string.h>

#define MARGIN SALIENCY_COARSE_REACH /* samples on each side that a response reads */
#define ROWS (SALIENCY_COARSE_ROWS + 2 * MARGIN)
#define COLUMNS (SALIENCY_TILE_WIDTH + 2 * MARGIN)
#define SUM_BEFORE SALIENCY_TAPS_MAX
#define SUM_PITCH (SUM_BEFORE + COLUMNS + 2 * SALIENCY_TAPS_MAX)
#define PLANE_PITCH (COLUMNS + 2 * SALIENCY_REGISTER)
#define LINE_PITCH SALIENCY_TILE_WIDTH

/* Along one axis. */
struct span {
    int32_t first, count; /* samples of the response */
    int32_t low, high; /* samples of the plane that they read and that the axis has */
    int32_t px_first, px_last; /* pixels that add to these */
};

struct saliency_coarse {
    const struct saliency_level *level;
    struct span x, y;
    uint32_t seen; /* pixels that are in the plane */
    int32_t sum[ROWS * SUM_PITCH]; /* the plane's samples, from x.low and y.low */
    int16_t plane[ROWS * PLANE_PITCH]; /* of 16 bits, from x.first - MARGIN */
    int32_t lines[ROWS * LINE_PITCH]; /* pairs of sums along rows, from y.first - MARGIN */
    int32_t p[SALIENCY_COARSE_REACH + 1], q[SALIENCY_COARSE_REACH + 1]; /* weights of rows */
    int32_t weights[SALIENCY_COARSE_REACH + 1]; /* of columns */
    int32_t total[SALIENCY_PER_OCTAVE][SALIENCY_COARSE_ROWS * SALIENCY_TILE_WIDTH];
};

const size_t saliency_coarse_bytes = sizeof(struct saliency_coarse);

/* ---- Tiles */

static int32_t parts(const struct saliency_axis *axis, int32_t size)
{
    return (axis->out_last - axis->out_first + size) / size;
}

static int32_t level_tiles(const struct saliency_level *level)
{
    if (level->step_px == 1) {
        return 0;
    }
    return parts(&level->x, SALIENCY_TILE_WIDTH) * parts(&level->y, SALIENCY_COARSE_ROWS);
}

int32_t saliency_coarse_tiles(const struct saliency_plan *plan)
{
    int32_t count = 0;
    for (uint32_t i = 0; i < plan->level_count; i++) {
        count += level_tiles(&plan->levels[i]);
    }
    return count;
}

static bool reads(const struct saliency_axis *axis, int32_t pixel, const struct span *span)
{
    const int32_t first = axis->tap_first[pixel];
    return first <= span->high && first + axis->tap_count[pixel] > span->low;
}

static struct span span_of(const struct saliency_axis *axis, int32_t part, int32_t size)
{
    struct span span = {.first = axis->out_first + part * size, .px_last = axis->pixels - 1};
    const int32_t end = span.first + size;
    span.count = (end <= axis->out_last ? end : axis->out_last + 1) - span.first;
    span.low = bounds_clamped(span.first - MARGIN, axis->first, axis->last);
    span.high = bounds_clamped(span.first + span.count - 1 + MARGIN, axis->first, axis->last);
    while (span.px_first < span.px_last && !reads(axis, span.px_first, &span)) {
        span.px_first++;
    }
    while (span.px_last > span.px_first && !reads(axis, span.px_last, &span)) {
        span.px_last--;
    }
    return span;
}

static void choose_tile(const struct saliency_plan *plan, struct saliency_coarse *coarse,
                        int32_t tile)
{
    const struct saliency_level *level = plan->levels;
    while (tile >= level_tiles(level)) {
        tile -= level_tiles(level++);
    }
    const int32_t across = parts(&level->x, SALIENCY_TILE_WIDTH);
    coarse->level = level;
    coarse->x = span_of(&level->x, tile % across, SALIENCY_TILE_WIDTH);
    coarse->y = span_of(&level->y, tile / across, SALIENCY_COARSE_ROWS);
}

/* ---- From a plane to its response */

/* Beyond the axis' samples all are like the outermost. */
static void fill_row(const struct saliency_cpu *cpu, struct saliency_coarse *coarse, int32_t row)
{
    const struct span *x = &coarse->x;
    const int32_t before = x->low - (x->first - MARGIN);
    const int32_t count = x->high - x->low + 1;
    const int32_t end = x->count + 2 * MARGIN;
    int16_t *out = coarse->plane + row * PLANE_PITCH;
    cpu->loops->samples(coarse->sum + row * SUM_PITCH + SUM_BEFORE, count, out + before);
    for (int32_t i = 0; i < before; i++) {
        out[i] = out[before];
    }
    for (int32_t i = before + count; i < end; i++) {
        out[i] = out[before + count - 1];
    }
}

static int32_t pair_of(int32_t low, int32_t high)
{
    return (int32_t)((uint32_t)low & 0xffff) | (int32_t)((uint32_t)high << 16);
}

/* As loops have them. */
static void pair_weights(struct saliency_coarse *coarse, const struct saliency_scale *scale)
{
    const int32_t reach = scale->reach;
    for (int32_t i = 0; i <= reach; i++) {
        const int32_t first = abs(2 * i - reach);
        const int32_t second = abs(2 * i + 1 - reach);
        coarse->p[i] = pair_of(scale->p[first], second > reach ? 0 : scale->p[second]);
        coarse->q[i] = pair_of(scale->q[first], second > reach ? 0 : scale->q[second]);
        coarse->weights[i] = pair_of(scale->q[i], scale->p[i]);
    }
}

/* Makes the rows that the scale reaches, of which those beyond the axis are like its outermost. */
static void filter_rows(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                        const struct saliency_scale *scale)
{
    const struct span *y = &coarse->y;
    const int32_t before = y->low - (y->first - MARGIN);
    const int32_t last_there = before + y->high - y->low;
    const int32_t first = MARGIN - scale->reach;
    const int32_t last = MARGIN + y->count - 1 + scale->reach;
    const int32_t low = bounds_clamped(first, before, last_there);
    const int32_t high = bounds_clamped(last, before, last_there);
    for (int32_t row = low; row <= high; row++) {
        const struct saliency_rows rows = {.in = coarse->plane + (row - before) * PLANE_PITCH +
                                                 MARGIN - scale->reach,
                                           .out = coarse->lines + row * LINE_PITCH,
                                           .p = coarse->p,
                                           .q = coarse->q,
                                           .count = coarse->x.count,
                                           .reach = scale->reach};
        cpu->loops->rows(&rows);
    }
    for (int32_t row = first; row <= last; row++) {
        if (row < low || row > high) {
            memcpy(coarse->lines + row * LINE_PITCH,
                   coarse->lines + bounds_clamped(row, low, high) * LINE_PITCH,
                   LINE_PITCH * sizeof *coarse->lines);
        }
    }
}

static void filter_columns(const struct saliency_cpu *cpu, const struct saliency_coarse *coarse,
                           const struct saliency_scale *scale, int32_t planes, int32_t *total)
{
    for (int32_t row = 0; row < coarse->y.count; row++) {
        const struct saliency_columns columns = {.in = coarse->lines + (row + MARGIN) * LINE_PITCH,
                                                 .sum = total + row * SALIENCY_TILE_WIDTH,
                                                 .weights = coarse->weights,
                                                 .pitch = LINE_PITCH,
                                                 .count = (coarse->x.count + SALIENCY_PAIRS - 1) /
                                                          SALIENCY_PAIRS * SALIENCY_PAIRS,
                                                 .reach = scale->reach,
                                                 .factor = planes};
        cpu->loops->columns(&columns);
    }
}

static void add_planes(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                       int32_t planes)
{
    const struct saliency_level *level = coarse->level;
    const uint32_t all = (uint32_t)((coarse->x.px_last - coarse->x.px_first + 1) *
                                    (coarse->y.px_last - coarse->y.px_first + 1));
    if (!cpu->adds_every_plane && (coarse->seen == 0 || coarse->seen == all)) {
        return; /* one value everywhere */
    }
    for (int32_t row = 0; row <= coarse->y.high - coarse->y.low; row++) {
        fill_row(cpu, coarse, row);
    }
    for (uint32_t i = level->scale_first; i < level->scale_end; i++) {
        const struct saliency_scale *scale = &cpu->plan->scales[i];
        pair_weights(coarse, scale);
        filter_rows(cpu, coarse, scale);
        filter_columns(cpu, coarse, scale, planes, coarse->total[i - level->scale_first]);
    }
}

/* ---- Pixels into the plane */

static void add_pixel(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                      struct saliency_place place)
{
    const struct saliency_axis *x = &coarse->level->x;
    const struct saliency_axis *y = &coarse->level->y;
    const int32_t top = y->tap_first[place.y];
    const int32_t first = top < coarse->y.low ? coarse->y.low - top : 0;
    const int32_t last = coarse->y.high - top;
    const int32_t count = y->tap_count[place.y];
    int32_t *out = coarse->sum + (top + first - coarse->y.low) * SUM_PITCH + SUM_BEFORE +
                   x->tap_first[place.x] - coarse->x.low;
    coarse->seen++;
    cpu->loops->spread(x->taps + place.x * SALIENCY_TAPS_MAX,
                       y->taps + place.y * SALIENCY_TAPS_MAX + first,
                       (last < count ? last + 1 : count) - first,
                       x->tap_count[place.x] <= SALIENCY_TAPS_MAX / 2, out, SUM_PITCH);
}

/* The first pixel of a bin that is not above a row. */
static uint32_t find_row(const struct saliency_place *order, uint32_t first, uint32_t end,
                         int32_t y_px)
{
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (order[middle].y < y_px) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

/* Adds the pixels of bin v, and before the first of them what the planes from *since on come to.
 */
static void add_bin(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                    uint32_t channel, int32_t v, int32_t *since)
{
    const struct saliency_place *order = cpu->order[channel];
    const uint32_t end = cpu->start[channel][v + 1];
    uint32_t i = find_row(order, cpu->start[channel][v], end, coarse->y.px_first);
    if (cpu->adds_every_plane && v > *since) {
        add_planes(cpu, coarse, v - *since);
        *since = v;
    }
    for (; i < end && order[i].y <= coarse->y.px_last; i++) {
        if (order[i].x < coarse->x.px_first || order[i].x > coarse->x.px_last) {
            continue;
        }
        if (v > *since) {
            add_planes(cpu, coarse, v - *since);
        }
        *since = v;
        add_pixel(cpu, coarse, order[i]);
    }
}

static void add_channel(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                        uint32_t channel)
{
    int32_t since = 0;
    memset(coarse->sum, 0, sizeof coarse->sum);
    coarse->seen = 0;
    for (int32_t v = 0; v < SALIENCY_BINS - 1; v++) {
        add_bin(cpu, coarse, channel, v, &since);
    }
    add_planes(cpu, coarse, SALIENCY_BINS - 1 - since);
}

static void write(const struct saliency_cpu *cpu, const struct saliency_coarse *coarse,
                  const struct saliency_scale *scale, const int32_t *total)
{
    const int32_t left = coarse->x.first - coarse->level->x.out_first;
    const int32_t top = coarse->y.first - coarse->level->y.out_first;
    for (int32_t y = 0; y < coarse->y.count; y++) {
        int32_t *out =
            cpu->response + scale->offset + (size_t)(top + y) * (size_t)scale->width + left;
        const int32_t *from = total + y * SALIENCY_TILE_WIDTH;
        for (int32_t x = 0; x < coarse->x.count; x++) { /* of sixteen the even ones come first */
            out[x] = from[x - x % SALIENCY_PAIRS + x % SALIENCY_PAIRS / 2 +
                          x % 2 * (SALIENCY_PAIRS / 2)];
        }
    }
}

void saliency_coarse_make(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                          int32_t tile)
{
    choose_tile(cpu->plan, coarse, tile);
    memset(coarse->total, 0, sizeof coarse->total);
    for (uint32_t channel = 0; channel < cpu->channels; channel++) {
        add_channel(cpu, coarse, channel);
    }
    for (uint32_t i = coarse->level->scale_first; i < coarse->level->scale_end; i++) {
        write(cpu, coarse, &cpu->plan->scales[i], coarse->total[i - coarse->level->scale_first]);
    }
}
