/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A configuration file on disk: where to look for it, whether it changed, and its bytes. */
#pragma once

#include "settings.h"

#include <sys/stat.h>

/* The marks of a file that change when somebody saves it, in place or by putting a new one
 * there. */
struct config_stamp {
    int error; /* errno of stat; 0: the file is there */
    dev_t device;
    ino_t inode;
    off_t size_bytes;
    struct timespec modified;
    struct timespec changed;
};

struct config_file {
    char path[FOVEA_PATH_MAX]; /* absolute where the working directory is known */
    char directory[FOVEA_PATH_MAX]; /* that it lies in, with a '/' at the end */
    char shown[FOVEA_PATH_MAX]; /* the path as it was given, printable */
    bool required; /* named by the user; others may be missing */
    bool local; /* of the working directory, found there: local.h */
    struct config_stamp loaded; /* when it was read last */
    struct config_stamp seen; /* at the last look */
};

#define CONFIG_FILES_MAX 3

struct config_files {
    struct config_file files[CONFIG_FILES_MAX];
    size_t count;
};

/* named: the one file; NULL: the places of the search order, of which some may not be. */
FOVEA_MUST_CHECK enum fovea_result config_files_find(const char *named, struct fovea_log log,
                                                     struct config_files *out_files);

struct config_stamp config_file_look(const struct config_file *file);
bool config_stamp_equal(const struct config_stamp *a, const struct config_stamp *b);

/* The whole file in *out_bytes, the caller's to free; never waits for a writer and never reads more
 * than a configuration may have. FOVEA_NOT_READY: a local one that is not trusted, which the log
 * says. */
FOVEA_MUST_CHECK enum fovea_result config_file_read(const struct config_file *file,
                                                    struct fovea_log log, char **out_bytes,
                                                    size_t *out_count);
