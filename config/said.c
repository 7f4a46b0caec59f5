/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "said.h"

#include <stdlib.h>
#include <string.h>

static void collect(void *user, enum fovea_log_level level, const char *message)
{
    struct config_said *said = user;
    const size_t bytes = strlen(message) + 2;
    if (said->count + bytes > CONFIG_SAID_MAX_BYTES) {
        return;
    }
    char *grown = realloc(said->bytes, said->count + bytes);
    if (!grown) {
        return;
    }
    grown[said->count] = (char)level;
    memcpy(grown + said->count + 1, message, bytes - 1);
    said->bytes = grown;
    said->count += bytes;
}

struct fovea_log config_said_collect(struct config_said *said, struct fovea_log log)
{
    *said = (struct config_said){0};
    return (struct fovea_log){
        .fn = log.fn ? collect : NULL, .user = said, .min_level = log.min_level};
}

void config_said_tell(const struct config_said *said, struct fovea_log log)
{
    for (size_t at = 0; log.fn && at < said->count; at += strlen(said->bytes + at + 1) + 2) {
        log.fn(log.user, (enum fovea_log_level)said->bytes[at], said->bytes + at + 1);
    }
}

void config_said_finish(struct config_said *said)
{
    free(said->bytes);
    *said = (struct config_said){0};
}
