/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct foveate_small_matrix *foveate_small_matrix_new(int32_t rows, int32_t columns)
{
    struct foveate_small_matrix *m = calloc(1, sizeof *m);
    if (m) {
        m->rows = rows;
        m->columns = columns;
    }
    return m;
}

void foveate_small_add_gaussian(double *row, int32_t count, double place, double sigma,
                                double reach)
{
    double sum = 0.0;
    const int32_t first = (int32_t)ceil(place - reach);
    const int32_t last = (int32_t)floor(place + reach);
    for (int32_t i = first; i <= last; i++) {
        sum += exp(-(i - place) * (i - place) / (2.0 * sigma * sigma));
    }
    for (int32_t i = first; i <= last; i++) {
        row[foveate_small_clamp(i, 0, count - 1)] +=
            exp(-(i - place) * (i - place) / (2.0 * sigma * sigma)) / sum;
    }
}

void foveate_small_matrix_fill_gaussians(struct foveate_small_matrix *m, double first,
                                         double spacing, double sigma, double reach)
{
    memset(m->at, 0, sizeof m->at);
    for (int32_t i = 0; i < m->rows; i++) {
        foveate_small_add_gaussian(foveate_small_matrix_row(m, i), m->columns, first + spacing * i,
                                   sigma, reach);
    }
}

void foveate_small_matrix_multiply(struct foveate_small_matrix *out, struct foveate_small_matrix *a,
                                   struct foveate_small_matrix *b, bool transposed)
{
    out->rows = a->rows;
    out->columns = transposed ? b->rows : b->columns;
    for (int32_t i = 0; i < out->rows; i++) {
        for (int32_t j = 0; j < out->columns; j++) {
            double sum = 0.0;
            for (int32_t k = 0; k < a->columns; k++) {
                sum += foveate_small_matrix_row(a, i)[k] *
                       (transposed ? foveate_small_matrix_row(b, j)[k]
                                   : foveate_small_matrix_row(b, k)[j]);
            }
            foveate_small_matrix_row(out, i)[j] = sum;
        }
    }
}

/* Gauss-Jordan elimination without pivoting. */
void foveate_small_matrix_invert(struct foveate_small_matrix *m, struct foveate_small_matrix *out)
{
    const int32_t n = m->rows;
    out->rows = out->columns = n;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            foveate_small_matrix_row(out, i)[j] = i == j;
        }
    }
    for (int32_t p = 0; p < n; p++) {
        const double scale = 1.0 / foveate_small_matrix_row(m, p)[p];
        for (int32_t j = 0; j < n; j++) {
            foveate_small_matrix_row(m, p)[j] *= scale;
            foveate_small_matrix_row(out, p)[j] *= scale;
        }
        for (int32_t i = 0; i < n; i++) {
            const double part = foveate_small_matrix_row(m, i)[p];
            for (int32_t j = 0; i != p && j < n; j++) {
                foveate_small_matrix_row(m, i)[j] -= part * foveate_small_matrix_row(m, p)[j];
                foveate_small_matrix_row(out, i)[j] -= part * foveate_small_matrix_row(out, p)[j];
            }
        }
    }
}
