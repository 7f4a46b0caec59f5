/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How much the operators in force blur each pixel of a view, for pictures of it: the law of
 * foveate, blur's one sigma, and what dof makes of the depths. */
#pragma once

#include "fovea.h"

struct sigmas_view {
    const struct fovea_settings *settings; /* of the view: its frustum is in them */
    uint32_t width_px;
    uint32_t height_px;
    struct fovea_gaze gaze; /* in the view */
    const float *depth; /* values as the engine's, 1 near; NULL: there are none */
    uint32_t depth_pitch; /* values a row */
};

/* Whether a frame goes through an operator. */
bool sigmas_have(const struct fovea_settings *settings, const char *name);

/* The distance that dof's focus goes to, in metres: what is under the gaze, or what the settings
 * say. */
double sigmas_focus_m(const struct sigmas_view *view);

/* Standard deviations in pixels, one a pixel: variances of several operators add up, and dof is
 * focused where its focus goes. False: no memory, or the settings cannot be used. */
bool sigmas_fill(const struct sigmas_view *view, float *out);

/* The sigma at the gaze. */
float sigmas_at_gaze(const struct sigmas_view *view, const float *sigmas);
