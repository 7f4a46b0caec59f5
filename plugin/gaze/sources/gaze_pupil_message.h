/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A message of Pupil Capture on a surface, in MessagePack: a map whose gaze_on_surfaces is a list
 * of maps with norm_pos, confidence and timestamp. All else is passed over. */
#ifndef FOVEA_GAZE_PUPIL_MESSAGE_H
#define FOVEA_GAZE_PUPIL_MESSAGE_H

#include "fovea.h"

struct gaze_pupil_datum {
    double x; /* over the surface from its left edge, 0..1 */
    double y; /* from its lower edge */
    double confidence;
    double time_s; /* on Pupil's clock */
};

typedef void (*gaze_pupil_fn)(void *user, const struct gaze_pupil_datum *datum);

/* Hands over what is in it as it comes, usable numbers all. NULL: understood. Else why not. */
const char *gaze_pupil_parse(const uint8_t *bytes, size_t count, gaze_pupil_fn take, void *user);

#endif
