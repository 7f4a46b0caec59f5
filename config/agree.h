/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings that are right each by itself, and wrong together. */
#pragma once

#include "key.h"

/* Every setting must have passed its own check. On failure out_complaint names the settings. */
FOVEA_MUST_CHECK bool config_settings_agree(const struct fovea_settings *settings,
                                            struct config_words *out_complaint);
/* The same of foveation alone, and of a geometry alone. */
FOVEA_MUST_CHECK bool config_foveation_agrees(const struct fovea_foveation *foveation,
                                              struct config_words *out_complaint);
FOVEA_MUST_CHECK bool config_geometry_agrees(const struct fovea_geometry *geometry,
                                             struct config_words *out_complaint);
