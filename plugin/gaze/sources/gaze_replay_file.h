/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A record of frames (plugin/record), read back: the gaze of each. */
#pragma once

#include "plugin/fovea_gaze.h"

struct gaze_replay_row {
    struct fovea_gaze gaze;
    double vergence_m; /* 0: not known */
};

struct gaze_replay_rows {
    struct gaze_replay_row *rows; /* of the frames, in their order */
    size_t count; /* at least 1 after success */
    size_t capacity;
    size_t missing; /* lines that are not there: their frames have the gaze of the line before */
};

/* The text of a record, plain or as plugin/record has written it. FOVEA_ERROR_CONFIG: it is none,
 * the log says where. On failure *out is empty. `name` is for messages. */
FOVEA_MUST_CHECK enum fovea_result gaze_replay_parse(const char *name, const char *bytes,
                                                     size_t count, struct fovea_log log,
                                                     struct gaze_replay_rows *out);
/* The same of a file. FOVEA_ERROR_IO: it cannot be read. */
FOVEA_MUST_CHECK enum fovea_result gaze_replay_load(const char *path, struct fovea_log log,
                                                    struct gaze_replay_rows *out);
void gaze_replay_rows_finish(struct gaze_replay_rows *rows);
