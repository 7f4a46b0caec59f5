/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_coords.h"

#include <math.h>

#define RAD_PER_DEG (3.14159265358979323846 / 180.0)
#define SIDEWAYS_DEG 89.9 /* nobody looks at a screen beside or behind the head */

static double degrees_to_fraction(double screen_deg, double value_deg)
{
    const double deg = fmin(fmax(value_deg, -SIDEWAYS_DEG), SIDEWAYS_DEG);
    return tan(deg * RAD_PER_DEG) / (2.0 * tan(0.5 * screen_deg * RAD_PER_DEG));
}

/* One axis, as a fraction of the image with the settings' own zero and direction. */
static double to_fraction(const struct fovea_gaze_settings *settings, int axis, uint32_t image_px,
                          double value)
{
    const uint32_t screen_px = settings->screen_px[axis];
    switch (settings->space) {
    case FOVEA_GAZE_SPACE_NDC:
        return value / 2.0;
    case FOVEA_GAZE_SPACE_PIXELS:
        return value / (screen_px > 0 ? screen_px : image_px);
    case FOVEA_GAZE_SPACE_DEGREES:
        return degrees_to_fraction(settings->screen_deg[axis], value);
    case FOVEA_GAZE_SPACE_UV:
        break;
    }
    return value;
}

struct fovea_point_uv gaze_coords_to_uv(const struct fovea_gaze_settings *settings,
                                        uint32_t width_px, uint32_t height_px, double x, double y)
{
    const double fx = to_fraction(settings, 0, width_px, x);
    const double fy = to_fraction(settings, 1, height_px, y);
    const bool y_down = settings->origin == FOVEA_GAZE_ORIGIN_TOP_LEFT;
    const bool zero_in_middle = settings->origin == FOVEA_GAZE_ORIGIN_CENTER ||
                                settings->space == FOVEA_GAZE_SPACE_NDC ||
                                settings->space == FOVEA_GAZE_SPACE_DEGREES;
    const double zero = zero_in_middle ? 0.5 : 0.0;
    const double from_top = y_down ? zero + fy : 1.0 - (zero + fy);
    return gaze_coords_clamp((struct fovea_point_uv){.x_uv = zero + fx, .y_uv = from_top});
}

struct fovea_point_uv gaze_coords_clamp(struct fovea_point_uv point)
{
    const double min = -GAZE_OUTSIDE_UV;
    const double max = 1.0 + GAZE_OUTSIDE_UV;
    return (struct fovea_point_uv){
        .x_uv = fmin(fmax(point.x_uv, min), max),
        .y_uv = fmin(fmax(point.y_uv, min), max),
    };
}
