/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A recorded scanpath: rows of time and gaze from a CSV file. docs/gaze.md has the format. */
#ifndef FOVEA_GAZE_SCANPATH_FILE_H
#define FOVEA_GAZE_SCANPATH_FILE_H

#include "config/settings.h"

struct gaze_scanpath_row {
    int64_t t_ns; /* since the first row; never decreases */
    double x;
    double y;
    double confidence;
};

struct gaze_scanpath_rows {
    struct gaze_scanpath_row *rows;
    size_t count; /* at least 1 after success */
};

/* FOVEA_ERROR_CONFIG: a wrong line, in the log as name:line:column. On failure *out is empty. */
enum fovea_result gaze_scanpath_parse(const char *text, size_t bytes, const char *name,
                                      struct fovea_log log, struct gaze_scanpath_rows *out);

/* Does the same for a file. FOVEA_ERROR_IO: it cannot be read. */
enum fovea_result gaze_scanpath_load(const char *path, struct fovea_log log,
                                     struct gaze_scanpath_rows *out);

void gaze_scanpath_rows_finish(struct gaze_scanpath_rows *rows);

#endif
