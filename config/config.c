/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "agree.h"
#include "apply.h"
#include "core/log.h"
#include "file.h"
#include "key.h"
#include "unused.h"
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_INTERVAL_NS 200000000 /* five looks a second */
/* A change is taken when a look finds what the one before has found: then nobody is in mid-write.
 * Somebody who writes without a pause is taken after this many looks. */
#define UNSETTLED_LOOKS_MAX 3

struct fovea_config {
    struct config_files files;
    char *program_name; /* without directories */
    char *environment_sets; /* NULL: none */
    char **sets;
    size_t set_count;
    bool watch;
    struct fovea_log log;
    struct fovea_settings defaults;
    struct fovea_settings settings;
    int64_t next_look_ns;
    uint32_t unsettled_looks;
};

/* What one round of reading adds up to. */
struct loading {
    struct fovea_settings settings;
    char *bytes[CONFIG_FILES_MAX];
    struct config_document documents[CONFIG_FILES_MAX];
    size_t match_count;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A directory that we may not search holds no file of ours. */
static bool is_absent(const struct config_stamp *stamp)
{
    return stamp->error == ENOENT || stamp->error == ENOTDIR || stamp->error == EACCES;
}

static enum fovea_result load_file(struct fovea_config *config, size_t index,
                                   struct loading *loading)
{
    struct config_file *file = &config->files.files[index];
    if (!file->required && is_absent(&file->loaded)) {
        return FOVEA_OK;
    }
    struct config_text text = {
        .name = file->shown, .directory = file->directory, .lines = true, .log = config->log};
    FOVEA_TRY(config_file_read(file, config->log, &loading->bytes[index], &text.count));
    text.bytes = loading->bytes[index];
    FOVEA_TRY(config_document_parse(&text, &loading->documents[index]));
    return config_apply_file(&loading->documents[index], &loading->settings);
}

static enum fovea_result load_files(struct fovea_config *config, struct loading *loading)
{
    for (size_t i = 0; i < config->files.count; i++) {
        FOVEA_TRY(load_file(config, i, loading));
    }
    for (size_t i = 0; i < config->files.count; i++) {
        if (loading->documents[i].root) {
            FOVEA_TRY(config_apply_apps(&loading->documents[i], config->program_name,
                                        &loading->settings, &loading->match_count));
        }
    }
    return FOVEA_OK;
}

static enum fovea_result load_all(struct fovea_config *config, struct loading *loading)
{
    loading->settings = config->defaults;
    FOVEA_TRY(load_files(config, loading));
    if (config->environment_sets) {
        FOVEA_TRY(config_apply_set_list(config->environment_sets, "FOVEA_SET", config->log,
                                        &loading->settings));
    }
    for (size_t i = 0; i < config->set_count; i++) {
        FOVEA_TRY(config_apply_set(config->sets[i], strlen(config->sets[i]), "--set", config->log,
                                   &loading->settings));
    }
    struct config_words complaint;
    if (!config_settings_agree(&loading->settings, &complaint)) {
        log_error(config->log, "configuration: %s", complaint.text);
        return FOVEA_ERROR_CONFIG;
    }
    return FOVEA_OK;
}

static void log_sources(const struct fovea_config *config, const struct loading *loading)
{
    char sources[1600] = "";
    for (size_t i = 0; i < config->files.count; i++) {
        if (loading->documents[i].root) {
            config_words_add(sources, sizeof sources, ", %.500s", config->files.files[i].shown);
        }
    }
    if (loading->match_count > 0) {
        config_words_add(sources, sizeof sources, ", %zu %s of apps for \"%s\"",
                         loading->match_count, loading->match_count == 1 ? "entry" : "entries",
                         config_quote(config->program_name, strlen(config->program_name)).text);
    }
    if (config->environment_sets) {
        config_words_add(sources, sizeof sources, ", FOVEA_SET");
    }
    if (config->set_count > 0) {
        config_words_add(sources, sizeof sources, ", %zu of --set", config->set_count);
    }
    log_info(config->log, "configuration: defaults%s", sources);
}

/* Nobody who sets foveation.map.kind alone should wonder why nothing changes. */
static void log_unused(const struct fovea_config *config, const struct fovea_settings *settings)
{
    char names[512];
    config_unused_names(settings, names, sizeof names);
    if (names[0]) {
        const struct config_key *model = config_key_find("foveation.model");
        log_info(config->log, "configuration: foveation.model \"%s\" does not use %s",
                 model->names[settings->foveation.model], names);
    }
}

/* Reads everything anew; the settings change only if all of it is right. */
static enum fovea_result load(struct fovea_config *config)
{
    for (size_t i = 0; i < config->files.count; i++) {
        struct config_file *file = &config->files.files[i];
        file->loaded = file->seen = config_file_look(file);
    }
    struct loading loading = {0};
    enum fovea_result result = load_all(config, &loading);
    if (result == FOVEA_OK) {
        config->settings = loading.settings;
        log_unused(config, &loading.settings);
        log_sources(config, &loading);
    }
    for (size_t i = 0; i < CONFIG_FILES_MAX; i++) {
        config_document_finish(&loading.documents[i]);
        free(loading.bytes[i]);
    }
    return result;
}

static const char *base_name(const char *path)
{
    const char *base = path;
    for (const char *c = path; *c; c++) {
        base = *c == '/' || *c == '\\' ? c + 1 : base;
    }
    return base;
}

static enum fovea_result copy_sets(struct fovea_config *config,
                                   const struct fovea_config_desc *desc)
{
    config->sets = calloc(desc->set_count + 1, sizeof *config->sets);
    if (!config->sets) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < desc->set_count; i++) {
        config->sets[i] = strdup(desc->sets[i]);
        if (!config->sets[i]) {
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
        config->set_count++;
    }
    return FOVEA_OK;
}

/* What is set to nothing is not set. */
static const char *environment(const struct fovea_config_desc *desc, const char *name)
{
    const char *value = desc->ignore_environment ? NULL : secure_getenv(name);
    return value && value[0] ? value : NULL;
}

static enum fovea_result copy_desc(struct fovea_config *config,
                                   const struct fovea_config_desc *desc)
{
    config->watch = desc->watch;
    config->defaults = desc->defaults ? *desc->defaults : fovea_settings_default();
    config->log = desc->log;
    const char *program = desc->program_name ? desc->program_name : program_invocation_short_name;
    const char *sets = environment(desc, "FOVEA_SET");
    config->program_name = strdup(base_name(program));
    config->environment_sets = sets ? strdup(sets) : NULL;
    if (!config->program_name || (sets && !config->environment_sets)) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return copy_sets(config, desc);
}

static enum fovea_result fill(struct fovea_config *config, const struct fovea_config_desc *desc)
{
    enum fovea_result copied = copy_desc(config, desc);
    if (copied < 0) {
        log_error(config->log, "configuration: out of memory");
        return copied;
    }
    const char *named = desc->file ? desc->file : environment(desc, "FOVEA_CONFIG");
    FOVEA_TRY(config_files_find(named, config->log, &config->files));
    FOVEA_TRY(load(config));
    config->next_look_ns = now_ns() + LOOK_INTERVAL_NS;
    return FOVEA_OK;
}

static bool desc_is_good(const struct fovea_config_desc *desc)
{
    if (desc->set_count > 0 && !desc->sets) {
        return false;
    }
    for (size_t i = 0; i < desc->set_count; i++) {
        if (!desc->sets[i]) {
            return false;
        }
    }
    return true;
}

struct fovea_config_desc fovea_config_desc_default(void)
{
    return (struct fovea_config_desc){.watch = true};
}

enum fovea_result fovea_config_create(const struct fovea_config_desc *desc,
                                      struct fovea_config **out_config)
{
    if (!out_config) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_config = NULL;
    if (!desc || !desc_is_good(desc)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct fovea_config *config = calloc(1, sizeof *config);
    if (!config) {
        log_error(desc->log, "configuration: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    enum fovea_result result = fill(config, desc);
    if (result < 0) {
        fovea_config_destroy(&config);
        return result;
    }
    *out_config = config;
    return FOVEA_OK;
}

void fovea_config_destroy(struct fovea_config **config)
{
    if (!config || !*config) {
        return;
    }
    for (size_t i = 0; i < (*config)->set_count; i++) {
        free((*config)->sets[i]);
    }
    free((*config)->sets);
    free((*config)->environment_sets);
    free((*config)->program_name);
    free(*config);
    *config = NULL;
}

const struct fovea_settings *fovea_config_settings(const struct fovea_config *config)
{
    return config ? &config->settings : NULL;
}

struct looks {
    bool changed; /* since the files were read */
    bool settled; /* since the look before */
    size_t other; /* changed files that did not just vanish */
};

static struct looks look_at_files(struct fovea_config *config)
{
    struct looks looks = {.settled = true};
    for (size_t i = 0; i < config->files.count; i++) {
        struct config_file *file = &config->files.files[i];
        struct config_stamp stamp = config_file_look(file);
        bool changed = !config_stamp_equal(&stamp, &file->loaded);
        bool vanished = changed && is_absent(&stamp) && !is_absent(&file->loaded);
        looks.changed |= changed;
        looks.settled &= config_stamp_equal(&stamp, &file->seen);
        looks.other += changed && !vanished ? 1 : 0;
        file->seen = stamp;
    }
    return looks;
}

/* Says which files are gone, and remembers that it was said. */
static void report_gone(struct fovea_config *config)
{
    for (size_t i = 0; i < config->files.count; i++) {
        struct config_file *file = &config->files.files[i];
        if (is_absent(&file->seen) && !is_absent(&file->loaded)) {
            log_warning(config->log, "%s: the file is gone; the last good settings stay in force",
                        file->shown);
            file->loaded = file->seen;
        }
    }
}

/* A file that is gone takes nothing back by itself: somebody may be about to write it anew. */
static enum fovea_result take_changes(struct fovea_config *config, const struct looks *looks)
{
    if (looks->other == 0) {
        report_gone(config);
        return FOVEA_ERROR_IO;
    }
    enum fovea_result result = load(config);
    if (result < 0) {
        log_warning(config->log, "configuration: the last good settings stay in force");
    }
    return result;
}

enum fovea_result fovea_config_poll(struct fovea_config *config)
{
    if (!config) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    int64_t now = config->watch ? now_ns() : 0;
    if (!config->watch || now < config->next_look_ns) {
        return FOVEA_NOT_READY;
    }
    config->next_look_ns = now + LOOK_INTERVAL_NS;
    struct looks looks = look_at_files(config);
    bool unsettled = !looks.settled && config->unsettled_looks < UNSETTLED_LOOKS_MAX;
    if (!looks.changed || unsettled) {
        config->unsettled_looks = looks.changed ? config->unsettled_looks + 1 : 0;
        return FOVEA_NOT_READY;
    }
    config->unsettled_looks = 0;
    return take_changes(config, &looks);
}
