/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#ifndef FOVEA_SETTINGS_USABLE_H
#define FOVEA_SETTINGS_USABLE_H

#include "fovea.h"

/* fovea_settings_check, and whether a plan can be made of what they ask for together. */
FOVEA_MUST_CHECK enum fovea_result settings_usable(const struct fovea_settings *settings,
                                                   struct fovea_log log);

#endif
