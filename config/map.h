/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Checks the parts of a struct fovea_map that ranges of single settings do not. */
#pragma once

#include "key.h"

/* False: the map has no samples, or an array's cannot be used. Whether a file can be read is not
 * asked. */
FOVEA_MUST_CHECK bool config_map_agrees(const struct fovea_map *map,
                                        struct config_words *complaint);
