/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The one table behind everything that knows settings by name: reading files, --set, the check of a
 * struct fovea_settings, "did you mean", the table in docs/configuration.md and the test of
 * schema.json. A new setting is a member in settings.h, its default in settings.c, one line in
 * key.c, and the same line for people in schema.json and default.json; the tests find what was
 * forgotten. Of an operator's own settings the first three are one line in its operator.def
 * (kernels/operators.def).
 *
 * A path is names with dots between them, as in "foveation.paper.ct0". Everything before the last
 * dot is a group, and exists because a key lies in it. */
#pragma once

#include "settings.h"

enum config_type {
    /* A key of the file, not of the settings: nothing is stored. */
    CONFIG_SCHEMA = 0,
    CONFIG_VERSION,
    CONFIG_APPS,
    /* A key of the settings. */
    CONFIG_BOOL,
    CONFIG_U16,
    CONFIG_U32,
    CONFIG_U64,
    CONFIG_DOUBLE,
    CONFIG_ENUM,
    CONFIG_STRING,
    CONFIG_PATH, /* a string; relative to the directory of the file that gives it */
    CONFIG_KEYS, /* a string: names of keys, core/key_combo.h */
    CONFIG_CURVE, /* points, curve.h */
    CONFIG_OPERATORS, /* names, operators.h */
    /* samples, or the name of a file of them, table.h; the count is another member */
    CONFIG_TABLE,
};

struct config_key {
    const char *path;
    const char *help; /* one sentence without a full stop, also the description in schema.json */
    enum config_type type;
    size_t offset; /* in struct fovea_settings */
    size_t bytes; /* of the member; several elements make an array */
    double min; /* of numbers */
    double max;
    bool min_excluded;
    bool max_excluded;
    bool or_zero; /* 0 is taken too, for "not given" */
    const char *const *names; /* of enumerators and operators, by value; ends with NULL */
};

extern const struct config_key config_keys[];
extern const size_t config_key_count;

/* NULL: there is none. */
const struct config_key *config_key_find(const char *path);
/* The path of the first key in a group, of which "" is one; NULL: there is no such group. */
const char *config_group_first(const char *path);
/* Lists the members of a group, once each: the name that follows the group's path in
 * config_keys[index], or an empty one if that key lies elsewhere or an earlier one has given the
 * name. */
struct config_name {
    char text[FOVEA_NAME_MAX];
};
struct config_name config_child_name(const char *group, size_t index);

/* Elements of a key's member: 1, or more for arrays. */
size_t config_key_elements(const struct config_key *key);

/* The values a key takes, in words: "4 to 128", "above 0, below 1", "true or false",
 * "one of "uv", "ndc"", "at most 63 bytes". */
struct config_words {
    char text[384];
};
struct config_words config_key_range(const struct config_key *key);
/* Does the same with the kind of value: "a whole number, 4 to 128". */
struct config_words config_key_expectation(const struct config_key *key);
