/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Keeps the samples of a map when foveation takes settings. */

#include "core/log.h"
#include "kernels/foveate/foveate.h"
#include "map_copy.h"
#include "map_ready.h"
#include "model.h"

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

static enum fovea_result take_map(struct fovea_foveation *foveation, struct foveate_map_copy *copy,
                                  struct fovea_log log, struct foveate_map_copy *fresh)
{
    FOVEA_TRY(foveate_map_copy_make(&foveation->map, copy, log, fresh));
    const struct foveate_map_copy *now = fresh->samples ? fresh : copy;
    if (!fresh->ready) {
        fresh->ready = foveate_map_ready_share(copy->ready);
    }
    foveate_map_copy_make_ready(now, foveation, &fresh->ready);
    foveation->map.ready = fresh->ready;
    return FOVEA_OK;
}

static bool is_chosen(const struct fovea_settings *settings)
{
    return config_operators_have(&settings->operators, FOVEA_OPERATOR_foveate);
}

static struct foveate_map_copy *own(struct operator_kept *kept)
{
    return (struct foveate_map_copy *)kept;
}

static void release(struct operator_kept **kept)
{
    if (*kept) {
        foveate_map_copy_finish(own(*kept));
        free(*kept);
        *kept = NULL;
    }
}

static enum fovea_result take(struct fovea_settings *settings, struct operator_kept *kept,
                              struct fovea_log log, struct operator_kept **out_fresh)
{
    struct fovea_foveation *foveation = &settings->foveation;
    struct foveate_map_copy none = {0};
    *out_fresh = NULL;
    foveation->map.own_values = NULL; /* the program may free them at once */
    foveation->map.ready = NULL;
    if (foveation->model != FOVEA_MODEL_MAP || !is_chosen(settings)) {
        foveation->map.values = NULL;
        return is_chosen(settings) ? check_model(foveation, log) : FOVEA_OK;
    }
    struct foveate_map_copy *fresh = calloc(1, sizeof *fresh);
    *out_fresh = (struct operator_kept *)fresh;
    if (!fresh) {
        log_error(log, "out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    enum fovea_result result = take_map(foveation, kept ? own(kept) : &none, log, fresh);
    if (result == FOVEA_OK) {
        result = check_model(foveation, log);
    }
    if (result < 0) {
        release(out_fresh);
    }
    return result;
}

/* A fresh copy has new samples, or only values that are ready for the samples that are there. */
static void keep(struct operator_kept **kept, struct operator_kept **fresh)
{
    struct foveate_map_copy *from = own(*fresh);
    if (!*kept || from->samples) {
        release(kept);
        *kept = *fresh;
        *fresh = NULL;
    } else if (from->ready) {
        foveate_map_ready_release(&own(*kept)->ready);
        own(*kept)->ready = from->ready;
        from->ready = NULL;
    }
    release(fresh);
}

const struct operator_settings_api foveate_settings = {
    .prepare = foveate_map_store_prepare,
    .take = take,
    .keep = keep,
    .release = release,
};
