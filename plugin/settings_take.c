/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "settings_take.h"

#include "core/log.h"
#include "foveate/foveate_model.h"
#include "map_store.h"
#include "prepare.h"

/* How much blur a view asks for depends on the image's size and is said when that is known. */
static enum fovea_result check_model(const struct fovea_foveation *foveation, struct fovea_log log)
{
    struct foveate_model model;
    const bool of_a_view =
        foveation->model == FOVEA_MODEL_PHYSICAL || foveation->model == FOVEA_MODEL_CURVE ||
        (foveation->model == FOVEA_MODEL_MAP && foveation->map.degrees == FOVEA_MAP_DEGREES_VIEW);
    if (!of_a_view && !foveate_model_init(&model, foveation, 1, 1)) {
        log_error(log, "foveation: these settings together ask for a blur that no image needs");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

enum fovea_result settings_take(struct fovea_settings *settings, struct map_copy *copy,
                                struct fovea_log log)
{
    config_prepare_by(map_store_prepare); /* settings that are saved from now on */
    FOVEA_TRY(fovea_settings_check(settings, log));
    struct map_copy fresh = {0};
    if (settings->foveation.model == FOVEA_MODEL_MAP) {
        FOVEA_TRY(map_copy_make(&settings->foveation.map, copy, log, &fresh));
    }
    const enum fovea_result result = check_model(&settings->foveation, log);
    if (result < 0) {
        map_copy_finish(&fresh);
        return result;
    }
    if (fresh.values) {
        map_copy_finish(copy);
        *copy = fresh;
    }
    return FOVEA_OK;
}
