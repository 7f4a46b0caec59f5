/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings that are changed and do nothing, because they belong to a model or a light that is not
 * chosen, or because a file counts instead. */
#pragma once

#include "settings.h"

#include <stddef.h>

/* Names them in text, with ", " between; "" where there are none. A value that is the default has
 * nothing to lose and is not named: a copy of default.json names none. */
void config_unused_names(const struct fovea_settings *settings, char *text, size_t size);
/* Those of operators that do not run. A value that is `defaults`' is not named. */
void config_unused_operator_names(const struct fovea_settings *settings,
                                  const struct fovea_settings *defaults, char *text, size_t size);
/* Those of operators that run, by another word of theirs ("blur.engine"), each with the word that
 * would use it. A value that is `defaults`' is not named. */
void config_unused_word_names(const struct fovea_settings *settings,
                              const struct fovea_settings *defaults, char *text, size_t size);
/* Those of operators that run, by a file of theirs. A value that is `defaults`' is not named. */
void config_unused_file_names(const struct fovea_settings *settings,
                              const struct fovea_settings *defaults, char *text, size_t size);
/* Those of the light. */
void config_unused_light_names(const struct fovea_settings *settings, char *text, size_t size);

/* Whether a setting of an operator that runs does nothing beside a word of it. */
bool config_unused_by_word(const char *path, const struct fovea_settings *settings);

/* Says all of these, a line a kind. */
void config_unused_log(const struct fovea_settings *settings, const struct fovea_settings *defaults,
                       struct fovea_log log);
