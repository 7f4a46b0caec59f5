/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The settings and the gaze source of all cameras: scripts change them, frames take them. */

#include "unity.h"

#include "kernels/chain/chain.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Scripts may set settings before Unity has loaded the plugin. */
static struct engine_feed feed = ENGINE_FEED_START;
static _Atomic enum fovea_backend backend;
static atomic_bool needs_depth;

/* ---- The render thread's side ---- */

enum fovea_backend unity_settings_backend(void)
{
    return atomic_load(&backend);
}

bool unity_settings_need_depth(void)
{
    return atomic_load(&needs_depth);
}

const struct engine_settings *unity_settings_take(void)
{
    return engine_feed_take(&feed);
}

struct fovea_gaze unity_settings_gaze(uint32_t width_px, uint32_t height_px)
{
    return engine_feed_gaze(&feed, width_px, height_px, NULL);
}

double unity_settings_vergence_m(void)
{
    return engine_feed_vergence_m(&feed);
}

struct shower {
    struct fovea_vk *fovea;
    bool bottom_up;
};

static void show(void *user, struct fovea_gaze_source *source)
{
    const struct shower *shower = user;
    (void)!fovea_vk_show_frames(shower->fovea, source, shower->bottom_up); /* or it sees none */
}

void unity_settings_show(struct fovea_vk *fovea, bool bottom_up)
{
    struct shower shower = {fovea, bottom_up};
    engine_feed_show(&feed, show, &shower);
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

static enum fovea_result put_in_force(const struct fovea_settings *fresh, struct fovea_log log)
{
    const enum fovea_result result = engine_feed_set(&feed, fresh, log, unity_log());
    if (result == FOVEA_OK) {
        atomic_store(&backend, fresh->backend);
        atomic_store(&needs_depth, chain_needs_depth(&fresh->operators));
    }
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
    enum fovea_result result = fovea_config_create(&desc, &config);
    if (result == FOVEA_OK) {
        result = put_in_force(fovea_config_settings(config), log);
    }
    fovea_config_destroy(&config);
    return result;
}

void unity_settings_start(void)
{
    (void)configure(NULL, unity_log(), true); /* the log has what is wrong */
}

void unity_settings_stop(void)
{
    engine_feed_finish(&feed);
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
    const struct fovea_settings *asked = engine_feed_asked(&feed);
    enum fovea_result result =
        asked ? fovea_settings_copy(asked, &fresh) : fovea_settings_create(&fresh);
    if (result == FOVEA_OK) {
        result = fovea_settings_set(fresh, path, value, log);
    }
    if (result == FOVEA_OK) {
        result = put_in_force(fresh, log);
    }
    fovea_settings_destroy(&fresh);
    return result;
}

UNITY_EXPORT int32_t fovea_unity_get(const char *path, char *out_text, int32_t bytes)
{
    return bytes > 0 ? fovea_settings_get(engine_feed_asked(&feed), path, out_text, (size_t)bytes)
                     : FOVEA_ERROR_INVALID_ARGUMENT;
}
