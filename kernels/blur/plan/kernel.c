/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Shapes as weights of pixels: the part of a pixel that the shape covers. Sides leave in each row
 * how much further left of them is covered, and a sum along the row makes areas of that, which are
 * exact (as font rasterizers do it). */

#include "core/large_memory.h"
#include "kernels/blur/plan.h"

#include <math.h>
#include <string.h>

#define DISC_SIDES 192
#define MOST_SIDES DISC_SIDES
#define PI 3.14159265358979323846

struct point {
    double x, y;
};

/* A polygon of radius 1; y is down. */
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

/* What an outline of that radius covers, by rows of 2 reach + 1 whose last two are nobody's. */
static void cover(const struct outline *outline, double radius_px, int32_t reach, double *rows)
{
    const int32_t width = 2 * reach + 3;
    const double middle = reach + 0.5;
    memset(rows, 0, (size_t)width * (2 * (size_t)reach + 1) * sizeof *rows);
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

/* The sum of the weights, and their mean variance of both axes. */
static double weigh(const double *rows, int32_t reach, double *out_variance)
{
    double sum = 0.0;
    double squares = 0.0;
    for (int32_t y = -reach; y <= reach; y++) {
        for (int32_t x = -reach; x <= reach; x++) {
            const double weight =
                rows[(size_t)(y + reach) * (2 * (size_t)reach + 3) + (size_t)(x + reach)];
            sum += weight;
            squares += weight * 0.5 * ((double)x * x + (double)y * y);
        }
    }
    *out_variance = squares / sum;
    return sum;
}

static int32_t reach_of(double radius_px)
{
    return (int32_t)ceil(radius_px + 0.5);
}

/* No shape's radius is more than so many times its sigma. */
#define MOST_RADIUS 4.0

/* The radius at which the weights, as they are in pixels, have the variance: it grows with it. */
static double radius_for(const struct outline *outline, double sigma_px, double *rows)
{
    double low = 0.5;
    double high = MOST_RADIUS * sigma_px + 1.0;
    for (int i = 0; i < 60 && high - low > 1e-14 * high; i++) {
        const double middle = 0.5 * (low + high);
        double variance;
        cover(outline, middle, reach_of(middle), rows);
        (void)weigh(rows, reach_of(middle), &variance);
        *(variance < sigma_px * sigma_px ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static double most_radius(const struct blur_numbers *numbers)
{
    return numbers->radius_px > 0.0 ? numbers->radius_px : MOST_RADIUS * numbers->sigma_px + 1.0;
}

enum fovea_result blur_kernel_make(const struct blur_numbers *numbers,
                                   struct blur_kernel *out_kernel)
{
    struct outline outline;
    const size_t most = 2 * (size_t)reach_of(most_radius(numbers)) + 3;
    double *rows = large_memory_make(most * most, sizeof *rows);
    *out_kernel = (struct blur_kernel){0};
    if (!rows) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    set_outline(numbers->shape, &outline);
    const double radius_px = numbers->radius_px > 0.0
                                 ? numbers->radius_px
                                 : radius_for(&outline, numbers->sigma_px, rows);
    const int32_t reach = reach_of(radius_px);
    const size_t side = 2 * (size_t)reach + 1;
    double variance;
    cover(&outline, radius_px, reach, rows);
    const double sum = weigh(rows, reach, &variance);
    for (size_t i = 0; i < side * side; i++) { /* rows close up, as each begins behind this place */
        rows[i] = rows[i / side * (side + 2) + i % side] / sum;
    }
    *out_kernel = (struct blur_kernel){reach, rows};
    return FOVEA_OK;
}
