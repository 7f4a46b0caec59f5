/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The map by its definition, and interpolation by the filters' formulas. */

#include "kernels/lens/calibration.h"
#include "kernels/lens/lens.h"

#include <math.h>

struct point {
    double x, y;
};

/* A calibration with a lens for each eye gives the eye's own. */
static const struct lens_map *measured_of(const struct lens_reference *reference)
{
    const struct lens_calibration *all =
        (const struct lens_calibration *)reference->own->lens_file_data;
    const bool second = all && all->eye_count == 2 && reference->eye == FOVEA_MAP_EYE_RIGHT;
    return all ? &all->eyes[second ? 1 : 0] : NULL;
}

static double unit_px(const struct lens_reference *reference)
{
    const double width = 0.5 * reference->width_px;
    const double height = 0.5 * reference->height_px;
    const double units[] = {width, height, hypot(width, height), fmin(width, height)};
    const struct lens_map *measured = measured_of(reference);
    return units[measured ? measured->polynomial.unit : reference->own->lens_unit];
}

static double factor_at(const struct lens_reference *reference, int color, double r)
{
    const struct fovea_operator_settings *own = reference->own;
    const struct lens_map *measured = measured_of(reference);
    const double axis[] = {own->lens_r0, own->lens_r1, own->lens_r2, own->lens_r3, own->lens_r4};
    const double red[] = {own->lens_red_r0, own->lens_red_r1, own->lens_red_r2, own->lens_red_r3,
                          own->lens_red_r4};
    const double blue[] = {own->lens_blue_r0, own->lens_blue_r1, own->lens_blue_r2,
                           own->lens_blue_r3, own->lens_blue_r4};
    double sum = 0.0;
    for (int i = 4; i >= 0; i--) {
        double term = axis[i] + (color == 0 ? red[i] : color == 2 ? blue[i] : 0.0);
        if (measured) {
            term = measured->polynomial.terms[color][i];
        }
        sum = sum * r + term;
    }
    return sum;
}

/* Red is 0, green 1, blue 2; grey and alpha are green's. */
static int color_of(const struct lens_reference *reference, uint32_t channel)
{
    if (reference->channels == 1 || channel == 3 || channel == 1) {
        return 1;
    }
    return (channel == 0) != reference->blue_first ? 0 : 2;
}

/* Returns where straight ahead is in the picture: along x from -tan_left to tan_right. */
static struct point center_of(const struct lens_reference *reference)
{
    const struct fovea_geometry *view = reference->view;
    const struct lens_map *measured = measured_of(reference);
    struct point center = {0.5 * reference->width_px, 0.5 * reference->height_px};
    if (measured && measured->polynomial.centered) {
        return (struct point){measured->polynomial.center_uv[0] * reference->width_px,
                              measured->polynomial.center_uv[1] * reference->height_px};
    }
    if (view->tan_left + view->tan_right > 0.0) {
        center.x -= 0.5 * (view->tan_right - view->tan_left) * reference->width_px /
                    (view->tan_left + view->tan_right);
    }
    if (view->tan_up + view->tan_down > 0.0) {
        center.y -= 0.5 * (view->tan_down - view->tan_up) * reference->height_px /
                    (view->tan_up + view->tan_down);
    }
    center.x += reference->own->lens_shift_x * reference->width_px;
    center.y += reference->own->lens_shift_y * reference->height_px;
    return center;
}

/* The weight of point i for a place that lies at `at` among `count` of them. */
static double weight_of_point(bool quadratic, uint32_t count, double at, uint32_t i)
{
    if (!quadratic) {
        const double before = fmin(fmax(floor(at), 0.0), count - 2.0);
        return i == before ? 1.0 - (at - before) : i == before + 1.0 ? at - before : 0.0;
    }
    const double middle = fmin(fmax(floor(at + 0.5), 1.0), count - 2.0);
    double weight = fabs(i - middle) <= 1.0 ? 1.0 : 0.0;
    for (double other = middle - 1.0; weight != 0.0 && other <= middle + 1.0; other++) {
        weight *= other == i ? 1.0 : (at - other) / (i - other); /* Lagrange's */
    }
    return weight;
}

/* (x, y) is in pixels from the picture's corner. */
static struct point place_in_grid(const struct lens_reference *reference, int color, double x,
                                  double y)
{
    const struct lens_points *points = &measured_of(reference)->points;
    const double at_x = x / reference->width_px / points->step_uv[0] - points->start;
    const double at_y = y / reference->height_px / points->step_uv[1] - points->start;
    struct point sum = {reference->off_x_px, reference->off_y_px};
    const uint32_t first = (uint32_t)fmax(at_x - 2.0, 0.0);
    double across[6] = {0}; /* at_x + 2.0 may have been rounded up */
    for (uint32_t i = 0; i < 6; i++) {
        across[i] = weight_of_point(points->quadratic, points->columns, at_x, first + i);
    }
    for (uint32_t j = (uint32_t)fmax(at_y - 2.0, 0.0); j < points->rows && j <= at_y + 2.0; j++) {
        const double down = weight_of_point(points->quadratic, points->rows, at_y, j);
        for (uint32_t i = first; i < points->columns && i <= at_x + 2.0; i++) {
            const double weight = across[i - first] * down;
            const float *place_uv =
                points->places_uv[color] + 2 * ((size_t)j * points->columns + i);
            sum.x += weight * (double)place_uv[0] * reference->width_px;
            sum.y += weight * (double)place_uv[1] * reference->height_px;
        }
    }
    return sum;
}

static struct point place_of(const struct lens_reference *reference, int color, double x, double y)
{
    const struct lens_map *measured = measured_of(reference);
    if (measured && lens_map_is_grid(measured, reference->width_px, reference->height_px)) {
        return place_in_grid(reference, color, x, y);
    }
    const struct point center = center_of(reference);
    const struct point from = {x - center.x, y - center.y};
    const double r = hypot(from.x, from.y) / unit_px(reference);
    const double factor = factor_at(reference, color, r);
    return (struct point){center.x + from.x * factor + reference->off_x_px,
                          center.y + from.y * factor + reference->off_y_px};
}

/* Returns the weight of a pixel whose centre lies so far away. */
static double weight(uint32_t filter, double distance)
{
    const double d = fabs(distance);
    if (filter == LENS_NEAREST) {
        return distance >= -0.5 && distance < 0.5 ? 1.0 : 0.0;
    }
    if (filter == LENS_BILINEAR) {
        return fmax(1.0 - d, 0.0);
    }
    return d < 1.0   ? 1.5 * d * d * d - 2.5 * d * d + 1.0
           : d < 2.0 ? -0.5 * d * d * d + 2.5 * d * d - 4.0 * d + 2.0
                     : 0.0;
}

static double pixel_at(const struct lens_reference *reference, const double *src, double x,
                       double y, uint32_t channel)
{
    const double right = fmin(fmax(x, 0.0), reference->width_px - 1.0);
    const double down = fmin(fmax(y, 0.0), reference->height_px - 1.0);
    return src[((size_t)down * reference->width_px + (size_t)right) * reference->channels +
               channel];
}

static double value_at(const struct lens_reference *reference, const double *src, uint32_t filter,
                       struct point place, uint32_t channel)
{
    const struct point first = {floor(place.x - 0.5), floor(place.y - 0.5)};
    double sum = 0.0;
    for (double y = first.y - 1.0; y <= first.y + 2.0; y++) {
        const double down = weight(filter, place.y - 0.5 - y);
        for (double x = first.x - 1.0; x <= first.x + 2.0 && down != 0.0; x++) {
            const double share = weight(filter, place.x - 0.5 - x) * down;
            if (share != 0.0) {
                sum += share * pixel_at(reference, src, x, y, channel);
            }
        }
    }
    return sum;
}

/* The mean of the pixel's places, which lie in the middle of equal parts of it. */
static double mean_at(const struct lens_reference *reference, const double *src, uint32_t x,
                      uint32_t y, uint32_t channel)
{
    const uint32_t across =
        reference->own->lens_filter == LENS_NEAREST ? 1 : reference->own->lens_samples + 1;
    double sum = 0.0;
    for (uint32_t j = 0; j < across; j++) {
        for (uint32_t i = 0; i < across; i++) {
            const struct point place = place_of(reference, color_of(reference, channel),
                                                x + (i + 0.5) / across, y + (j + 0.5) / across);
            sum += value_at(reference, src, reference->own->lens_filter, place, channel);
        }
    }
    return sum / (across * across);
}

void lens_reference(const struct lens_reference *reference, const double *src, double *dst,
                    bool *outside)
{
    const uint32_t channels = reference->channels;
    for (uint32_t y = 0; y < reference->height_px; y++) {
        for (uint32_t x = 0; x < reference->width_px; x++) {
            for (uint32_t c = 0; c < channels; c++) {
                const size_t i = ((size_t)y * reference->width_px + x) * channels + c;
                const struct point place =
                    place_of(reference, color_of(reference, c), x + 0.5, y + 0.5);
                outside[i] = !(place.x >= 0.0 && place.y >= 0.0 && place.x < reference->width_px &&
                               place.y < reference->height_px);
                if (outside[i]) {
                    dst[i] = 0.0;
                } else if (c == 3 && !reference->averages_alpha) {
                    dst[i] = value_at(reference, src, LENS_NEAREST, place, c);
                } else {
                    dst[i] = mean_at(reference, src, x, y, c);
                }
            }
        }
    }
}
