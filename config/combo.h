/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Keys by name, as layer.keys has them: whether there are such keys, what is wrong where not, and
 * whether two actions have the same. */
#pragma once

#include "document.h"
#include "key.h"

FOVEA_MUST_CHECK bool config_combo_parses(const char *text);
/* A JSON string that parses. */
FOVEA_MUST_CHECK bool config_combo_is_good(const cJSON *item);

/* Appends the name that no key has and the one that may have been meant, or nothing. */
void config_combo_complain(const char *text, struct config_words *words);

/* False where two settings of type CONFIG_KEYS name the same keys, and says which. The strings are
 * right each by itself. */
FOVEA_MUST_CHECK bool config_combos_agree(const struct fovea_settings *settings,
                                          struct config_words *complaint);
