/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The settings in force and the gaze source that they name. Scripts change both; the render thread
 * reads them and waits for nobody. */

#include "unity.h"

#include "plugin/context/settings_take.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of the two below. Scripts hold it while they exchange or read them, never while they wait for
 * files or threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fovea_settings *in_force;
static struct fovea_gaze_source *source;
static bool source_changes; /* the former one is closed, and another one is being opened */

static _Atomic uint64_t serial = 1;
static _Atomic enum fovea_backend backend;
static struct fovea_gaze last_gaze; /* the render thread's */

/* ---- The render thread's side ---- */

enum fovea_backend unity_settings_backend(void)
{
    return atomic_load(&backend);
}

uint64_t unity_settings_serial(void)
{
    return atomic_load(&serial);
}

struct fovea_settings *unity_settings_copy(uint64_t *out_serial)
{
    struct fovea_settings *copy = NULL;
    if (pthread_mutex_trylock(&lock) == 0) {
        *out_serial = atomic_load(&serial);
        if (fovea_settings_copy(in_force, &copy) < 0) {
            copy = NULL;
        }
        pthread_mutex_unlock(&lock);
    }
    return copy;
}

struct fovea_gaze unity_settings_gaze(uint32_t width_px, uint32_t height_px)
{
    if (pthread_mutex_trylock(&lock) == 0) {
        const bool read = source && fovea_gaze_source_read(source, fovea_time_ns(), width_px,
                                                           height_px, &last_gaze) >= 0;
        if (!read && !source_changes) {
            last_gaze = (struct fovea_gaze){.point = {0.5, 0.5}};
        }
        pthread_mutex_unlock(&lock);
    }
    return last_gaze;
}

/* ---- What is wrong, for whoever called ---- */

struct answer {
    char *text; /* may be NULL */
    int32_t bytes;
    const char *file; /* a name that says nothing to a person; may be NULL */
};

/* The first error is the one that says what is wrong. */
static void answer(void *user, enum fovea_log_level level, const char *message)
{
    struct answer *answer = user;
    char text[512];
    const char *file = answer->file ? strstr(message, answer->file) : NULL;
    const int before = file ? (int)(file - message) : 0;
    snprintf(text, sizeof text, "%.*s%s%s", before, message, file ? "JSON" : "",
             file ? file + strlen(answer->file) : message);
    if (level == FOVEA_LOG_ERROR && answer->text && answer->bytes > 0 && !answer->text[0]) {
        snprintf(answer->text, (size_t)answer->bytes, "%s", text);
    }
    unity_say(level, "%s", text);
}

static struct fovea_log answer_log(struct answer *answer_to)
{
    if (answer_to->text && answer_to->bytes > 0) {
        answer_to->text[0] = '\0';
    }
    return (struct fovea_log){.fn = answer, .user = answer_to, .min_level = FOVEA_LOG_INFO};
}

/* ---- The scripts' side ---- */

static bool same_gaze(const struct fovea_settings *a, const struct fovea_settings *b)
{
    static char text_a[FOVEA_SETTING_TEXT_MAX];
    static char text_b[FOVEA_SETTING_TEXT_MAX];
    struct fovea_setting setting;
    fovea_setting_init(&setting);
    for (size_t i = 0; i < fovea_setting_count(); i++) {
        if (fovea_setting_info(i, &setting) < 0 || strncmp(setting.path, "gaze.", 5) != 0) {
            continue;
        }
        if (fovea_settings_get(a, setting.path, text_a, sizeof text_a) < 0 ||
            fovea_settings_get(b, setting.path, text_b, sizeof text_b) < 0 ||
            strcmp(text_a, text_b) != 0) {
            return false;
        }
    }
    return true;
}

/* The one before it, whose owner the caller is now. changes: another one comes soon. */
static struct fovea_gaze_source *exchange_source(struct fovea_gaze_source *with, bool changes)
{
    pthread_mutex_lock(&lock);
    struct fovea_gaze_source *before = source;
    source = with;
    source_changes = changes;
    pthread_mutex_unlock(&lock);
    return before;
}

/* Two sources cannot have one port: the former one goes first, and comes back. */
static enum fovea_result change_source(const struct fovea_settings *settings)
{
    struct fovea_gaze_source_desc desc;
    fovea_gaze_source_desc_init(&desc);
    desc.settings = settings;
    desc.log = unity_log();
    struct fovea_gaze_source *opened = exchange_source(NULL, true);
    fovea_gaze_source_destroy(&opened);
    const enum fovea_result result = fovea_gaze_source_create(&desc, &opened);
    if (result < 0 && in_force) {
        desc.settings = in_force;
        (void)!fovea_gaze_source_create(&desc, &opened);
    }
    opened = exchange_source(opened, false);
    return result;
}

/* Takes `fresh`, whatever comes of it. */
static enum fovea_result put_in_force(struct fovea_settings *fresh, struct fovea_log log)
{
    enum fovea_result result = settings_prepare(fresh, log);
    if (result == FOVEA_OK && (!in_force || !same_gaze(in_force, fresh))) {
        result = change_source(fresh);
        if (result < 0 && log.fn) {
            log.fn(log.user, FOVEA_LOG_ERROR,
                   "the gaze source of these settings cannot be opened; the log says why");
        }
    }
    if (result == FOVEA_OK) {
        pthread_mutex_lock(&lock);
        struct fovea_settings *before = in_force;
        in_force = fresh;
        atomic_store(&backend, fresh->backend);
        atomic_fetch_add(&serial, 1);
        pthread_mutex_unlock(&lock);
        fresh = before;
    }
    fovea_settings_destroy(&fresh);
    return result;
}

static enum fovea_result configure(const char *file, struct fovea_log log, bool defaults_if_wrong)
{
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    desc.file = file;
    desc.ignore_changes = true;
    desc.defaults_if_wrong = defaults_if_wrong;
    desc.log = log;
    struct fovea_config *config = NULL;
    struct fovea_settings *fresh = NULL;
    enum fovea_result result = fovea_config_create(&desc, &config);
    if (result == FOVEA_OK) {
        result = fovea_settings_copy(fovea_config_settings(config), &fresh);
    }
    fovea_config_destroy(&config);
    return result == FOVEA_OK ? put_in_force(fresh, log) : result;
}

void unity_settings_start(void)
{
    (void)configure(NULL, unity_log(), true); /* the log has what is wrong */
}

void unity_settings_stop(void)
{
    struct fovea_gaze_source *old_source = exchange_source(NULL, false);
    fovea_gaze_source_destroy(&old_source);
    pthread_mutex_lock(&lock);
    struct fovea_settings *old = in_force;
    in_force = NULL;
    pthread_mutex_unlock(&lock);
    fovea_settings_destroy(&old);
}

/* The library reads files: this one has no name. */
static int file_of(const char *json)
{
    const size_t length = strlen(json);
    const int file = memfd_create("fovea", MFD_CLOEXEC);
    if (file >= 0 && write(file, json, length) != (ssize_t)length) {
        close(file);
        return -1;
    }
    return file;
}

UNITY_EXPORT int32_t fovea_unity_configure(const char *json, char *out_error, int32_t bytes)
{
    char path[64];
    struct answer to = {out_error, bytes, NULL};
    const struct fovea_log log = answer_log(&to);
    if (!json) {
        return configure(NULL, log, false);
    }
    const int file = file_of(json);
    if (file < 0) {
        answer(&to, FOVEA_LOG_ERROR, "there is no memory for these settings");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    to.file = path;
    const enum fovea_result result = configure(path, log, false);
    close(file);
    return result;
}

UNITY_EXPORT int32_t fovea_unity_configure_file(const char *file, char *out_error, int32_t bytes)
{
    struct answer to = {out_error, bytes, NULL};
    const struct fovea_log log = answer_log(&to);
    return file ? configure(file, log, false) : FOVEA_ERROR_INVALID_ARGUMENT;
}

UNITY_EXPORT int32_t fovea_unity_set(const char *path, const char *value, char *out_error,
                                     int32_t bytes)
{
    struct answer to = {out_error, bytes, NULL};
    const struct fovea_log log = answer_log(&to);
    struct fovea_settings *fresh = NULL;
    enum fovea_result result =
        in_force ? fovea_settings_copy(in_force, &fresh) : fovea_settings_create(&fresh);
    if (result == FOVEA_OK) {
        result = fovea_settings_set(fresh, path, value, log);
    }
    if (result == FOVEA_OK) {
        return put_in_force(fresh, log);
    }
    fovea_settings_destroy(&fresh);
    return result;
}

UNITY_EXPORT int32_t fovea_unity_get(const char *path, char *out_text, int32_t bytes)
{
    return bytes > 0 ? fovea_settings_get(in_force, path, out_text, (size_t)bytes)
                     : FOVEA_ERROR_INVALID_ARGUMENT;
}
