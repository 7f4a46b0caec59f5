/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings where foveation is all that a test chooses. */
#pragma once

#include "config/settings.h"

/* Lasts until the thread's next call. */
static inline const struct fovea_settings *settings_for(const struct fovea_foveation *foveation)
{
    static _Thread_local struct fovea_settings settings;
    settings = fovea_settings_default();
    settings.foveation = *foveation;
    return &settings;
}
