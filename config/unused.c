/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "unused.h"

#include "core/log.h"
#include "display_table.h"
#include "key.h"
#include "words.h"

#include <stddef.h>
#include <string.h>

static bool has_view(const struct fovea_foveation *foveation)
{
    return foveation->model == FOVEA_MODEL_PHYSICAL || foveation->model == FOVEA_MODEL_CURVE ||
           (foveation->model == FOVEA_MODEL_MAP &&
            foveation->map.degrees == FOVEA_MAP_DEGREES_VIEW);
}

/* Operators beside foveate may have something for each eye, and lenses in the view's geometry. */
static bool others_may_use(const char *path, const struct fovea_settings *settings)
{
    static const char geometry[] = "foveation.geometry.";
    const struct fovea_operators *standard = &config_settings_standard()->operators;
    const bool others = settings->operators.count != standard->count ||
                        settings->operators.order[0] != standard->order[0];
    return others && (strcmp(path, "foveation.map.eye") == 0 ||
                      strncmp(path, geometry, sizeof geometry - 1) == 0);
}

/* `paper` is not looked at: other models take some of it. */
static bool is_unused(const char *path, const struct fovea_settings *settings)
{
    const struct fovea_foveation *foveation = &settings->foveation;
    const struct {
        const char *begin;
        bool used;
    } groups[] = {{"foveation.physical.", foveation->model == FOVEA_MODEL_PHYSICAL},
                  {"foveation.curve", foveation->model == FOVEA_MODEL_CURVE},
                  {"foveation.relative.", foveation->model == FOVEA_MODEL_RELATIVE},
                  {"foveation.map.", foveation->model == FOVEA_MODEL_MAP},
                  {"foveation.geometry.", has_view(foveation)}};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (strncmp(path, groups[i].begin, strlen(groups[i].begin)) == 0) {
            return !groups[i].used && !others_may_use(path, settings);
        }
    }
    return false;
}

/* Not by its bytes: points beyond the count and the gaps between members mean nothing. */
static bool same_curve(const struct fovea_curve *a, const struct fovea_curve *b)
{
    const size_t count = a->count < FOVEA_CURVE_MAX ? a->count : FOVEA_CURVE_MAX;
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < count; i++) {
        same = a->eccentricity_deg[i] == b->eccentricity_deg[i] &&
               a->cutoff_cpd[i] == b->cutoff_cpd[i];
    }
    return same;
}

static bool same_value(const struct config_key *key, const struct fovea_settings *a,
                       const struct fovea_settings *b)
{
    if (key->type == CONFIG_CURVE) {
        return same_curve(&a->foveation.curve, &b->foveation.curve);
    }
    if (key->type == CONFIG_TABLE) {
        return display_same_table(&a->foveation.display, &b->foveation.display);
    }
    if (key->type == CONFIG_PATH || key->type == CONFIG_KEYS) {
        return strcmp((const char *)a + key->offset, (const char *)b + key->offset) == 0;
    }
    return memcmp((const char *)a + key->offset, (const char *)b + key->offset, key->bytes) == 0;
}

static bool is_unused_light(const char *path, const struct fovea_settings *settings)
{
    const struct fovea_foveation *foveation = &settings->foveation;
    return (strcmp(path, "foveation.display.gamma") == 0 &&
            foveation->light != FOVEA_LIGHT_GAMMA) ||
           (strcmp(path, "foveation.display.table") == 0 && foveation->light != FOVEA_LIGHT_TABLE);
}

static void add_unused(const struct fovea_settings *settings, const struct fovea_settings *defaults,
                       bool (*unused)(const char *path, const struct fovea_settings *settings),
                       char *text, size_t size)
{
    text[0] = 0;
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        if (unused(key->path, settings) && !same_value(key, settings, defaults)) {
            config_words_add(text, size, "%s%s", text[0] ? ", " : "", key->path);
        }
    }
}

static void model_names(const struct fovea_settings *settings, char *text, size_t size)
{
    add_unused(settings, config_settings_standard(), is_unused, text, size);
}

/* Whether a setting is one of an operator that does not run. */
static bool is_unused_operator(const char *path, const struct fovea_settings *settings)
{
    static const char *const names[] = {
#define OPERATOR(name) #name,
#include "kernels/operators.def"
    };
    bool unused = false;
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);
        const bool is_its = strncmp(path, names[i], length) == 0 && path[length] == '.';
        unused = unused ||
                 (is_its && !config_operators_have(&settings->operators, (enum fovea_operator)i));
    }
    return unused;
}

static void operator_names(const struct fovea_settings *settings,
                           const struct fovea_settings *defaults, char *text, size_t size)
{
    add_unused(settings, defaults, is_unused_operator, text, size);
}

/* Whether " r0 r1 " has r0. */
static bool is_among(const char *name, const char *names)
{
    const size_t length = strlen(name);
    bool among = false;
    for (const char *at = strstr(names, name); at && !among; at = strstr(at + 1, name)) {
        among = at > names && at[-1] == ' ' && at[length] == ' ';
    }
    return among;
}

/* ---- By a word of the operator */

struct only {
    enum fovea_operator operator_name;
    const char *begin;
    const char *setting;
    size_t word_at;
    uint32_t word;
    const char *others;
};

static bool is_about(const struct only *only, const char *path,
                     const struct fovea_settings *settings)
{
    const size_t length = strlen(only->begin);
    return strncmp(path, only->begin, length) == 0 && is_among(path + length, only->others) &&
           config_operators_have(&settings->operators, only->operator_name);
}

/* Returns the first entry by which a setting of an operator that runs does nothing; NULL: it
 * counts, by another entry at least. */
static const struct only *only_of(const char *path, const struct fovea_settings *settings)
{
    static const struct only all[] = {
#define OPERATOR_ONLY(name, setting, word, others)                                                 \
    {FOVEA_OPERATOR_##name,                                                                        \
     #name ".",                                                                                    \
     #name "." #setting,                                                                           \
     offsetof(struct fovea_settings, own.name##_##setting),                                        \
     word,                                                                                         \
     others},
#include "kernels/operators.def"
    };
    const struct only *lacks = NULL;
    bool counts = false;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (is_about(&all[i], path, settings)) {
            uint32_t word;
            memcpy(&word, (const char *)settings + all[i].word_at, sizeof word);
            counts = counts || word == all[i].word;
            lacks = lacks ? lacks : &all[i];
        }
    }
    return counts ? NULL : lacks;
}

bool config_unused_by_word(const char *path, const struct fovea_settings *settings)
{
    return only_of(path, settings) != NULL;
}

static void word_names(const struct fovea_settings *settings, const struct fovea_settings *defaults,
                       char *text, size_t size)
{
    text[0] = 0;
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        const struct only *only = only_of(key->path, settings);
        if (only && !same_value(key, settings, defaults)) {
            config_words_add(text, size, "%s%s (%s \"%s\" would)", text[0] ? ", " : "", key->path,
                             only->setting, config_key_find(only->setting)->names[only->word]);
        }
    }
}

/* ---- By a file of the operator */

/* Whether a file of an operator that runs counts instead of its setting. */
static bool is_unused_beside_file(const char *path, const struct fovea_settings *settings)
{
    static const struct {
        enum fovea_operator operator_name;
        const char *begin;
        size_t file_at;
        const char *others;
    } files[] = {
#define OPERATOR_INSTEAD(name, setting, others)                                                    \
    {FOVEA_OPERATOR_##name, #name ".", offsetof(struct fovea_settings, own.name##_##setting),      \
     others},
#include "kernels/operators.def"
    };
    bool unused = false;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const size_t length = strlen(files[i].begin);
        unused = unused || (*((const char *)settings + files[i].file_at) &&
                            config_operators_have(&settings->operators, files[i].operator_name) &&
                            strncmp(path, files[i].begin, length) == 0 &&
                            is_among(path + length, files[i].others));
    }
    return unused && !config_unused_by_word(path, settings);
}

static void file_names(const struct fovea_settings *settings, const struct fovea_settings *defaults,
                       char *text, size_t size)
{
    add_unused(settings, defaults, is_unused_beside_file, text, size);
}

static void light_names(const struct fovea_settings *settings, char *text, size_t size)
{
    add_unused(settings, config_settings_standard(), is_unused_light, text, size);
}

/* ---- All of them */

/* Nobody who sets foveation.map.kind alone should wonder why nothing changes. */
void config_unused_log(const struct fovea_settings *settings, const struct fovea_settings *defaults,
                       struct fovea_log log)
{
    char names[512];
    model_names(settings, names, sizeof names);
    if (names[0]) {
        const struct config_key *model = config_key_find("foveation.model");
        log_info(log, "configuration: foveation.model \"%s\" does not use %s",
                 model->names[settings->foveation.model], names);
    }
    operator_names(settings, defaults, names, sizeof names);
    if (names[0]) {
        log_info(log, "configuration: none of the \"operators\" uses %s", names);
    }
    word_names(settings, defaults, names, sizeof names);
    if (names[0]) {
        log_info(log, "configuration: nothing uses %s", names);
    }
    file_names(settings, defaults, names, sizeof names);
    if (names[0]) {
        log_info(log, "configuration: the operator's file counts instead of %s", names);
    }
    light_names(settings, names, sizeof names);
    if (names[0]) {
        const struct config_key *light = config_key_find("foveation.light");
        log_info(log, "configuration: foveation.light \"%s\" does not use %s",
                 light->names[settings->foveation.light], names);
    }
}
