/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a scanpath: what is understood is finite and in order, what is not leaves
 * nothing. */
#include "plugin/gaze/sources/gaze_scanpath_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_message(void *user, enum fovea_log_level level, const char *message)
{
    if (strchr(message, '\n') || strlen(message) > 1000) {
        abort();
    }
}

static void check_rows(const struct gaze_scanpath_rows *file)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct gaze_scanpath_row *row = &file->rows[i];
        const bool placed = isfinite(row->x) && isfinite(row->y);
        const bool sure = row->confidence >= 0.0 && row->confidence <= 1.0;
        if (!placed || !sure || row->t_ns < (i > 0 ? row[-1].t_ns : 0)) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fovea_log log = {.fn = look_at_message};
    struct gaze_scanpath_rows file;
    const enum fovea_result result =
        gaze_scanpath_parse((const char *)data, size, "fuzz.csv", log, &file);
    if ((result == FOVEA_OK) != (file.count > 0)) {
        abort();
    }
    check_rows(&file);
    gaze_scanpath_rows_finish(&file);
    return 0;
}
