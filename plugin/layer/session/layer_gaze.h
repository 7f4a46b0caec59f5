/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gaze sources are opened and closed on a thread of its own, because files, sockets and threads
 * take their time: no frame waits for it. What is asked for last counts. The thread starts when it
 * is first needed. Its functions are called by one thread at a time. */
#ifndef FOVEA_LAYER_GAZE_H
#define FOVEA_LAYER_GAZE_H

#include "config/settings.h"

struct layer_gaze;

/* NULL: out of memory. */
struct layer_gaze *layer_gaze_create(void);
/* What it has is closed. Waits for that, half a second at most where a source does not answer; the
 * thread then ends by itself. NULL is left alone. */
void layer_gaze_leave(struct layer_gaze **gaze);

/* What was to be closed is closed before; where `wanted` cannot be opened `former` is, unless it is
 * NULL. False: there is no thread, and nothing was asked for. */
FOVEA_MUST_CHECK bool layer_gaze_ask(struct layer_gaze *gaze,
                                     const struct fovea_gaze_settings *wanted,
                                     const struct fovea_gaze_settings *former);
/* Nothing is wanted any more. */
void layer_gaze_cancel(struct layer_gaze *gaze);

/* True, once for what was asked for last: *out_source is open by *out_settings and the caller's, or
 * it is NULL and the log says why. */
FOVEA_MUST_CHECK bool layer_gaze_take(struct layer_gaze *gaze,
                                      struct fovea_gaze_source **out_source,
                                      struct fovea_gaze_settings *out_settings);
/* Until there is something to take; so long at most. */
void layer_gaze_wait(struct layer_gaze *gaze, double ms);

/* Nobody uses it any more. Sets *source to NULL. */
void layer_gaze_close(struct layer_gaze *gaze, struct fovea_gaze_source **source);

#endif
