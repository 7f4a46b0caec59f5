/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Coarser levels: a plane's samples change by what pixels of its bin weigh, as whole numbers. Then
 * the plane is blurred along rows and along columns, and the Laplacian of nine samples taken, for
 * each scale of the level: once for all planes up to the next that differs in the tile. */

#include "saliency_cpu.h"

#include "core/bounds.h"

#include <string.h>

#define MARGIN (SALIENCY_COARSE_REACH + 1) /* samples on each side that a response reads */
#define ROWS (SALIENCY_COARSE_ROWS + 2 * MARGIN)
/* With one more on each side they are whole registers. */
#define TILE_COLUMNS (SALIENCY_TILE_WIDTH - 2)
#define COLUMNS (SALIENCY_TILE_WIDTH + 2 * MARGIN)
#define SUM_BEFORE SALIENCY_TAPS_MAX
#define SUM_PITCH (SUM_BEFORE + COLUMNS + 2 * SALIENCY_TAPS_MAX)
#define PLANE_PITCH (COLUMNS + 2 * SALIENCY_REGISTER)
#define LINE_PITCH (SALIENCY_TILE_WIDTH + 2 * SALIENCY_REGISTER)

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
    float plane[PLANE_PITCH]; /* a row of them, from x.first - MARGIN */
    float lines[ROWS * LINE_PITCH]; /* blurred along rows, from y.first - MARGIN, x.first - 1 */
    float blurred[(SALIENCY_COARSE_ROWS + 2) * LINE_PITCH];
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
    return parts(&level->x, TILE_COLUMNS) * parts(&level->y, SALIENCY_COARSE_ROWS);
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
    const int32_t across = parts(&level->x, TILE_COLUMNS);
    coarse->level = level;
    coarse->x = span_of(&level->x, tile % across, TILE_COLUMNS);
    coarse->y = span_of(&level->y, tile / across, SALIENCY_COARSE_ROWS);
}

/* ---- From a plane to its response */

/* Beyond the axis' samples all are like the outermost. */
static void fill_plane(const struct saliency_cpu *cpu, struct saliency_coarse *coarse, int32_t row)
{
    const struct span *x = &coarse->x;
    const int32_t before = x->low - (x->first - MARGIN);
    const int32_t count = x->high - x->low + 1;
    const int32_t end = x->count + 2 * MARGIN;
    cpu->loops->floats(coarse->sum + row * SUM_PITCH + SUM_BEFORE, count, coarse->plane + before);
    for (int32_t i = 0; i < before; i++) {
        coarse->plane[i] = coarse->plane[before];
    }
    for (int32_t i = before + count; i < end; i++) {
        coarse->plane[i] = coarse->plane[before + count - 1];
    }
}

static void filter_rows(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                        const struct saliency_scale *scale)
{
    const struct span *y = &coarse->y;
    const int32_t before = y->low - (y->first - MARGIN);
    const int32_t count = y->high - y->low + 1;
    for (int32_t row = 0; row < count; row++) {
        fill_plane(cpu, coarse, row);
        const struct saliency_line line = {.in = coarse->plane + MARGIN - 1,
                                           .out = coarse->lines + (before + row) * LINE_PITCH,
                                           .weights = scale->weights,
                                           .step = 1,
                                           .count = coarse->x.count + 2,
                                           .reach = scale->reach};
        cpu->loops->blur(&line);
    }
    for (int32_t row = 0; row < y->count + 2 * MARGIN; row++) {
        if (row < before || row >= before + count) {
            memcpy(coarse->lines + row * LINE_PITCH,
                   coarse->lines + bounds_clamped(row, before, before + count - 1) * LINE_PITCH,
                   LINE_PITCH * sizeof *coarse->lines);
        }
    }
}

static void filter_columns(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                           const struct saliency_scale *scale)
{
    for (int32_t row = 0; row < coarse->y.count + 2; row++) {
        const struct saliency_line line = {
            .in = coarse->lines + (row + MARGIN - 1) * LINE_PITCH,
            .out = coarse->blurred + row * LINE_PITCH,
            .weights = scale->weights,
            .step = LINE_PITCH,
            .count = coarse->x.count + 2,
            .reach = scale->reach,
        };
        cpu->loops->blur(&line);
    }
}

static void add_laplace(const struct saliency_cpu *cpu, const struct saliency_coarse *coarse,
                        const struct saliency_scale *scale, int32_t planes, int32_t *total)
{
    for (int32_t row = 0; row < coarse->y.count; row++) {
        const float *above = coarse->blurred + row * LINE_PITCH;
        const struct saliency_laplace laplace = {.above = above,
                                                 .row = above + LINE_PITCH,
                                                 .below = above + 2 * LINE_PITCH,
                                                 .sum = total + row * SALIENCY_TILE_WIDTH,
                                                 .gain = scale->gain,
                                                 .count = coarse->x.count,
                                                 .factor = planes};
        cpu->loops->laplace(&laplace);
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
    for (uint32_t i = level->scale_first; i < level->scale_end; i++) {
        const struct saliency_scale *scale = &cpu->plan->scales[i];
        filter_rows(cpu, coarse, scale);
        filter_columns(cpu, coarse, scale);
        add_laplace(cpu, coarse, scale, planes, coarse->total[i - level->scale_first]);
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
        memcpy(cpu->response + scale->offset + (size_t)(top + y) * (size_t)scale->width + left,
               total + y * SALIENCY_TILE_WIDTH, (size_t)coarse->x.count * sizeof *total);
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
