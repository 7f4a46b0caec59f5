/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The inner loops, compiled for every processor and for AVX2. They make the same bits:
 * whole numbers are exact, and of floats each product is rounded before it is added. */
#ifndef FOVEA_KERNELS_SALIENCY_CPU_LOOPS_H
#define FOVEA_KERNELS_SALIENCY_CPU_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#define SALIENCY_REGISTER 16 /* the most numbers of one; rows are a multiple of it long */

struct saliency_stamp {
    const int32_t *kernel; /* its first row */
    int32_t *out;
    int32_t kernel_pitch, out_pitch; /* numbers */
    int32_t width, rows; /* numbers that are added up to the next whole register */
};

struct saliency_line {
    const float *in;
    float *out;
    const float *weights; /* reach + 1, from the middle on */
    ptrdiff_t step; /* from a sample to the next one of the line */
    int32_t count, reach;
};

struct saliency_laplace {
    const float *above, *row, *below; /* from one sample left of the first */
    int32_t *sum; /* gets factor times the rounded response */
    float gain;
    int32_t count, factor;
};

struct saliency_loops {
    /* out += kernel */
    void (*stamp)(const struct saliency_stamp *stamp);
    /* out += y[row] x[i]: `rows` rows of SALIENCY_REGISTER numbers, or of half as many. */
    void (*spread)(const int32_t *x, const int32_t *y, int32_t rows, int32_t half, int32_t *out,
                   ptrdiff_t pitch);
    /* sum += factor |in| */
    void (*absolute)(const int32_t *in, int32_t factor, int32_t count, int32_t *sum);
    /* Numbers as floats. */
    void (*floats)(const int32_t *in, int32_t count, float *out);
    /* A Gaussian: count sums along a line, side by side. */
    void (*blur)(const struct saliency_line *line);
    void (*laplace)(const struct saliency_laplace *laplace);
};

extern const struct saliency_loops saliency_loops_base;
#ifdef SALIENCY_HAVE_AVX2
extern const struct saliency_loops saliency_loops_avx2;
#endif

/* Those that this processor runs. */
const struct saliency_loops *saliency_loops_choose(void);

#endif
