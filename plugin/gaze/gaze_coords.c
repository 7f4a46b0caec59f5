/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_coords.h"

#include <math.h>

#define RAD_PER_DEG (3.14159265358979323846 / 180.0)
#define SIDEWAYS_DEG 89.9 /* nobody looks at a screen beside or behind the head */

static double ahead_deg(double deg)
{
    return fmin(fmax(deg, -SIDEWAYS_DEG), SIDEWAYS_DEG);
}

static double degrees_to_fraction(double screen_deg, double value_deg)
{
    return tan(ahead_deg(value_deg) * RAD_PER_DEG) / (2.0 * tan(0.5 * screen_deg * RAD_PER_DEG));
}

static double fraction_to_degrees(double screen_deg, double fraction)
{
    return ahead_deg(atan(fraction * 2.0 * tan(0.5 * screen_deg * RAD_PER_DEG)) / RAD_PER_DEG);
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

static bool is_zero_in_middle(const struct fovea_gaze_settings *settings)
{
    return settings->origin == FOVEA_GAZE_ORIGIN_CENTER ||
           settings->space == FOVEA_GAZE_SPACE_NDC || settings->space == FOVEA_GAZE_SPACE_DEGREES;
}

struct fovea_point_uv gaze_coords_to_uv(const struct fovea_gaze_settings *settings,
                                        uint32_t width_px, uint32_t height_px, double x, double y)
{
    const double fx = to_fraction(settings, 0, width_px, x);
    const double fy = to_fraction(settings, 1, height_px, y);
    const bool y_down = settings->origin == FOVEA_GAZE_ORIGIN_TOP_LEFT;
    const double zero = is_zero_in_middle(settings) ? 0.5 : 0.0;
    const double from_top = y_down ? zero + fy : 1.0 - (zero + fy);
    return gaze_coords_clamp((struct fovea_point_uv){.x_uv = zero + fx, .y_uv = from_top});
}

double gaze_coords_to_deg(const struct fovea_gaze_settings *settings, int axis, double value)
{
    if (settings->space == FOVEA_GAZE_SPACE_DEGREES) {
        return ahead_deg(value);
    }
    const double middle = is_zero_in_middle(settings) ? 0.0 : 0.5;
    const double fraction = to_fraction(settings, axis, settings->screen_px[axis], value);
    return fraction_to_degrees(settings->screen_deg[axis], fraction - middle);
}

double gaze_coords_from_deg(const struct fovea_gaze_settings *settings, int axis, double deg)
{
    const double middle = is_zero_in_middle(settings) ? 0.0 : 0.5;
    const double fraction = degrees_to_fraction(settings->screen_deg[axis], deg) + middle;
    switch (settings->space) {
    case FOVEA_GAZE_SPACE_NDC:
        return fraction * 2.0;
    case FOVEA_GAZE_SPACE_PIXELS:
        return fraction * settings->screen_px[axis];
    case FOVEA_GAZE_SPACE_DEGREES:
        return deg;
    case FOVEA_GAZE_SPACE_UV:
        break;
    }
    return fraction;
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
