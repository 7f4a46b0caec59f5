/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Prepares settings that were read anew, on the thread that reads them, before anybody takes them:
 * work that would keep a frame waiting. Configuration knows no maps; the code that does registers
 * here. */
#pragma once

#include "settings.h"

/* On failure it says why, and the settings are not taken. Any thread, several at a time. */
typedef enum fovea_result (*config_prepare_fn)(struct fovea_settings *settings,
                                               struct fovea_log log);

/* It holds from now on for all configurations of the process. Any thread. */
void config_prepare_by(config_prepare_fn fn);
