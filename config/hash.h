/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One number for all settings, so that a record says with which ones it was made. */
#pragma once

#include "settings.h"

/* FNV-1a of 64 bits over "path=value\n" of every setting in the order of the table, but for
 * record.* and log.*, which no frame depends on, and over the samples of a program's own map.
 * Allocates. */
FOVEA_MUST_CHECK enum fovea_result config_settings_hash(const struct fovea_settings *settings,
                                                        uint64_t *out_hash);
