/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a scanpath: what is understood is finite and in order, what is not leaves
 * nothing. */
#include "plugin/gaze/sources/gaze_scanpath_file.h"

#include "require.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void look_at_message(void *user, enum fovea_log_level level, const char *message)
{
    REQUIRE(!strchr(message, '\n') && strlen(message) <= 1000);
}

static void check_rows(const struct gaze_scanpath_rows *file)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct gaze_scanpath_row *row = &file->rows[i];
        REQUIRE(isfinite(row->x) && isfinite(row->y));
        REQUIRE(row->confidence >= 0.0 && row->confidence <= 1.0);
        REQUIRE(row->t_ns >= (i > 0 ? row[-1].t_ns : 0));
    }
}

/* The last byte chooses settings; where it says so, the text before the first NUL is a side-car. */
static void choose(uint8_t choice, struct fovea_gaze_settings *out, bool *out_has_sidecar)
{
    static const char *const columns[] = {"", "a,b,c", "1,2,3", "3,2,1,9"};
    snprintf(out->scanpath_columns, sizeof out->scanpath_columns, "%s", columns[choice & 3]);
    out->scanpath_time_unit = choice & 4 ? FOVEA_TIME_UNIT_MS : FOVEA_TIME_UNIT_AUTO;
    out->scanpath_eye = choice & 8 ? FOVEA_GAZE_EYE_RIGHT : FOVEA_GAZE_EYE_BOTH;
    out->space = choice & 16    ? FOVEA_GAZE_SPACE_PIXELS
                 : choice & 128 ? FOVEA_GAZE_SPACE_DEGREES
                                : FOVEA_GAZE_SPACE_UV;
    out->screen_px[0] = out->screen_px[1] = choice & 32 ? 1000 : 0;
    *out_has_sidecar = choice & 64;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fovea_gaze_settings settings = {0};
    bool has_sidecar = false;
    if (size > 0 && data[size - 1] != '\n') { /* a text as people write it has the defaults */
        choose(data[size - 1], &settings, &has_sidecar);
    }
    const char *text = (const char *)data;
    const char *end = has_sidecar ? memchr(text, '\0', size) : NULL;
    struct gaze_recording in = {.text = text,
                                .bytes = size,
                                .name = "fuzz.csv",
                                .settings = &settings,
                                .log = {.fn = look_at_message}};
    if (end) {
        in.sidecar = text;
        in.sidecar_bytes = (size_t)(end - text);
        in.text = end + 1;
        in.bytes = size - in.sidecar_bytes - 1;
    }
    struct gaze_scanpath_rows file;
    const enum fovea_result result = gaze_scanpath_parse(&in, &file);
    REQUIRE((result == FOVEA_OK) == (file.count > 0));
    check_rows(&file);
    gaze_scanpath_rows_finish(&file);
    return 0;
}
