/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A recording: rows of time and gaze from a file. docs/gaze.md has the formats. */
#pragma once

#include "config/settings.h"

struct gaze_scanpath_row {
    int64_t t_ns; /* since the first row; never decreases */
    double x;
    double y;
    double confidence;
    bool closed; /* the eye: why there is no place, where the file tells */
    double apart; /* the right eye's x less the left one's; NAN: they are not both seen */
};

struct gaze_scanpath_rows {
    struct gaze_scanpath_row *rows;
    size_t count; /* at least 1 after success */
    bool are_uv; /* whatever gaze.space and gaze.origin say */
};

/* A file's text, and what is needed to understand it. */
struct gaze_recording {
    const char *text;
    size_t bytes;
    const char *name; /* for messages */
    const char *sidecar; /* the JSON beside a file of BIDS; NULL: there is none */
    size_t sidecar_bytes;
    const struct fovea_gaze_settings *settings;
    struct fovea_log log;
};

/* FOVEA_ERROR_CONFIG: a wrong line, in the log as name:line:column. On failure *out is empty. */
enum fovea_result gaze_scanpath_parse(const struct gaze_recording *in,
                                      struct gaze_scanpath_rows *out);

/* Does the same for gaze.scanpath.file. FOVEA_ERROR_IO: it cannot be read. */
enum fovea_result gaze_scanpath_load(const struct fovea_gaze_settings *settings,
                                     struct fovea_log log, struct gaze_scanpath_rows *out);

/* All of a file of at most 256 MiB; free() has the bytes. FOVEA_ERROR_IO: as above. */
enum fovea_result gaze_scanpath_read(const char *path, struct fovea_log log, char **out_bytes,
                                     size_t *out_count);

void gaze_scanpath_rows_finish(struct gaze_scanpath_rows *rows);
