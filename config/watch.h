/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A thread that looks at configuration files and reads them, so that nobody else waits for a file
 * system.
 *
 * It looks five times a second for as long as somebody asks for news, and sleeps otherwise. It
 * calls nobody: what it has to say comes with the news. It may hang where a file system does not
 * answer, and nobody waits for it then: whoever leaves it waits at most half a second, and it ends
 * by itself. */
#pragma once

#include "reader.h"
#include "said.h"

struct config_watch;

/* The result of reading. */
struct config_news {
    struct config_news *before; /* taken first; NULL: none */
    enum fovea_result result; /* as fovea_config_poll says it; not FOVEA_NOT_READY */
    struct fovea_settings settings; /* where the result is FOVEA_OK */
    struct config_said said;
};

/* Takes the reader over on success. No thread is started yet. */
FOVEA_MUST_CHECK enum fovea_result config_watch_create(struct config_reader *reader,
                                                       struct config_watch **out_watch);
/* NULL-safe, writes NULL. In a child of fork, which does not have the thread, its memory stays. */
void config_watch_leave(struct config_watch **watch);

/* Starts the thread, once. */
FOVEA_MUST_CHECK enum fovea_result config_watch_start(struct config_watch *watch);
bool config_watch_is_started(const struct config_watch *watch);

/* All files are to be read again, changed or not. Waits for nothing. */
void config_watch_reload(struct config_watch *watch);

/* Whether there are any, and as if they had been asked for: the thread goes on looking. Any thread,
 * before the watch is left. */
bool config_watch_has_news(struct config_watch *watch);

/* The news since the last call, the caller's; NULL: none. Waits for nothing and takes no lock. */
struct config_news *config_watch_take(struct config_watch *watch);
void config_news_finish(struct config_news **news);
