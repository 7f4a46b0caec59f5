/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blend.h"

#include "kernels/image/pixel_float.h"
#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS FOVEATE_SMALL_BINS
#define NODES FOVEATE_SMALL_NODES
#define LINE 12 /* frequencies of the picture along an axis: BINS = LINE^2 */
#define TAPS 12 /* samples on a side of a Gaussian */
#define PI 3.14159265358979323846
/* Weights that cancel each other magnify the rounding of halves. */
#define AGAINST_LARGE_PARTS 1e-6

/* Returns the spectrum of a Gaussian sampled at pixels, at frequencies from 0 to Nyquist. */
static void fill_line(double sigma, double line[LINE])
{
    double sum = 1.0;
    for (int32_t f = 0; f < LINE; f++) {
        line[f] = 1.0;
    }
    for (int32_t k = 1; k <= TAPS && sigma > 0.0; k++) {
        const double weight = 2.0 * exp(-k * k / (2.0 * sigma * sigma));
        sum += weight;
        for (int32_t f = 0; f < LINE; f++) {
            line[f] += weight * cos(PI * k * f / (LINE - 1));
        }
    }
    for (int32_t f = 0; f < LINE; f++) {
        line[f] /= sum;
    }
}

/* The spectrum has two dimensions on the picture, where it is not round, and one on levels, up to
 * where the narrowest node lets nothing through. */
static void fill_spectrum(const struct foveate_small_blender *m, double sigma, double out[BINS])
{
    double line[LINE];
    if (m->level == 0) {
        fill_line(sigma, line);
    }
    for (int32_t i = 0; i < BINS; i++) {
        const double radius = 4.3 * i / (BINS - 1) / fmax(m->first, 0.1);
        out[i] = m->level == 0 ? line[i / LINE] * line[i % LINE]
                               : exp(-0.5 * sigma * sigma * radius * radius);
    }
}

static double dot(const double *a, const double *b, int32_t count)
{
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

enum fovea_result foveate_small_blender_init(const struct foveate_small_sets *sets, int32_t level,
                                             struct foveate_small_blender *out)
{
    const int32_t n = sets->counts[level];
    memset(out, 0, sizeof *out);
    out->level = level;
    out->count = n;
    out->first = sets->sigmas[level][0];
    out->last = sets->sigmas[level][n - 1];
    struct foveate_small_matrix *gram = foveate_small_matrix_new(n, n);
    struct foveate_small_matrix *inverse = foveate_small_matrix_new(n, n);
    if (gram && inverse) {
        for (int32_t i = 0; i < n; i++) {
            fill_spectrum(out, sets->sigmas[level][i], out->spectra[i]);
        }
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                foveate_small_matrix_row(gram, i)[j] = dot(out->spectra[i], out->spectra[j], BINS) +
                                                       (i == j ? AGAINST_LARGE_PARTS * BINS : 0.0);
            }
        }
        foveate_small_matrix_invert(gram, inverse);
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                out->inverse[i][j] = foveate_small_matrix_row(inverse, i)[j];
            }
        }
    }
    const bool made = gram && inverse;
    free(gram);
    free(inverse);
    return made ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}

/* Solves least squares over the spectrum, among weights that sum to 1. */
static void solve(const struct foveate_small_blender *m, double sigma, double parts[NODES])
{
    static const double ones[NODES] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    double wanted[BINS];
    double right[NODES];
    double least = 1.0;
    double all = 0.0;
    fill_spectrum(m, sigma, wanted);
    for (int32_t i = 0; i < m->count; i++) {
        right[i] = dot(m->spectra[i], wanted, BINS);
    }
    for (int32_t i = 0; i < m->count; i++) {
        parts[i] = dot(m->inverse[i], right, m->count);
        least -= parts[i];
        all += dot(m->inverse[i], ones, m->count);
    }
    for (int32_t i = 0; i < m->count; i++) {
        parts[i] += least / all * dot(m->inverse[i], ones, m->count);
    }
}

void foveate_small_blend(const struct foveate_small_blender *m, double sigma, uint16_t parts[NODES])
{
    double of[NODES] = {1.0};
    double residual = 1.0;
    int32_t largest = 0;
    if (m->level > 0 || sigma > 0.0) {
        solve(m, fmin(fmax(sigma, m->first), m->last), of);
    }
    for (int32_t i = 0; i < NODES; i++) {
        parts[i] = pixel_float_to_half((float)of[i]);
        residual -= pixel_half_to_float(parts[i]);
        largest = fabs(of[i]) > fabs(of[largest]) ? i : largest;
    }
    parts[largest] = pixel_float_to_half((float)(pixel_half_to_float(parts[largest]) + residual));
}
