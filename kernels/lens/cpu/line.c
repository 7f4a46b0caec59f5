/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "line.h"

#include "core/bounds.h"

/* ---- Places */

static inline void put_place(struct lens_place place, int32_t i, struct lens_places *out)
{
    out->at_x[i] = place.at_x;
    out->at_y[i] = place.at_y;
    out->part_x[i] = place.part_x;
    out->part_y[i] = place.part_y;
}

/* Copies are read: what is written could change the others, as far as compilers know. */
static void find_by_polynomial(const struct lens_shape *shape, int32_t color,
                               const struct lens_run *run, struct lens_offset offset,
                               struct lens_places *out)
{
    const struct lens_shape own = *shape;
    const struct lens_run pixels = *run;
    for (int32_t i = 0; i < pixels.count; i++) {
        put_place(lens_place_beside(&own, color, pixels.x_px + i, pixels.y_px, offset), i, out);
    }
}

/* Points that a run lies among, of a grid with about a point a pixel or fewer. */
#define COLUMNS 160

/* The moves of the points that the run lies among, between the rows of points: x and y. */
static void blend_rows(const struct lens_grid *grid, const float *moves, int32_t color,
                       const struct lens_between *down, int32_t first, int32_t columns, float *out)
{
    const int32_t count = grid->quadratic ? 3 : 2;
    for (int32_t j = 0; j < count; j++) {
        const float *row =
            moves + 2 * (grid->first[color] + (down->from + j) * grid->columns + first);
        const float weight = down->weights[j];
        for (int32_t k = 0; k < 2 * columns; k++) {
            out[k] = (j == 0 ? 0.0f : out[k]) + weight * row[k];
        }
    }
}

/* Does as lens_grid_place_beside, but for what has more points. */
static void find_by_grid(const struct lens_shape *shape, const float *moves, int32_t color,
                         const struct lens_run *run, struct lens_offset offset,
                         struct lens_places *out)
{
    const struct lens_grid *grid = &shape->grid;
    const int32_t count = grid->quadratic ? 3 : 2;
    const float left = (float)run->x_px + 0.5f + offset.x_px;
    const float right = (float)(run->x_px + run->count - 1) + 0.5f + offset.x_px;
    const int32_t first = lens_between_at(grid, left, grid->per_px_x, grid->columns).from;
    const int32_t columns =
        lens_between_at(grid, right, grid->per_px_x, grid->columns).from + count - first;
    float blended[2 * COLUMNS];
    if (columns > COLUMNS) {
        for (int32_t i = 0; i < run->count; i++) {
            put_place(lens_grid_place_beside(shape, moves, color, run->x_px + i, run->y_px, offset),
                      i, out);
        }
        return;
    }
    const struct lens_between down =
        lens_between_at(grid, (float)run->y_px + 0.5f + offset.y_px, grid->per_px_y, grid->rows);
    blend_rows(grid, moves, color, &down, first, columns, blended);
    for (int32_t i = 0; i < run->count; i++) {
        const struct lens_between across = lens_between_at(
            grid, (float)(run->x_px + i) + 0.5f + offset.x_px, grid->per_px_x, grid->columns);
        const float *points = blended + 2 * (across.from - first);
        float move_x = across.weights[0] * points[0] + across.weights[1] * points[2];
        float move_y = across.weights[0] * points[1] + across.weights[1] * points[3];
        if (count == 3) {
            move_x += across.weights[2] * points[4];
            move_y += across.weights[2] * points[5];
        }
        put_place(lens_place_after(lens_within(move_x) + offset.x_px,
                                   lens_within(move_y) + offset.y_px, run->x_px + i, run->y_px),
                  i, out);
    }
}

void lens_find_places(const struct lens_shape *shape, const float *moves, int32_t color,
                      const struct lens_run *run, struct lens_offset offset,
                      struct lens_places *out_places)
{
    if (moves) {
        find_by_grid(shape, moves, color, run, offset, out_places);
    } else {
        find_by_polynomial(shape, color, run, offset, out_places);
    }
}

void lens_mark_outside(const struct lens_shape *shape, const struct lens_places *places,
                       int32_t count, unsigned char bits, unsigned char *marks)
{
    const uint32_t width_px = (uint32_t)shape->width_px;
    const uint32_t height_px = (uint32_t)shape->height_px;
    for (int32_t i = 0; i < count; i++) {
        const uint32_t x_px = (uint32_t)lens_nearest(places->at_x[i], places->part_x[i]);
        const uint32_t y_px = (uint32_t)lens_nearest(places->at_y[i], places->part_y[i]);
        const bool outside = (x_px >= width_px) | (y_px >= height_px);
        marks[i] |= (unsigned char)(outside ? bits : 0);
    }
}

/* ---- Sums */

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

void lens_copy_nearest(const struct lens_samples *samples, const struct lens_group *group,
                       const struct lens_places *places, int32_t count, const unsigned char *marks,
                       float *out)
{
    const uint32_t channels = samples->channels;
    for (int32_t i = 0; i < count; i++) {
        if (marks[i] & group->bits) {
            continue;
        }
        const int32_t x = lens_nearest(places->at_x[i], places->part_x[i]);
        const int32_t y = lens_nearest(places->at_y[i], places->part_y[i]);
        const float *from =
            samples->values + (size_t)y * samples->row_floats + (size_t)x * channels;
        for (uint32_t c = group->first; c < group->end; c++) {
            out[(size_t)i * channels + c] = from[c];
        }
    }
}

/* The samples that a pixel is a sum of: `count` each way, from x, y on. */
struct neighbours {
    int32_t count;
    float across[4];
    float down[4];
    size_t columns[4]; /* floats from a row's first sample */
    size_t rows[4]; /* floats from the first row */
};

static inline void find_neighbours(const struct lens_samples *samples, int32_t filter,
                                   const struct lens_places *places, int32_t i, float share,
                                   struct neighbours *out)
{
    const int32_t count = lens_weights(filter, places->part_x[i], out->across);
    lens_weights(filter, places->part_y[i], out->down);
    const int32_t before = count == 4 ? 1 : 0;
    const int32_t x = places->at_x[i] - before;
    const int32_t y = places->at_y[i] - before;
    out->count = count;
    for (int32_t k = 0; k < count; k++) {
        out->columns[k] =
            (size_t)bounds_clamped(x + k, 0, samples->width_px - 1) * samples->channels;
        out->rows[k] =
            (size_t)bounds_clamped(y + k, 0, samples->height_px - 1) * samples->row_floats;
        out->down[k] *= share;
    }
}

static inline void add_four(const struct lens_samples *samples, const struct neighbours *n,
                            int32_t count, float *out)
{
    four sum = *(const four *)out;
    for (int32_t j = 0; j < count; j++) {
        const float *row = samples->values + n->rows[j];
        four line = n->across[0] * *(const four *)(row + n->columns[0]);
        for (int32_t k = 1; k < count; k++) {
            line += n->across[k] * *(const four *)(row + n->columns[k]);
        }
        sum += n->down[j] * line;
    }
    *(four *)out = sum;
}

static inline void add_some(const struct lens_samples *samples, const struct lens_group *group,
                            const struct neighbours *n, float *out)
{
    for (uint32_t c = group->first; c < group->end; c++) {
        float sum = out[c];
        for (int32_t j = 0; j < n->count; j++) {
            const float *row = samples->values + n->rows[j] + c;
            float line = n->across[0] * row[n->columns[0]];
            for (int32_t k = 1; k < n->count; k++) {
                line += n->across[k] * row[n->columns[k]];
            }
            sum += n->down[j] * line;
        }
        out[c] = sum;
    }
}

void lens_add_between(const struct lens_samples *samples, const struct lens_group *group,
                      const struct lens_places *places, int32_t count, float share,
                      const unsigned char *marks, float *out)
{
    const bool as_four = samples->channels == 4 && group->first == 0 && group->end > 1;
    struct neighbours n;
    for (int32_t i = 0; i < count; i++) {
        float *to = out + (size_t)i * samples->channels;
        if (marks[i] & group->bits) {
            continue;
        }
        if (as_four && group->filter == LENS_BILINEAR) {
            find_neighbours(samples, LENS_BILINEAR, places, i, share, &n);
            add_four(samples, &n, 2, to);
        } else if (as_four) {
            find_neighbours(samples, LENS_BICUBIC, places, i, share, &n);
            add_four(samples, &n, 4, to);
        } else {
            find_neighbours(samples, group->filter, places, i, share, &n);
            add_some(samples, group, &n, to);
        }
    }
}
