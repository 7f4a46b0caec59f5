/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A document into settings. Each function says on failure what is wrong where; settings may then be
 * written in part, so callers work on a copy. */
#pragma once

#include "core/program.h"
#include "document.h"

/* A file without its "apps". */
FOVEA_MUST_CHECK enum fovea_result config_apply_file(const struct config_document *document,
                                                     struct fovea_settings *settings);

/* The entries of a file's "apps", in their order. All are checked; those count whose pattern
 * matches one of the program's names, and their number is added to *match_count. */
FOVEA_MUST_CHECK enum fovea_result config_apply_apps(const struct config_document *document,
                                                     const struct program_names *names,
                                                     struct fovea_settings *settings,
                                                     size_t *match_count);

/* "key.path=value". said_by is what messages begin with: "FOVEA_SET". */
FOVEA_MUST_CHECK enum fovea_result config_apply_set(const char *set, size_t count,
                                                    const char *said_by, struct fovea_log log,
                                                    struct fovea_settings *settings);

/* Does the same with path and value given apart. */
FOVEA_MUST_CHECK enum fovea_result config_apply_value(const char *path, const char *value,
                                                      const char *said_by, struct fovea_log log,
                                                      struct fovea_settings *settings);

/* Several of them, with commas between; commas inside strings, arrays and objects do not count. */
FOVEA_MUST_CHECK enum fovea_result config_apply_set_list(const char *sets, const char *said_by,
                                                         struct fovea_log log,
                                                         struct fovea_settings *settings);

/* Says that no key has the path that begins at key_at of shown_path, and what may have been meant.
 * in_file: names of a file, such as "version", would have been right. */
FOVEA_MUST_CHECK enum fovea_result config_unknown_key(const struct config_text *text, size_t offset,
                                                      const char *shown_path, size_t key_at,
                                                      bool in_file);

/* The document's root at a path of the settings: what config_apply_set is made of. */
FOVEA_MUST_CHECK enum fovea_result config_apply_at(const struct config_document *document,
                                                   const char *path,
                                                   struct fovea_settings *settings);
