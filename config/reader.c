/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "reader.h"

#include "agree.h"
#include "apply.h"
#include "core/log.h"
#include "key.h"
#include "local.h"
#include "object.h"
#include "prepare.h"
#include "unused.h"
#include "words.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A change is taken when a look finds what the one before has found: then nobody is in mid-write.
 * Somebody who writes without a pause is taken after this many looks. */
#define UNSETTLED_LOOKS_MAX 3

/* The sum of one round of reading. */
struct loading {
    struct fovea_settings settings;
    struct fovea_settings before; /* the file at hand */
    char *bytes[CONFIG_FILES_MAX];
    struct config_document documents[CONFIG_FILES_MAX];
    size_t match_count;
};

/* A directory that we may not search holds no file of ours. */
static bool is_absent(const struct config_stamp *stamp)
{
    return stamp->error == ENOENT || stamp->error == ENOTDIR || stamp->error == EACCES;
}

static enum fovea_result check_local(const struct config_reader *reader, size_t index,
                                     const struct loading *loading)
{
    const struct config_file *file = &reader->files.files[index];
    struct config_words complaint;
    if (file->local &&
        !config_local_allows(file, &loading->before, &loading->settings, &complaint)) {
        log_error(reader->log, "%s: %s", file->shown, complaint.text);
        return FOVEA_ERROR_CONFIG;
    }
    return FOVEA_OK;
}

static enum fovea_result load_file(struct config_reader *reader, size_t index,
                                   struct loading *loading)
{
    struct config_file *file = &reader->files.files[index];
    if (!file->required && is_absent(&file->loaded)) {
        return FOVEA_OK;
    }
    struct config_text text = {.name = file->shown,
                               .directory = file->directory,
                               .local = file->local,
                               .lines = true,
                               .log = reader->log};
    const enum fovea_result result =
        config_file_read(file, reader->log, &loading->bytes[index], &text.count);
    if (result != FOVEA_OK) {
        return result < 0 ? result : FOVEA_OK;
    }
    text.bytes = loading->bytes[index];
    FOVEA_TRY(config_document_parse(&text, &loading->documents[index]));
    loading->before = loading->settings;
    FOVEA_TRY(config_apply_file(&loading->documents[index], &loading->settings));
    return check_local(reader, index, loading);
}

static enum fovea_result load_apps(struct config_reader *reader, size_t index,
                                   struct loading *loading)
{
    loading->before = loading->settings;
    FOVEA_TRY(config_apply_apps(&loading->documents[index], &reader->program, &loading->settings,
                                &loading->match_count));
    return check_local(reader, index, loading);
}

static enum fovea_result load_files(struct config_reader *reader, struct loading *loading)
{
    for (size_t i = 0; i < reader->files.count; i++) {
        FOVEA_TRY(load_file(reader, i, loading));
    }
    for (size_t i = 0; i < reader->files.count; i++) {
        if (loading->documents[i].root) {
            FOVEA_TRY(load_apps(reader, i, loading));
        }
    }
    return FOVEA_OK;
}

static enum fovea_result load_all(struct config_reader *reader, struct loading *loading)
{
    loading->settings = reader->defaults;
    FOVEA_TRY(load_files(reader, loading));
    if (reader->environment_sets) {
        FOVEA_TRY(config_apply_set_list(reader->environment_sets, "FOVEA_SET", reader->log,
                                        &loading->settings));
    }
    for (size_t i = 0; i < reader->set_count; i++) {
        FOVEA_TRY(config_apply_set(reader->sets[i], strlen(reader->sets[i]), "--set", reader->log,
                                   &loading->settings));
    }
    struct config_words complaint;
    if (!config_settings_agree(&loading->settings, &complaint)) {
        log_error(reader->log, "configuration: %s", complaint.text);
        return FOVEA_ERROR_CONFIG;
    }
    return FOVEA_OK;
}

static void log_sources(const struct config_reader *reader, const struct loading *loading)
{
    char sources[1600] = "";
    for (size_t i = 0; i < reader->files.count; i++) {
        if (loading->documents[i].root) {
            config_words_add(sources, sizeof sources, ", %.500s", reader->files.files[i].shown);
        }
    }
    if (loading->match_count > 0) {
        const char *name = reader->program.name;
        const char *script = reader->program.script;
        config_words_add(sources, sizeof sources, ", %zu %s of apps for \"%s%s%s\"",
                         loading->match_count, loading->match_count == 1 ? "entry" : "entries",
                         config_quote(name, strlen(name)).text, script[0] ? " " : "",
                         config_quote(script, strlen(script)).text);
    }
    if (reader->environment_sets) {
        config_words_add(sources, sizeof sources, ", FOVEA_SET");
    }
    if (reader->set_count > 0) {
        config_words_add(sources, sizeof sources, ", %zu of --set", reader->set_count);
    }
    log_info(reader->log, "configuration: defaults%s", sources);
}

static void finish_loading(struct loading *loading)
{
    for (size_t i = 0; i < CONFIG_FILES_MAX; i++) {
        config_document_finish(&loading->documents[i]);
        free(loading->bytes[i]);
    }
    free(loading);
}

/* Reads everything anew; the settings change only if all of it is right. */
enum fovea_result config_reader_load(struct config_reader *reader, struct fovea_settings *settings)
{
    for (size_t i = 0; i < reader->files.count; i++) {
        struct config_file *file = &reader->files.files[i];
        file->loaded = file->seen = config_file_look(file);
    }
    struct loading *loading = calloc(1, sizeof *loading);
    if (!loading) {
        log_error(reader->log, "configuration: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result result = load_all(reader, loading);
    if (result == FOVEA_OK) {
        *settings = loading->settings;
        config_unused_log(settings, &reader->defaults, reader->log);
        log_sources(reader, loading);
    }
    finish_loading(loading);
    return result;
}

static enum fovea_result copy_sets(struct config_reader *reader,
                                   const struct fovea_config_desc *desc)
{
    reader->sets = calloc(desc->set_count + 1, sizeof *reader->sets);
    FOVEA_TRY_MEMORY(reader->sets);
    for (size_t i = 0; i < desc->set_count; i++) {
        reader->sets[i] = strdup(desc->sets[i]);
        FOVEA_TRY_MEMORY(reader->sets[i]);
        reader->set_count++;
    }
    return FOVEA_OK;
}

/* A variable that is set to nothing is not set. */
static const char *environment(const struct fovea_config_desc *desc, const char *name)
{
    const char *value = desc->ignore_environment ? NULL : secure_getenv(name);
    return value && value[0] ? value : NULL;
}

static void take_names(struct config_reader *reader, const char *program)
{
    if (program) {
        const struct program_facts facts = {.arguments = &program, .argument_count = 1};
        program_names_from(&facts, &reader->program);
    } else {
        program_names_find(&reader->program);
    }
}

static enum fovea_result copy_desc(struct config_reader *reader,
                                   const struct fovea_config_desc *desc)
{
    reader->log = desc->log;
    FOVEA_TRY(config_settings_hold(&reader->defaults, desc->defaults));
    const char *sets = environment(desc, "FOVEA_SET");
    take_names(reader, desc->program_name);
    reader->environment_sets = sets ? strdup(sets) : NULL;
    if (sets && !reader->environment_sets) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return copy_sets(reader, desc);
}

enum fovea_result config_reader_init(struct config_reader *reader,
                                     const struct fovea_config_desc *desc)
{
    *reader = (struct config_reader){0};
    const enum fovea_result copied = copy_desc(reader, desc);
    if (copied < 0) {
        log_error(reader->log, "configuration: out of memory");
        return copied;
    }
    const char *named = desc->file ? desc->file : environment(desc, "FOVEA_CONFIG");
    return config_files_find(named, reader->log, &reader->files);
}

void config_reader_finish(struct config_reader *reader)
{
    for (size_t i = 0; i < reader->set_count; i++) {
        free(reader->sets[i]);
    }
    free(reader->sets);
    config_settings_release(&reader->defaults);
    free(reader->environment_sets);
    *reader = (struct config_reader){0};
}

/* ---- Changes */

struct looks {
    bool changed; /* since the files were read */
    bool settled; /* since the look before */
    size_t other; /* changed files that did not just vanish */
};

static struct looks look_at_files(struct config_reader *reader)
{
    struct looks looks = {.settled = true};
    for (size_t i = 0; i < reader->files.count; i++) {
        struct config_file *file = &reader->files.files[i];
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
static void report_gone(struct config_reader *reader)
{
    for (size_t i = 0; i < reader->files.count; i++) {
        struct config_file *file = &reader->files.files[i];
        if (is_absent(&file->seen) && !is_absent(&file->loaded)) {
            log_warning(reader->log, "%s: the file is gone; the last good settings stay in force",
                        file->shown);
            file->loaded = file->seen;
        }
    }
}

static _Atomic(config_prepare_fn) prepare_fn;

void config_prepare_by(config_prepare_fn fn)
{
    atomic_store(&prepare_fn, fn);
}

static enum fovea_result load_and_prepare(struct config_reader *reader,
                                          struct fovea_settings *fresh)
{
    FOVEA_TRY(config_reader_load(reader, fresh));
    const config_prepare_fn prepare = atomic_load(&prepare_fn);
    return prepare ? prepare(fresh, reader->log) : FOVEA_OK;
}

enum fovea_result config_reader_reload(struct config_reader *reader,
                                       struct fovea_settings *settings)
{
    struct fovea_settings *fresh = malloc(sizeof *fresh);
    reader->unsettled_looks = 0;
    const enum fovea_result result =
        fresh ? load_and_prepare(reader, fresh) : FOVEA_ERROR_OUT_OF_MEMORY;
    if (result == FOVEA_OK) {
        *settings = *fresh;
    } else {
        log_warning(reader->log, "configuration: the last good settings stay in force");
    }
    free(fresh);
    return result;
}

/* A file that is gone takes nothing back by itself: somebody may be about to write it anew. */
enum fovea_result config_reader_look(struct config_reader *reader, struct fovea_settings *settings)
{
    const struct looks looks = look_at_files(reader);
    const bool unsettled = !looks.settled && reader->unsettled_looks < UNSETTLED_LOOKS_MAX;
    if (!looks.changed || unsettled) {
        reader->unsettled_looks = looks.changed ? reader->unsettled_looks + 1 : 0;
        return FOVEA_NOT_READY;
    }
    if (looks.other == 0) {
        reader->unsettled_looks = 0;
        report_gone(reader);
        return FOVEA_ERROR_IO;
    }
    return config_reader_reload(reader, settings);
}

bool config_reader_is_unsettled(const struct config_reader *reader)
{
    return reader->unsettled_looks > 0;
}
