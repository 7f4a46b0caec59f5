/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fovea's own files and other plain tables: time, x, y and perhaps confidence, or x and y of each
 * eye, in gaze.space; and tables whose columns gaze.scanpath.columns names. */
#include "recording_table.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 400

static const struct recording_column columns[] = {
    {.name = "t", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_S},
    {.name = "t_s", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_S},
    {.name = "t_ms", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_MS},
    {.name = "t_us", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_US},
    {.name = "t_ns", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_NS},
    {.name = "time", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_S},
    {.name = "time_s", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_S},
    {.name = "time_ms", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_MS},
    {.name = "time_us", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_US},
    {.name = "time_ns", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_NS},
    {.name = "timestamp", .role = RECORDING_TIME}, /* people write all units under this name */
    {.name = "timestamp_s", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_S},
    {.name = "timestamp_ms", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_MS},
    {.name = "timestamp_us", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_US},
    {.name = "timestamp_ns", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_NS},
    {.name = "x", .role = RECORDING_X},
    {.name = "y", .role = RECORDING_Y},
    {.name = "x_left", .role = RECORDING_X_LEFT},
    {.name = "y_left", .role = RECORDING_Y_LEFT},
    {.name = "x_right", .role = RECORDING_X_RIGHT},
    {.name = "y_right", .role = RECORDING_Y_RIGHT},
    {.name = "confidence", .role = RECORDING_CONFIDENCE},
};

static const struct recording_format plain = {
    .columns = columns,
    .column_count = sizeof columns / sizeof columns[0],
    .is_strict = true,
};

static bool knows_all(const struct recording *recording)
{
    (void)recording;
    return true;
}

static enum fovea_result read_plain(struct recording *recording)
{
    return recording_read_table(recording, &plain, NULL, 0);
}

const struct recording_reader recording_plain = {"a table", knows_all, read_plain};

/* ---- gaze.scanpath.columns */

/* Time, x, y and confidence, in this order, cut out of a copy of the setting. */
struct named {
    char text[FOVEA_COLUMNS_MAX];
    struct recording_column columns[4];
    size_t count;
};

static bool knows_named(const struct recording *recording)
{
    return recording->settings->scanpath_columns[0] != '\0';
}

static enum fovea_result cut(const struct recording *recording, struct named *out)
{
    static const enum recording_role roles[] = {RECORDING_TIME, RECORDING_X, RECORDING_Y,
                                                RECORDING_CONFIDENCE};
    *out = (struct named){0};
    memcpy(out->text, recording->settings->scanpath_columns, sizeof out->text);
    char *rest = out->text;
    while (rest && out->count < 4) {
        char *comma = strchr(rest, ',');
        if (comma) {
            *comma = '\0';
        }
        out->columns[out->count] =
            (struct recording_column){.name = rest, .role = roles[out->count]};
        out->count++;
        rest = comma ? comma + 1 : NULL;
    }
    if (out->count < 3 || rest) {
        log_error(recording->text.log,
                  "gaze.scanpath.columns is \"%s\"; it must name the columns of time, x, y and "
                  "perhaps confidence",
                  recording->settings->scanpath_columns);
        return FOVEA_ERROR_CONFIG;
    }
    return FOVEA_OK;
}

/* A number from 1, which is the column's own; 0: a name. */
static size_t number_of(const char *name)
{
    const size_t bytes = strlen(name);
    if (bytes == 0 || bytes > 3 || strspn(name, "0123456789") != bytes) {
        return 0;
    }
    return strtoul(name, NULL, 10);
}

static size_t columns_in(const struct recording *recording)
{
    struct recording_text text = recording->text;
    size_t count = 0;
    if (recording_next_line(&text)) {
        text.delimiter = recording_delimiter_of(text.line);
        struct span field;
        for (struct span rest = text.line; recording_next_field(&text, &rest, &field);) {
            count++;
        }
    }
    return count;
}

/* Every column is named by its number where all that are wanted are numbers. */
static enum fovea_result read_numbered(struct recording *recording, const struct named *named,
                                       const struct recording_format *format)
{
    const char *names[NAMES_MAX];
    const size_t count = columns_in(recording);
    if (count > NAMES_MAX) {
        log_error(recording->text.log, "%s:1: there are %zu columns; numbers name up to %d",
                  recording->text.name, count, NAMES_MAX);
        return FOVEA_ERROR_CONFIG;
    }
    for (size_t i = 0; i < NAMES_MAX; i++) {
        names[i] = "-";
    }
    for (size_t i = 0; i < named->count; i++) {
        const size_t number = number_of(named->columns[i].name);
        if (number > count) {
            log_error(recording->text.log,
                      "%s:1: gaze.scanpath.columns wants column %zu; there are %zu",
                      recording->text.name, number, count);
            return FOVEA_ERROR_CONFIG;
        }
        names[number - 1] = named->columns[i].name;
    }
    return recording_read_table(recording, format, names, count);
}

static enum fovea_result read_named(struct recording *recording)
{
    struct named named;
    FOVEA_TRY(cut(recording, &named));
    const struct recording_format format = {.columns = named.columns, .column_count = named.count};
    size_t numbers = 0;
    for (size_t i = 0; i < named.count; i++) {
        numbers += number_of(named.columns[i].name) > 0;
    }
    return numbers == named.count ? read_numbered(recording, &named, &format)
                                  : recording_read_table(recording, &format, NULL, 0);
}

const struct recording_reader recording_named = {"the columns of gaze.scanpath.columns",
                                                 knows_named, read_named};
