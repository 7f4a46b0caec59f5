/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "settings_take.h"

#include "config/prepare.h"
#include "core/log.h"
#include "kernels/foveate/model/map_ready.h"
#include "map_store.h"

#include <stdlib.h>

/* How much blur a view asks for depends on the image's size and is said when that is known. */
static enum fovea_result check_model(const struct fovea_foveation *foveation, struct fovea_log log)
{
    const bool of_a_view =
        foveation->model == FOVEA_MODEL_PHYSICAL || foveation->model == FOVEA_MODEL_CURVE ||
        (foveation->model == FOVEA_MODEL_MAP && foveation->map.degrees == FOVEA_MAP_DEGREES_VIEW);
    if (of_a_view) {
        return FOVEA_OK;
    }
    struct foveate_model *model = malloc(sizeof *model);
    if (!model) {
        log_error(log, "out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const bool good = foveate_model_init(model, foveation, 1, 1);
    free(model);
    if (!good) {
        log_error(log, "foveation: these settings together ask for a blur that no image needs");
    }
    return good ? FOVEA_OK : FOVEA_ERROR_INVALID_ARGUMENT;
}

static enum fovea_result take_map(struct fovea_foveation *foveation, struct map_copy *copy,
                                  struct fovea_log log, struct map_copy *fresh)
{
    /* The program may free its samples as soon as it has its answer. */
    const float *given = foveation->map.values;
    foveation->map.values = foveation->map.own_values = NULL;
    foveation->map.ready = NULL;
    if (foveation->model != FOVEA_MODEL_MAP) {
        return FOVEA_OK;
    }
    foveation->map.values = given;
    FOVEA_TRY(map_copy_make(&foveation->map, copy, log, fresh));
    const struct map_copy *now = fresh->values ? fresh : copy;
    if (!fresh->ready) {
        fresh->ready = foveate_map_ready_share(copy->ready);
    }
    map_copy_make_ready(now, foveation, &fresh->ready);
    foveation->map.ready = fresh->ready;
    return FOVEA_OK;
}

static void keep(struct map_copy *fresh, struct map_copy *copy)
{
    if (fresh->values) {
        const struct operator_files files = copy->files;
        map_copy_forget_map(copy);
        *copy = *fresh;
        copy->files = files;
    } else if (fresh->ready) {
        foveate_map_ready_release(&copy->ready);
        copy->ready = fresh->ready;
    }
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
    FOVEA_TRY(map_store_prepare(settings, log));
    struct fovea_settings *taken = copy_of(settings, log);
    if (!taken) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result result = operator_files_take(taken, log, &files);
    if (result == FOVEA_OK) {
        operator_files_finish(&files);
    }
    free(taken);
    return result;
}

enum fovea_result settings_take(struct fovea_settings *settings, struct map_copy *copy,
                                struct fovea_log log)
{
    config_prepare_by(prepare); /* settings that are saved from now on */
    FOVEA_TRY(fovea_settings_check(settings, log));
    struct map_copy fresh = {0};
    struct operator_files files = {{NULL}};
    FOVEA_TRY(take_map(&settings->foveation, copy, log, &fresh));
    enum fovea_result result = check_model(&settings->foveation, log);
    if (result >= 0) {
        result = operator_files_take(settings, log, &files);
    }
    if (result < 0) {
        map_copy_finish(&fresh);
        return result;
    }
    keep(&fresh, copy);
    operator_files_finish(&copy->files);
    copy->files = files;
    return FOVEA_OK;
}

enum fovea_result settings_prepare(struct fovea_settings *settings, struct fovea_log log)
{
    FOVEA_TRY(fovea_settings_check(settings, log));
    FOVEA_TRY(map_store_prepare(settings, log));
    return settings_try(settings, log);
}

enum fovea_result settings_try(const struct fovea_settings *settings, struct fovea_log log)
{
    struct map_copy copy = {0};
    struct fovea_settings *taken = copy_of(settings, log);
    if (!taken) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result result = settings_take(taken, &copy, log);
    map_copy_finish(&copy);
    free(taken);
    return result;
}
