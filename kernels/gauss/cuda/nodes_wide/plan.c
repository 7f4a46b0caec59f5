/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "light.h"
#include "wide.h"

#include "kernels/image/pixel_float.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TILE GAUSS_WIDE_TILE_PX
#define STEP_FLOATS (GAUSS_WIDE_STEP_BYTES / sizeof(float))
/* The last of a tile's nodes lies at most so far beyond its largest place: two nodes, six apart,
 * and rounding. */
#define NODES_BEYOND 14
/* The device's sigma may exceed the plan's by so much. */
#define SIGMA_SLACK 1.0001
/* A weight may change by so much of itself, because tails count in wide light. */
#define MENDED (1.0 / 256.0)

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

static int32_t node_count_of(float end)
{
    const int32_t last = (int32_t)end + NODES_BEYOND;
    return last < GAUSS_LADDER_NODES ? last + 1 : GAUSS_LADDER_NODES;
}

/* Finds what tiles see of the level, whatever their phase on it. */
static void fill_node(const struct gauss_node *node, double reach, struct gauss_wide_node *out)
{
    const int32_t last_px = TILE * gauss_wide_phases(node->level) - 1;
    struct gauss_node_row row;
    gauss_node_row_of(node, reach, 0, &row);
    out->level = node->level;
    out->before = -row.first;
    int32_t most = row.count;
    for (int32_t px = 1; px <= last_px; px++) {
        const int32_t base = (px & -TILE) >> node->level;
        gauss_node_row_of(node, reach, px, &row);
        out->before = base - row.first > out->before ? base - row.first : out->before;
        most = row.first + row.count - base > most ? row.first + row.count - base : most;
    }
    out->steps = (out->before + most + 7) / 8;
}

/* Returns the row of a matrix that stands for a tile's row (gauss_nodes_place). */
static int32_t row_of_place(int32_t place)
{
    return place / 4 * 2 + place % 2 + place / 2 % 2 * 8;
}

static float *put_matrix(const struct gauss_node *node, double reach,
                         const struct gauss_wide_node *wide, int32_t phase, float *out)
{
    const int32_t first = (TILE * phase >> node->level) - wide->before;
    for (int32_t y = 0; y < TILE; y++) {
        struct gauss_node_row row;
        gauss_node_row_of(node, reach, TILE * phase + y, &row);
        round_row(0.0, &row);
        for (int32_t i = 0; i < row.count; i++) {
            const int32_t column = row.first - first + i;
            const int32_t lane = row_of_place(y) % 8 * 4 + column % 8 / 2;
            const int32_t at = 4 * lane + column % 2 * 2 + row_of_place(y) / 8;
            out[(size_t)(column / 8) * STEP_FLOATS + (size_t)at] = (float)row.weights[i];
        }
    }
    return out + (size_t)wide->steps * STEP_FLOATS;
}

/* Returns how many steps the matrices of all have. */
static int32_t fill_nodes(const struct gauss_plan *plan, int32_t count,
                          struct gauss_wide_node *out_nodes)
{
    const int32_t light = gauss_plan_light(plan);
    const int32_t levels = (int32_t)plan->level_count;
    int32_t steps = 0;
    for (int32_t i = 0; i < count; i++) {
        const struct gauss_node node = gauss_plan_node(plan, i, light, levels);
        fill_node(&node, (double)gauss_light_reach(light), &out_nodes[i]);
        out_nodes[i].matrix = steps;
        steps += out_nodes[i].steps * gauss_wide_phases(node.level);
    }
    return steps;
}

static void fill_matrices(const struct gauss_plan *plan, int32_t count,
                          const struct gauss_wide_node *nodes, float *out)
{
    const int32_t light = gauss_plan_light(plan);
    const int32_t levels = (int32_t)plan->level_count;
    for (int32_t i = 0; i < count; i++) {
        const struct gauss_node node = gauss_plan_node(plan, i, light, levels);
        for (int32_t phase = 0; phase < gauss_wide_phases(node.level); phase++) {
            out = put_matrix(&node, (double)gauss_light_reach(light), &nodes[i], phase, out);
        }
    }
}

/* Nodes come first in the table, and say how long their matrices are. */
static enum fovea_result make_table(const struct gauss_plan *plan, int32_t count, void **out_table,
                                    size_t *out_bytes)
{
    const size_t node_bytes = gauss_wide_matrices_at();
    void *nodes = calloc(1, node_bytes);
    *out_table = nodes;
    if (!nodes) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const size_t matrix_bytes = (size_t)fill_nodes(plan, count, nodes) * GAUSS_WIDE_STEP_BYTES;
    char *table = realloc(nodes, node_bytes + matrix_bytes);
    if (!table) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    *out_table = table;
    *out_bytes = node_bytes + matrix_bytes;
    memset(table + node_bytes, 0, matrix_bytes);
    fill_matrices(plan, count, (const struct gauss_wide_node *)(void *)table,
                  (float *)(void *)(table + node_bytes));
    return FOVEA_OK;
}

enum fovea_result gauss_wide_fill(const struct gauss_plan *plan,
                                  struct gauss_cuda_smooth *out_smooth, void **out_table,
                                  size_t *out_bytes)
{
    const int32_t light = gauss_plan_light(plan);
    const int32_t levels = (int32_t)plan->level_count;
    out_smooth->law = plan->law;
    out_smooth->level_count = levels;
    memcpy(out_smooth->levels, plan->levels, sizeof plan->levels);
    *out_table = NULL;
    *out_bytes = 0;
    if (levels == 0) {
        return FOVEA_OK;
    }
    out_smooth->end = gauss_light_place(light, (float)(SIGMA_SLACK * (double)plan->sigma_bound_px));
    out_smooth->node_count = node_count_of(out_smooth->end);
    return make_table(plan, out_smooth->node_count, out_table, out_bytes);
}

/* ---- Wide light */

/* Returns the phases of tiles on the level, by the last tile's first pixel. */
static int32_t last_tile_px(int32_t level)
{
    return TILE * (gauss_nodes_phases(level) - 1);
}

static void fill_light_node(const struct gauss_node *node, double reach,
                            struct gauss_light_node *out)
{
    /* No weight is above 1, nor above 1 / 2.5 sigma by much. */
    const double scale = exp2(15.0 + floor(log2(fmax(2.5 * node->residual, 1.0))));
    const int32_t last_px = last_tile_px(node->level) + TILE - 1;
    int32_t behind = 0;
    *out = (struct gauss_light_node){
        .level = node->level, .unscale = (float)(1.0 / scale), .root = (float)sqrt(1.0 / scale)};
    for (int32_t px = 0; px <= last_px; px++) {
        const int32_t base = (px & -TILE) >> node->level & ~3;
        const double centre = (px + 0.5) / (1 << node->level) - 0.5;
        const int32_t before = base - (int32_t)ceil(centre - reach * node->residual);
        const int32_t end = (int32_t)floor(centre + reach * node->residual) + 1 - base;
        out->before = before > out->before ? before : out->before;
        behind = end > behind ? end : behind;
    }
    out->before = (out->before + 3) & ~3;
    out->pairs = (out->before + behind + 15) / 16;
}

/* A lane's part of a pair of steps lies as mma has it: of each step rows g and g + 8. */
static uint16_t *put_light_matrix(const struct gauss_node *node, double reach,
                                  const struct gauss_light_node *light, int32_t tile_px,
                                  uint16_t *out)
{
    const int32_t first = gauss_light_window(light, tile_px);
    for (int32_t y = 0; y < TILE; y++) {
        struct gauss_node_row row;
        const int32_t of_row = row_of_place(y);
        gauss_node_row_of(node, reach, tile_px + y, &row);
        round_row(1.0 / (double)light->unscale, &row);
        for (int32_t i = 0; i < row.count; i++) {
            const int32_t at = row.first - first + i;
            const int32_t column = row_of_place(at % 16);
            const int32_t lane = of_row % 8 * 4 + column % 8 / 2;
            out[(at / 16 * 32 + lane) * 8 + column / 8 * 4 + of_row / 8 * 2 + column % 2] =
                pixel_float_to_half((float)row.weights[i] / light->unscale);
        }
    }
    return out + light->pairs * GAUSS_LIGHT_PAIR_BYTES / 2;
}

/* Returns how many pairs the matrices of all have. */
static int32_t fill_light_nodes(const struct gauss_plan *plan, int32_t count,
                                struct gauss_light_node *out_nodes)
{
    const int32_t light = gauss_plan_light(plan);
    int32_t pairs = 0;
    for (int32_t i = 0; i < count; i++) {
        const struct gauss_node node = gauss_plan_node(plan, i, light, (int32_t)plan->level_count);
        fill_light_node(&node, (double)gauss_light_reach(light), &out_nodes[i]);
        out_nodes[i].matrix = pairs;
        pairs += out_nodes[i].pairs * gauss_nodes_phases(node.level);
    }
    return pairs;
}

static void fill_light_matrices(const struct gauss_plan *plan, int32_t count,
                                const struct gauss_light_node *nodes, uint16_t *out)
{
    const int32_t light = gauss_plan_light(plan);
    for (int32_t i = 0; i < count; i++) {
        const struct gauss_node node = gauss_plan_node(plan, i, light, (int32_t)plan->level_count);
        for (int32_t px = 0; px <= last_tile_px(node.level); px += TILE) {
            out = put_light_matrix(&node, (double)gauss_light_reach(light), &nodes[i], px, out);
        }
    }
}

static enum fovea_result make_light_table(const struct gauss_plan *plan, int32_t count,
                                          void **out_table, size_t *out_bytes)
{
    char *taps = calloc(1, GAUSS_LIGHT_MATRICES_AT);
    *out_table = taps;
    if (!taps) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    gauss_nodes_put_taps((uint16_t *)(void *)taps);
    const size_t bytes =
        (size_t)fill_light_nodes(plan, count, (void *)(taps + GAUSS_LIGHT_NODES_AT)) *
        GAUSS_LIGHT_PAIR_BYTES;
    char *table = realloc(taps, GAUSS_LIGHT_MATRICES_AT + bytes);
    if (!table) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    *out_table = table;
    *out_bytes = GAUSS_LIGHT_MATRICES_AT + bytes;
    memset(table + GAUSS_LIGHT_MATRICES_AT, 0, bytes);
    fill_light_matrices(plan, count, (const void *)(table + GAUSS_LIGHT_NODES_AT),
                        (void *)(table + GAUSS_LIGHT_MATRICES_AT));
    return FOVEA_OK;
}

enum fovea_result gauss_light_fill(const struct gauss_plan *plan, struct gauss_nodes *out_nodes,
                                   void **out_table, size_t *out_bytes)
{
    const int32_t light = gauss_plan_light(plan);
    *out_nodes = (struct gauss_nodes){.law = plan->law, .level_count = (int32_t)plan->level_count};
    *out_table = NULL;
    *out_bytes = 0;
    if (plan->level_count == 0) {
        return FOVEA_OK;
    }
    out_nodes->end = gauss_light_place(light, (float)(SIGMA_SLACK * (double)plan->sigma_bound_px));
    gauss_nodes_lay_out(plan, out_nodes);
    const int32_t count = node_count_of(out_nodes->end);
    out_nodes->spans[GAUSS_NODES_LEVELS].first = count;
    return make_light_table(plan, count, out_table, out_bytes);
}
