/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plan.h"

#include "kernels/image/pixel_float.h"

#include <math.h>

#define TILE FOVEATE_NODES_TILE_PX
#define STEP_HALVES (FOVEATE_NODES_STEP_BYTES / 2)
#define PAIR_BYTES 16
/* The last of a tile's nodes lies at most so far beyond its largest place: two nodes, six apart,
 * and rounding. */
#define NODES_BEYOND 13
/* Levels and nodes are the same for any light but wide. */
#define LIGHT IMAGE_LIGHT_STORED
/* The device's sigma may exceed the plan's by so much. */
#define SIGMA_SLACK 1.0001
#define MOST_COLUMNS (8 * FOVEATE_NODES_STEPS_BELOW)

/* ---- Levels and nodes ------------------------------------------------------------------------ */

static int32_t level_of(int32_t node)
{
    return foveate_ladder_node(node, LIGHT, FOVEATE_NODES_LEVELS).level;
}

/* Counts the steps that the matrices of `count` nodes of a level have. */
static int32_t steps_of(int32_t level, int32_t count)
{
    return count * foveate_nodes_phases(level) * foveate_nodes_steps(level);
}

static void fill_spans(struct foveate_nodes *nodes)
{
    const int32_t last = (int32_t)nodes->end + NODES_BEYOND;
    const int32_t count = last < FOVEATE_LADDER_NODES ? last + 1 : FOVEATE_LADDER_NODES;
    nodes->level_count = level_of(count - 1) + 1;
    nodes->spans[0].step = FOVEATE_NODES_STEPS_BELOW;
    int32_t node = 0;
    for (int32_t k = 0; k < FOVEATE_NODES_LEVELS; k++) {
        nodes->spans[k].first = node;
        while (node < count && level_of(node) == k) {
            node++;
        }
        nodes->spans[k + 1].step = nodes->spans[k].step + steps_of(k, node - nodes->spans[k].first);
    }
    nodes->spans[FOVEATE_NODES_LEVELS].first = count;
}

void foveate_nodes_lay_levels(const struct foveate_plan *plan, int32_t first_level,
                              struct foveate_nodes *nodes)
{
    int32_t first = 0;
    for (int32_t k = first_level; k < nodes->level_count; k++) {
        const int32_t last = (1 << k) - 1;
        const int32_t width = ((int32_t)plan->width_px + last) >> k;
        const int32_t height = ((int32_t)plan->height_px + last) >> k;
        struct foveate_nodes_level *level = &nodes->levels[k];
        level->first = first;
        level->pairs = (width + 2 * FOVEATE_NODES_MARGIN + 1) / 2;
        level->rows = height + 2 * FOVEATE_NODES_MARGIN;
        first += level->pairs * level->rows;
    }
}

void foveate_nodes_fill(const struct foveate_plan *plan, struct foveate_nodes *out_nodes)
{
    *out_nodes = (struct foveate_nodes){.law = plan->law};
    out_nodes->end = foveate_ladder_place((float)(SIGMA_SLACK * (double)plan->sigma_bound_px));
    fill_spans(out_nodes);
    foveate_nodes_lay_levels(plan, 1, out_nodes);
}

size_t foveate_nodes_level_bytes(const struct foveate_nodes *nodes)
{
    size_t pairs = 0;
    for (int32_t k = 0; k < nodes->level_count; k++) {
        pairs += (size_t)nodes->levels[k].pairs * (size_t)nodes->levels[k].rows;
    }
    return pairs * PAIR_BYTES;
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

/* Writes the matrix as lanes hold it (foveate/cuda/nodes/product.cuh). */
static uint16_t *put_matrix(const struct matrix *m, int32_t steps, uint16_t *out)
{
    for (int32_t step = 0; step < steps; step++) {
        for (int32_t lane = 0; lane < 32; lane++) {
            for (int32_t i = 0; i < 4; i++) {
                const int32_t row = lane / 4 + i / 2 * 8;
                const int32_t column = 8 * step + lane % 4 * 2 + i % 2;
                *out++ = pixel_float_to_half(m->at[row][column]);
            }
        }
    }
    return out;
}

/* Sample i of a level is made from the samples from 2 i - 2 on. */
static uint16_t *put_taps(uint16_t *out)
{
    static const double taps[] = {1, 5, 10, 10, 5, 1};
    struct matrix m = {0};
    for (int32_t i = 0; i < TILE; i++) {
        double row[MOST_COLUMNS] = {0.0};
        for (int32_t k = 0; k < 6; k++) {
            row[2 * i - 2 + FOVEATE_NODES_BEFORE_BELOW + k] = taps[k] / 32.0;
        }
        set_row(&m, i, row, MOST_COLUMNS);
    }
    return put_matrix(&m, FOVEATE_NODES_STEPS_BELOW, out);
}

/* Row x has the samples' weights for pixel x of the tile. */
static uint16_t *put_node(const struct foveate_node *node, int32_t tile, uint16_t *out)
{
    struct matrix m = {0};
    const int32_t steps = foveate_nodes_steps(node->level);
    const int32_t window = foveate_nodes_window(node->level, tile);
    const double falloff = node->residual > 0.0 ? -0.5 / (node->residual * node->residual) : 0.0;
    for (int32_t x = 0; x < TILE; x++) {
        const double centre = (TILE * tile + x + 0.5) / (1 << node->level) - 0.5;
        double row[MOST_COLUMNS];
        double sum = 0.0;
        for (int32_t i = 0; i < 8 * steps; i++) {
            const double distance = window + i - centre;
            row[i] = node->residual > 0.0 ? exp(falloff * distance * distance) : distance == 0.0;
            sum += row[i];
        }
        for (int32_t i = 0; i < 8 * steps; i++) {
            row[i] /= sum;
        }
        set_row(&m, x, row, 8 * steps);
    }
    return put_matrix(&m, steps, out);
}

size_t foveate_nodes_matrix_bytes(const struct foveate_nodes *nodes)
{
    return (size_t)nodes->spans[FOVEATE_NODES_LEVELS].step * FOVEATE_NODES_STEP_BYTES;
}

void foveate_nodes_fill_matrices(const struct foveate_nodes *nodes, uint16_t *out_halves)
{
    uint16_t *out = put_taps(out_halves);
    for (int32_t i = 0; i < nodes->spans[FOVEATE_NODES_LEVELS].first; i++) {
        const struct foveate_node node = foveate_ladder_node(i, LIGHT, FOVEATE_NODES_LEVELS);
        for (int32_t tile = 0; tile < foveate_nodes_phases(node.level); tile++) {
            out = put_node(&node, tile, out);
        }
    }
}
