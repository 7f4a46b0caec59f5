/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gaze sources are opened and closed on a thread of its own, because files, sockets and threads
 * take their time: no frame waits for it. What is asked for last counts. The thread starts when it
 * is first needed. Its functions are called by one thread at a time. */
#pragma once

#include "config/settings.h"

struct gaze_opener;

/* NULL: out of memory. log: asked for one whenever something is said, on any thread. */
struct gaze_opener *gaze_opener_create(struct fovea_log (*log)(void));
/* Closes what it has. Waits for that, half a second at most where a source does not answer; the
 * thread then ends by itself. NULL is left alone. */
void gaze_opener_leave(struct gaze_opener **gaze);

/* Closes first what was to be closed; where `wanted` cannot be opened `former` is, unless it is
 * NULL. False: there is no thread, and nothing was asked for. */
FOVEA_MUST_CHECK bool gaze_opener_ask(struct gaze_opener *gaze,
                                      const struct fovea_gaze_settings *wanted,
                                      const struct fovea_gaze_settings *former);
/* Nothing is wanted any more. */
void gaze_opener_cancel(struct gaze_opener *gaze);

/* True, once for what was asked for last: *out_source is open by *out_settings and the caller's, or
 * it is NULL and the log says why. */
FOVEA_MUST_CHECK bool gaze_opener_take(struct gaze_opener *gaze,
                                       struct fovea_gaze_source **out_source,
                                       struct fovea_gaze_settings *out_settings);
/* Until there is something to take; so long at most. */
void gaze_opener_wait(struct gaze_opener *gaze, double ms);

/* Nobody uses it any more. Sets *source to NULL. */
void gaze_opener_close(struct gaze_opener *gaze, struct fovea_gaze_source **source);
