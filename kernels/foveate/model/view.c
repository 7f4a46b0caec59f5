/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "model.h"

#include <math.h>

#define RADIANS (M_PI / 180.0)

bool foveate_view_given_as_projection(const struct fovea_geometry *geometry)
{
    return geometry->tan_left != 0.0 || geometry->tan_right != 0.0 || geometry->tan_up != 0.0 ||
           geometry->tan_down != 0.0;
}

static struct foveate_view projection_view(const struct fovea_geometry *geometry, double width_px,
                                           double height_px)
{
    struct foveate_view view = {
        .tan_x_per_px = (geometry->tan_left + geometry->tan_right) / width_px,
        .tan_y_per_px = (geometry->tan_up + geometry->tan_down) / height_px,
    };
    view.tan_x0 = 0.5 * view.tan_x_per_px - geometry->tan_left;
    view.tan_y0 = 0.5 * view.tan_y_per_px - geometry->tan_up;
    return view;
}

/* Square pixels, the axis through the picture's middle. */
struct foveate_view foveate_view_of(const struct fovea_geometry *geometry, uint32_t width_px,
                                    uint32_t height_px)
{
    if (foveate_view_given_as_projection(geometry)) {
        return projection_view(geometry, width_px, height_px);
    }
    const double per_px = geometry->ppd != 0.0
                              ? 2.0 * tan(0.5 / geometry->ppd * RADIANS)
                              : geometry->screen_width_m / width_px / geometry->distance_m;
    return (struct foveate_view){
        .tan_x0 = -0.5 * (width_px - 1.0) * per_px,
        .tan_x_per_px = per_px,
        .tan_y0 = -0.5 * (height_px - 1.0) * per_px,
        .tan_y_per_px = per_px,
    };
}

/* Across the radius from the axis, and by the side of a pixel that is the longer in angle: a radian
 * covers more pixels in every other direction, so a round blur of as many keeps to the law in
 * all. */
double foveate_view_px_per_radian(const struct foveate_view *view, double tan_x, double tan_y)
{
    return sqrt(1.0 + tan_x * tan_x + tan_y * tan_y) / fmax(view->tan_x_per_px, view->tan_y_per_px);
}
