/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The one table at the end. */
#pragma once

#include "engine.h"

struct table {
    const struct engine *engine;
    const struct options *options;
    const struct fovea_settings *settings;
    struct fovea_vk_stats stats;
    uint64_t frames;
    double seconds; /* of drawing and foveating; reading back and writing files left out */
    double cpu_seconds; /* of this thread in them */
    double gaze_rate_hz;
    uint64_t gaze_frames[6]; /* by enum fovea_gaze_state */
    const char *files; /* where the pictures are; NULL: a window, none */
};

void table_print(const struct table *table);

/* The same facts for the strip under the panels, a line each; at most `bytes` with the end. */
void table_caption(const struct table *table, char *out_line, size_t bytes, int line);
