/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The settings in force if nobody says otherwise. fovea-run asks for them, too. */
#pragma once

#include "config/settings.h"

/* Somebody sits before the program: the pointer is the gaze, and the blur is what the view of
 * a desk takes away, so that menus and texts can be read where the eye would read them. The
 * published model is for demonstrations. It has not asked for Fovea, so that an error of ours must
 * not reach its CUDA. */
static inline void layer_defaults(struct fovea_settings *out_settings)
{
    *out_settings = *config_settings_standard();
    out_settings->gaze.kind = FOVEA_GAZE_MOUSE;
    out_settings->gaze.over = FOVEA_GAZE_OVER_SHOWN;
    out_settings->foveation.model = FOVEA_MODEL_PHYSICAL;
    out_settings->cuda_context = FOVEA_CUDA_CONTEXT_OWN;
}
