/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The setting "operators": an array of names, or a string of them with commas between, as --set
 * gives it. */
#pragma once

#include "key.h"

#include <cjson/cJSON.h>

/* False: *out is as it was, and what is wrong is appended to the problem where the range does not
 * say it. No operator at all is refused: it would look like foveation that does nothing, for which
 * there is foveation.strength 0. */
FOVEA_MUST_CHECK bool config_operators_store(const char *const *names, const cJSON *item,
                                             struct fovea_operators *out,
                                             struct config_words *out_problem);

FOVEA_MUST_CHECK bool config_operators_are_good(const struct fovea_operators *operators);

/* "["foveate", "blur"]" */
struct config_words config_operators_words(const char *const *names,
                                           const struct fovea_operators *operators);
