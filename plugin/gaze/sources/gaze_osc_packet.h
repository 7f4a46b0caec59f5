/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Eyes in packets of Open Sound Control, as VRChat takes them and VRCFaceTracking, EyeTrackVR and
 * others send them (docs/gaze.md). A message may hold one number of one eye, so what was said
 * before stays. */
#pragma once

#include "config/settings.h"
#include "fovea.h"

/* Angles from straight ahead, each by the tangent across or up alone; NAN: not known. */
struct gaze_osc_eye {
    double right_deg;
    double up_deg;
    double open; /* 0..1 */
};

struct gaze_osc_eyes {
    struct gaze_osc_eye eye[2]; /* left, right */
    bool apart; /* each eye has a way of its own, across */
    bool anew[2]; /* set where one says where that eye looks, across */
    bool changed; /* set where a packet says something of the eyes */
};

void gaze_osc_eyes_init(struct gaze_osc_eyes *eyes);

/* NULL: understood; there may be nothing of the eyes in it. Else why not. */
const char *gaze_osc_parse(const uint8_t *bytes, size_t count, struct gaze_osc_eyes *eyes);

/* The middle of both eyes, or the one that is known; or the wanted one. False: none is yet. */
bool gaze_osc_sample(const struct gaze_osc_eyes *eyes, enum fovea_gaze_eye wanted,
                     struct fovea_gaze_sample *out);

/* Says where both eyes look, and how far the more closed one is open. False: it is not known of
 * both, or was said of both together. */
bool gaze_osc_places(const struct gaze_osc_eyes *eyes, double out_right_deg[2],
                     double out_up_deg[2], double *out_open);
