/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes of coarser levels. Those of step 2 change by what pixels of their bin weigh, tile by tile;
 * a tile halves each plane of its own, which makes its part of step 4. These are kept, and halved
 * again and again, a bin after the other. Then tiles of these levels take what they read. */

#include "coarse.h"

#include "core/bounds.h"

#include <string.h>

#define BEFORE 8 /* samples before and behind a row that is kept, which halves of it read */
#define AFTER 9

/* ---- Planes that are kept */

static uint32_t *bins_of_tile(const struct saliency_cpu *cpu, int32_t tile)
{
    return cpu->kept.bins + (size_t)tile * (SALIENCY_BINS / 32);
}

static bool picture_has(const struct saliency_cpu *cpu, uint32_t channel, int32_t v)
{
    return cpu->adds_every_plane || cpu->start[channel][v] < cpu->start[channel][v + 1];
}

/* The first sample of a row of a bin's plane. */
static int16_t *kept_row(const struct saliency_cpu *cpu, const struct saliency_level *level,
                         int32_t v, int32_t y)
{
    const ptrdiff_t number = level - cpu->plan->levels;
    return cpu->kept.planes + (size_t)v * cpu->kept.of_bin + cpu->kept.first[number] +
           (size_t)(y - level->y.first) * (size_t)cpu->kept.pitch[number] + BEFORE;
}

size_t saliency_planes_place(const struct saliency_plan *plan, struct saliency_kept *kept)
{
    kept->of_bin = 0;
    for (uint32_t i = 2; i < plan->level_count; i++) {
        const struct saliency_level *level = &plan->levels[i];
        const int32_t samples = level->x.last - level->x.first + 1;
        kept->first[i] = kept->of_bin;
        kept->pitch[i] = BEFORE + samples + AFTER;
        kept->of_bin += (size_t)kept->pitch[i] * (size_t)(level->y.last - level->y.first + 1);
    }
    return (SALIENCY_BINS - 1) * kept->of_bin + 4 * SALIENCY_REGISTER;
}

/* ---- Halves */

/* Rows of a plane, and what becomes of them */
struct halves {
    const int16_t *in; /* the row `low`, SALIENCY_HALF_REACH before the first sample's middle */
    ptrdiff_t in_pitch;
    int32_t low, high; /* rows that there are */
    int32_t first, rows; /* that are made */
    int32_t count; /* of their samples */
    int16_t *out;
    ptrdiff_t out_pitch;
};

static void halve_columns(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                          const struct halves *halves, int32_t at, int32_t count)
{
    for (int32_t j = halves->first - 2; j < halves->first + halves->rows + 2; j++) {
        const int32_t even = bounds_clamped(2 * j, halves->low, halves->high) - halves->low;
        const int32_t odd = bounds_clamped(2 * j + 1, halves->low, halves->high) - halves->low;
        const int16_t *in = halves->in + 2 * at;
        cpu->loops->halve_rows(in + even * halves->in_pitch, in + odd * halves->in_pitch, count,
                               coarse->pairs[j & (HALF_ROWS - 1)]);
        if (j >= halves->first + 2) {
            const int32_t *pairs[5];
            for (int32_t k = 0; k < 5; k++) {
                pairs[k] = coarse->pairs[(j - 4 + k) & (HALF_ROWS - 1)];
            }
            cpu->loops->halve_columns(
                pairs, count, halves->out + (j - 2 - halves->first) * halves->out_pitch + at);
        }
    }
}

static void halve(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                  const struct halves *halves)
{
    for (int32_t at = 0; at < halves->count; at += HALF_COLUMNS) {
        halve_columns(cpu, coarse, halves, at, bounds_smaller(halves->count - at, HALF_COLUMNS));
    }
}

/* Samples of step 4 in the middle of a tile of step 2; the outermost tiles have those beyond, too.
 */
static void own_samples(const struct span *span, const struct saliency_axis *axis,
                        const struct saliency_axis *coarser, int32_t size, int32_t *out_first,
                        int32_t *out_end)
{
    *out_first = span->first == axis->out_first ? coarser->first : span->first / 2;
    *out_end = span->first + size > axis->out_last ? coarser->last + 1 : (span->first + size) / 2;
}

/* Keeps what is made of the tile's plane, for bins of the picture from `since` on. */
static void keep_tile(const struct saliency_cpu *cpu, struct saliency_coarse *coarse, int32_t since,
                      int32_t planes)
{
    const struct saliency_level *own = coarse->level;
    const struct saliency_level *level = own + 1;
    const int16_t *made = NULL;
    int32_t x_first, x_end, y_first, y_end;
    own_samples(&coarse->x, &own->x, &level->x, SALIENCY_TILE_WIDTH, &x_first, &x_end);
    own_samples(&coarse->y, &own->y, &level->y, SALIENCY_COARSE_ROWS, &y_first, &y_end);
    const ptrdiff_t pitch = cpu->kept.pitch[level - cpu->plan->levels];
    for (int32_t v = since; v < since + planes; v++) {
        int16_t *out = kept_row(cpu, level, v, y_first) + (x_first - level->x.first);
        if (!picture_has(cpu, coarse->channel, v)) {
            continue;
        }
        for (int32_t y = 0; made && y < y_end - y_first; y++) {
            memcpy(out + y * pitch, made + y * pitch, (size_t)(x_end - x_first) * sizeof *out);
        }
        if (!made) {
            const int32_t first = 2 * x_first - SALIENCY_HALF_REACH - coarse->x.first + MARGIN;
            const struct halves halves = {.in = coarse->plane + first,
                                          .in_pitch = PLANE_PITCH,
                                          .low = coarse->y.low,
                                          .high = coarse->y.high,
                                          .first = y_first,
                                          .rows = y_end - y_first,
                                          .count = x_end - x_first,
                                          .out = out,
                                          .out_pitch = pitch};
            halve(cpu, coarse, &halves);
            made = out;
        }
    }
}

void saliency_planes_halve(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                           uint32_t channel, int32_t v)
{
    const struct saliency_plan *plan = cpu->plan;
    for (uint32_t i = 2; i < plan->level_count && picture_has(cpu, channel, v); i++) {
        const struct saliency_level *level = &plan->levels[i];
        const struct saliency_level *next = level + 1;
        for (int32_t y = level->y.first; y <= level->y.last; y++) {
            saliency_coarse_fill_ends(kept_row(cpu, level, v, y), BEFORE,
                                      level->x.last - level->x.first + 1, AFTER);
        }
        if (i + 1 == plan->level_count) {
            break;
        }
        const struct halves halves = {.in = kept_row(cpu, level, v, level->y.first) - BEFORE,
                                      .in_pitch = cpu->kept.pitch[i],
                                      .low = level->y.first,
                                      .high = level->y.last,
                                      .first = next->y.first,
                                      .rows = next->y.last - next->y.first + 1,
                                      .count = next->x.last - next->x.first + 1,
                                      .out = kept_row(cpu, next, v, next->y.first),
                                      .out_pitch = cpu->kept.pitch[i + 1]};
        halve(cpu, coarse, &halves);
    }
}

/* ---- Step 2 */

/* Beyond the axis' samples all are like the outermost. */
static void fill_row(const struct saliency_cpu *cpu, struct saliency_coarse *coarse, int32_t row)
{
    const struct span *x = &coarse->x;
    const int32_t before = x->low - (x->first - MARGIN);
    const int32_t count = x->high - x->low + 1;
    int16_t *out = coarse->plane + row * PLANE_PITCH + before;
    cpu->loops->samples(coarse->sum + row * SUM_PITCH + SUM_BEFORE, count, out);
    saliency_coarse_fill_ends(out, before, count, x->count + 2 * MARGIN - before - count);
}

/* Adds planes from `since` on, which are alike. */
static void add_planes(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                       int32_t since, int32_t planes)
{
    const uint32_t all = (uint32_t)((coarse->x.px_last - coarse->x.px_first + 1) *
                                    (coarse->y.px_last - coarse->y.px_first + 1));
    const bool even = coarse->seen == 0 || coarse->seen == all; /* one value everywhere */
    for (int32_t row = 0; row <= coarse->y.high - coarse->y.low; row++) {
        fill_row(cpu, coarse, row);
    }
    if (cpu->kept.planes) {
        keep_tile(cpu, coarse, since, planes);
    }
    if (cpu->adds_every_plane || !even) {
        saliency_coarse_add(cpu, coarse, planes);
    }
}

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
                       (last < count ? last + 1 : count) - first, out, SUM_PITCH);
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
static void add_bin(const struct saliency_cpu *cpu, struct saliency_coarse *coarse, int32_t v,
                    int32_t *since)
{
    const struct saliency_place *order = cpu->order[coarse->channel];
    const uint32_t end = cpu->start[coarse->channel][v + 1];
    uint32_t i = find_row(order, cpu->start[coarse->channel][v], end, coarse->y.px_first);
    bool begins = cpu->adds_every_plane;
    for (; i < end && order[i].y <= coarse->y.px_last; i++) {
        if (order[i].x < coarse->x.px_first || order[i].x > coarse->x.px_last) {
            continue;
        }
        begins = true;
        break;
    }
    if (begins && v > *since) {
        add_planes(cpu, coarse, *since, v - *since);
    }
    if (begins) {
        bins_of_tile(cpu, coarse->tile)[v / 32] |= 1u << v % 32;
        *since = v;
    }
    for (; v < SALIENCY_BINS - 1 && i < end && order[i].y <= coarse->y.px_last; i++) {
        if (order[i].x >= coarse->x.px_first && order[i].x <= coarse->x.px_last) {
            add_pixel(cpu, coarse, order[i]);
        }
    }
}

void saliency_planes_add(const struct saliency_cpu *cpu, struct saliency_coarse *coarse)
{
    int32_t since = 0;
    memset(coarse->sum, 0, sizeof coarse->sum);
    memset(bins_of_tile(cpu, coarse->tile), 0, SALIENCY_BINS / 8);
    coarse->seen = 0;
    for (int32_t v = 0; v < SALIENCY_BINS; v++) {
        add_bin(cpu, coarse, v, &since);
    }
    if (since < SALIENCY_BINS - 1) {
        add_planes(cpu, coarse, since, SALIENCY_BINS - 1 - since);
    }
}

/* ---- The others */

/* The tiles of step 2 that samples of a level come from, along an axis. */
static void find_parts(const struct saliency_cpu *cpu, const struct saliency_level *level,
                       bool down, const struct span *span, int32_t *out_first, int32_t *out_last)
{
    const struct saliency_level *first = &cpu->plan->levels[1];
    const struct saliency_axis *axis = down ? &first->y : &first->x;
    const int32_t size = down ? SALIENCY_COARSE_ROWS : SALIENCY_TILE_WIDTH;
    int32_t low = span->low;
    int32_t high = span->high;
    for (; level > first; level--) {
        low = 2 * low - SALIENCY_HALF_REACH;
        high = 2 * high + SALIENCY_HALF_REACH;
    }
    *out_first = (bounds_clamped(low, axis->out_first, axis->out_last) - axis->out_first) / size;
    *out_last = (bounds_clamped(high, axis->out_first, axis->out_last) - axis->out_first) / size;
}

static void find_bins(const struct saliency_cpu *cpu, const struct saliency_coarse *coarse,
                      uint32_t out[SALIENCY_BINS / 32])
{
    const int32_t across = saliency_coarse_parts(&cpu->plan->levels[1].x, SALIENCY_TILE_WIDTH);
    int32_t left, right, top, bottom;
    find_parts(cpu, coarse->level, false, &coarse->x, &left, &right);
    find_parts(cpu, coarse->level, true, &coarse->y, &top, &bottom);
    memset(out, 0, SALIENCY_BINS / 8);
    for (int32_t y = top; y <= bottom; y++) {
        for (int32_t x = left; x <= right; x++) {
            for (int32_t word = 0; word < SALIENCY_BINS / 32; word++) {
                out[word] |= bins_of_tile(cpu, y * across + x)[word];
            }
        }
    }
}

static void take_plane(const struct saliency_cpu *cpu, struct saliency_coarse *coarse, int32_t v)
{
    const struct span *x = &coarse->x;
    const int32_t before = x->low - (x->first - MARGIN);
    const int32_t count = x->high - x->low + 1;
    for (int32_t y = coarse->y.low; y <= coarse->y.high; y++) {
        int16_t *out = coarse->plane + (y - coarse->y.low) * PLANE_PITCH + before;
        memcpy(out, kept_row(cpu, coarse->level, v, y) + x->low - coarse->level->x.first,
               (size_t)count * sizeof *out);
        saliency_coarse_fill_ends(out, before, count, x->count + 2 * MARGIN - before - count);
    }
}

/* The next bin of those, or SALIENCY_BINS. */
static int32_t next_bin(const uint32_t *bins, int32_t v)
{
    while (v < SALIENCY_BINS && !(bins[v / 32] >> v % 32 & 1u)) {
        v++;
    }
    return v;
}

void saliency_planes_add_kept(const struct saliency_cpu *cpu, struct saliency_coarse *coarse)
{
    uint32_t bins[SALIENCY_BINS / 32];
    find_bins(cpu, coarse, bins);
    for (int32_t v = next_bin(bins, 0); v < SALIENCY_BINS - 1;) {
        const int32_t next = next_bin(bins, v + 1);
        if (next < SALIENCY_BINS) { /* else all pixels are in the plane */
            take_plane(cpu, coarse, v);
            saliency_coarse_add(cpu, coarse, next - v);
        }
        v = next;
    }
}
