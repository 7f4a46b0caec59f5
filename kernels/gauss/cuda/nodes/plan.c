/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "nodes.h"

#include "kernels/gauss/plan/slope.h"
#include "kernels/image/pixel_float.h"

#include <math.h>
#include <stdlib.h>

#define TILE GAUSS_NODES_TILE_PX
#define FOUR_BYTES 32 /* of as many channels as there are */
/* The last of a tile's nodes lies at most so far beyond its largest place: two nodes, six apart,
 * and rounding; of a tile whose places are at most STEADY_PLACES apart, only what rounding adds. */
#define NODES_BEYOND 13
#define NODES_BEYOND_STEADY 4
#define STEADY_PLACES 4.0
#define TILE_DIAGONAL_PX (15.0 * 1.4143)
/* Levels and nodes are the same for any light but wide. */
#define LIGHT IMAGE_LIGHT_STORED
/* The device's sigma may exceed the plan's by so much. */
#define SIGMA_SLACK 1.0001
#define MOST_OFF_LINE 1e-6
#define MOST_COLUMNS (8 * GAUSS_NODES_STEPS_BELOW)

/* ---- Levels and nodes ------------------------------------------------------------------------ */

static int32_t level_of(const struct gauss_plan *plan, int32_t node)
{
    return gauss_plan_node(plan, node, LIGHT, GAUSS_NODES_LEVELS).level;
}

/* Returns the last node that a tile can blend. From some sigma on a tile is steady, since sigma
 * changes by at most the law's slope. */
static int32_t last_node(const struct gauss_plan *plan, float end)
{
    const bool is_map =
        plan->law.kind == GAUSS_LAW_MAP || plan->law.kind == GAUSS_LAW_MAP_PROJECTED;
    const double slope = is_map ? INFINITY : (double)gauss_slope_of(plan).slope;
    const double part = 1.0 - exp2(-STEADY_PLACES / GAUSS_LADDER_PER_OCTAVE);
    const double steady_px = slope * TILE_DIAGONAL_PX / part;
    const float steady =
        steady_px < GAUSS_MAX_SIGMA_PX ? gauss_ladder_place((float)steady_px) : end;
    const int32_t steep = (int32_t)fminf(steady, end) + NODES_BEYOND;
    const int32_t last = (int32_t)end + NODES_BEYOND_STEADY;
    return steep > last ? steep : last;
}

static void fill_spans(const struct gauss_plan *plan, struct gauss_nodes *nodes)
{
    const int32_t last = last_node(plan, nodes->end);
    const int32_t count = last < GAUSS_LADDER_NODES ? last + 1 : GAUSS_LADDER_NODES;
    nodes->level_count = level_of(plan, count - 1) + 1;
    nodes->spans[0].step = GAUSS_NODES_STEPS_BELOW;
    int32_t node = 0;
    for (int32_t k = 0; k < GAUSS_NODES_LEVELS; k++) {
        nodes->spans[k].first = node;
        while (node < count && level_of(plan, node) == k) {
            node++;
        }
        nodes->spans[k + 1].step = nodes->spans[k].step + (node - nodes->spans[k].first) *
                                                              gauss_nodes_phases(k) *
                                                              gauss_nodes_steps(k);
    }
    nodes->spans[GAUSS_NODES_LEVELS].first = count;
}

/* Finds out whether the law's table is a line, but for the same entry before and behind it, as the
 * paper's is. Where it begins and ends, between two entries, the table has a chord for the kink;
 * other models may have few entries there, and pixels on the chord are as the table says. */
static void fill_line(const struct gauss_plan *plan, struct gauss_nodes *nodes)
{
    const float *table = plan->law_table;
    const int32_t last = plan->law.table_count - 1;
    int32_t begin = 0;
    int32_t end = last;
    while (begin < last && table[begin] == table[0]) {
        begin++;
    }
    while (end > 0 && table[end] == table[last]) {
        end--;
    }
    if (plan->foveation.model != FOVEA_MODEL_PAPER || plan->law.kind != GAUSS_LAW_RADIAL ||
        begin >= end) {
        return;
    }
    const double slope = ((double)table[end] - table[begin]) / (end - begin);
    const double first = table[begin] - slope * begin;
    bool is_line = first + slope * (begin - 1) <= (1.0 + MOST_OFF_LINE) * table[0] &&
                   first + slope * (end + 1) >= (1.0 - MOST_OFF_LINE) * table[last];
    for (int32_t i = begin; is_line && i < end; i++) {
        is_line = fabs(first + slope * i - table[i]) <= MOST_OFF_LINE * table[i];
    }
    if (!is_line) {
        return;
    }
    nodes->line_px = (float)first;
    nodes->line_slope = (float)slope * plan->law.table_per_unit;
    nodes->line_least_px = table[0];
    nodes->line_most_px = table[last];
}

/* Lays out a level behind those that have so many fours. Returns how many it has itself. */
static int32_t lay_level(const struct gauss_plan *plan, int32_t k, int32_t first,
                         struct gauss_nodes *nodes)
{
    const int32_t last = (1 << k) - 1;
    const int32_t width = ((int32_t)plan->width_px + last) >> k;
    const int32_t height = ((int32_t)plan->height_px + last) >> k;
    struct gauss_nodes_level *level = &nodes->levels[k];
    level->first = first;
    level->fours = (width + 2 * nodes->beside + 3) / 4;
    level->rows = height + 2 * GAUSS_NODES_MARGIN;
    return level->fours * level->rows;
}

void gauss_nodes_lay_out(const struct gauss_plan *plan, int32_t beside, struct gauss_nodes *nodes)
{
    nodes->law = plan->law;
    nodes->beside = beside;
    fill_line(plan, nodes);
    int32_t first = 0;
    for (int32_t k = 1; k < nodes->level_count; k++) {
        first += lay_level(plan, k, first, nodes);
    }
    lay_level(plan, 0, first, nodes);
}

size_t gauss_nodes_level_bytes(const struct gauss_nodes *nodes)
{
    return (size_t)nodes->levels[0].first * FOUR_BYTES;
}

size_t gauss_nodes_whole_bytes(const struct gauss_nodes *nodes, uint32_t channels)
{
    const struct gauss_nodes_level *level = &nodes->levels[0];
    return ((size_t)level->first + (size_t)level->fours * (size_t)level->rows) * channels * 8;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

struct matrix {
    float at[TILE][MOST_COLUMNS]; /* halves */
};

/* Flat pictures stay flat: the largest weight takes what is missing to 1. A sum is then off by at
 * most 2^-12, and the largest half, 65,504, does not become infinite. */
static void round_row(double *row, int32_t columns)
{
    int32_t largest = 0;
    double sum = 0.0;
    for (int32_t i = 0; i < columns; i++) {
        row[i] = (double)pixel_half_to_float(pixel_float_to_half((float)row[i]));
        sum += row[i];
        largest = row[i] > row[largest] ? i : largest;
    }
    row[largest] += 1.0 - sum;
}

static void set_row(struct matrix *m, int32_t i, double *row, int32_t columns)
{
    round_row(row, columns);
    for (int32_t k = 0; k < columns; k++) {
        m->at[i][k] = (float)row[k];
    }
}

/* Writes a lane's part of two steps, or of one. */
static uint16_t *put_lane(const struct matrix *m, int32_t lane, int32_t first, int32_t steps,
                          uint16_t *out)
{
    for (int32_t i = 0; i < 4 * steps; i++) {
        const int32_t row = lane / 4 + i / 2 % 2 * 8;
        const int32_t column = first + lane % 4 * 2 + i % 2 + i / 4 * 8;
        *out++ = pixel_float_to_half(m->at[row][column]);
    }
    return out;
}

/* Writes the matrix as lanes hold it (gauss/cuda/nodes/product.cuh), two steps at a time. */
static uint16_t *put_matrix(const struct matrix *m, int32_t steps, uint16_t *out)
{
    for (int32_t step = 0; step < steps; step += 2) {
        const int32_t at_once = steps - step > 1 ? 2 : 1;
        for (int32_t lane = 0; lane < 32; lane++) {
            out = put_lane(m, lane, 8 * step, at_once, out);
        }
    }
    return out;
}

/* Returns the sample of column i, from the first of the whole pairs of steps on. */
static int32_t sample_of(int32_t steps, int32_t early, int32_t i)
{
    const int32_t whole = steps / 2 * 16;
    return i < whole ? i / 16 * 16 + gauss_nodes_place(i % 16)
                     : gauss_nodes_last(whole, early, i - whole);
}

uint16_t *gauss_nodes_put_taps(uint16_t *out)
{
    static const double taps[] = {1, 5, 10, 10, 5, 1};
    struct matrix m = {0};
    for (int32_t i = 0; i < TILE; i++) {
        const int32_t first = 2 * gauss_nodes_place(i) - 2 + GAUSS_NODES_BEFORE_BELOW;
        double row[MOST_COLUMNS] = {0.0};
        for (int32_t k = 0; k < MOST_COLUMNS; k++) {
            const int32_t tap = sample_of(GAUSS_NODES_STEPS_BELOW, 0, k) - first;
            row[k] = tap >= 0 && tap < 6 ? taps[tap] / 32.0 : 0.0;
        }
        set_row(&m, i, row, MOST_COLUMNS);
    }
    return put_matrix(&m, GAUSS_NODES_STEPS_BELOW, out);
}

/* A row has the samples' weights for a pixel of the tile. Those out of reach weigh nothing, though
 * the window has them: of layers they may not be made. */
static uint16_t *put_node(const struct gauss_node *node, int32_t tile, uint16_t *out)
{
    struct matrix m = {0};
    const int32_t steps = gauss_nodes_steps(node->level);
    const int32_t window = gauss_nodes_window(node->level, tile);
    const int32_t early = gauss_nodes_early(node->level, tile);
    const double falloff = node->residual > 0.0 ? -0.5 / (node->residual * node->residual) : 0.0;
    const double reach = gauss_node_reach(node, (double)gauss_light_reach(LIGHT)) * node->residual;
    for (int32_t y = 0; y < TILE; y++) {
        const int32_t pixel = TILE * tile + gauss_nodes_place(y);
        const double centre = (pixel + 0.5) / (1 << node->level) - 0.5;
        double row[MOST_COLUMNS];
        double sum = 0.0;
        for (int32_t i = 0; i < 8 * steps; i++) {
            const double distance = window + sample_of(steps, early, i) - centre;
            row[i] = fabs(distance) <= reach ? exp(falloff * distance * distance) : 0.0;
            sum += row[i];
        }
        for (int32_t i = 0; i < 8 * steps; i++) {
            row[i] /= sum;
        }
        set_row(&m, y, row, 8 * steps);
    }
    return put_matrix(&m, steps, out);
}

static void put_matrices(const struct gauss_plan *plan, const struct gauss_nodes *nodes,
                         uint16_t *out_halves)
{
    uint16_t *out = gauss_nodes_put_taps(out_halves);
    for (int32_t i = 0; i < nodes->spans[GAUSS_NODES_LEVELS].first; i++) {
        const struct gauss_node node = gauss_plan_node(plan, i, LIGHT, GAUSS_NODES_LEVELS);
        for (int32_t tile = 0; tile < gauss_nodes_phases(node.level); tile++) {
            out = put_node(&node, tile, out);
        }
    }
}

enum fovea_result gauss_nodes_fill(const struct gauss_plan *plan, struct gauss_nodes *out_nodes,
                                   struct operator_cuda_part *out_table)
{
    if (plan->level_count == 0) {
        return FOVEA_OK;
    }
    *out_nodes = (struct gauss_nodes){
        .end = gauss_ladder_place((float)(SIGMA_SLACK * (double)plan->sigma_bound_px))};
    fill_spans(plan, out_nodes);
    gauss_nodes_lay_out(plan, GAUSS_NODES_MARGIN, out_nodes);
    const size_t steps = (size_t)out_nodes->spans[GAUSS_NODES_LEVELS].step;
    uint16_t *matrices = malloc(steps * GAUSS_NODES_STEP_BYTES);
    *out_table =
        (struct operator_cuda_part){&out_nodes->matrices, matrices, steps * GAUSS_NODES_STEP_BYTES};
    FOVEA_TRY_MEMORY(matrices);
    put_matrices(plan, out_nodes, matrices);
    return FOVEA_OK;
}
