/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "settings_usable.h"

#include "core/log.h"
#include "foveate/foveate_model.h"

enum fovea_result settings_usable(const struct fovea_settings *settings, struct fovea_log log)
{
    FOVEA_TRY(fovea_settings_check(settings, log));
    /* How much blur a view asks for depends on the image's size and is said when that is known. */
    struct foveate_model model;
    if (settings->foveation.model == FOVEA_MODEL_PAPER &&
        !foveate_model_init(&model, &settings->foveation, 1, 1)) {
        log_error(log, "foveation: these settings together ask for a blur that no image needs");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}
