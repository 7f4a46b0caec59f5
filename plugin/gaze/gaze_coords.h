/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Makes uv of the space and origin of a source.
 *
 *              top_left            bottom_left         center
 *     uv       0..1, y down        0..1, y up          -0.5..0.5, y up
 *     ndc      -1..1, y down       -1..1, y up         -1..1, y up
 *     pixels   0..W, y down        0..W, y up          -W/2..W/2, y up
 *     degrees  -A/2..A/2, y down   -A/2..A/2, y up     -A/2..A/2, y up
 *
 * Pixels are continuous: 0 is the outer edge of the first pixel, 0.5 its centre. Degrees are from
 * the middle of a flat screen of the angles A, across and down separately, by tangents. */
#pragma once

#include "config/settings.h"

/* Gaze may lie outside the image; beyond this many image sizes it is clamped, so that what follows
 * computes with numbers it can hold. */
#define GAZE_OUTSIDE_UV 4.0

/* x and y are finite; width_px and height_px are those of the image. */
struct fovea_point_uv gaze_coords_to_uv(const struct fovea_gaze_settings *settings,
                                        uint32_t width_px, uint32_t height_px, double x, double y);

/* One axis of a position as degrees from the middle of the screen, in the source's own direction,
 * and back. screen_deg is known, and screen_px where positions are in pixels. */
double gaze_coords_to_deg(const struct fovea_gaze_settings *settings, int axis, double value);
double gaze_coords_from_deg(const struct fovea_gaze_settings *settings, int axis, double deg);

/* Clamps to GAZE_OUTSIDE_UV image sizes around the image. */
struct fovea_point_uv gaze_coords_clamp(struct fovea_point_uv point);
