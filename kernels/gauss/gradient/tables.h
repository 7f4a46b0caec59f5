/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method as a sum of separable linear maps, and their transposes.
 *
 * With the ladder's nodes (gauss/plan/ladder.h), GAUSS_GRADIENT_APART of its steps apart, the
 * picture of node n is B_n = Y_n X_n D, where D decimates to the node's level (gauss/pyramid.h)
 * and X and Y blur and up-sample along the axes. With w_n(c) Lagrange's weights of the four nodes
 * around a pixel's place c,
 *
 *     out = sum over n of w_n(c) B_n in,
 *     d loss / d in = sum over n of B_n' w_n(c) d loss / d out,
 *     d out / d c = sum over n of dw_n/dc B_n in.
 *
 * Every map along an axis is a band: a row has the weights of a few neighbours. Pixels beyond the
 * edges are folded onto the edge's, so a transpose folds what they would get. */
#pragma once

#include "kernels/gauss/gauss.h"
#include "weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One row: out = sum over t < count of weights[at + t] * in[first + t]. Four 32-bit words, for the
 * GPU too. */
struct gauss_gradient_row {
    int32_t first;
    int32_t count; /* 0: nothing reaches it */
    int32_t at;
    int32_t reserved;
};

struct gauss_gradient_band {
    int32_t first_row; /* of the tables' rows */
    int32_t row_count;
};

/* Along x and along y. */
struct gauss_gradient_bands {
    struct gauss_gradient_band x, y;
};

struct gauss_gradient_level {
    int32_t width, height; /* samples, those beyond the edges included */
    struct gauss_gradient_bands reduce; /* from the level before; none of level 0 */
    struct gauss_gradient_bands spread; /* its transpose */
};

struct gauss_gradient_node {
    int32_t level;
    struct gauss_gradient_bands blur; /* from samples of the level to pixels */
    struct gauss_gradient_bands gather; /* its transpose */
};

struct gauss_gradient_tables {
    int32_t width_px, height_px;
    int32_t level_count;
    int32_t node_count; /* at least 4 */
    struct gauss_gradient_level levels[GAUSS_MAX_LEVELS];
    struct gauss_gradient_node *nodes;
    struct gauss_gradient_row *rows;
    float *weights;
    size_t row_count;
    size_t weight_count;
    size_t row_capacity;
    size_t weight_capacity;
};

/* Makes all nodes that any gaze can ask for of a plan of the smooth method. On failure nothing is
 * left. */
FOVEA_MUST_CHECK enum fovea_result gauss_gradient_tables_init(struct gauss_gradient_tables *tables,
                                                              const struct gauss_plan *plan);
void gauss_gradient_tables_finish(struct gauss_gradient_tables *tables);

#ifdef __cplusplus
}
#endif
