/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "settings_take.h"

#include "config/prepare.h"
#include "core/log.h"
#include "kernels/operators.h"

#include <stdlib.h>

static const struct operator_settings_api *api_at(int i)
{
    return operators_at((enum fovea_operator)i)->settings;
}

void settings_kept_finish(struct settings_kept *kept)
{
    for (int i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        if (api_at(i)) {
            api_at(i)->release(&kept->of[i]);
        }
    }
    operator_files_finish(&kept->files);
}

void settings_kept_release_unused(struct settings_kept *kept)
{
    for (int i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        if (kept->of[i] && !kept->used[i]) {
            api_at(i)->release(&kept->of[i]);
        }
    }
}

enum fovea_result settings_read(struct fovea_settings *settings, struct fovea_log log)
{
    for (int i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        if (api_at(i)) {
            FOVEA_TRY(api_at(i)->prepare(settings, log));
        }
    }
    return FOVEA_OK;
}

static enum fovea_result take(struct fovea_settings *settings, const struct settings_kept *kept,
                              struct fovea_log log, struct settings_kept *fresh)
{
    for (int i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        if (api_at(i)) {
            FOVEA_TRY(api_at(i)->take(settings, kept->of[i], log, &fresh->of[i]));
        }
    }
    return operator_files_take(settings, log, &fresh->files);
}

static void keep(struct settings_kept *kept, struct settings_kept *fresh)
{
    for (int i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        kept->used[i] = fresh->of[i];
        if (fresh->of[i]) {
            api_at(i)->keep(&kept->of[i], &fresh->of[i]);
        }
    }
    operator_files_finish(&kept->files);
    kept->files = fresh->files;
}

static struct fovea_settings *copy_of(const struct fovea_settings *settings, struct fovea_log log)
{
    struct fovea_settings *copy = malloc(sizeof *copy);
    if (copy) {
        *copy = *settings;
    } else {
        log_error(log, "out of memory");
    }
    return copy;
}

/* On the thread that reads saved settings: what is read here is there when they are taken. */
static enum fovea_result prepare(struct fovea_settings *settings, struct fovea_log log)
{
    struct operator_files files;
    FOVEA_TRY(settings_read(settings, log));
    struct fovea_settings *taken = copy_of(settings, log);
    FOVEA_TRY_MEMORY(taken);
    const enum fovea_result result = operator_files_take(taken, log, &files);
    if (result == FOVEA_OK) {
        operator_files_finish(&files);
    }
    free(taken);
    return result;
}

enum fovea_result settings_take(struct fovea_settings *settings, struct settings_kept *kept,
                                struct fovea_log log)
{
    config_prepare_by(prepare); /* settings that are saved from now on */
    FOVEA_TRY(config_settings_check(settings, log));
    struct settings_kept fresh = {0};
    const enum fovea_result result = take(settings, kept, log, &fresh);
    if (result < 0) {
        settings_kept_finish(&fresh);
        return result;
    }
    keep(kept, &fresh);
    return FOVEA_OK;
}

enum fovea_result settings_prepare(struct fovea_settings *settings, struct fovea_log log)
{
    FOVEA_TRY(config_settings_check(settings, log));
    FOVEA_TRY(settings_read(settings, log));
    return settings_try(settings, log);
}

enum fovea_result settings_try(const struct fovea_settings *settings, struct fovea_log log)
{
    struct settings_kept kept = {0};
    struct fovea_settings *taken = copy_of(settings, log);
    FOVEA_TRY_MEMORY(taken);
    const enum fovea_result result = settings_take(taken, &kept, log);
    settings_kept_finish(&kept);
    free(taken);
    return result;
}
