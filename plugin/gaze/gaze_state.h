/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether the eye rests or leaps: a velocity threshold (I-VT, Salvucci and Goldberg 2000). Only
 * what has been is looked at, so an answer is there with its sample. */
#pragma once

#include "gaze_past.h"

enum gaze_movement {
    GAZE_NOT_TOLD = 0, /* nobody has asked */
    GAZE_FIXATION = 1,
    GAZE_SACCADE = 2,
};

/* The angle between two lines of sight. */
double gaze_angle_deg(const double a_deg[2], const double b_deg[2]);

/* Degrees a second from gaze_past_back's sample to the newest. 0 where there is one alone. */
double gaze_velocity_deg_s(const struct gaze_past *past, int64_t window_ns);
