/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings that are changed and do nothing, because they belong to a model or a light that is not
 * chosen, or because a file counts instead. */
#pragma once

#include "settings.h"

/* Whether a setting of an operator that runs does nothing beside a word of it. */
bool config_unused_by_word(const char *path, const struct fovea_settings *settings);

/* Says all of these, a line a kind. A value that is `defaults`' has nothing to lose and is not
 * named: a copy of default.json names none. */
void config_unused_log(const struct fovea_settings *settings, const struct fovea_settings *defaults,
                       struct fovea_log log);
