/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A convolution by its definition, with weights that are the parts of pixels which a shape covers.
 * Shapes are polygons; each is cut along a pixel's four sides, one after the other. */

#include "kernels/blur/reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DISC_SIDES 192
#define MOST_POINTS (2 * DISC_SIDES)

struct polygon {
    int count;
    double x[MOST_POINTS];
    double y[MOST_POINTS];
};

/* Y is down: the star points up. */
static struct polygon shape_of(uint32_t shape, double radius_px)
{
    const double pi = acos(-1.0);
    const int count = shape == BLUR_DISC ? DISC_SIDES : shape == BLUR_HEXAGON ? 6 : 10;
    struct polygon polygon = {.count = count};
    for (int i = 0; i < count; i++) {
        const bool notch = shape == BLUR_STAR && i % 2 == 1;
        const double radius = radius_px * (notch ? (3.0 - sqrt(5.0)) / 2.0 : 1.0);
        const double angle = 2.0 * pi * i / count - (shape == BLUR_STAR ? pi / 2.0 : 0.0);
        polygon.x[i] = radius * cos(angle);
        polygon.y[i] = radius * sin(angle);
    }
    return polygon;
}

/* Cuts the polygon to the side of a line where a x + b y <= c. */
static void cut(struct polygon *polygon, double a, double b, double c)
{
    const struct polygon whole = *polygon;
    polygon->count = 0;
    for (int i = 0; i < whole.count; i++) {
        const int next = (i + 1) % whole.count;
        const double here = c - a * whole.x[i] - b * whole.y[i];
        const double there = c - a * whole.x[next] - b * whole.y[next];
        if (here >= 0.0) {
            polygon->x[polygon->count] = whole.x[i];
            polygon->y[polygon->count++] = whole.y[i];
        }
        if ((here >= 0.0) != (there >= 0.0)) {
            const double part = here / (here - there);
            polygon->x[polygon->count] = whole.x[i] + part * (whole.x[next] - whole.x[i]);
            polygon->y[polygon->count++] = whole.y[i] + part * (whole.y[next] - whole.y[i]);
        }
    }
}

static double area_of(const struct polygon *polygon)
{
    double twice = 0.0;
    for (int i = 0; i < polygon->count; i++) {
        const int next = (i + 1) % polygon->count;
        twice += polygon->x[i] * polygon->y[next] - polygon->x[next] * polygon->y[i];
    }
    return 0.5 * fabs(twice);
}

/* ---- An eye's point spread, two round Gaussians (Geisler 1984): the wider one ends at 4 of its
 * standard deviations. What lies in a pixel is, by Green's theorem, the integral along its outline
 * of the light within a radius, by the angle. */

static double light_within(double radius)
{
    const double all = 0.684 + 0.587;
    return 0.684 / all * (1.0 - exp(-0.5 * pow(radius / 0.443, 2.0))) +
           0.587 / all * (1.0 - exp(-0.5 * pow(radius / 2.035, 2.0)));
}

/* Along the side from (x, y), one pixel to where dx and dy point, by Simpson's rule: the angle
 * changes fast near the middle alone. */
static double along_side(double x, double y, double dx, double dy, double minutes_per_px)
{
    const int parts = hypot(x, y) < 4.0 ? 64 : 8;
    double sum = 0.0;
    for (int i = 0; i <= parts; i++) {
        const double weight = i == 0 || i == parts ? 1.0 : i % 2 ? 4.0 : 2.0;
        const double at_x = x + dx * i / parts;
        const double at_y = y + dy * i / parts;
        const double radius = hypot(at_x, at_y);
        sum += weight * light_within(radius * minutes_per_px) * (at_x * dy - at_y * dx) /
               (radius * radius);
    }
    return sum / (3.0 * parts) / (2.0 * acos(-1.0));
}

static double light_in_pixel(double radius_px, double x, double y)
{
    const double minutes_per_px = 4.0 * 2.035 / radius_px;
    return along_side(x - 0.5, y - 0.5, 1.0, 0.0, minutes_per_px) +
           along_side(x + 0.5, y - 0.5, 0.0, 1.0, minutes_per_px) +
           along_side(x + 0.5, y + 0.5, -1.0, 0.0, minutes_per_px) +
           along_side(x - 0.5, y + 0.5, 0.0, -1.0, minutes_per_px);
}

/* The part of the pixel at (x, y) from the middle that the shape covers, or the light in it. */
static double covered(uint32_t shape, double radius_px, long x, long y)
{
    if (shape == BLUR_EYE) {
        return light_in_pixel(radius_px, (double)x, (double)y);
    }
    struct polygon polygon = shape_of(shape, radius_px);
    cut(&polygon, 1.0, 0.0, (double)x + 0.5);
    cut(&polygon, -1.0, 0.0, -((double)x - 0.5));
    cut(&polygon, 0.0, 1.0, (double)y + 0.5);
    cut(&polygon, 0.0, -1.0, -((double)y - 0.5));
    return area_of(&polygon);
}

/* ---- Tables */

/* The part of the pixel at `at` from the middle that cell i of so many covers, along an axis. */
static double covered_by_cell(uint32_t count, uint32_t i, double cell_px, long at)
{
    const double left = ((double)i - (double)count / 2.0) * cell_px;
    const double right = left + cell_px;
    const double from = left > (double)at - 0.5 ? left : (double)at - 0.5;
    const double to = right < (double)at + 0.5 ? right : (double)at + 0.5;
    return to > from ? to - from : 0.0;
}

static double covered_by_table(const struct blur_table *table, double cell_px, long x, long y)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < table->columns * table->rows; i++) {
        sum += table->weights[i] * covered_by_cell(table->columns, i % table->columns, cell_px, x) *
               covered_by_cell(table->rows, i / table->columns, cell_px, y);
    }
    return sum;
}

/* ---- Either, of that radius */

static double covered_by(const struct blur_numbers *numbers, double radius_px, long x, long y)
{
    if (!numbers->table) {
        return covered(numbers->shape, radius_px, x, y);
    }
    const struct blur_table *table = numbers->table;
    const uint32_t longer = table->columns > table->rows ? table->columns : table->rows;
    return covered_by_table(table, 2.0 * radius_px / longer, x, y);
}

/* Around the mean, on average over both axes. */
static double variance_of(const struct blur_numbers *numbers, double radius_px)
{
    const long reach = (long)ceil(radius_px + 0.5);
    double squares = 0.0;
    double sum = 0.0;
    double first[2] = {0};
    for (long y = -reach; y <= reach; y++) {
        for (long x = -reach; x <= reach; x++) {
            const double weight = covered_by(numbers, radius_px, x, y);
            squares += weight * 0.5 * (double)(x * x + y * y);
            sum += weight;
            first[0] += weight * (double)x;
            first[1] += weight * (double)y;
        }
    }
    return squares / sum - 0.5 * (pow(first[0] / sum, 2.0) + pow(first[1] / sum, 2.0));
}

static double radius_for(const struct blur_numbers *numbers)
{
    double low = numbers->table ? 0.0 : 0.5;
    double high = 1.0;
    while (variance_of(numbers, high) < numbers->sigma_px * numbers->sigma_px) {
        low = high;
        high *= 1.5;
    }
    for (int i = 0; i < 50; i++) {
        const double middle = 0.5 * (low + high);
        *(variance_of(numbers, middle) < numbers->sigma_px * numbers->sigma_px ? &low : &high) =
            middle;
    }
    return 0.5 * (low + high);
}

static long inside(long at, long length)
{
    return at < 0 ? 0 : at >= length ? length - 1 : at;
}

enum fovea_result blur_reference_convolve(const struct blur_numbers *numbers,
                                          const struct blur_picture *picture, const double *src,
                                          double *dst)
{
    const double radius_px = numbers->radius_px > 0.0 ? numbers->radius_px : radius_for(numbers);
    const long reach = (long)ceil(radius_px + 0.5);
    const long side = 2 * reach + 1;
    const long width = (long)picture->width_px;
    const long height = (long)picture->height_px;
    const long channels = (long)picture->channels;
    double *weights = malloc((size_t)(side * side) * sizeof *weights);
    double sum = 0.0;
    FOVEA_TRY_MEMORY(weights);
    for (long k = 0; k < side * side; k++) {
        weights[k] = covered_by(numbers, radius_px, k % side - reach, k / side - reach);
        sum += weights[k];
    }
    memset(dst, 0, (size_t)(width * height * channels) * sizeof *dst);
    for (long i = 0; i < width * height * channels; i++) {
        const long x = i / channels % width;
        const long y = i / channels / width;
        for (long k = 0; k < side * side; k++) {
            const long from_x = inside(x - (k % side - reach), width);
            const long from_y = inside(y - (k / side - reach), height);
            dst[i] += weights[k] / sum * src[(from_y * width + from_x) * channels + i % channels];
        }
    }
    free(weights);
    return FOVEA_OK;
}
