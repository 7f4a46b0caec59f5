/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How far away both eyes look, from where their lines of sight cross (gaze.vergence). Fixation is
 * measured in diopters, 1 / metre, in which an error of an angle is the same at every distance:
 * half a degree between eyes that are 63 mm apart is 0.14 diopters. Allocates nothing. */
#pragma once

#include "config/settings.h"

/* Nearer than at 5 cm nobody fixates, and eyes that diverge by as much are a tracker's error. */
#define GAZE_VERGENCE_MOST_DIOPTERS 20.0

/* An eye's line of sight: right, up or down (both eyes alike), ahead along the view axis. */
struct gaze_sight {
    double eye_m[3];
    double way[3]; /* of any length; NAN: not known */
};

/* 1 over the distance along the view axis at which the lines of sight of the left and the right eye
 * cross. Below 0 they diverge. They are looked at in the plane through both eyes and the middle of
 * both lines of sight, since the eyes' heights say nothing of the distance, and an error of theirs
 * would. `added_deg` is added to the angle between them. NAN: not known, or beyond
 * GAZE_VERGENCE_MOST_DIOPTERS. */
double gaze_vergence_diopters(const struct gaze_sight eyes[2], double added_deg);

/* Lines of sight of eyes that are gaze.vergence.ipd_mm apart, from where both look in the source's
 * space and origin: degrees and gaze.screen_deg are known. distance_m is that of the screen, to
 * which the places belong; 0: they are directions. */
void gaze_vergence_from_places(const struct fovea_gaze_settings *settings, double distance_m,
                               const double x[2], const double y[2], struct gaze_sight out[2]);

/* The smoothed vergence of all samples so far; zeroed: of none. One caller at a time. */
struct gaze_vergence {
    double diopters;
    int64_t t_ns;
    bool any;
};

/* Takes a sample in, by gaze.vergence.smooth_ms. False: it says nothing, or gaze.vergence is off,
 * or it is older than the one before. */
bool gaze_vergence_pass(struct gaze_vergence *vergence, const struct fovea_gaze_settings *settings,
                        const struct gaze_sight eyes[2], int64_t t_ns);

/* Answers fovea_gaze_source_vergence_m: it is known until gaze.validity.hold_ms after the
 * sample. */
double gaze_vergence_m(const struct gaze_vergence *vergence,
                       const struct fovea_gaze_settings *settings, int64_t t_ns);

/* One line for a person: what an error of half a degree makes of a fixation at 2 m. */
void gaze_vergence_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes);
