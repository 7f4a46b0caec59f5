/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Shapes and tables as weights of pixels. Of shapes: the part of a pixel that the shape covers.
 * Sides leave in each row how much further left of them is covered, and a sum along the row makes
 * areas of that, which are exact (as font rasterizers do it). An eye's point spread is a sum of
 * Gaussians, whose parts in pixels are products of two differences of erf. */

#include "core/large_memory.h"
#include "kernels/blur/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DISC_SIDES 192
#define MOST_SIDES DISC_SIDES
#define PI 3.14159265358979323846

struct point {
    double x, y;
};

/* A polygon of radius 1; y is down. Without points it is an eye's point spread. */
struct outline {
    int32_t count;
    struct point points[MOST_SIDES];
};

static void set_regular(int32_t count, double inner, double from, struct outline *out)
{
    out->count = count;
    for (int32_t i = 0; i < count; i++) {
        const double radius = i % 2 ? inner : 1.0;
        const double angle = from + 2.0 * PI * i / count;
        out->points[i] = (struct point){radius * cos(angle), radius * sin(angle)};
    }
}

/* The star's sides go on in straight lines. */
static void set_outline(uint32_t shape, struct outline *out)
{
    switch (shape) {
    case BLUR_HEXAGON:
        set_regular(6, 1.0, 0.0, out);
        break;
    case BLUR_EYE:
        out->count = 0;
        break;
    case BLUR_STAR:
        set_regular(10, (3.0 - sqrt(5.0)) / 2.0, -0.5 * PI, out);
        break;
    default:
        set_regular(DISC_SIDES, 1.0, 0.0, out);
        break;
    }
}

/* A side's part in one row goes from x0 to x1 on its way down by `down` (negative: up). */
static void add_part(double x0, double x1, double down, double *row)
{
    const double left = fmin(x0, x1);
    const double right = fmax(x0, x1);
    const int32_t first = (int32_t)left;
    const int32_t last = (int32_t)right;
    for (int32_t i = first; i <= last; i++) {
        const double from = fmax(left, i);
        const double to = fmin(right, i + 1.0);
        const double share = first == last ? 1.0 : (to - from) / (right - left);
        const double middle = 0.5 * (from + to) - i;
        row[i] += down * share * (1.0 - middle);
        row[i + 1] += down * share * middle;
    }
}

static void add_side(struct point from, struct point to, int32_t width, double *rows)
{
    const double sign = to.y > from.y ? 1.0 : -1.0;
    const struct point top = to.y > from.y ? from : to;
    const struct point bottom = to.y > from.y ? to : from;
    const double slope = bottom.y > top.y ? (bottom.x - top.x) / (bottom.y - top.y) : 0.0;
    for (int32_t y = (int32_t)top.y; y < bottom.y; y++) {
        const double begin = fmax(top.y, y);
        const double end = fmin(bottom.y, y + 1.0);
        add_part(top.x + slope * (begin - top.y), top.x + slope * (end - top.y),
                 sign * (end - begin), rows + (size_t)y * width);
    }
}

/* Geisler 1984: the line spread of an eye with a pupil of 2 mm is the sum of a / (2 s)
 * exp(-x^2 / (2 s^2)) for two pairs of a and s, in minutes of arc, and so its point spread is the
 * sum of round Gaussians that weigh as much. The radius is where the wider one ends, at 4 s.
 * A row's last two numbers keep the parts of both along an axis meanwhile. */
static void cover_by_eye(double radius_px, int32_t reach, double *rows)
{
    static const double sums[2] = {0.684, 0.587};
    static const double sigmas[2] = {0.443, 2.035};
    const int32_t side = 2 * reach + 1;
    double *parts = rows + side;
    for (int32_t i = 0; i < 2 * side; i++) {
        const double per_px = 4.0 * sigmas[1] / sigmas[i % 2] / (radius_px * sqrt(2.0));
        const double at = i / 2 - reach;
        parts[i / 2 * (side + 2) + i % 2] =
            0.5 * (erf((at + 0.5) * per_px) - erf((at - 0.5) * per_px));
    }
    for (int32_t i = 0; i < side * side; i++) {
        const double *across = parts + i % side * (side + 2);
        const double *down = parts + i / side * (side + 2);
        rows[i / side * (side + 2) + i % side] =
            sums[0] * across[0] * down[0] + sums[1] * across[1] * down[1];
    }
}

/* Writes the areas that an outline of that radius covers, in rows of 2 reach + 1; the last two of a
 * row belong to nobody. */
static void cover(const struct outline *outline, double radius_px, int32_t reach, double *rows)
{
    const int32_t width = 2 * reach + 3;
    const double middle = reach + 0.5;
    memset(rows, 0, (size_t)width * (2 * (size_t)reach + 1) * sizeof *rows);
    if (outline->count == 0) {
        cover_by_eye(radius_px, reach, rows);
        return;
    }
    for (int32_t i = 0; i < outline->count; i++) {
        const struct point a = outline->points[i];
        const struct point b = outline->points[(i + 1) % outline->count];
        add_side((struct point){middle + radius_px * a.x, middle + radius_px * a.y},
                 (struct point){middle + radius_px * b.x, middle + radius_px * b.y}, width, rows);
    }
    for (int32_t y = 0; y <= 2 * reach; y++) {
        double sum = 0.0;
        for (int32_t x = 0; x <= 2 * reach; x++) {
            sum += rows[(size_t)y * width + x];
            rows[(size_t)y * width + x] = fabs(sum);
        }
    }
}

/* The sum of the weights, and their variance around their mean, which need not be the middle: the
 * mean of both axes. */
static double weigh(const double *rows, int32_t reach, double *out_variance)
{
    const size_t width = 2 * (size_t)reach + 3;
    double sum = 0.0;
    double first[2] = {0};
    double squares = 0.0;
    for (int32_t y = -reach; y <= reach; y++) {
        for (int32_t x = -reach; x <= reach; x++) {
            const double weight = rows[(size_t)(y + reach) * width + (size_t)(x + reach)];
            sum += weight;
            first[0] += weight * x;
            first[1] += weight * y;
            squares += weight * ((double)x * x + (double)y * y);
        }
    }
    *out_variance =
        0.5 * (squares / sum - (first[0] * first[0] + first[1] * first[1]) / (sum * sum));
    return sum;
}

static int32_t reach_of(double radius_px)
{
    return (int32_t)ceil(radius_px + 0.5);
}

/* The radius at which the weights, as they are in pixels, have the variance: it grows with it. */
static double radius_for(const struct outline *outline, double sigma_px, double most_px,
                         double *rows)
{
    double low = 0.5;
    double high = most_px;
    for (int i = 0; i < 60 && high - low > 1e-14 * high; i++) {
        const double middle = 0.5 * (low + high);
        double variance;
        cover(outline, middle, reach_of(middle), rows);
        (void)weigh(rows, reach_of(middle), &variance);
        *(variance < sigma_px * sigma_px ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static enum fovea_result make_of_shape(const struct blur_numbers *numbers,
                                       struct blur_kernel *out_kernel)
{
    struct outline outline;
    const double most_sigmas = numbers->shape == BLUR_EYE ? 6.0 : 4.0; /* of a shape's radius */
    const double most_px =
        numbers->radius_px > 0.0 ? numbers->radius_px : most_sigmas * numbers->sigma_px + 1.0;
    const size_t most = 2 * (size_t)reach_of(most_px) + 3;
    double *rows = large_memory_make(most * most, sizeof *rows);
    FOVEA_TRY_MEMORY(rows);
    set_outline(numbers->shape, &outline);
    const double radius_px = numbers->radius_px > 0.0
                                 ? numbers->radius_px
                                 : radius_for(&outline, numbers->sigma_px, most_px, rows);
    const int32_t reach = reach_of(radius_px);
    const size_t side = 2 * (size_t)reach + 1;
    double variance;
    cover(&outline, radius_px, reach, rows);
    const double sum = weigh(rows, reach, &variance);
    if (!(sum > 0.0)) { /* smaller than a double can tell: a point */
        *out_kernel = (struct blur_kernel){0, 0, rows};
        rows[0] = 1.0;
        return FOVEA_OK;
    }
    for (size_t i = 0; i < side * side; i++) { /* rows close up, as each begins behind this place */
        rows[i] = rows[i / side * (side + 2) + i % side] / sum;
    }
    *out_kernel = (struct blur_kernel){reach, reach, rows};
    return FOVEA_OK;
}

/* ---- Tables: a cell is a square of so many pixels, and a pixel takes the parts that lie in it */

/* A row of cells, or a column; the values of those that follow each other are `next` apart. */
struct cells {
    const double *values;
    uint32_t count;
    size_t next;
};

/* The part of their sum that falls into the pixel `at` from the middle. */
static double sum_in_pixel(const struct cells *cells, double cell_px, int32_t at)
{
    const double middle = 0.5 * cells->count;
    const double first = floor((at - 0.5) / cell_px + middle);
    const double last = floor((at + 0.5) / cell_px + middle);
    double sum = 0.0;
    for (double i = fmax(first, 0.0); i <= last && i < cells->count; i++) {
        const double begin = (i - middle) * cell_px;
        const double part = fmin(begin + cell_px, at + 0.5) - fmax(begin, at - 0.5);
        sum += cells->values[(size_t)i * cells->next] * fmax(part, 0.0);
    }
    return sum;
}

/* Around their mean, as pixels have them. */
static double variance_of(const struct cells *cells, double cell_px)
{
    const int32_t reach = reach_of(0.5 * cells->count * cell_px);
    double sum = 0.0;
    double first = 0.0;
    double second = 0.0;
    for (int32_t at = -reach; at <= reach; at++) {
        const double weight = sum_in_pixel(cells, cell_px, at);
        sum += weight;
        first += at * weight;
        second += (double)at * at * weight;
    }
    return second / sum - first / sum * (first / sum);
}

/* Sums of a table's columns, or of its rows. */
static void sum_lines(const struct blur_table *table, double *out_columns, double *out_rows)
{
    memset(out_columns, 0, table->columns * sizeof *out_columns);
    memset(out_rows, 0, table->rows * sizeof *out_rows);
    for (size_t i = 0; i < (size_t)table->columns * table->rows; i++) {
        out_columns[i % table->columns] += table->weights[i];
        out_rows[i / table->columns] += table->weights[i];
    }
}

#define LEAST_CELL_PX (1.0 / 4096.0)
#define MOST_CELL_PX 4096.0

/* A cell's side at which both axes have the variance on average. */
static double cell_for(const struct cells *columns, const struct cells *rows, double variance)
{
    double low = 0.0;
    double high = LEAST_CELL_PX;
    while (high < MOST_CELL_PX &&
           0.5 * (variance_of(columns, high) + variance_of(rows, high)) < variance) {
        low = high;
        high *= 2.0;
    }
    for (int i = 0; i < 60 && high - low > 1e-14 * high; i++) {
        const double middle = 0.5 * (low + high);
        const double made = 0.5 * (variance_of(columns, middle) + variance_of(rows, middle));
        *(made < variance ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

/* 0: out of memory. */
static double cell_of(const struct blur_numbers *numbers)
{
    const struct blur_table *table = numbers->table;
    const uint32_t longer = table->columns > table->rows ? table->columns : table->rows;
    if (numbers->radius_px > 0.0) {
        return 2.0 * numbers->radius_px / longer;
    }
    double *sums = malloc(((size_t)table->columns + table->rows) * sizeof *sums);
    if (!sums) {
        return 0.0;
    }
    const struct cells columns = {sums, table->columns, 1};
    const struct cells rows = {sums + table->columns, table->rows, 1};
    sum_lines(table, sums, sums + table->columns);
    const double cell_px = cell_for(&columns, &rows, numbers->sigma_px * numbers->sigma_px);
    free(sums);
    return cell_px;
}

static int32_t reach_of_table(const struct blur_table *table, double cell_px)
{
    const uint32_t longer = table->columns > table->rows ? table->columns : table->rows;
    return reach_of(0.5 * longer * cell_px);
}

bool blur_kernel_reaches_too_far(const struct blur_numbers *numbers, int32_t *out_reach_px)
{
    *out_reach_px = numbers->table && (numbers->sigma_px > 0.0 || numbers->radius_px > 0.0)
                        ? reach_of_table(numbers->table, cell_of(numbers))
                        : 0;
    return *out_reach_px > BLUR_KERNEL_MOST_REACH_PX;
}

static enum fovea_result make_of_table(const struct blur_numbers *numbers,
                                       struct blur_kernel *out_kernel)
{
    const struct blur_table *table = numbers->table;
    const double cell_px = cell_of(numbers);
    const int32_t reach = reach_of_table(table, cell_px);
    const size_t side = 2 * (size_t)reach + 1;
    double *across = large_memory_make(side * table->rows, sizeof *across);
    double *weights = large_memory_make(side * side, sizeof *weights);
    double sum = 0.0;
    if (!across || !weights || !(cell_px > 0.0)) {
        large_memory_free(across);
        large_memory_free(weights);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < side * table->rows; i++) {
        const struct cells row = {table->weights + i / side * table->columns, table->columns, 1};
        across[i] = sum_in_pixel(&row, cell_px, (int32_t)(i % side) - reach);
    }
    for (size_t i = 0; i < side * side; i++) {
        const struct cells column = {across + i % side, table->rows, side};
        weights[i] = sum_in_pixel(&column, cell_px, (int32_t)(i / side) - reach);
        sum += weights[i];
    }
    for (size_t i = 0; i < side * side; i++) {
        weights[i] /= sum;
    }
    large_memory_free(across);
    *out_kernel = (struct blur_kernel){reach, reach, weights};
    return FOVEA_OK;
}

enum fovea_result blur_kernel_make(const struct blur_numbers *numbers,
                                   struct blur_kernel *out_kernel)
{
    *out_kernel = (struct blur_kernel){0};
    return (numbers->table ? make_of_table : make_of_shape)(numbers, out_kernel);
}
