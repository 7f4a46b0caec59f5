/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Messages of Pupil Capture, in MessagePack. That on a surface is a map whose gaze_on_surfaces is a
 * list of maps with norm_pos, confidence and timestamp; that on both eyes is a map with
 * eye_centers_3d and gaze_normals_3d, maps from the eyes' numbers, 0 the right one and 1 the left,
 * to three numbers, with confidence and timestamp. All else is passed over. */
#pragma once

#include "fovea.h"
#include "plugin/gaze/gaze_vergence.h"

struct gaze_pupil_datum {
    double x; /* over the surface from its left edge, 0..1 */
    double y; /* from its lower edge */
    double confidence;
    double time_s; /* on Pupil's clock */
};

typedef void (*gaze_pupil_fn)(void *user, const struct gaze_pupil_datum *datum);

/* Hands over what is in it as it comes, usable numbers all. NULL: understood. Else why not. */
const char *gaze_pupil_parse(const uint8_t *bytes, size_t count, gaze_pupil_fn take, void *user);

struct gaze_pupil_eyes {
    struct gaze_sight eyes[2]; /* left, right, from the world camera; NAN: not said */
    double confidence;
    double time_s;
};

/* Both eyes of one message. NULL: understood. Else why not. */
const char *gaze_pupil_parse_eyes(const uint8_t *bytes, size_t count, struct gaze_pupil_eyes *out);
