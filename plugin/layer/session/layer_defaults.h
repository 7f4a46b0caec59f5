/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What is in force where nothing else is said. fovea-run asks too. */
#ifndef FOVEA_LAYER_DEFAULTS_H
#define FOVEA_LAYER_DEFAULTS_H

#include "config/settings.h"

/* Of a program that somebody sits before: the pointer is the gaze, and the blur is what the view of
 * a desk takes away, so that menus and texts can be read where the eye would read them. The
 * published model is for demonstrations. It has not asked for Fovea, so that an error of ours must
 * not reach its CUDA. */
static inline struct fovea_settings layer_defaults(void)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.gaze.kind = FOVEA_GAZE_MOUSE;
    settings.gaze.over = FOVEA_GAZE_OVER_SHOWN;
    settings.foveation.model = FOVEA_MODEL_PHYSICAL;
    settings.cuda_context = FOVEA_CUDA_CONTEXT_OWN;
    return settings;
}

#endif
