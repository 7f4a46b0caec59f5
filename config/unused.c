/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "unused.h"

#include "key.h"
#include "words.h"

#include <string.h>

static bool has_view(const struct fovea_foveation *foveation)
{
    return foveation->model == FOVEA_MODEL_PHYSICAL || foveation->model == FOVEA_MODEL_CURVE ||
           (foveation->model == FOVEA_MODEL_MAP &&
            foveation->map.degrees == FOVEA_MAP_DEGREES_VIEW);
}

/* `paper` is not looked at: other models take some of it. */
static bool is_unused(const char *path, const struct fovea_foveation *foveation)
{
    const struct {
        const char *begin;
        bool used;
    } groups[] = {{"foveation.physical.", foveation->model == FOVEA_MODEL_PHYSICAL},
                  {"foveation.curve", foveation->model == FOVEA_MODEL_CURVE},
                  {"foveation.map.", foveation->model == FOVEA_MODEL_MAP},
                  {"foveation.geometry.", has_view(foveation)}};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (strncmp(path, groups[i].begin, strlen(groups[i].begin)) == 0) {
            return !groups[i].used;
        }
    }
    return false;
}

void config_unused_names(const struct fovea_settings *settings, char *text, size_t size)
{
    const struct fovea_settings defaults = fovea_settings_default();
    text[0] = 0;
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        const unsigned char *is = (const unsigned char *)settings + key->offset;
        const unsigned char *was = (const unsigned char *)&defaults + key->offset;
        if (is_unused(key->path, &settings->foveation) && memcmp(is, was, key->bytes) != 0) {
            config_words_add(text, size, "%s%s", text[0] ? ", " : "", key->path);
        }
    }
}
