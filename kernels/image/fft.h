/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fourier transforms in two dimensions, in double precision. It is ours, because it needs nothing
 * but powers of two and no order: going there leaves bits reversed, coming back takes them so, and
 * products between do not mind. Lines go through it FFT_LANES at a time, side by side. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FFT_LANES 8 /* the least side, too */

/* A rectangle of complex numbers by rows. Its sides are powers of two. */
struct fft_rectangle {
    int32_t width;
    int32_t height;
    double *values;
    double *lines; /* memory: 2 FFT_LANES numbers for each of the longer side */
    const double *roots[2]; /* of rows, and of columns: fft_fill_roots of the sides */
};

/* Writes cos and sin of 2 pi i / side for each i below side / 2. */
void fft_fill_roots(int32_t side, double *roots);

/* Leaves row y and column x of the spectrum where their bits in reverse order say. */
void fft_go(const struct fft_rectangle *all);
/* Takes such a spectrum, and leaves the rectangle times the number of its places. */
void fft_come_back(const struct fft_rectangle *all);
