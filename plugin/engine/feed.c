/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "feed.h"

#include "core/log.h"
#include "plugin/context/settings_take.h"
#include "plugin/gaze/gaze_settings.h"
#include "plugin/gaze/gaze_source.h"

static const struct fovea_gaze no_gaze = {.point = {0.5, 0.5}, .state = FOVEA_GAZE_LOST};

void engine_feed_init(struct engine_feed *feed)
{
    pthread_mutex_init(&feed->lock, NULL);
    pthread_mutex_init(&feed->source_lock, NULL);
}

/* ---- The source ---- */

/* A source's messages while this thread opens it go to the log of whoever sets the settings. */
static _Thread_local const struct fovea_log *opening;

static void source_says(void *user, enum fovea_log_level level, const char *message)
{
    const struct engine_feed *feed = user;
    const struct fovea_log *log = opening ? opening : &feed->source_log;
    if (log->fn && level >= log->min_level) {
        log->fn(log->user, level, message);
    }
}

static enum fovea_result open_source(struct engine_feed *feed,
                                     const struct fovea_settings *settings, struct fovea_log log,
                                     struct fovea_gaze_source **out_source)
{
    struct fovea_gaze_source_desc desc;
    fovea_gaze_source_desc_init(&desc);
    desc.settings = settings;
    desc.log = (struct fovea_log){.fn = source_says,
                                  .user = feed,
                                  .min_level = log.min_level < feed->source_log.min_level
                                                   ? log.min_level
                                                   : feed->source_log.min_level};
    desc.movements = true;
    opening = &log;
    const enum fovea_result result = fovea_gaze_source_create(&desc, out_source);
    opening = NULL;
    return result;
}

/* The former one is destroyed. changes: another one comes soon. */
static void exchange_source(struct engine_feed *feed, struct fovea_gaze_source *with, bool changes)
{
    pthread_mutex_lock(&feed->source_lock);
    struct fovea_gaze_source *before = feed->source;
    feed->source = with;
    feed->source_changes = changes;
    pthread_mutex_unlock(&feed->source_lock);
    fovea_gaze_source_destroy(&before);
}

/* Two sources cannot have one port: there the former one goes first, and comes back. */
static enum fovea_result change_source(struct engine_feed *feed,
                                       const struct fovea_settings *settings, struct fovea_log log)
{
    const struct fovea_settings *former = engine_feed_asked(feed);
    const bool in_turn =
        former && gaze_kind_has_port(former->gaze.kind) && gaze_kind_has_port(settings->gaze.kind);
    struct fovea_gaze_source *opened = NULL;
    if (in_turn) {
        exchange_source(feed, NULL, true);
    }
    const enum fovea_result result = open_source(feed, settings, log, &opened);
    if (result < 0) {
        log_error(log, "the gaze source of these settings cannot be opened");
    }
    if (result < 0 && in_turn && open_source(feed, former, log, &opened) < 0) {
        opened = NULL;
    }
    if (result == FOVEA_OK || in_turn) {
        exchange_source(feed, opened, false);
    }
    return result;
}

struct fovea_gaze engine_feed_gaze(struct engine_feed *feed, uint32_t width_px, uint32_t height_px,
                                   const struct fovea_gaze_sample *given)
{
    if (pthread_mutex_trylock(&feed->source_lock) != 0) {
        return feed->last;
    }
    if (feed->source && given) {
        /* Another source takes none, and one of the same time as the last is refused: no matter. */
        (void)!fovea_gaze_source_push(feed->source, given);
    }
    const int64_t now_ns = fovea_time_ns();
    const bool read = feed->source && fovea_gaze_source_read(feed->source, now_ns, width_px,
                                                             height_px, &feed->last) >= 0;
    feed->last_vergence_m = fovea_gaze_source_vergence_m(feed->source, now_ns);
    if (!read && !feed->source_changes) {
        feed->last = no_gaze;
    }
    const struct fovea_gaze gaze = feed->last;
    pthread_mutex_unlock(&feed->source_lock);
    return gaze;
}

double engine_feed_vergence_m(const struct engine_feed *feed)
{
    return feed->last_vergence_m;
}

void engine_feed_show(struct engine_feed *feed,
                      void (*show)(void *user, struct fovea_gaze_source *source), void *user)
{
    if (pthread_mutex_trylock(&feed->source_lock) == 0) {
        show(user, feed->source);
        pthread_mutex_unlock(&feed->source_lock);
    }
}

/* ---- The settings ---- */

/* One that is neither in force nor a frame's. Its map's samples may be what is asked for again. */
static struct engine_settings *find_spare(struct engine_feed *feed)
{
    struct engine_settings *spare = feed->all;
    pthread_mutex_lock(&feed->lock);
    while (spare == feed->in_force || spare == feed->held) {
        spare++;
    }
    pthread_mutex_unlock(&feed->lock);
    return spare;
}

/* settings_prepare, with what it makes kept. */
static enum fovea_result prepare(struct engine_settings *fresh, struct fovea_log log)
{
    FOVEA_TRY(config_settings_check(&fresh->asked, log));
    FOVEA_TRY(settings_read(&fresh->asked, log));
    fresh->taken = fresh->asked;
    FOVEA_TRY(settings_take(&fresh->taken, &fresh->kept, log));
    settings_kept_release_unused(&fresh->kept);
    return FOVEA_OK;
}

static void put_in_force(struct engine_feed *feed, struct engine_settings *fresh)
{
    fresh->serial = atomic_load(&feed->serial) + 1;
    pthread_mutex_lock(&feed->lock);
    feed->in_force = fresh;
    atomic_store(&feed->serial, fresh->serial);
    pthread_mutex_unlock(&feed->lock);
}

enum fovea_result engine_feed_set(struct engine_feed *feed, const struct fovea_settings *settings,
                                  struct fovea_log log, struct fovea_log source_log)
{
    const struct fovea_settings *former = engine_feed_asked(feed);
    struct engine_settings *fresh = find_spare(feed);
    fresh->asked = *settings;
    fresh->asked.foveation.map.own_values = NULL; /* theirs */
    FOVEA_TRY(prepare(fresh, log));
    fresh->asked.own = fresh->taken.own; /* with data of theirs no more */
    if (!former || !gaze_settings_same(&former->gaze, &fresh->asked.gaze)) {
        if (!former) {
            feed->source_log = source_log; /* no source reads it yet */
        }
        FOVEA_TRY(change_source(feed, &fresh->asked, log));
    }
    put_in_force(feed, fresh);
    return FOVEA_OK;
}

const struct fovea_settings *engine_feed_asked(const struct engine_feed *feed)
{
    return feed->in_force ? &feed->in_force->asked : NULL;
}

const struct engine_settings *engine_feed_take(struct engine_feed *feed)
{
    const bool newer = !feed->held || feed->held->serial != atomic_load(&feed->serial);
    if (newer && pthread_mutex_trylock(&feed->lock) == 0) {
        feed->held = feed->in_force;
        pthread_mutex_unlock(&feed->lock);
    }
    return feed->held;
}

void engine_feed_finish(struct engine_feed *feed)
{
    exchange_source(feed, NULL, false);
    for (int i = 0; i < ENGINE_FEED_SETTINGS; i++) {
        settings_kept_finish(&feed->all[i].kept);
    }
    feed->in_force = feed->held = NULL;
    feed->last = no_gaze;
}
