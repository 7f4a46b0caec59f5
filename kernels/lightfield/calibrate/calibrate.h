/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The array of lenses from a white picture: peaks of its spectrum, centres of lenses, and the array
 * that lies nearest to them. README.md has the formulas. */
#pragma once

#include "kernels/lightfield/lightfield.h"

#include <stdio.h>

/* Says what is wrong. */
#define CALIBRATE_PROBLEM(out, ...)                                                                \
    (snprintf((out), LIGHTFIELD_PROBLEM_BYTES, __VA_ARGS__), FOVEA_ERROR_CONFIG)

#define CALIBRATE_DEGREE 0.017453292519943295
#define CALIBRATE_LENSES_LEAST 5 /* in a row, and in a column */

/* Levels of one colour, without gaps. */
struct calibrate_picture {
    const float *levels;
    uint32_t width_px, height_px;
};

struct calibrate_wishes {
    enum fovea_lightfield_rows_wanted rows;
    double pitch_px; /* 0: any */
};

/* Two steps from lens to lens that make the whole array, pixels. */
struct calibrate_steps {
    double a[2], b[2];
};

/* The lens in column i and row j is at origin + (i + half where the row is shifted) across + j
 * down. Rows count from any lens on, and may be negative. */
struct calibrate_lattice {
    double origin[2], across[2], down[2];
    bool hexagonal;
};

struct calibrate_fit {
    struct calibrate_lattice lattice; /* across and down are at right angles */
    double residual_px; /* root of the mean square of distances */
    double unsure_px; /* standard error of the array at the picture's corners */
    double shear_deg; /* what was given away to make them so */
    uint32_t seen, used;
};

/* How far the work is, 0 .. 1. */
struct calibrate_progress {
    void (*fn)(void *user, double part);
    void *user;
};

/* ---- Spectrum: from a picture to steps. FOVEA_ERROR_CONFIG: out_problem says what to do. */

enum fovea_result calibrate_steps_find(const struct calibrate_picture *picture, uint32_t reduction,
                                       const struct calibrate_wishes *wishes,
                                       struct calibrate_steps *out,
                                       char out_problem[LIGHTFIELD_PROBLEM_BYTES]);

/* ---- Rows: which of the steps goes along a row */

enum fovea_result calibrate_rows_find(const struct calibrate_steps *steps,
                                      const struct calibrate_wishes *wishes,
                                      struct calibrate_lattice *out,
                                      char out_problem[LIGHTFIELD_PROBLEM_BYTES]);

/* ---- Centres */

struct calibrate_center {
    double place[2]; /* in lenses: i and half where the row is shifted, and j */
    double at_px[2];
    double strength; /* of the pattern around it */
    bool used;
};

/* Finds where the lens near from_px is; false where the picture ends before its neighbours do.
 * Exactly: without the slope of the light, and three times as slowly. */
bool calibrate_center_find(const struct calibrate_picture *picture,
                           const struct calibrate_lattice *lattice, const double from_px[2],
                           bool exactly, struct calibrate_center *out);

/* ---- Fit: from the middle of the picture to its borders */

enum fovea_result calibrate_fit_find(const struct calibrate_picture *picture,
                                     const struct calibrate_lattice *guess,
                                     const struct calibrate_progress *progress,
                                     struct calibrate_fit *out,
                                     char out_problem[LIGHTFIELD_PROBLEM_BYTES]);

/* ---- Extent: the largest part of the array whose micro-images lie in the picture */

bool calibrate_extent_find(const struct calibrate_lattice *lattice, uint32_t width_px,
                           uint32_t height_px, struct fovea_lightfield_geometry *out);

/* ---- All of it */

enum fovea_result calibrate_find(const struct calibrate_picture *picture,
                                 const struct calibrate_wishes *wishes,
                                 const struct calibrate_progress *progress,
                                 struct fovea_lightfield_geometry *out, struct calibrate_fit *fit,
                                 char out_problem[LIGHTFIELD_PROBLEM_BYTES]);

/* Sorts the numbers; 0: there are none. (fit.c) */
double calibrate_median(double *numbers, size_t count);

static inline double calibrate_dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

static inline double calibrate_cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

/* The place of a lens in lenses. */
static inline double calibrate_column(const struct calibrate_lattice *lattice, int32_t column,
                                      int32_t row)
{
    return column + (lattice->hexagonal && (row & 1) ? 0.5 : 0.0);
}

static inline void calibrate_place(const struct calibrate_lattice *lattice, const double place[2],
                                   double out_px[2])
{
    for (int i = 0; i < 2; i++) {
        out_px[i] =
            lattice->origin[i] + place[0] * lattice->across[i] + place[1] * lattice->down[i];
    }
}
