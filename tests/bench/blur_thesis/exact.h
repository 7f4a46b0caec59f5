/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This says what each of the thesis's ways is to make, in double precision, from its definition:
 * for one channel of one pixel of a picture of float4. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum exact_kind {
    EXACT_COPY,
    EXACT_LINES, /* the same weights along rows and columns, the outermost pixels go on */
    EXACT_CYCLIC, /* the same, and the other side goes on */
    EXACT_BOXES, /* boxes one after the other, by table: borders are left out */
    EXACT_PYRAMID,
    EXACT_DIFFUSION,
};

enum exact_pyramid { PYRAMID_BOX_2, PYRAMID_QUASI, PYRAMID_BOX_4 };

#define EXACT_TAPS 512
#define EXACT_BY_FLOATS 1e-4 /* of values from 0 to 1: the tolerance where none is said */

struct exact_blur {
    enum exact_kind kind;
    int32_t taps; /* odd */
    double weights[EXACT_TAPS];
    int32_t border_px; /* so far from the edges it says nothing */
    enum exact_pyramid pyramid;
    int32_t levels; /* of a pyramid; steps of a diffusion */
    double tolerance; /* of values from 0 to 1; 0: as floats have it */
};

/* A Gaussian of as many taps as the thesis takes, 6 sigma, made odd. */
struct exact_blur exact_gaussian(double sigma_px);
/* `widths`: of boxes one after the other, all odd; the whole kernel. */
struct exact_blur exact_boxes(const int32_t *widths, int32_t count);
/* A tent: what spreading of that radius makes. */
struct exact_blur exact_tent(int32_t radius_px);
double exact_sigma(const struct exact_blur *blur); /* of weights, by second moments */

/* src: float4[] of side x side. */
double exact_at(const struct exact_blur *blur, const float *src, int32_t side_px, int32_t x,
                int32_t y, int channel);
/* A pyramid has its whole picture at once: double[side * side], the caller's to free. NULL: no
 * memory. */
double *exact_pyramid_of(const struct exact_blur *blur, const float *src, int32_t side_px,
                         int channel);

/* How far what was made, float4[] as src, is off at most at some points, or in all of a pyramid's
 * picture; NaN: there was nothing to look at. */
double exact_worst(const struct exact_blur *blur, const float *src, int32_t side_px,
                   const float *made);
/* Returns how much a float loses of a sum over the whole picture, where four such sums are all that
 * is left. */
double exact_lost_of_table(int32_t side_px, double divided_by);
/* Returns the same for a table of a table. Its integral reaches r^4 times a value, but on the way
 * there sums meet that are as large as the picture. In large pictures floats cannot hold them; how
 * far they are off is a result there. */
double exact_lost_of_spreading(int32_t side_px, int32_t radius_px);

/* Kovesi: widths of `count` boxes for a sigma. */
void exact_kovesi(double sigma_px, int32_t count, int32_t *widths);

/* sigma of a pyramid of so many levels: (v_a + 3/4) (4^L - 1) / 3, v_a of its analysis. */
double exact_pyramid_sigma(enum exact_pyramid kind, int32_t levels);
