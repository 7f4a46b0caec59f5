/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This says which settings a context takes while it lives, and which count when it is made. */
#pragma once

#include "config/settings.h"

#include <string.h>

/* Makes the changes that fovea_vk_set_settings may make. */
static inline void frame_settings_change(struct fovea_settings *settings,
                                         const struct fovea_settings *to)
{
    settings->operators = to->operators;
    settings->own = to->own;
    settings->foveation = to->foveation;
    settings->overlay = to->overlay;
    settings->gaze.late = to->gaze.late;
    settings->gaze.over = to->gaze.over;
}

/* Whether a context that was made with the one needs no more than fovea_vk_set_settings for the
 * other. */
static inline bool frame_settings_fit(const struct fovea_settings *made_with,
                                      const struct fovea_settings *now)
{
    struct fovea_settings changed = *made_with;
    frame_settings_change(&changed, now);
    changed.gaze = now->gaze; /* these are for others than contexts */
    changed.layer = now->layer;
    changed.log_level = now->log_level;
    return memcmp(&changed, now, sizeof changed) == 0;
}
