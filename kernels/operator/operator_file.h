/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Files that settings name, read whole: calibrations, pictures of maps. Any thread. What is wrong
 * is in the log. */
#pragma once

#include "fovea.h"

#include <sys/stat.h>

struct operator_file {
    const char *setting; /* for messages */
    const char *path;
    int64_t most_bytes;
    struct fovea_log log;
};

/* Opens a regular file that is not too large; the caller closes *out_fd. FOVEA_ERROR_IO: it is
 * none, and *out_fd is -1. */
FOVEA_MUST_CHECK enum fovea_result operator_file_open(const struct operator_file *file, int *out_fd,
                                                      struct stat *out_status);
/* Reads all of what is open; the caller frees *out_bytes, which is NULL on failure and never on
 * success. */
FOVEA_MUST_CHECK enum fovea_result operator_file_read(const struct operator_file *file, int fd,
                                                      const struct stat *status, char **out_bytes);
/* The same file, and nobody has written to it in between. */
bool operator_file_same(const struct stat *a, const struct stat *b);
