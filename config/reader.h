/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The files and overrides that settings are made of: reads them all, and looks whether they have
 * changed. It waits for the file system as long as that takes, so no frame calls it (watch.h). */
#pragma once

#include "core/program.h"
#include "file.h"

struct config_reader {
    struct config_files files;
    struct program_names program;
    char *environment_sets; /* NULL: none */
    char **sets;
    size_t set_count;
    struct fovea_log log;
    struct fovea_settings defaults;
    uint32_t unsettled_looks;
};

/* Finishes nothing: on failure too the caller calls config_reader_finish. */
FOVEA_MUST_CHECK enum fovea_result config_reader_init(struct config_reader *reader,
                                                      const struct fovea_config_desc *desc);
void config_reader_finish(struct config_reader *reader);

/* Reads everything; the settings change only if all of it is right. */
FOVEA_MUST_CHECK enum fovea_result config_reader_load(struct config_reader *reader,
                                                      struct fovea_settings *settings);
/* Does the same if settings are in force already; they stay if it fails. */
FOVEA_MUST_CHECK enum fovea_result config_reader_reload(struct config_reader *reader,
                                                        struct fovea_settings *settings);

/* One look at the files, of those that a fifth of a second lies between; the results of
 * fovea_config_poll. */
FOVEA_MUST_CHECK enum fovea_result config_reader_look(struct config_reader *reader,
                                                      struct fovea_settings *settings);
/* The last look has found a change that the next one may find settled. */
bool config_reader_is_unsettled(const struct config_reader *reader);
