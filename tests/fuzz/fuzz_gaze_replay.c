/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a record of frames: what is understood is finite, what is not leaves nothing. */
#include "plugin/gaze/sources/gaze_replay_file.h"

#include "require.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gaze_replay_rows rows;
    const enum fovea_result result =
        gaze_replay_parse("fuzz.tsv", (const char *)data, size, (struct fovea_log){0}, &rows);
    REQUIRE((result == FOVEA_OK) == (rows.count > 0));
    for (size_t i = 0; i < rows.count; i++) {
        const struct fovea_gaze *gaze = &rows.rows[i].gaze;
        REQUIRE(isfinite(gaze->point.x_uv) && isfinite(gaze->point.y_uv));
        REQUIRE(rows.rows[i].vergence_m >= 0.0);
    }
    gaze_replay_rows_finish(&rows);
    return 0;
}
