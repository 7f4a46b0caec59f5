/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The kernels of a thesis on CSDD with CUDA 2.0 on a GTX 280 (Penn State; its title page is
 * missing), written from its text, as a comparison: the library uses none of them. C and CUDA
 * include this. Pictures lie column by column, as the thesis has them.
 *
 * The absolute value of each bin's response is missing from the thesis's text, and stands here:
 * without it the bins' sum is the plain filter of the picture. Beyond the picture its edge goes on;
 * the thesis does not say how its filters begin. */
#pragma once

#include <stdint.h>

#define CSDD_THESIS_BINS 128

/* Deriche's filter of the fourth order (kernels/saliency/reference/recursive.c). */
struct csdd_thesis_filter {
    double causal[4]; /* n0 .. n3 */
    double anticausal[4]; /* m1 .. m4 */
    double feedback[4]; /* d1 .. d4 */
    double before, behind; /* what each half makes of ones without end */
};

struct csdd_thesis_params {
    uint64_t image; /* float[]: bins of pixels */
    uint64_t gauss, second; /* kernel 1's, each a picture a bin */
    uint64_t filtered; /* float[]: kernel 2's, a picture a bin */
    uint64_t dst; /* float[]; of a tree: a picture a group of bins */
    uint64_t filters; /* struct csdd_thesis_filter[2]: the Gaussian, its second derivative */
    int32_t rows, columns; /* of the picture, padded */
    int32_t tiles; /* of a bin */
    int32_t first_bin, bins; /* of this stream */
    float factor; /* of what is added to dst */
    int32_t adds; /* dst has what other streams gave */
};

/* These say where filters' numbers lie. */
#define CSDD_THESIS_GLOBAL 0
#define CSDD_THESIS_SHARED 1
#define CSDD_THESIS_VOLATILE 2

/* X(name, filters' numbers, the first and the last row in shared memory, unrolled, type of what is
 * written) */
#define CSDD_THESIS_ROWS(X)                                                                        \
    X(rows, SHARED, 1, 1, float)                                                                   \
    X(rows_plain, GLOBAL, 0, 1, float)                                                             \
    X(rows_numbers, SHARED, 0, 1, float)                                                           \
    X(rows_volatile, VOLATILE, 1, 1, float)                                                        \
    X(rows_unrolled, SHARED, 1, 4, float)                                                          \
    X(rows_double, SHARED, 1, 1, double)
/* X(name, filters' numbers, output in shared memory, unrolled, type of what is read) */
#define CSDD_THESIS_COLUMNS(X)                                                                     \
    X(columns, SHARED, 1, 1, float)                                                                \
    X(columns_plain, GLOBAL, 0, 1, float)                                                          \
    X(columns_numbers, SHARED, 0, 1, float)                                                        \
    X(columns_volatile, VOLATILE, 1, 1, float)                                                     \
    X(columns_unrolled, SHARED, 1, 4, float)                                                       \
    X(columns_double, SHARED, 1, 1, double)
/* X(name, output in shared memory) */
#define CSDD_THESIS_SUMS(X)                                                                        \
    X(sums, 1)                                                                                     \
    X(sums_plain, 0)
