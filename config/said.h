/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Messages that wait to be said: a thread of ours collects them, and the program's own thread hands
 * them to the program's log. So the log is never called once its owner has destroyed what it was
 * given to. */
#pragma once

#include "fovea.h"

#define CONFIG_SAID_MAX_BYTES 65536

/* All 0: none. What memory does not suffice for is lost. */
struct config_said {
    char *bytes; /* of each message its level, and its text with the 0 at the end */
    size_t count;
};

/* A log that collects in *said what `log` would take. */
struct fovea_log config_said_collect(struct config_said *said, struct fovea_log log);
/* Repeats them in their order. */
void config_said_tell(const struct config_said *said, struct fovea_log log);
void config_said_finish(struct config_said *said);
