/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* BIDS: a table without names, and a side-car in JSON that has them, the units and the rate. */
#include "core/json_scan.h"
#include "recording_table.h"

#include <string.h>

#define COLUMNS_MAX 32

struct sidecar {
    char columns[COLUMNS_MAX][JSON_NAME_BYTES];
    size_t count;
    double rate_hz;
    char x_unit[JSON_NAME_BYTES];
    char y_unit[JSON_NAME_BYTES];
    char t_unit[JSON_NAME_BYTES];
};

/* Other tables may have a .json beside them, too. */
static bool knows(const struct recording *recording)
{
    static const char word[] = "\"Columns\"";
    const char *sidecar = recording->in->sidecar;
    return sidecar && memmem(sidecar, recording->in->sidecar_bytes, word, sizeof word - 1);
}

static bool read_columns(struct json_scan *scan, struct sidecar *out)
{
    struct json_list list;
    for (bool good = json_open(scan, '[', &list); good && json_next(scan, &list);) {
        if (out->count == COLUMNS_MAX) {
            return json_fail(scan, "there are more than %d columns", COLUMNS_MAX);
        }
        if (!json_word(scan, out->columns[out->count++])) {
            return false;
        }
    }
    return scan->problem[0] == '\0';
}

static bool read_unit(struct json_scan *scan, const char *name, void *user)
{
    return strcmp(name, "Units") == 0 ? json_word(scan, user) : json_pass(scan);
}

static bool read_member(struct json_scan *scan, const char *name, void *user)
{
    struct sidecar *out = user;
    if (strcmp(name, "Columns") == 0) {
        return read_columns(scan, out);
    }
    if (strcmp(name, "SamplingFrequency") == 0) {
        return json_number(scan, &out->rate_hz);
    }
    char *unit = strcmp(name, "x_coordinate") == 0   ? out->x_unit
                 : strcmp(name, "y_coordinate") == 0 ? out->y_unit
                 : strcmp(name, "timestamp") == 0    ? out->t_unit
                                                     : NULL;
    return unit && json_sees(scan, '{') ? json_object(scan, read_unit, unit) : json_pass(scan);
}

static enum fovea_result wrong(const struct recording *recording, const char *what)
{
    log_error(recording->text.log, "%s: the side-car: %s", recording->text.name, what);
    return FOVEA_ERROR_CONFIG;
}

static enum fovea_result read_sidecar(const struct recording *recording, struct sidecar *out)
{
    char problem[256] = "";
    struct json_scan scan = {.bytes = recording->in->sidecar,
                             .count = recording->in->sidecar_bytes,
                             .has_places = true,
                             .problem = problem,
                             .problem_bytes = sizeof problem};
    if (!json_object(&scan, read_member, out) || !json_end(&scan)) {
        return wrong(recording, problem);
    }
    if (out->count == 0) {
        return wrong(recording, "there are no \"Columns\"");
    }
    return FOVEA_OK;
}

/* A unit that a person forgot leaves it to gaze.space. */
static enum fovea_result space_of(const struct recording *recording, const struct sidecar *sidecar,
                                  enum recording_space *out_space)
{
    static const struct {
        const char *unit;
        enum recording_space space;
    } units[] = {
        {"", RECORDING_AS_SET},
        {"pixel", RECORDING_SET_PIXELS},
        {"pixels", RECORDING_SET_PIXELS},
        {"px", RECORDING_SET_PIXELS},
        {"deg", RECORDING_SET_DEGREES},
        {"degree", RECORDING_SET_DEGREES},
        {"degrees", RECORDING_SET_DEGREES},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(sidecar->x_unit, units[i].unit) == 0 &&
            strcmp(sidecar->y_unit, sidecar->x_unit) == 0) {
            *out_space = units[i].space;
            return FOVEA_OK;
        }
    }
    return wrong(recording, "\"Units\" of x_coordinate and y_coordinate must be the same, and "
                            "\"pixel\" or \"deg\"");
}

static enum fovea_result ns_per_unit_of(const struct recording *recording, const char *unit,
                                        double *out_ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"", 0.0},
                 {"s", RECORDING_NS_PER_S},
                 {"sec", RECORDING_NS_PER_S},
                 {"seconds", RECORDING_NS_PER_S},
                 {"ms", RECORDING_NS_PER_MS},
                 {"us", RECORDING_NS_PER_US},
                 {"ns", RECORDING_NS_PER_NS}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(unit, units[i].unit) == 0) {
            *out_ns = units[i].ns;
            return FOVEA_OK;
        }
    }
    return wrong(recording, "\"Units\" of timestamp must be \"s\", \"ms\", \"us\" or \"ns\"");
}

static enum fovea_result read_as(struct recording *recording, const struct sidecar *sidecar)
{
    struct recording_column columns[] = {{.name = "timestamp", .role = RECORDING_TIME},
                                         {.name = "x_coordinate", .role = RECORDING_X},
                                         {.name = "y_coordinate", .role = RECORDING_Y}};
    const struct recording_format format = {.columns = columns,
                                            .column_count = 3,
                                            .period = sidecar->rate_hz > 0 ? 1.0 / sidecar->rate_hz
                                                                           : 0.0};
    const char *names[COLUMNS_MAX];
    enum recording_space space = RECORDING_AS_SET;
    FOVEA_TRY(space_of(recording, sidecar, &space));
    FOVEA_TRY(ns_per_unit_of(recording, sidecar->t_unit, &columns[0].ns_per_unit));
    columns[1].space = columns[2].space = space;
    for (size_t i = 0; i < sidecar->count; i++) {
        names[i] = sidecar->columns[i];
    }
    return recording_read_table(recording, &format, names, sidecar->count);
}

static enum fovea_result read(struct recording *recording)
{
    struct sidecar sidecar = {0};
    FOVEA_TRY(read_sidecar(recording, &sidecar));
    return read_as(recording, &sidecar);
}

const struct recording_reader recording_bids = {"BIDS", knows, read};
