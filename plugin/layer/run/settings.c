/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "options.h"

#include "core/log.h"
#include "plugin/layer/session/layer_defaults.h"

struct fovea_config *settings_read(const struct options *options, struct fovea_log log)
{
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    struct fovea_config *config = NULL;
    static struct fovea_settings defaults;
    layer_defaults(&defaults);
    desc.defaults = &defaults;
    desc.file = options->config;
    desc.sets = options->sets;
    desc.set_count = options->set_count;
    desc.ignore_changes = true;
    desc.log = log;
    const enum fovea_result result = fovea_config_create(&desc, &config);
    if (result == FOVEA_OK) {
        return config;
    }
    if (result != FOVEA_ERROR_CONFIG && result != FOVEA_ERROR_IO) {
        log_error(log, "the configuration cannot be read: %s", fovea_result_name(result));
    }
    return NULL;
}
