/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Finds where a lens is, by the phases of the pattern around it: levels times a window of one lens
 * to each side, times the waves of the array. The window is a product of cosines, whose transform
 * is 0 at every other wave of the array: so the evenly lit pattern of any shape has no error, and
 * the gaps around a micro-image count as much as its middle. */

#include "calibrate.h"

#include <math.h>

#define PASSES 3 /* to the centre, to the light's slope there, to the centre without that */

struct waves {
    double u[2], v[2]; /* lenses a pixel */
    double a[2], b[2]; /* pixels a lens */
};

/* Hexagonal rows take their steps from a lens to the next one, and to the next row's. */
static struct waves waves_of(const struct calibrate_lattice *lattice)
{
    const double aside = lattice->hexagonal ? 0.5 : 0.0;
    struct waves waves;
    for (int i = 0; i < 2; i++) {
        waves.a[i] = lattice->across[i];
        waves.b[i] = lattice->down[i] + aside * lattice->across[i];
    }
    const double cross = calibrate_cross(waves.a, waves.b);
    waves.u[0] = waves.b[1] / cross;
    waves.u[1] = -waves.b[0] / cross;
    waves.v[0] = -waves.a[1] / cross;
    waves.v[1] = waves.a[0] / cross;
    return waves;
}

/* A number that turns by the same angle from pixel to pixel. */
struct turning {
    double real, imaginary, step_real, step_imaginary;
};

static struct turning turning_from(double angle, double step)
{
    return (struct turning){cos(angle), sin(angle), cos(step), sin(step)};
}

static void turn(struct turning *turning)
{
    const double real =
        turning->real * turning->step_real - turning->imaginary * turning->step_imaginary;
    turning->imaginary =
        turning->real * turning->step_imaginary + turning->imaginary * turning->step_real;
    turning->real = real;
}

struct sums {
    double u[2], v[2]; /* complex */
    double levels, weights;
    double aside[2], spread[2]; /* levels times places, and times their squares */
};

/* How levels rise by the lens, as parts of that in the middle: vignetting. */
struct slope {
    double u, v;
};

/* The columns of a row for which both u and v are within one lens. */
static void narrow(double at, double step, int32_t *first, int32_t *end)
{
    if (fabs(step) < 1e-12) {
        *end = fabs(at) < 1.0 ? *end : *first;
        return;
    }
    const double p = (-1.0 - at) / step;
    const double q = (1.0 - at) / step;
    const double low = ceil(fmin(p, q));
    const double high = floor(fmax(p, q)) + 1.0;
    *first = low > *first ? (int32_t)fmin(low, *end) : *first;
    *end = high < *end ? (int32_t)fmax(high, *first) : *end;
}

static void add(struct sums *sums, double level, const struct turning *across,
                const struct turning *down, double u, double v)
{
    sums->u[0] += level * (across->real * across->real - across->imaginary * across->imaginary);
    sums->u[1] += level * 2.0 * across->real * across->imaginary;
    sums->v[0] += level * (down->real * down->real - down->imaginary * down->imaginary);
    sums->v[1] += level * 2.0 * down->real * down->imaginary;
    sums->levels += level;
    sums->aside[0] += level * u;
    sums->aside[1] += level * v;
    sums->spread[0] += level * u * u;
    sums->spread[1] += level * v * v;
}

/* place: of the row's first pixel, in lenses. */
static void add_row(const float *levels, int32_t end, const struct waves *waves,
                    const double place[2], struct slope slope, struct sums *sums)
{
    int32_t first = 0;
    narrow(place[0], waves->u[0], &first, &end);
    narrow(place[1], waves->v[0], &first, &end);
    double u = place[0] + first * waves->u[0];
    double v = place[1] + first * waves->v[0];
    struct turning across = turning_from(M_PI * u, M_PI * waves->u[0]);
    struct turning down = turning_from(M_PI * v, M_PI * waves->v[0]);
    for (int32_t x = first; x < end; x++) {
        const double weight = 0.25 * (1.0 + across.real) * (1.0 + down.real);
        const double level =
            weight * (double)levels[x] / fmax(0.25, 1.0 + slope.u * u + slope.v * v);
        add(sums, level, &across, &down, u, v);
        sums->weights += weight;
        turn(&across);
        turn(&down);
        u += waves->u[0];
        v += waves->v[0];
    }
}

static bool sum_around(const struct calibrate_picture *picture, const struct waves *waves,
                       const double from_px[2], struct slope slope, struct sums *out)
{
    const double reach_x = fabs(waves->a[0]) + fabs(waves->b[0]);
    const double reach_y = fabs(waves->a[1]) + fabs(waves->b[1]);
    *out = (struct sums){.weights = 0.0};
    if (!(from_px[0] >= reach_x && from_px[1] >= reach_y &&
          from_px[0] <= picture->width_px - reach_x &&
          from_px[1] <= picture->height_px - reach_y)) {
        return false;
    }
    const int32_t left = (int32_t)(from_px[0] - reach_x);
    const int32_t end = (int32_t)(from_px[0] + reach_x);
    const double right = left + 0.5 - from_px[0];
    for (int32_t y = (int32_t)(from_px[1] - reach_y); y < (int32_t)(from_px[1] + reach_y); y++) {
        const double down = y + 0.5 - from_px[1];
        const double place[2] = {right * waves->u[0] + down * waves->u[1],
                                 right * waves->v[0] + down * waves->v[1]};
        add_row(picture->levels + (size_t)y * picture->width_px + left, end - left, waves, place,
                slope, out);
    }
    return true;
}

static void move(double at_px[2], const struct waves *waves, const struct sums *sums)
{
    const double u = atan2(sums->u[1], sums->u[0]) / (2.0 * M_PI);
    const double v = atan2(sums->v[1], sums->v[0]) / (2.0 * M_PI);
    at_px[0] += u * waves->a[0] + v * waves->b[0];
    at_px[1] += u * waves->a[1] + v * waves->b[1];
}

/* Around its own centre a micro-image is as heavy on each side, but for a slope of the light. */
static struct slope slope_of(const struct sums *sums)
{
    return (struct slope){sums->aside[0] / fmax(sums->spread[0], 1e-12),
                          sums->aside[1] / fmax(sums->spread[1], 1e-12)};
}

bool calibrate_center_find(const struct calibrate_picture *picture,
                           const struct calibrate_lattice *lattice, const double from_px[2],
                           bool exactly, struct calibrate_center *out)
{
    const struct waves waves = waves_of(lattice);
    struct slope slope = {0.0, 0.0};
    struct sums sums;
    out->at_px[0] = from_px[0];
    out->at_px[1] = from_px[1];
    for (int i = 0; i < (exactly ? PASSES : 1); i++) {
        if (!sum_around(picture, &waves, out->at_px, slope, &sums)) {
            return i > 0;
        }
        if (i == 0) {
            out->strength = fmin(hypot(sums.u[0], sums.u[1]), hypot(sums.v[0], sums.v[1])) /
                            fmax(sums.weights, 1.0);
        }
        move(out->at_px, &waves, &sums);
        if (i > 0) {
            slope = slope_of(&sums);
        }
    }
    return true;
}
