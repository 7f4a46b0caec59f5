/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Coarser levels, from planes to responses: a plane's samples are summed along rows by both lines
 * of a scale, and these sums along columns by the other line, for each scale of the level: once for
 * all planes up to the next that differs in the tile. */

#include "coarse.h"

#include "core/bounds.h"

#include <stdlib.h>
#include <string.h>

const size_t saliency_coarse_bytes = sizeof(struct saliency_coarse);

/* ---- Tiles */

int32_t saliency_coarse_parts(const struct saliency_axis *axis, int32_t size)
{
    return (axis->out_last - axis->out_first + size) / size;
}

static int32_t level_tiles(const struct saliency_level *level)
{
    return saliency_coarse_parts(&level->x, SALIENCY_TILE_WIDTH) *
           saliency_coarse_parts(&level->y, SALIENCY_COARSE_ROWS);
}

/* Levels whose tiles have planes of their own, or planes that are kept. */
static const struct saliency_level *first_level(const struct saliency_plan *plan, bool kept)
{
    return plan->levels + (kept ? 2 : 1);
}

int32_t saliency_coarse_tiles(const struct saliency_plan *plan, bool kept)
{
    int32_t count = 0;
    const uint32_t end = kept ? plan->level_count : bounds_smaller_u32(plan->level_count, 2);
    for (const struct saliency_level *level = first_level(plan, kept); level < plan->levels + end;
         level++) {
        count += level_tiles(level);
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
    while (axis->taps && span.px_first < span.px_last && !reads(axis, span.px_first, &span)) {
        span.px_first++;
    }
    while (axis->taps && span.px_last > span.px_first && !reads(axis, span.px_last, &span)) {
        span.px_last--;
    }
    return span;
}

static void choose_tile(const struct saliency_level *level, struct saliency_coarse *coarse,
                        int32_t tile)
{
    while (tile >= level_tiles(level)) {
        tile -= level_tiles(level++);
    }
    const int32_t across = saliency_coarse_parts(&level->x, SALIENCY_TILE_WIDTH);
    coarse->level = level;
    coarse->tile = tile;
    coarse->x = span_of(&level->x, tile % across, SALIENCY_TILE_WIDTH);
    coarse->y = span_of(&level->y, tile / across, SALIENCY_COARSE_ROWS);
}

void saliency_coarse_fill_ends(int16_t *row, int32_t before, int32_t count, int32_t after)
{
    for (int32_t i = 1; i <= before; i++) {
        row[-i] = row[0];
    }
    for (int32_t i = 0; i < after; i++) {
        row[count + i] = row[count - 1];
    }
}

/* ---- From a plane to its response */

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

void saliency_coarse_add(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                         int32_t planes)
{
    const struct saliency_level *level = coarse->level;
    for (uint32_t i = level->scale_first; i < level->scale_end; i++) {
        const struct saliency_scale *scale = &cpu->plan->scales[i];
        pair_weights(coarse, scale);
        filter_rows(cpu, coarse, scale);
        filter_columns(cpu, coarse, scale, planes, coarse->total[i - level->scale_first]);
    }
}

/* The first channel writes, others add to it. */
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
            const int32_t before = coarse->channel > 0 ? out[x] : 0;
            out[x] = before + from[x - x % SALIENCY_PAIRS + x % SALIENCY_PAIRS / 2 +
                                   x % 2 * (SALIENCY_PAIRS / 2)];
        }
    }
}

void saliency_coarse_make(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                          uint32_t channel, bool kept, int32_t tile)
{
    coarse->channel = channel;
    choose_tile(first_level(cpu->plan, kept), coarse, tile);
    memset(coarse->total, 0, sizeof coarse->total);
    if (kept) {
        saliency_planes_add_kept(cpu, coarse);
    } else {
        saliency_planes_add(cpu, coarse);
    }
    for (uint32_t i = coarse->level->scale_first; i < coarse->level->scale_end; i++) {
        write(cpu, coarse, &cpu->plan->scales[i], coarse->total[i - coarse->level->scale_first]);
    }
}
