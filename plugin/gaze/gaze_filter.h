/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A valid sample passes gaze.filter between its source and those who use it: it is told whether the
 * eye rests or leaps, made smoother, and while it leaps perhaps predicted.
 * Everything follows from the samples and their times, so the same ones give the same answers.
 * Allocates nothing. */
#pragma once

#include "gaze_predict.h"
#include "gaze_smooth.h"
#include "gaze_state.h"

#include "fovea_gaze.h"

/* One at a time calls these; zeroed: no sample yet. */
struct gaze_filter {
    struct gaze_past past; /* as samples came */
    size_t smooth_count; /* of the past, the newest that are smoothed together */
    struct gaze_one_euro one_euro[2];
    struct gaze_leap leap;
    enum gaze_movement movement; /* of the newest sample */
    double x; /* that it was made */
    double y;
};

/* Whether the settings ask for anything: else samples stay as they are, to the bit. */
bool gaze_filter_is_wanted(const struct fovea_gaze_settings *settings);

/* Replaces x and y of a valid sample, which is not older than the one before, and says what the eye
 * does. After GAZE_SILENCE_NS without a sample it begins anew. One of the time of the one before is
 * made what that one was made: between them there is no velocity. */
enum gaze_movement gaze_filter_pass(struct gaze_filter *filter,
                                    const struct fovea_gaze_settings *settings,
                                    struct fovea_gaze_sample *sample);

/* A sample was not valid: what comes next has no past. */
void gaze_filter_restart(struct gaze_filter *filter);
