/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#pragma once

#include "operator_files.h"

/* The state that operators keep of settings that were taken. All 0: nothing. */
struct settings_kept {
    struct operator_kept *of[FOVEA_OPERATOR_COUNT];
    bool used[FOVEA_OPERATOR_COUNT]; /* by the settings that were taken last */
    struct operator_files files;
};
void settings_kept_finish(struct settings_kept *kept);
/* Samples that other settings had may be asked for again, and stay until this. */
void settings_kept_release_unused(struct settings_kept *kept);

/* The one door for settings into a context: fovea_settings_check, whether a plan can be made of
 * what they ask for together, the files of their operators, and what operators keep of them, which
 * *kept then holds. Settings taken before refer to what was in *kept and must be replaced by these;
 * these refer to nothing of the program's. On failure *kept is as it was. */
FOVEA_MUST_CHECK enum fovea_result settings_take(struct fovea_settings *settings,
                                                 struct settings_kept *kept, struct fovea_log log);

/* Whether a context would take these settings. */
FOVEA_MUST_CHECK enum fovea_result settings_try(const struct fovea_settings *settings,
                                                struct fovea_log log);

/* Reads and makes here what takes long: settings_take then finds it ready and opens no map's file.
 * The settings were checked. */
FOVEA_MUST_CHECK enum fovea_result settings_read(struct fovea_settings *settings,
                                                 struct fovea_log log);

/* All of these, said where settings are set, before any frame has them. */
FOVEA_MUST_CHECK enum fovea_result settings_prepare(struct fovea_settings *settings,
                                                    struct fovea_log log);
