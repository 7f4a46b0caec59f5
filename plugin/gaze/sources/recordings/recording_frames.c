/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/gaze/sources/gaze_replay_file.h"

#include "plugin/gaze/sources/gaze_scanpath_file.h"
#include "recording_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_COLUMN(NAME, name, unit, description) COLUMN_##NAME,
enum { /* the columns */
#include "plugin/record/record_columns.def"
       COLUMNS
};
#undef RECORD_COLUMN

#define RECORD_COLUMN(NAME, name, unit, description) #name,
static const char *const names[] = {
#include "plugin/record/record_columns.def"
};
#undef RECORD_COLUMN

#define FRAMES_MAX 100000000.0
/* More frames between two lines are a mistake, and would fill the memory with copies. */
#define GAP_MAX 100000.0
#define ROWS_MAX 10000000.0 /* a day at 120 frames a second */
#define STATES 6

/* ---- gzip, as plugin/record writes it ---- */

#define HEAD_BYTES 10u
#define BLOCK_BYTES 5u /* before a block's text */

static bool is_gzip(const char *bytes, size_t count)
{
    return count >= 2 && (unsigned char)bytes[0] == 0x1f && (unsigned char)bytes[1] == 0x8b;
}

static size_t u16_at(const char *bytes)
{
    return (size_t)(unsigned char)bytes[0] | (size_t)(unsigned char)bytes[1] << 8;
}

/* Moves the stored texts to the front, one after the other. A block that is not whole is left out:
 * the program has died while it was written. False: somebody else has compressed it. */
static bool unpack(char *bytes, size_t *count)
{
    size_t used = 0;
    size_t at = HEAD_BYTES;
    bool last = false;
    if (*count < HEAD_BYTES || bytes[2] != 8 || bytes[3] != 0) {
        return false;
    }
    while (!last && *count - at >= BLOCK_BYTES) {
        const size_t stored = u16_at(bytes + at + 1);
        last = bytes[at] == 1;
        if ((bytes[at] != 0 && !last) || (stored ^ u16_at(bytes + at + 3)) != 0xffff) {
            return false;
        }
        at += BLOCK_BYTES;
        if (*count - at < stored) {
            break;
        }
        memmove(bytes + used, bytes + at, stored);
        used += stored;
        at += stored;
    }
    *count = used;
    return true;
}

/* ---- Lines ---- */

static bool add(struct gaze_replay_rows *rows, const struct gaze_replay_row *row)
{
    if (rows->count == rows->capacity) {
        const size_t capacity = rows->capacity ? 2 * rows->capacity : 1024;
        struct gaze_replay_row *grown = realloc(rows->rows, capacity * sizeof *grown);
        if (!grown) {
            return false;
        }
        rows->rows = grown;
        rows->capacity = capacity;
    }
    rows->rows[rows->count++] = *row;
    return true;
}

struct line {
    double values[COLUMNS]; /* NaN: there is none */
};

/* A record has these in all lines. */
static bool must_be_there(size_t column)
{
    return column == COLUMN_FRAME || column == COLUMN_STATE || column == COLUMN_USABLE ||
           column == COLUMN_REFUSED;
}

static enum fovea_result read_line(const struct recording_text *text, struct line *out)
{
    struct span fields = text->line;
    struct span field = fields;
    for (size_t i = 0; i < COLUMNS; i++) {
        out->values[i] = NAN;
        if (!recording_next_field(text, &fields, &field)) {
            if (i > COLUMN_SETTINGS) {
                continue; /* a record of a version before */
            }
            return recording_wrong(text, text->line.end,
                                   "this is no line of a record: there are fewer values");
        }
        if (!recording_is_lost(field) && !recording_number(text, field, &out->values[i])) {
            return i > 0 ? recording_wrong_field(text, field, names[i], "a number, or n/a")
                         : recording_wrong(text, field.begin,
                                           "this is no line of a record of frames; recordings of "
                                           "trackers are for gaze.source scanpath");
        }
        if (must_be_there(i) && !isfinite(out->values[i])) {
            return recording_wrong_field(text, field, names[i], "a number");
        }
    }
    return recording_next_field(text, &fields, &field)
               ? recording_wrong(text, field.begin,
                                 "this is no line of a record: there are more values")
               : FOVEA_OK;
}

static bool is_sane(const struct line *line)
{
    const double *values = line->values;
    return values[COLUMN_FRAME] >= 1 && values[COLUMN_FRAME] <= FRAMES_MAX &&
           values[COLUMN_REFUSED] >= 0 && values[COLUMN_REFUSED] <= GAP_MAX &&
           values[COLUMN_STATE] >= 0 && values[COLUMN_STATE] < STATES &&
           !(fabs(values[COLUMN_AGE]) >= 1e9);
}

/* A late gaze is what the frame was foveated around. Without any the frame passed through. */
static struct gaze_replay_row row_of(const struct line *line)
{
    const double *values = line->values;
    const bool late = isfinite(values[COLUMN_LATE_X_UV]) && isfinite(values[COLUMN_LATE_Y_UV]);
    const double x_uv = values[late ? COLUMN_LATE_X_UV : COLUMN_X_UV];
    const double y_uv = values[late ? COLUMN_LATE_Y_UV : COLUMN_Y_UV];
    const bool known = isfinite(x_uv) && isfinite(y_uv);
    const int state = known ? (int)values[COLUMN_STATE] : FOVEA_GAZE_LOST;
    const double age_s = isfinite(values[COLUMN_AGE]) ? values[COLUMN_AGE] : 0.0;
    const struct fovea_gaze gaze = {.point = {known ? x_uv : 0.5, known ? y_uv : 0.5},
                                    .state = (enum fovea_gaze_state)state,
                                    .usable = known && values[COLUMN_USABLE] != 0,
                                    .age_ns = llround(age_s * 1e9),
                                    .rate_hz =
                                        isfinite(values[COLUMN_RATE]) ? values[COLUMN_RATE] : 0};
    const double diopters = values[COLUMN_VERGENCE];
    return (struct gaze_replay_row){.gaze = gaze,
                                    .vergence_m = diopters > 0    ? 1.0 / diopters
                                                  : diopters == 0 ? (double)INFINITY
                                                                  : 0.0};
}

/* Frames that were refused had a gaze, too: near the one of the next line. */
static bool add_line(const struct line *line, double *last_frame, struct gaze_replay_rows *rows)
{
    const struct gaze_replay_row row = row_of(line);
    const double frame = line->values[COLUMN_FRAME];
    bool good = true;
    for (; rows->count > 0 && good && *last_frame + 1 < frame; ++*last_frame) {
        const struct gaze_replay_row before = rows->rows[rows->count - 1];
        good = add(rows, &before);
        rows->missing++;
    }
    for (double refused = line->values[COLUMN_REFUSED]; good && refused > 0; refused--) {
        good = add(rows, &row);
    }
    *last_frame = frame;
    return good && add(rows, &row);
}

static enum fovea_result read_lines(struct recording_text *text, struct gaze_replay_rows *out)
{
    double last_frame = 0;
    struct line line = {{0}};
    while (recording_next_line(text)) {
        FOVEA_TRY(read_line(text, &line));
        const double frames = line.values[COLUMN_FRAME] - last_frame;
        if (!is_sane(&line) || frames < 1 || (out->count > 0 && frames > GAP_MAX)) {
            return recording_wrong(text, text->line.begin,
                                   "this is no line of a record: a value is out of its range");
        }
        if ((double)out->count + frames + line.values[COLUMN_REFUSED] > ROWS_MAX) {
            return recording_wrong(text, text->line.begin,
                                   "the record has more than 10 million frames");
        }
        if (!add_line(&line, &last_frame, out)) {
            log_error(text->log, "gaze: out of memory for %s", text->name);
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
    }
    return out->count > 0 ? FOVEA_OK
                          : recording_wrong(text, text->line.begin, "there are no lines of frames");
}

static enum fovea_result read_all(const char *name, const char *bytes, size_t count,
                                  struct fovea_log log, struct gaze_replay_rows *out)
{
    struct recording_text text = {.name = name,
                                  .log = log,
                                  .c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0),
                                  .rest = {bytes, bytes + count},
                                  .line = {bytes, bytes},
                                  .line_number = 0,
                                  .delimiter = '\t'};
    if (!text.c_locale) {
        log_error(log, "gaze: out of memory for %s", name);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result result = read_lines(&text, out);
    freelocale(text.c_locale);
    return result;
}

enum fovea_result gaze_replay_parse(const char *name, const char *bytes, size_t count,
                                    struct fovea_log log, struct gaze_replay_rows *out)
{
    *out = (struct gaze_replay_rows){0};
    char *text = malloc(count + 1);
    if (!text) {
        log_error(log, "gaze: out of memory for %s", name);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(text, bytes, count);
    enum fovea_result result = FOVEA_OK;
    if (is_gzip(text, count) && !unpack(text, &count)) {
        log_error(log, "%s: another program has compressed it; gunzip it first", name);
        result = FOVEA_ERROR_CONFIG;
    }
    if (result == FOVEA_OK) {
        result = read_all(name, text, count, log, out);
    }
    free(text);
    if (result < 0) {
        gaze_replay_rows_finish(out);
    }
    return result;
}

enum fovea_result gaze_replay_load(const char *path, struct fovea_log log,
                                   struct gaze_replay_rows *out)
{
    char *bytes = NULL;
    size_t count = 0;
    *out = (struct gaze_replay_rows){0};
    enum fovea_result result = gaze_scanpath_read(path, log, &bytes, &count);
    if (result == FOVEA_OK) {
        result = gaze_replay_parse(path, bytes, count, log, out);
    }
    free(bytes);
    if (result == FOVEA_OK && out->missing > 0) {
        log_warning(log, "gaze: %s: %zu lines are missing: their frames get the gaze before them",
                    path, out->missing);
    }
    return result;
}

void gaze_replay_rows_finish(struct gaze_replay_rows *rows)
{
    free(rows->rows);
    *rows = (struct gaze_replay_rows){0};
}
