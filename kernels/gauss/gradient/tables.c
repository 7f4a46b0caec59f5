/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "tables.h"

#include "core/bounds.h"
#include "core/log.h"

#include <stdlib.h>
#include <string.h>

/* A band as it grows. */
struct builder {
    struct gauss_gradient_tables *tables;
    bool out_of_memory;
    float rounded[GAUSS_LADDER_TAPS]; /* a row's weights */
};

/* Samples of a level along an axis: those kept are -margin .. count - 1 + margin. */
struct axis {
    int32_t count;
    int32_t margin;
};

static int32_t kept(struct axis axis)
{
    return axis.count + 2 * axis.margin;
}

/* ---- Rows */

static bool grow(void **memory, size_t *capacity, size_t wanted, size_t element_bytes)
{
    if (wanted <= *capacity) {
        return true;
    }
    const size_t more = wanted + wanted / 2 + 1024;
    void *grown = realloc(*memory, more * element_bytes);
    if (!grown) {
        return false;
    }
    *memory = grown;
    *capacity = more;
    return true;
}

static bool reserve(struct gauss_gradient_tables *t, size_t weights)
{
    void *rows = t->rows;
    void *floats = t->weights;
    const bool there =
        grow(&rows, &t->row_capacity, t->row_count + 1, sizeof *t->rows) &&
        grow(&floats, &t->weight_capacity, t->weight_count + weights, sizeof *t->weights);
    t->rows = rows;
    t->weights = floats;
    return there && t->weight_count + weights <= INT32_MAX;
}

/* Most rows have the weights of one before: `period` rows before, where there is one. */
static void add_row(struct builder *builder, const struct gauss_gradient_band *band, int32_t period,
                    int32_t first, const float *weights, int32_t count)
{
    struct gauss_gradient_tables *t = builder->tables;
    const int32_t row = (int32_t)t->row_count - band->first_row;
    builder->out_of_memory = builder->out_of_memory || !reserve(t, (size_t)count);
    if (builder->out_of_memory) {
        return;
    }
    const struct gauss_gradient_row *like =
        row >= period ? &t->rows[t->row_count - (size_t)period] : NULL;
    const size_t bytes = (size_t)count * sizeof *weights;
    int32_t at = (int32_t)t->weight_count;
    if (like && like->count == count && memcmp(t->weights + like->at, weights, bytes) == 0) {
        at = like->at;
    } else {
        memcpy(t->weights + t->weight_count, weights, bytes);
        t->weight_count += (size_t)count;
    }
    t->rows[t->row_count++] = (struct gauss_gradient_row){.first = first, .count = count, .at = at};
}

/* Weights of samples first .. of which those not kept count for the outermost one: they are added
 * to it where they lie, which is never before its place. */
static void add_folded(struct builder *builder, const struct gauss_gradient_band *band,
                       int32_t period, struct axis from, int32_t first, double *weights,
                       int32_t count)
{
    const int32_t low = -from.margin;
    const int32_t high = from.count - 1 + from.margin;
    const int32_t start = bounds_clamped(first, low, high);
    const int32_t end = bounds_clamped(first + count - 1, low, high) + 1;
    for (int32_t i = 0; i < count; i++) {
        const double weight = weights[i];
        weights[i] = 0.0;
        weights[bounds_clamped(first + i, low, high) - start] += weight;
    }
    for (int32_t i = 0; i < end - start; i++) {
        builder->rounded[i] = (float)weights[i];
    }
    add_row(builder, band, period, start + from.margin, builder->rounded, end - start);
}

static struct gauss_gradient_band begin(const struct builder *builder, int32_t row_count)
{
    return (struct gauss_gradient_band){(int32_t)builder->tables->row_count, row_count};
}

/* ---- Bands */

/* Reduces `from`, the level before, to `to`. */
static struct gauss_gradient_band reduce(struct builder *builder, struct axis from, struct axis to)
{
    const struct gauss_gradient_band band = begin(builder, kept(to));
    for (int32_t i = -to.margin; i < to.count + to.margin; i++) {
        double filter[] = {1.0 / 32, 5.0 / 32, 10.0 / 32, 10.0 / 32, 5.0 / 32, 1.0 / 32};
        add_folded(builder, &band, 1, from, 2 * i - 2, filter, 6);
    }
    return band;
}

static struct gauss_gradient_band blur(struct builder *builder, const struct gauss_node *node,
                                       struct axis from, int32_t size_px)
{
    const struct gauss_gradient_band band = begin(builder, size_px);
    const int32_t apart = 1 << node->level;
    struct gauss_node_row row;
    for (int32_t px = 0; px < size_px; px++) {
        gauss_node_row_of(node, (double)GAUSS_REACH, px, &row);
        add_folded(builder, &band, apart, from, row.first, row.weights, row.count);
    }
    return band;
}

/* Firsts and ends of the band's rows never fall, so that the rows that see a sample are
 * neighbours. */
static struct gauss_gradient_band transpose(struct builder *builder,
                                            const struct gauss_gradient_band *of, int32_t count,
                                            int32_t period)
{
    const struct gauss_gradient_band band = begin(builder, count);
    struct gauss_gradient_tables *t = builder->tables;
    float *column = calloc((size_t)of->row_count + 1, sizeof *column);
    builder->out_of_memory = builder->out_of_memory || !column;
    int32_t low = 0;
    int32_t high = 0;
    for (int32_t i = 0; i < count && !builder->out_of_memory; i++) {
        const struct gauss_gradient_row *rows = t->rows + of->first_row;
        while (low < of->row_count && rows[low].first + rows[low].count <= i) {
            low++;
        }
        high = high < low ? low : high;
        while (high < of->row_count && rows[high].first <= i) {
            high++;
        }
        for (int32_t row = low; row < high; row++) {
            column[row - low] = t->weights[rows[row].at + i - rows[row].first];
        }
        add_row(builder, &band, period, low, column, high - low);
    }
    free(column);
    return band;
}

/* ---- Levels and nodes */

static struct axis axis_of(int32_t size_px, int32_t level)
{
    return (struct axis){(size_px + (1 << level) - 1) >> level, gauss_level_margin(level)};
}

static void make_level(struct builder *builder, int32_t k)
{
    struct gauss_gradient_tables *t = builder->tables;
    struct gauss_gradient_level *level = &t->levels[k];
    const struct axis x = axis_of(t->width_px, k);
    const struct axis y = axis_of(t->height_px, k);
    level->width = kept(x);
    level->height = kept(y);
    if (k > 0) {
        const struct axis from_x = axis_of(t->width_px, k - 1);
        const struct axis from_y = axis_of(t->height_px, k - 1);
        level->reduce.x = reduce(builder, from_x, x);
        level->reduce.y = reduce(builder, from_y, y);
        level->spread.x = transpose(builder, &level->reduce.x, kept(from_x), 2);
        level->spread.y = transpose(builder, &level->reduce.y, kept(from_y), 2);
    }
}

/* gauss_ladder_node, but for what is left of sigma on its level. */
static struct gauss_node node_of(int32_t i, int32_t level_count)
{
    const double coordinate = (double)(i * GAUSS_GRADIENT_APART) / GAUSS_LADDER_PER_OCTAVE;
    struct gauss_node node = {.sigma_px = gauss_ladder_sigma_px(coordinate)};
    node.level = gauss_level_with((float)node.sigma_px, GAUSS_GRADIENT_RESIDUAL, level_count);
    const double taken = (double)gauss_level_variance(node.level);
    node.residual = sqrt(node.sigma_px * node.sigma_px - taken) / (1 << node.level);
    return node;
}

static void make_node(struct builder *builder, int32_t i)
{
    struct gauss_gradient_tables *t = builder->tables;
    const struct gauss_node node = node_of(i, t->level_count);
    struct gauss_gradient_node *out = &t->nodes[i];
    out->level = node.level;
    out->blur.x = blur(builder, &node, axis_of(t->width_px, node.level), t->width_px);
    out->blur.y = blur(builder, &node, axis_of(t->height_px, node.level), t->height_px);
    out->gather.x = transpose(builder, &out->blur.x, t->levels[node.level].width, 1);
    out->gather.y = transpose(builder, &out->blur.y, t->levels[node.level].height, 1);
}

enum fovea_result gauss_gradient_tables_init(struct gauss_gradient_tables *tables,
                                             const struct gauss_plan *plan)
{
    const int32_t last = (int32_t)ceilf(gauss_gradient_place(plan->sigma_bound_px));
    *tables = (struct gauss_gradient_tables){
        .width_px = (int32_t)plan->width_px,
        .height_px = (int32_t)plan->height_px,
        .level_count =
            gauss_level_with(plan->sigma_bound_px, GAUSS_GRADIENT_RESIDUAL, GAUSS_MAX_LEVELS) + 1,
        .node_count = last + 2 > 4 ? last + 2 : 4,
    };
    struct builder builder = {.tables = tables};
    tables->nodes = calloc((size_t)tables->node_count, sizeof *tables->nodes);
    builder.out_of_memory = !tables->nodes;
    for (int32_t k = 0; k < tables->level_count && !builder.out_of_memory; k++) {
        make_level(&builder, k);
    }
    for (int32_t i = 0; i < tables->node_count && !builder.out_of_memory; i++) {
        make_node(&builder, i);
    }
    if (builder.out_of_memory) {
        gauss_gradient_tables_finish(tables);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return FOVEA_OK;
}

void gauss_gradient_tables_finish(struct gauss_gradient_tables *tables)
{
    free(tables->nodes);
    free(tables->rows);
    free(tables->weights);
    *tables = (struct gauss_gradient_tables){0};
}
