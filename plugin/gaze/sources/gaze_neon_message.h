/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The Companion app of Pupil Labs' Neon and Invisible sends the gaze as big-endian floats, in one
 * of six lengths. Which it is depends on the glasses and on what is switched on in the app.
 *
 *     bytes
 *         9   x, y, worn
 *        17   left x, y, worn, right x, y
 *        25   x, y, worn, both eyes' x, y
 *        65   x, y, worn, of each eye: pupil, centre of the eyeball, optical axis
 *        89   that, and of each eye: angles of the upper and lower lid, aperture
 *       105   that, and both eyes' x, y
 */
#pragma once

#include "config/settings.h"
#include "fovea_gaze.h"
#include "plugin/gaze/gaze_vergence.h"

struct gaze_neon_eye {
    double x; /* pixels of the scene camera from its upper left corner; NAN: not said */
    double y;
    double center_mm[3]; /* of the eyeball, from the scene camera: right, down, ahead */
    double axis[3]; /* the way it looks; NAN: not said */
    double aperture_mm; /* between its lids; NAN: not said */
};

struct gaze_neon_datum {
    double x; /* of both eyes together; NAN: not said */
    double y;
    bool worn;
    struct gaze_neon_eye eyes[2]; /* left, right */
};

/* NULL: understood. Else why not. */
const char *gaze_neon_parse(const uint8_t *bytes, size_t count, struct gaze_neon_datum *out);

/* Says where the eyes that count look, but for its time. Lids that are no farther apart than
 * closed_mm are closed. */
void gaze_neon_sample(const struct gaze_neon_datum *datum, enum fovea_gaze_eye wanted,
                      double closed_mm, struct fovea_gaze_sample *out);

/* Gives the lines of sight of both eyes, as the optical axes of their models. False: an eye is not
 * told, is closed, or the glasses are not worn. */
bool gaze_neon_sights(const struct gaze_neon_datum *datum, double closed_mm,
                      struct gaze_sight out[2]);
