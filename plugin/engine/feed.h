/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings and the gaze source that they name, from an engine's scripts to its frames. Whoever sets
 * them reads files, opens the source and hears what is wrong. Frames take both: they read no file,
 * open nothing, allocate nothing and wait for nobody.
 *
 * Threads: one at a time sets, and one at a time takes; both may be at work at once. */
#pragma once

#include "config/settings.h"
#include "fovea_gaze.h"
#include "plugin/context/settings_take.h"

#include <pthread.h>
#include <stdatomic.h>

/* These are as they were set; nobody changes them while they are in force, or a frame has them. */
struct engine_settings {
    uint64_t serial; /* another one each time; never 0 */
    struct fovea_settings asked; /* for a context, which takes them */
    struct fovea_settings taken; /* for plans: they refer to the map's samples */
    struct settings_kept kept;
};

/* One that is in force, one that frames still have, and one that is being made. */
#define ENGINE_FEED_SETTINGS 3

struct engine_feed {
    pthread_mutex_t lock; /* of the two pointers: held to exchange them, frames only try */
    struct engine_settings all[ENGINE_FEED_SETTINGS];
    struct engine_settings *in_force; /* NULL: none yet */
    struct engine_settings *held; /* by frames */
    _Atomic uint64_t serial; /* of those in force; 0: none */

    pthread_mutex_t source_lock; /* of these four: held to exchange or to read it */
    struct fovea_gaze_source *source;
    bool source_changes; /* the former one is closed, and another one is being opened */
    struct fovea_gaze last; /* what frames read */
    double last_vergence_m; /* with it; 0: not known */

    struct fovea_log source_log; /* for what the source has to say while it is open */
};

/* All else is 0. */
#define ENGINE_FEED_START                                                                          \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .source_lock = PTHREAD_MUTEX_INITIALIZER                \
    }

/* The feed is zeroed. One with ENGINE_FEED_START does without. */
void engine_feed_init(struct engine_feed *feed);
/* No frame and no setting thread is at work. The feed may be used again. */
void engine_feed_finish(struct engine_feed *feed);

/* ---- Setting ---- */

/* Puts a copy in force as soon as all that it asks for is there. On failure `log` has what is wrong
 * and all stays as it was. source_log hears from a source that is open, from its own thread. */
FOVEA_MUST_CHECK enum fovea_result engine_feed_set(struct engine_feed *feed,
                                                   const struct fovea_settings *settings,
                                                   struct fovea_log log,
                                                   struct fovea_log source_log);
/* For the thread that sets. NULL: there are none. */
const struct fovea_settings *engine_feed_asked(const struct engine_feed *feed);

/* ---- Taking ---- */

/* The settings in force, which stay as they are until this is called again; those of the last time
 * where the others are being exchanged just now. NULL: there are none yet. */
const struct engine_settings *engine_feed_take(struct engine_feed *feed);

/* Reads the settings' source, now, in an image of that size. given: a sample for a source that
 * programs feed; may be NULL. While another source is opened, or there is an exchange just now, it
 * is the last gaze. */
struct fovea_gaze engine_feed_gaze(struct engine_feed *feed, uint32_t width_px, uint32_t height_px,
                                   const struct fovea_gaze_sample *given);
/* How far away both eyes look by that reading, fovea_gaze_source_vergence_m. On its thread. */
double engine_feed_vergence_m(const struct engine_feed *feed);

/* Calls `show` with the settings' source, which is there meanwhile, unless there is an exchange
 * just now; the source is NULL where there is none. */
void engine_feed_show(struct engine_feed *feed,
                      void (*show)(void *user, struct fovea_gaze_source *source), void *user);
