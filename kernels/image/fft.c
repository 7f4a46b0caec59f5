/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fft.h"

#include <math.h>

#define PI 3.14159265358979323846

void fft_fill_roots(int32_t side, double *roots)
{
    for (int32_t i = 0; i < side / 2; i++) {
        roots[2 * i] = cos(2.0 * PI * i / side);
        roots[2 * i + 1] = sin(2.0 * PI * i / side);
    }
}

/* ---- One dimension, FFT_LANES lines at a time: real parts before imaginary ones */

struct complex_lines {
    int32_t length;
    double *values; /* of each place FFT_LANES real parts, then as many imaginary ones */
    const double *roots; /* cos and sin of 2 pi i / length, half as many as the length */
};

static double *place_of(const struct complex_lines *lines, int32_t at)
{
    return lines->values + (size_t)at * 2 * FFT_LANES;
}

/* (a, b) -> (a + b, (a - b) root) */
static void part(double *a, double *b, double real, double imaginary)
{
    for (int i = 0; i < FFT_LANES; i++) {
        const double x = a[i] - b[i];
        const double y = a[i + FFT_LANES] - b[i + FFT_LANES];
        a[i] += b[i];
        a[i + FFT_LANES] += b[i + FFT_LANES];
        b[i] = x * real - y * imaginary;
        b[i + FFT_LANES] = x * imaginary + y * real;
    }
}

/* (a, b) -> (a + b root, a - b root) */
static void join(double *a, double *b, double real, double imaginary)
{
    for (int i = 0; i < FFT_LANES; i++) {
        const double x = b[i] * real - b[i + FFT_LANES] * imaginary;
        const double y = b[i] * imaginary + b[i + FFT_LANES] * real;
        b[i] = a[i] - x;
        b[i + FFT_LANES] = a[i + FFT_LANES] - y;
        a[i] += x;
        a[i + FFT_LANES] += y;
    }
}

static void go(const struct complex_lines *lines)
{
    for (int32_t half = lines->length / 2; half > 0; half /= 2) {
        const int32_t turn = lines->length / (2 * half);
        for (int32_t first = 0; first < lines->length; first += 2 * half) {
            for (int32_t i = 0; i < half; i++) {
                const double *root = lines->roots + 2 * (size_t)(i * turn);
                part(place_of(lines, first + i), place_of(lines, first + half + i), root[0],
                     -root[1]);
            }
        }
    }
}

static void come_back(const struct complex_lines *lines)
{
    for (int32_t half = 1; half < lines->length; half *= 2) {
        const int32_t turn = lines->length / (2 * half);
        for (int32_t first = 0; first < lines->length; first += 2 * half) {
            for (int32_t i = 0; i < half; i++) {
                const double *root = lines->roots + 2 * (size_t)(i * turn);
                join(place_of(lines, first + i), place_of(lines, first + half + i), root[0],
                     root[1]);
            }
        }
    }
}

/* ---- Two dimensions */

/* Lines whose numbers are `next` apart, and which are `beside` apart from each other. */
static void transform_lines(const struct complex_lines *lines, double *first, size_t next,
                            size_t beside, void (*transform)(const struct complex_lines *))
{
    for (int32_t i = 0; i < lines->length; i++) {
        double *place = place_of(lines, i);
        for (size_t k = 0; k < FFT_LANES; k++) {
            place[k] = first[2 * ((size_t)i * next + k * beside)];
            place[k + FFT_LANES] = first[2 * ((size_t)i * next + k * beside) + 1];
        }
    }
    transform(lines);
    for (int32_t i = 0; i < lines->length; i++) {
        const double *place = place_of(lines, i);
        for (size_t k = 0; k < FFT_LANES; k++) {
            first[2 * ((size_t)i * next + k * beside)] = place[k];
            first[2 * ((size_t)i * next + k * beside) + 1] = place[k + FFT_LANES];
        }
    }
}

static void transform(const struct fft_rectangle *all, void (*line)(const struct complex_lines *))
{
    const struct complex_lines rows = {all->width, all->lines, all->roots[0]};
    const struct complex_lines columns = {all->height, all->lines, all->roots[1]};
    const size_t width = (size_t)all->width;
    for (size_t i = 0; i < (size_t)all->height; i += FFT_LANES) {
        transform_lines(&rows, all->values + 2 * i * width, 1, width, line);
    }
    for (size_t i = 0; i < width; i += FFT_LANES) {
        transform_lines(&columns, all->values + 2 * i, width, 1, line);
    }
}

void fft_go(const struct fft_rectangle *all)
{
    transform(all, go);
}

void fft_come_back(const struct fft_rectangle *all)
{
    transform(all, come_back);
}
