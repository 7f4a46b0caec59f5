/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "recording_table.h"

#include <stdio.h>
#include <string.h>

#define NO_COLUMN SIZE_MAX

struct table {
    struct recording *recording;
    const struct recording_format *format;
    size_t count; /* columns in a line */
    /* for each role: its column in a line, and what it means */
    size_t at[RECORDING_ROLES];
    const struct recording_column *columns[RECORDING_ROLES];
    struct span fields[RECORDING_ROLES]; /* of the line being read */
    size_t samples;
};

bool recording_has_marks(const struct recording *recording, const struct recording_format *format)
{
    struct recording_text text = recording->text;
    if (!recording_next_line(&text)) {
        return false;
    }
    text.delimiter = recording_delimiter_of(text.line);
    size_t marks = 0;
    size_t found = 0;
    for (; marks < 3 && format->marks[marks]; marks++) {
        struct span fields = text.line;
        struct span head;
        bool has = false;
        while (recording_next_field(&text, &fields, &head)) {
            has |= recording_span_is(head, format->marks[marks]);
        }
        found += has;
    }
    return found == marks;
}

/* ---- Which column is what */

static bool has(const struct table *table, enum recording_role role)
{
    return table->columns[role] != NULL;
}

static enum recording_role x_of(enum recording_role y)
{
    return (enum recording_role)(y - 1);
}

static bool is_y(enum recording_role role)
{
    return role == RECORDING_Y || role == RECORDING_Y_LEFT || role == RECORDING_Y_RIGHT;
}

static const struct recording_column *meaning_of(const struct table *table, struct span head,
                                                 enum recording_role role, size_t *out_rank)
{
    for (size_t i = 0; i < table->format->column_count; i++) {
        const struct recording_column *column = &table->format->columns[i];
        const bool fits = !is_y(role) || !has(table, x_of(role)) ||
                          column->space == table->columns[x_of(role)]->space;
        if (column->role == role && fits && recording_span_is(head, column->name)) {
            *out_rank = i;
            return column;
        }
    }
    return NULL;
}

/* Finds the column of a role among the names. */
static enum fovea_result find_role(struct table *table, struct span names, enum recording_role role)
{
    const struct recording_text *text = &table->recording->text;
    struct span head;
    size_t best = SIZE_MAX;
    for (size_t i = 0; recording_next_field(text, &names, &head); i++) {
        size_t rank = 0;
        const struct recording_column *column = meaning_of(table, head, role, &rank);
        if (!column) {
            continue;
        }
        if (has(table, role) && (table->format->is_strict || rank == best)) {
            return recording_wrong_field(text, head, "the column's name",
                                         "that of no other one; name the columns that count in "
                                         "gaze.scanpath.columns");
        }
        if (rank < best) {
            best = rank;
            table->at[role] = i;
            table->columns[role] = column;
        }
    }
    return FOVEA_OK;
}

static bool has_eye(const struct table *table, enum recording_role x)
{
    return has(table, x) && has(table, (enum recording_role)(x + 1));
}

static enum fovea_result need(const struct table *table, bool is_there, const char *what)
{
    const struct recording_text *text = &table->recording->text;
    return is_there ? FOVEA_OK : recording_wrong(text, text->line.end, what);
}

/* Leaves those of X, X_LEFT and X_RIGHT that count. */
static enum fovea_result choose_eyes(struct table *table)
{
    const enum fovea_gaze_eye eye = table->recording->settings->scanpath_eye;
    const bool left = has_eye(table, RECORDING_X_LEFT);
    const bool right = has_eye(table, RECORDING_X_RIGHT);
    if (eye == FOVEA_GAZE_EYE_BOTH) {
        FOVEA_TRY(need(table, has_eye(table, RECORDING_X) || left || right,
                       "no column is named x, or none y; name time, x and y in "
                       "gaze.scanpath.columns, in this order"));
        return FOVEA_OK;
    }
    const bool is_left = eye == FOVEA_GAZE_EYE_LEFT;
    FOVEA_TRY(need(table, is_left ? left : right,
                   is_left ? "there are no columns of the left eye; set gaze.scanpath.eye=both"
                           : "there are no columns of the right eye; set gaze.scanpath.eye=both"));
    table->at[RECORDING_X] = NO_COLUMN;
    table->columns[RECORDING_X] = NULL;
    return FOVEA_OK;
}

static enum recording_role first_x(const struct table *table)
{
    if (has_eye(table, RECORDING_X)) {
        return RECORDING_X;
    }
    const bool wants_right = table->recording->settings->scanpath_eye == FOVEA_GAZE_EYE_RIGHT;
    return has_eye(table, RECORDING_X_LEFT) && !wants_right ? RECORDING_X_LEFT : RECORDING_X_RIGHT;
}

static enum fovea_result find_unit(struct table *table)
{
    struct recording *recording = table->recording;
    if (!has(table, RECORDING_TIME)) {
        recording->ns_per_unit = RECORDING_NS_PER_S; /* a rate's */
        return need(table, table->format->period > 0,
                    "no column is named t, time or timestamp; name time, x and y in "
                    "gaze.scanpath.columns, in this order");
    }
    const double of_file = table->columns[RECORDING_TIME]->ns_per_unit;
    recording->ns_per_unit = recording_ns_per_unit(recording, of_file);
    return need(table, recording->ns_per_unit > 0,
                "the time's name has no unit; write gaze.scanpath.time_unit=s, ms, us or ns");
}

static enum fovea_result find_columns(struct table *table, struct span names)
{
    for (int role = 0; role < RECORDING_ROLES; role++) {
        table->at[role] = NO_COLUMN;
    }
    for (int role = 0; role < RECORDING_ROLES; role++) {
        FOVEA_TRY(find_role(table, names, (enum recording_role)role));
    }
    struct span head;
    while (recording_next_field(&table->recording->text, &names, &head)) {
        table->count++;
    }
    FOVEA_TRY(find_unit(table));
    FOVEA_TRY(choose_eyes(table));
    table->recording->space = table->columns[first_x(table)]->space;
    return FOVEA_OK;
}

/* ---- A line */

static enum fovea_result split(struct table *table)
{
    const struct recording_text *text = &table->recording->text;
    struct span rest = text->line;
    struct span field;
    size_t count = 0;
    for (; recording_next_field(text, &rest, &field); count++) {
        if (count == table->count) {
            return recording_wrong(text, field.begin, "there are more values than columns");
        }
        for (int role = 0; role < RECORDING_ROLES; role++) {
            if (table->at[role] == count) {
                table->fields[role] = field;
            }
        }
    }
    return need(table, count == table->count, "there are fewer values than columns");
}

/* The word, or a number that is the word's. */
static bool is_word(const struct table *table, enum recording_role role)
{
    const char *word = table->columns[role]->word;
    double number = 0.0;
    double wanted = 0.0;
    const struct span field = table->fields[role];
    const struct span span = {word, word + strlen(word)};
    return recording_span_is(field, word) ||
           (recording_number(&table->recording->text, field, &number) &&
            recording_number(&table->recording->text, span, &wanted) && number == wanted);
}

static bool differs(const struct table *table, enum recording_role role)
{
    return has(table, role) && !is_word(table, role);
}

static enum fovea_result take_number(const struct table *table, enum recording_role role,
                                     const char *name, double *out_number)
{
    const struct span field = table->fields[role];
    if (!recording_number(&table->recording->text, field, out_number)) {
        return recording_wrong_field(&table->recording->text, field, name,
                                     "a finite number, or nothing, nan or n/a for a lost sample");
    }
    return FOVEA_OK;
}

static enum fovea_result take_eye(const struct table *table, enum recording_role x,
                                  struct recording_eye *out_eye)
{
    const enum recording_role y = (enum recording_role)(x + 1);
    *out_eye = (struct recording_eye){0};
    if (!has_eye(table, x)) {
        return FOVEA_OK;
    }
    const bool x_lost = recording_is_lost(table->fields[x]);
    const bool y_lost = recording_is_lost(table->fields[y]);
    if (!x_lost) {
        FOVEA_TRY(take_number(table, x, "x", &out_eye->x));
    }
    if (!y_lost) {
        FOVEA_TRY(take_number(table, y, "y", &out_eye->y));
    }
    out_eye->seen = !x_lost && !y_lost;
    return FOVEA_OK;
}

static enum fovea_result take_gaze(const struct table *table, struct recording_eye *out_gaze)
{
    if (has_eye(table, RECORDING_X)) {
        FOVEA_TRY(take_eye(table, RECORDING_X, out_gaze));
    } else {
        struct recording_eye left;
        struct recording_eye right;
        FOVEA_TRY(take_eye(table, RECORDING_X_LEFT, &left));
        FOVEA_TRY(take_eye(table, RECORDING_X_RIGHT, &right));
        left.seen = left.seen && !differs(table, RECORDING_LEFT_UNLESS);
        right.seen = right.seen && !differs(table, RECORDING_RIGHT_UNLESS);
        *out_gaze = recording_both(table->recording, left, right);
    }
    const bool closed = has(table, RECORDING_LOST_IF) && is_word(table, RECORDING_LOST_IF);
    out_gaze->seen = out_gaze->seen && !closed && !differs(table, RECORDING_LOST_UNLESS);
    return FOVEA_OK;
}

static enum fovea_result take_confidence(const struct table *table, double *out_confidence)
{
    *out_confidence = 1.0;
    if (!has(table, RECORDING_CONFIDENCE)) {
        return FOVEA_OK;
    }
    const struct span field = table->fields[RECORDING_CONFIDENCE];
    if (recording_is_lost(field)) {
        *out_confidence = 0.0;
        return FOVEA_OK;
    }
    FOVEA_TRY(take_number(table, RECORDING_CONFIDENCE, "confidence", out_confidence));
    if (*out_confidence < 0.0 || *out_confidence > 1.0) {
        return recording_wrong_field(&table->recording->text, field, "confidence", "0 to 1");
    }
    return FOVEA_OK;
}

/* The screen is that of the first row which has one. */
static enum fovea_result take_screen(struct table *table)
{
    struct recording *recording = table->recording;
    for (int axis = 0; axis < 2; axis++) {
        const enum recording_role role = axis == 0 ? RECORDING_WIDTH : RECORDING_HEIGHT;
        if (has(table, role) && !(recording->screen_px[axis] > 0) &&
            !recording_is_lost(table->fields[role])) {
            FOVEA_TRY(take_number(table, role, "the screen's size", &recording->screen_px[axis]));
        }
    }
    return recording_check_space(recording, recording->text.line.begin);
}

/* A row that has neither a time nor a place says nothing. */
static bool is_empty(const struct table *table, struct recording_eye gaze)
{
    return has(table, RECORDING_TIME) && recording_is_lost(table->fields[RECORDING_TIME]) &&
           !gaze.seen;
}

static enum fovea_result read_line(struct table *table)
{
    FOVEA_TRY(split(table));
    if (differs(table, RECORDING_ONLY_IF)) {
        return FOVEA_OK;
    }
    struct recording_eye gaze;
    double confidence = 0.0;
    double t = (double)table->samples++ * table->format->period;
    FOVEA_TRY(take_gaze(table, &gaze));
    FOVEA_TRY(take_confidence(table, &confidence));
    if (is_empty(table, gaze)) {
        return FOVEA_OK;
    }
    struct span time = table->recording->text.line;
    if (has(table, RECORDING_TIME)) {
        time = table->fields[RECORDING_TIME];
        FOVEA_TRY(take_number(table, RECORDING_TIME, "t", &t));
    }
    if (gaze.seen) {
        FOVEA_TRY(take_screen(table));
    }
    return recording_add(table->recording, time, t, gaze, confidence);
}

/* ---- All of it */

static enum fovea_result read_names(struct table *table)
{
    struct recording_text *text = &table->recording->text;
    if (!recording_next_line(text)) {
        text->line = text->rest;
        text->line_number++;
        return recording_wrong(text, text->line.begin,
                               "nothing here; the first line must name columns, as in t,x,y");
    }
    text->delimiter = recording_delimiter_of(text->line);
    double number = 0.0;
    struct span fields = text->line;
    struct span first;
    if (recording_next_field(text, &fields, &first) && recording_number(text, first, &number)) {
        return recording_wrong_field(
            text, first, "the first column's name",
            "a name, as in t,x,y; BIDS has names in a .json beside the file; else write "
            "gaze.scanpath.columns=\"1,2,3\", the columns of time, x and y, and "
            "gaze.scanpath.time_unit, as in ms");
    }
    return find_columns(table, text->line);
}

/* Names joined by the delimiter of the file's lines, as if they were the first of them. */
static enum fovea_result use_names(struct table *table, const char *const *names, size_t count)
{
    struct recording_text *text = &table->recording->text;
    struct recording_text ahead = *text;
    char line[2048] = "";
    size_t bytes = 0;
    text->delimiter = recording_next_line(&ahead) ? recording_delimiter_of(ahead.line) : ',';
    for (size_t i = 0; i < count && bytes < sizeof line; i++) {
        bytes += (size_t)snprintf(line + bytes, sizeof line - bytes, "%s%.*s", names[i],
                                  i + 1 < count, &text->delimiter);
    }
    if (bytes >= sizeof line) {
        return recording_wrong(text, text->line.begin, "the columns' names are too long");
    }
    const struct span before = text->line;
    text->line = (struct span){line, line + bytes};
    const enum fovea_result result = find_columns(table, text->line);
    text->line = before;
    return result;
}

enum fovea_result recording_read_table(struct recording *recording,
                                       const struct recording_format *format,
                                       const char *const *names, size_t name_count)
{
    struct table table = {.recording = recording, .format = format};
    FOVEA_TRY(names ? use_names(&table, names, name_count) : read_names(&table));
    while (recording_next_line(&recording->text)) {
        FOVEA_TRY(read_line(&table));
    }
    return FOVEA_OK;
}
