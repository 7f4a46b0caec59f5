/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The inner loops, compiled for every processor and for AVX2. All are of whole numbers, so that
 * they make the same bits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SALIENCY_REGISTER 16 /* the most numbers of one; rows are a multiple of it long */
#define SALIENCY_PAIRS 16 /* that are in order together */

struct saliency_stamp {
    const int32_t *kernel; /* its first row */
    int32_t *out;
    int32_t kernel_pitch, out_pitch; /* numbers */
    int32_t width, rows; /* numbers that are added up to the next whole register */
};

/* A row of samples, from `reach` before the first sum's own on, becomes sums by p and by q: pairs
 * of 16 bits, sixteen after the other, of which the even ones come first. */
struct saliency_rows {
    const int16_t *in;
    int32_t *out;
    const int32_t *p, *q; /* weights, two neighbours of 16 bits in one: reach + 1 */
    int32_t count, reach;
};

struct saliency_columns {
    const int32_t *in; /* the pairs of the sums' own row */
    int32_t *sum; /* gets factor times |d|, in the order of pairs */
    const int32_t *weights; /* q and p by distance, two of 16 bits in one: reach + 1 */
    ptrdiff_t pitch;
    int32_t count, reach;
    int32_t factor;
};

struct saliency_loops {
    /* out += kernel */
    void (*stamp)(const struct saliency_stamp *stamp);
    /* out += y[row] x[i]: `rows` rows of SALIENCY_TAPS_MAX numbers */
    void (*spread)(const int32_t *x, const int32_t *y, int32_t rows, int32_t *out, ptrdiff_t pitch);
    /* sum += factor |in| */
    void (*absolute)(const int32_t *in, int32_t factor, int32_t count, int32_t *sum);
    /* Samples of step 2, of their sums */
    void (*samples)(const int32_t *in, int32_t count, int16_t *out);
    /* Sums of every second sample of two rows, pairs of 16 bits; and samples of pairs of ten rows.
     * The first are made up to the next whole register. */
    void (*halve_rows)(const int16_t *even, const int16_t *odd, int32_t count, int32_t *out);
    void (*halve_columns)(const int32_t *const pairs[5], int32_t count, int16_t *out);
    void (*rows)(const struct saliency_rows *rows);
    void (*columns)(const struct saliency_columns *columns);
};

extern const struct saliency_loops saliency_loops_base;
#ifdef SALIENCY_HAVE_AVX2
extern const struct saliency_loops saliency_loops_avx2;
#endif

/* Those that this processor runs. */
const struct saliency_loops *saliency_loops_choose(void);
