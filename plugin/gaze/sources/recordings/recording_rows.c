/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "recording.h"

#include <math.h>
#include <stdlib.h>

#define TIME_LIMIT_NS 4e18
/* Nobody looks two pictures beside the picture; a tracker that is set up wrong does. */
#define FAR_UV 2.0

double recording_ns_per_unit(const struct recording *recording, double of_file)
{
    switch (recording->settings->scanpath_time_unit) {
    case FOVEA_TIME_UNIT_S:
        return RECORDING_NS_PER_S;
    case FOVEA_TIME_UNIT_MS:
        return RECORDING_NS_PER_MS;
    case FOVEA_TIME_UNIT_US:
        return RECORDING_NS_PER_US;
    case FOVEA_TIME_UNIT_NS:
        return RECORDING_NS_PER_NS;
    case FOVEA_TIME_UNIT_AUTO:
        break;
    }
    return of_file;
}

/* The picture that is shown has as little to do with it as with the file's other units. */
static enum fovea_result check_pixels(struct recording *recording, const char *where)
{
    const struct fovea_gaze_settings *settings = recording->settings;
    for (int axis = 0; axis < 2; axis++) {
        if (!(recording->screen_px[axis] > 0)) {
            recording->screen_px[axis] = settings->screen_px[axis];
        }
        if (!(recording->screen_px[axis] > 0)) {
            return recording_wrong(&recording->text, where,
                                   "positions are in pixels and nothing says of how many; write "
                                   "gaze.screen_px=[width,height] of the screen, or of the scene "
                                   "camera");
        }
    }
    return FOVEA_OK;
}

enum fovea_result recording_check_space(struct recording *recording, const char *where)
{
    const struct fovea_gaze_settings *settings = recording->settings;
    switch (recording->space) {
    case RECORDING_SET_PIXELS:
        if (settings->space != FOVEA_GAZE_SPACE_PIXELS || settings->screen_px[0] == 0 ||
            settings->screen_px[1] == 0) {
            return recording_wrong(&recording->text, where,
                                   "positions are in pixels; write gaze.space=pixels, "
                                   "gaze.screen_px=[width,height] and gaze.origin");
        }
        return FOVEA_OK;
    case RECORDING_SET_DEGREES:
        if (settings->space != FOVEA_GAZE_SPACE_DEGREES) {
            return recording_wrong(&recording->text, where,
                                   "positions are in degrees; write gaze.space=degrees, "
                                   "gaze.screen_deg=[width,height] and gaze.origin");
        }
        return FOVEA_OK;
    case RECORDING_PIXELS_DOWN:
        return check_pixels(recording, where);
    case RECORDING_AS_SET:
        return settings->space == FOVEA_GAZE_SPACE_PIXELS ? check_pixels(recording, where)
                                                          : FOVEA_OK;
    default:
        return FOVEA_OK;
    }
}

/* To uv, where the file tells enough. */
static void place(const struct recording *recording, struct recording_eye gaze, double out[2])
{
    const double *corner = recording->corner_px;
    const double *screen = recording->screen_px;
    out[0] = gaze.x;
    out[1] = gaze.y;
    if (recording->space == RECORDING_UV_UP) {
        out[1] = 1.0 - gaze.y;
    } else if (recording->space == RECORDING_PIXELS_DOWN) {
        out[0] = (gaze.x - corner[0]) / screen[0];
        out[1] = (gaze.y - corner[1]) / screen[1];
    }
}

static enum fovea_result append(struct recording *recording, const struct gaze_scanpath_row *row)
{
    struct gaze_scanpath_rows *rows = recording->rows;
    if (rows->count == recording->capacity) {
        const size_t capacity = recording->capacity ? recording->capacity * 2 : 256;
        struct gaze_scanpath_row *grown = realloc(rows->rows, capacity * sizeof *grown);
        if (!grown) {
            log_error(recording->text.log, "%s: out of memory after %zu rows", recording->text.name,
                      rows->count);
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
        rows->rows = grown;
        recording->capacity = capacity;
    }
    rows->rows[rows->count++] = *row;
    return FOVEA_OK;
}

/* The difference is taken before the scaling: seconds since 1970 leave no digits to waste. */
static enum fovea_result take_time(struct recording *recording, struct span field, double t,
                                   int64_t *out_t_ns)
{
    const struct gaze_scanpath_rows *rows = recording->rows;
    if (rows->count == 0) {
        recording->first_t = t;
    }
    const double t_ns = (t - recording->first_t) * recording->ns_per_unit;
    if (!(fabs(t_ns) < TIME_LIMIT_NS)) {
        return recording_wrong_field(&recording->text, field, "t",
                                     "within a hundred years of the first row");
    }
    *out_t_ns = llround(t_ns);
    if (rows->count > 0 && *out_t_ns < rows->rows[rows->count - 1].t_ns) {
        return recording_wrong_field(&recording->text, field, "t",
                                     "no earlier than in the row before");
    }
    return FOVEA_OK;
}

static bool is_far(double uv)
{
    return !(uv >= -FAR_UV && uv <= 1.0 + FAR_UV);
}

enum fovea_result recording_add(struct recording *recording, struct span field, double t,
                                struct recording_eye gaze, double confidence)
{
    struct gaze_scanpath_row row = {.confidence = gaze.seen ? confidence : 0.0,
                                    .closed = !gaze.seen && gaze.closed,
                                    .apart = (double)NAN};
    double at[2] = {0.0, 0.0};
    const bool is_of_pixels = recording->space == RECORDING_PIXELS_DOWN;
    FOVEA_TRY(take_time(recording, field, t, &row.t_ns));
    if (gaze.seen) {
        place(recording, gaze, at);
    }
    if (!isfinite(at[0]) || !isfinite(at[1])) {
        return recording_wrong(&recording->text, recording->text.line.begin,
                               "the position is too far away");
    }
    row.x = at[0];
    row.y = at[1];
    if (gaze.seen && gaze.is_pair) {
        row.apart = gaze.apart / (is_of_pixels ? recording->screen_px[0] : 1.0);
    }
    recording->lost_count += row.confidence <= 0.0;
    if (recording->far_line == 0 && row.confidence > 0.0 && (is_far(row.x) || is_far(row.y))) {
        recording->far_line = recording->text.line_number;
    }
    return append(recording, &row);
}

static struct recording_eye wanted_of(const struct recording *recording, struct recording_eye left,
                                      struct recording_eye right)
{
    if (recording->settings->scanpath_eye == FOVEA_GAZE_EYE_LEFT) {
        return left;
    }
    if (recording->settings->scanpath_eye == FOVEA_GAZE_EYE_RIGHT) {
        return right;
    }
    if (left.seen && right.seen) {
        return (struct recording_eye){
            .seen = true, .x = 0.5 * left.x + 0.5 * right.x, .y = 0.5 * left.y + 0.5 * right.y};
    }
    if (!left.seen && !right.seen) {
        return (struct recording_eye){.closed = left.closed || right.closed};
    }
    return left.seen ? left : right;
}

struct recording_eye recording_both(const struct recording *recording, struct recording_eye left,
                                    struct recording_eye right)
{
    struct recording_eye gaze = wanted_of(recording, left, right);
    gaze.is_pair = left.seen && right.seen;
    gaze.apart = right.x - left.x;
    return gaze;
}
