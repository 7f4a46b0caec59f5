/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "exact.h"

#include "lightfield_paper.h"

#include <math.h>
#include <stdlib.h>

#define PITCH ((double)LIGHTFIELD_PAPER_PITCH_PX)
#define PATCH LIGHTFIELD_PAPER_PATCH_PX
#define RANGE LIGHTFIELD_PAPER_RANGE
#define SIGMA_PX (PITCH / 6.0)

static double gauss(double x, double y)
{
    return exp(-(x * x + y * y) / (2.0 * SIGMA_PX * SIGMA_PX));
}

int32_t exact_weight(int32_t x, int32_t y)
{
    const double middle = LIGHTFIELD_PAPER_MAP_PX / 2;
    return (int32_t)lrint(255.0 * gauss(x - middle, y - middle));
}

static int level_at(const struct exact_field *field, double x, double y, int channel)
{
    const int32_t column = (int32_t)fmin(fmax(x, 0.0), field->width_px - 1.0);
    const int32_t row = (int32_t)fmin(fmax(y, 0.0), field->height_px - 1.0);
    return field
        ->raw[(size_t)row * (size_t)field->row_bytes + 4 * (size_t)column + (size_t)channel];
}

static double interpolated(const struct exact_field *field, double x, double y, int channel)
{
    const double left = floor(x - 0.5);
    const double above = floor(y - 0.5);
    const double right = x - 0.5 - left;
    const double below = y - 0.5 - above;
    return (1.0 - below) * ((1.0 - right) * level_at(field, left, above, channel) +
                            right * level_at(field, left + 1.0, above, channel)) +
           below * ((1.0 - right) * level_at(field, left, above + 1.0, channel) +
                    right * level_at(field, left + 1.0, above + 1.0, channel));
}

static bool exists(const struct exact_field *field, int32_t column, int32_t row)
{
    return column >= 0 && column < field->columns && row >= 0 && row < field->rows;
}

double exact_render(const struct exact_field *field, enum exact_sample sample, int32_t x, int32_t y,
                    int channel)
{
    const double c = (PITCH - PATCH) / 2.0;
    const double half = sample == EXACT_PAPER ? 0.0 : 0.5;
    double sum = 0.0;
    double weights = 0.0;
    for (int32_t j = -RANGE; j <= RANGE; j++) {
        for (int32_t i = -RANGE; i <= RANGE; i++) {
            const int32_t column = x / PATCH - i;
            const int32_t row = y / PATCH - j;
            const double within_x = x % PATCH + half + c + i * PATCH;
            const double within_y = y % PATCH + half + c + j * PATCH;
            if (!exists(field, column, row)) {
                continue;
            }
            const double weight = sample == EXACT_PAPER
                                      ? exact_weight((int32_t)within_x, (int32_t)within_y)
                                      : gauss(within_x - PITCH / 2.0, within_y - PITCH / 2.0);
            const double at_x = column * PITCH + within_x;
            const double at_y = row * PITCH + within_y;
            sum += weight * (sample == EXACT_INTERPOLATED
                                 ? interpolated(field, at_x, at_y, channel)
                                 : level_at(field, floor(at_x), floor(at_y), channel));
            weights += weight;
        }
    }
    return sum / weights;
}

/* Finds a patch's pixel in the micro-image that is (i, j) to the left and above. */
static void place_of(int32_t x, int32_t y, int32_t i, int32_t j, int32_t size, double out[2])
{
    const double c = (PITCH - size) / 2.0;
    out[0] = floor((x / PATCH - i) * PITCH + (x % PATCH + 0.5) * size / PATCH + c + i * size);
    out[1] = floor((y / PATCH - j) * PITCH + (y % PATCH + 0.5) * size / PATCH + c + j * size);
}

static int32_t difference(const struct exact_field *field, int32_t x, int32_t y, int32_t size)
{
    double own[2];
    int32_t sum = 0;
    place_of(x, y, 0, 0, size, own);
    for (int32_t j = -RANGE; j <= RANGE; j++) {
        for (int32_t i = -RANGE; i <= RANGE; i++) {
            double other[2];
            place_of(x, y, i, j, size, other);
            for (int c = 0; c < 3 && exists(field, x / PATCH - i, y / PATCH - j); c++) {
                sum += abs(level_at(field, other[0], other[1], c) -
                           level_at(field, own[0], own[1], c));
            }
        }
    }
    return sum;
}

int32_t exact_depth(const struct exact_field *field, int32_t x, int32_t y)
{
    int32_t least = INT32_MAX;
    int32_t found = 0;
    for (int32_t k = 0; k < LIGHTFIELD_PAPER_SIZES; k++) {
        const int32_t size = LIGHTFIELD_PAPER_FIRST_PX + k;
        const int32_t sum = difference(field, x, y, size);
        if (sum <= least) {
            least = sum;
            found = size;
        }
    }
    return found;
}
