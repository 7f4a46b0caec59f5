/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "core/log.h"
#include "core/struct_bytes.h"
#include "object.h"
#include "watch.h"

#include <stdlib.h>

struct fovea_config {
    struct fovea_settings settings; /* samples of a program's map are ours */
    struct fovea_log log;
    struct config_watch *watch; /* NULL: the files are not watched */
    struct config_news *news; /* taken from it and not told yet */
    bool unwatched; /* the thread could not be had */
};

/* ---- Create and destroy */

STRUCT_ENDS_WITH(struct fovea_config_desc, log);

static bool desc_is_good(const struct fovea_config_desc *desc)
{
    if ((desc->set_count > 0 && !desc->sets) ||
        !struct_bytes_are_0(desc->reserved, sizeof desc->reserved)) {
        return false;
    }
    for (size_t i = 0; i < desc->set_count; i++) {
        if (!desc->sets[i]) {
            return false;
        }
    }
    return true;
}

/* The reader's samples of a map go with the reader. */
static void take(struct fovea_config *config, const struct fovea_settings *settings)
{
    float *values = config->settings.foveation.map.own_values;
    config_settings_take(&config->settings, settings);
    config->settings.foveation.map.own_values = values;
    config->settings.foveation.map.values = values;
}

static enum fovea_result load(struct fovea_config *config, const struct fovea_config_desc *desc,
                              struct config_reader *reader)
{
    struct fovea_settings *loaded = malloc(sizeof *loaded);
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    if (loaded) {
        result = config_reader_load(reader, loaded);
    } else {
        log_error(config->log, "configuration: out of memory");
    }
    if (result == FOVEA_OK) {
        take(config, loaded);
    } else if (desc->defaults_if_wrong) {
        take(config, &reader->defaults);
        log_warning(config->log, "the configuration cannot be taken; the defaults are in force");
        result = FOVEA_OK;
    }
    free(loaded);
    return result;
}

static enum fovea_result fill(struct fovea_config *config, const struct fovea_config_desc *desc,
                              struct config_reader *reader)
{
    FOVEA_TRY(config_settings_hold(&config->settings, desc->defaults));
    FOVEA_TRY(config_reader_init(reader, desc));
    FOVEA_TRY(load(config, desc, reader));
    const enum fovea_result result =
        desc->ignore_changes ? FOVEA_OK : config_watch_create(reader, &config->watch);
    if (result < 0) {
        log_error(config->log, "configuration: out of memory");
    }
    return result;
}

enum fovea_result fovea_config_create(const struct fovea_config_desc *desc,
                                      struct fovea_config **out_config)
{
    if (!out_config) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_config = NULL;
    struct fovea_config_desc taken;
    if (!desc || !struct_take(&taken, sizeof taken, desc) || !desc_is_good(&taken)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct fovea_config *config = calloc(1, sizeof *config);
    struct config_reader *reader = calloc(1, sizeof *reader);
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    if (config && reader) {
        config->log = taken.log;
        result = fill(config, &taken, reader);
        config_reader_finish(reader);
    } else {
        log_error(taken.log, "configuration: out of memory");
    }
    free(reader);
    if (result < 0) {
        fovea_config_destroy(&config);
    }
    *out_config = config;
    return result;
}

void fovea_config_destroy(struct fovea_config **config)
{
    if (!config || !*config) {
        return;
    }
    config_watch_leave(&(*config)->watch);
    config_news_finish(&(*config)->news);
    config_settings_release(&(*config)->settings);
    free(*config);
    *config = NULL;
}

const struct fovea_settings *fovea_config_settings(const struct fovea_config *config)
{
    return config ? &config->settings : NULL;
}

/* ---- News */

static bool is_watched(struct fovea_config *config)
{
    if (!config->watch || config->unwatched) {
        return false;
    }
    if (!config_watch_is_started(config->watch) && config_watch_start(config->watch) < 0) {
        config->unwatched = true;
        log_warning(config->log, "configuration: there is no thread to watch the files; changes of "
                                 "them are not taken");
    }
    return !config->unwatched;
}

/* The oldest of them. */
static struct config_news *next_news(struct fovea_config *config)
{
    if (!config->news) {
        config->news = config_watch_take(config->watch);
    }
    struct config_news *news = config->news;
    if (news && news->before) {
        struct config_news *before = news->before;
        news->before = NULL;
        return before;
    }
    config->news = NULL;
    return news;
}

enum fovea_result fovea_config_poll(struct fovea_config *config)
{
    if (!config) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct config_news *news = is_watched(config) ? next_news(config) : NULL;
    if (!news) {
        return FOVEA_NOT_READY;
    }
    const enum fovea_result result = news->result;
    if (result == FOVEA_OK) {
        take(config, &news->settings);
    }
    config_said_tell(&news->said, config->log);
    config_news_finish(&news);
    return result;
}

bool config_has_news(const struct fovea_config *config)
{
    return config->watch && config_watch_has_news(config->watch);
}

enum fovea_result fovea_config_reload(struct fovea_config *config)
{
    if (!config) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!is_watched(config)) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    config_watch_reload(config->watch);
    return FOVEA_OK;
}
