/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "wide.h"

#include "kernels/image/pixel_float.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TILE GAUSS_NODES_TILE_PX
/* The last of a tile's nodes lies at most so far beyond its largest place: two nodes, six apart,
 * and rounding. */
#define NODES_BEYOND 14
/* The device's sigma may exceed the plan's by so much. */
#define SIGMA_SLACK 1.0001
/* A weight may change by so much of itself, because tails count in wide light. */
#define MENDED (1.0 / 256.0)

/* A table of nodes and their matrices. */
struct table {
    const struct gauss_plan *plan;
    bool is_light; /* of halves, for whole numbers in wide light; else of floats */
    int32_t count; /* nodes */
    struct gauss_wide_node *nodes;
};

/* ---- Weights --------------------------------------------------------------------------------- */

/* Rounds to the 11 bits that mma uses, to nearest, or to what a half holds of it times `scale`. */
static float rounded(double weight, double scale)
{
    if (scale > 0.0) {
        const float half = pixel_half_to_float(pixel_float_to_half((float)(scale * weight)));
        return (float)((double)half / scale);
    }
    float value = (float)weight;
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0x1000u) & ~0x1fffu;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Flat pictures stay flat: the largest weight takes what is missing to 1, and those after it take
 * what it leaves. */
static void round_row(double scale, struct gauss_node_row *row)
{
    int32_t largest = 0;
    double missing = 1.0;
    for (int32_t i = 0; i < row->count; i++) {
        row->weights[i] = (double)rounded(row->weights[i], scale);
        missing -= row->weights[i];
        largest = row->weights[i] > row->weights[largest] ? i : largest;
    }
    for (int32_t i = largest; i < row->count && fabs(missing) < MENDED * row->weights[i]; i++) {
        const double mended = (double)rounded(row->weights[i] + missing, scale);
        missing -= mended - row->weights[i];
        row->weights[i] = mended;
    }
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static struct gauss_node node_of(const struct table *table, int32_t i)
{
    return gauss_plan_node(table->plan, i, gauss_plan_light(table->plan),
                           (int32_t)table->plan->level_count);
}

static double reach_of(const struct table *table)
{
    return (double)gauss_light_reach(gauss_plan_light(table->plan));
}

/* Returns the first pixel that has a phase of another tile again. */
static int32_t phases_px(const struct table *table, int32_t level)
{
    return TILE * (table->is_light ? gauss_nodes_phases(level) : gauss_wide_phases(level));
}

static int32_t window_of(const struct table *table, const struct gauss_wide_node *node,
                         int32_t tile_px)
{
    return table->is_light ? gauss_light_window(node, tile_px) : gauss_wide_window(node, tile_px);
}

/* Finds what tiles see of the level, whatever their phase on it. */
static void fill_node(const struct table *table, const struct gauss_node *node,
                      struct gauss_wide_node *out)
{
    const int32_t samples = table->is_light ? 16 : 8; /* of a step */
    int32_t before = 0;
    int32_t behind = 0;
    *out = (struct gauss_wide_node){.level = node->level};
    if (table->is_light) {
        /* No weight is above 1, nor above 1 / 2.5 sigma by much. */
        const double scale = exp2(15.0 + floor(log2(fmax(2.5 * node->residual, 1.0))));
        out->unscale = (float)(1.0 / scale);
        out->root = (float)sqrt(1.0 / scale);
    }
    for (int32_t px = 0; px < phases_px(table, node->level); px++) {
        const int32_t base = window_of(table, out, px & -TILE);
        struct gauss_node_row row;
        gauss_node_span_of(node, gauss_node_reach(node, reach_of(table)), px, &row);
        before = base - row.first > before ? base - row.first : before;
        behind = row.first + row.count - base > behind ? row.first + row.count - base : behind;
    }
    out->before = table->is_light ? (before + 3) & ~3 : before;
    out->steps = (out->before + behind + samples - 1) / samples;
}

/* Returns how many steps the matrices of all have. */
static int32_t fill_nodes(const struct table *table)
{
    int32_t steps = 0;
    for (int32_t i = 0; i < table->count; i++) {
        const struct gauss_node node = node_of(table, i);
        fill_node(table, &node, &table->nodes[i]);
        table->nodes[i].matrix = steps;
        steps += table->nodes[i].steps * (phases_px(table, node.level) / TILE);
    }
    return steps;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

/* Returns which of 16 rows or samples of an operand stands for that place (gauss_nodes_place). */
static int32_t number_of_place(int32_t place)
{
    return place / 4 * 2 + place % 2 + place / 2 % 2 * 8;
}

/* Writes a row's weight of the window's i-th sample where a lane has it: of each step of floats
 * rows g and g + 8 of column 2t, then of 2t + 1; of halves as mma has its operand. */
static void put_weight(const struct table *table, int32_t row, int32_t i, float weight,
                       char *matrix)
{
    const int32_t column = table->is_light ? number_of_place(i % 16) : i % 8;
    const int32_t lane = row % 8 * 4 + column % 8 / 2;
    if (table->is_light) {
        ((uint16_t *)(void *)
             matrix)[(i / 16 * 32 + lane) * 8 + column / 8 * 4 + row / 8 * 2 + column % 2] =
            pixel_float_to_half(weight);
    } else {
        ((float *)(void *)matrix)[(i / 8 * 32 + lane) * 4 + column % 2 * 2 + row / 8] = weight;
    }
}

static void put_matrix(const struct table *table, const struct gauss_node *node,
                       const struct gauss_wide_node *wide, int32_t tile_px, char *out)
{
    const float scale = table->is_light ? 1.0f / wide->unscale : 0.0f;
    const int32_t first = window_of(table, wide, tile_px);
    for (int32_t y = 0; y < TILE; y++) {
        struct gauss_node_row row;
        gauss_node_row_of(node, gauss_node_reach(node, reach_of(table)), tile_px + y, &row);
        round_row((double)scale, &row);
        for (int32_t i = 0; i < row.count; i++) {
            const float weight = (float)row.weights[i];
            put_weight(table, number_of_place(y), row.first - first + i,
                       table->is_light ? scale * weight : weight, out);
        }
    }
}

static void put_matrices(const struct table *table, char *out)
{
    for (int32_t i = 0; i < table->count; i++) {
        const struct gauss_node node = node_of(table, i);
        for (int32_t px = 0; px < phases_px(table, node.level); px += TILE) {
            put_matrix(table, &node, &table->nodes[i], px, out);
            out += (size_t)table->nodes[i].steps * GAUSS_WIDE_STEP_BYTES;
        }
    }
}

/* Nodes come first, behind the taps of light's levels, and say how long their matrices are. */
static enum fovea_result make_table(struct table table, struct operator_cuda_part *out_table)
{
    const size_t nodes_at = table.is_light ? GAUSS_LIGHT_NODES_AT : 0;
    const size_t matrices_at = nodes_at + GAUSS_WIDE_NODES_BYTES;
    char *all = calloc(1, matrices_at);
    out_table->from = all;
    FOVEA_TRY_MEMORY(all);
    if (table.is_light) {
        gauss_nodes_put_taps((uint16_t *)(void *)all);
    }
    table.nodes = (void *)(all + nodes_at);
    const size_t matrix_bytes = (size_t)fill_nodes(&table) * GAUSS_WIDE_STEP_BYTES;
    all = realloc(all, matrices_at + matrix_bytes);
    FOVEA_TRY_MEMORY(all);
    out_table->from = all;
    out_table->bytes = matrices_at + matrix_bytes;
    memset(all + matrices_at, 0, matrix_bytes);
    table.nodes = (void *)(all + nodes_at);
    put_matrices(&table, all + matrices_at);
    return FOVEA_OK;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Returns the farthest place on the ladder. */
static float end_of(const struct gauss_plan *plan)
{
    return gauss_light_place(gauss_plan_light(plan),
                             (float)(SIGMA_SLACK * (double)plan->sigma_bound_px));
}

static int32_t node_count_of(float end)
{
    const int32_t last = (int32_t)end + NODES_BEYOND;
    return last < GAUSS_LADDER_NODES ? last + 1 : GAUSS_LADDER_NODES;
}

enum fovea_result gauss_wide_fill(const struct gauss_plan *plan,
                                  struct gauss_cuda_smooth *out_smooth,
                                  struct operator_cuda_part *out_table)
{
    out_smooth->law = plan->law;
    out_smooth->level_count = (int32_t)plan->level_count;
    memcpy(out_smooth->levels, plan->levels, sizeof plan->levels);
    if (plan->level_count == 0) {
        return FOVEA_OK;
    }
    out_smooth->end = end_of(plan);
    out_smooth->node_count = node_count_of(out_smooth->end);
    out_table->out_at = &out_smooth->nodes;
    return make_table((struct table){.plan = plan, .count = out_smooth->node_count}, out_table);
}

enum fovea_result gauss_light_fill(const struct gauss_plan *plan, struct gauss_nodes *out_nodes,
                                   struct operator_cuda_part *out_table)
{
    *out_nodes = (struct gauss_nodes){.law = plan->law, .level_count = (int32_t)plan->level_count};
    if (plan->level_count == 0) {
        return FOVEA_OK;
    }
    out_nodes->end = end_of(plan);
    gauss_nodes_lay_out(plan, GAUSS_LIGHT_BESIDE, out_nodes);
    const int32_t count = node_count_of(out_nodes->end);
    out_nodes->spans[GAUSS_NODES_LEVELS].first = count;
    out_table->out_at = &out_nodes->matrices;
    return make_table((struct table){.plan = plan, .is_light = true, .count = count}, out_table);
}
