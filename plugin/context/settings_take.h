/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#ifndef FOVEA_SETTINGS_TAKE_H
#define FOVEA_SETTINGS_TAKE_H

#include "map_copy.h"

/* The one door for settings into a context: fovea_settings_check, whether a plan can be made of
 * what they ask for together, the files of their operators, and
 * the samples of their map, which *copy then holds. Settings taken
 * before refer to what was in *copy and must be replaced by these; these refer to no samples of the
 * program's. On failure *copy is as it was. */
FOVEA_MUST_CHECK enum fovea_result settings_take(struct fovea_settings *settings,
                                                 struct map_copy *copy, struct fovea_log log);

/* Whether a context would take these settings. */
FOVEA_MUST_CHECK enum fovea_result settings_try(const struct fovea_settings *settings,
                                                struct fovea_log log);

/* The same, said where they are set, before any frame has them. A
 * map's file is read here: settings_take finds its samples ready afterwards and opens no file. */
FOVEA_MUST_CHECK enum fovea_result settings_prepare(struct fovea_settings *settings,
                                                    struct fovea_log log);

#endif
