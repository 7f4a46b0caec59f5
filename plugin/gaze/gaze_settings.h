/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#pragma once

#include "config/settings.h"

/* FOVEA_OK, or FOVEA_ERROR_INVALID_ARGUMENT with the setting's name in the log. */
enum fovea_result gaze_settings_check(const struct fovea_gaze_settings *settings,
                                      struct fovea_log log);

/* A confidence of 0 is that of a lost eye, which has no place, whatever the least one is. */
static inline bool gaze_settings_is_sure(const struct fovea_gaze_settings *settings,
                                         double confidence)
{
    return confidence > 0.0 && confidence >= settings->min_confidence;
}

/* Whether a source of the one is a source of the other, too. Both have been a struct
 * fovea_settings' or copies of it, whose texts have nothing behind their ends (config/): equal ones
 * are equal bytes. */
bool gaze_settings_same(const struct fovea_gaze_settings *a, const struct fovea_gaze_settings *b);
