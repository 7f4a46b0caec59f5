/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Matrices in double precision for the plan of small pictures: rows of weights along one axis. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_MATRIX_H
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_MATRIX_H

#include "params.h"

#include <stddef.h>

/* Weights for `count` places, one row each. */
struct foveate_small_matrix {
    int32_t rows, columns;
    double at[FOVEATE_SMALL_MOST_PX * FOVEATE_SMALL_MOST_PX];
};

static inline double *foveate_small_matrix_row(struct foveate_small_matrix *m, int32_t row)
{
    return m->at + (ptrdiff_t)row * m->columns;
}

static inline int32_t foveate_small_clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Returns a matrix of zeros, or NULL without memory; free releases it. */
struct foveate_small_matrix *foveate_small_matrix_new(int32_t rows, int32_t columns);

/* Adds a Gaussian at a place among `count` samples to `row`; the outermost samples repeat. */
void foveate_small_add_gaussian(double *row, int32_t count, double place, double sigma,
                                double reach);

/* Row i gets a Gaussian at first + spacing i. */
void foveate_small_matrix_fill_gaussians(struct foveate_small_matrix *m, double first,
                                         double spacing, double sigma, double reach);

/* out = a b, or a b^T. */
void foveate_small_matrix_multiply(struct foveate_small_matrix *out, struct foveate_small_matrix *a,
                                   struct foveate_small_matrix *b, bool transposed);

/* Inverts a positive definite matrix; `m` is overwritten. */
void foveate_small_matrix_invert(struct foveate_small_matrix *m, struct foveate_small_matrix *out);

#endif
