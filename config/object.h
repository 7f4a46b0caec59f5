/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings that a program holds, and one setting as text. */
#pragma once

#include "key.h"

/* A copy of a program's settings, or of the defaults where `settings` is NULL, with samples of a
 * map of its own and shares of what operators were given: config_settings_release frees both.
 * FOVEA_ERROR_OUT_OF_MEMORY: there is nothing to free. */
FOVEA_MUST_CHECK enum fovea_result config_settings_hold(struct fovea_settings *out_settings,
                                                        const struct fovea_settings *settings);
void config_settings_release(struct fovea_settings *settings);
/* `owner` has these from now on, but for what its operators were given. */
void config_settings_take(struct fovea_settings *owner, const struct fovea_settings *settings);

/* The setting as fovea_settings_set takes it. False: it does not fit. */
FOVEA_MUST_CHECK bool config_value_text(const struct config_key *key,
                                        const struct fovea_settings *settings, char *text,
                                        size_t size);
