/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* ./fovea.json of the working directory: nobody has named it, and the folder may be somebody else's
 * work, an unpacked archive say. It sets how pictures look, but opens no port to other machines,
 * speaks with none, has no files written, and none read but those of its folder. */
#pragma once

#include "file.h"
#include "key.h"

/* Why a file that is open is not to be trusted at all; NULL: it may be read. */
const char *config_local_distrust(const struct stat *status);

#define CONFIG_LOCAL_FILES_ONLY                                                                    \
    "a fovea.json that nobody has named may name files of its own folder only"

/* `directory` ends with a '/'. Waits for the file system. */
bool config_local_is_of_folder(const char *directory, const char *path);

/* False: the file has changed `before` to `after` in what it may not set; the complaint says so.
 * The file of foveation.display.table is no part of the settings: it is refused before it is read
 * (table.h). Waits for the file system. */
FOVEA_MUST_CHECK bool config_local_allows(const struct config_file *file,
                                          const struct fovea_settings *before,
                                          const struct fovea_settings *after,
                                          struct config_words *complaint);
