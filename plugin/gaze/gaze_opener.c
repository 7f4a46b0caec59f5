/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_opener.h"

#include "core/log.h"
#include "core/process.h"
#include "core/thread.h"
#include "gaze_source.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LEAVING_MS 500.0
/* One in use and one that was ready are closed at a time; nothing comes after them before they
 * are. */
#define CLOSING_MAX 4

/* Two own it: who has made it, and the thread. The last one to leave frees it. */
struct gaze_opener {
    struct fovea_log (*log)(void);
    pthread_mutex_t lock; /* held for a look, never while a source is opened or closed */
    pthread_cond_t changed;
    struct fovea_gaze_settings wanted;
    struct fovea_gaze_settings former;
    bool has_former;
    struct fovea_gaze_settings trying; /* the thread's own: what it opens, without the lock */
    struct fovea_gaze_settings trying_former;
    bool asked; /* the thread has not looked yet */
    uint64_t serial; /* of what was asked for last */
    struct fovea_gaze_source *ready;
    struct fovea_gaze_settings ready_settings;
    atomic_bool is_ready; /* `ready` is the answer, NULL too */
    struct fovea_gaze_source *closing[CLOSING_MAX];
    uint32_t closing_count;
    bool stop;
    bool ended;
    uint32_t owners;
    bool started;
    pid_t process; /* that has the thread */
    pthread_t thread;
};

static void free_gaze(struct gaze_opener *gaze)
{
    pthread_cond_destroy(&gaze->changed);
    pthread_mutex_destroy(&gaze->lock);
    free(gaze);
}

/* ---- The thread */

static struct fovea_gaze_source *open_by(const struct gaze_opener *gaze,
                                         const struct fovea_gaze_settings *settings)
{
    struct fovea_gaze_source *source = NULL;
    if (gaze_source_open(settings, gaze->log(), &source) < 0) {
        log_warning(gaze->log(), "the gaze source %s cannot be opened",
                    gaze_kind_name(settings->kind));
    }
    return source;
}

/* Called with the lock, which is let go meanwhile. */
static void close_all(struct gaze_opener *gaze)
{
    struct fovea_gaze_source *closing[CLOSING_MAX];
    const uint32_t count = gaze->closing_count;
    memcpy(closing, gaze->closing, sizeof closing);
    gaze->closing_count = 0;
    pthread_mutex_unlock(&gaze->lock);
    for (uint32_t i = 0; i < count; i++) {
        fovea_gaze_source_destroy(&closing[i]);
    }
    pthread_mutex_lock(&gaze->lock);
}

/* Likewise. What nobody wants any more when it is open is closed at once. */
static void open_wanted(struct gaze_opener *gaze)
{
    const uint64_t serial = gaze->serial;
    const bool has_former = gaze->has_former;
    const struct fovea_gaze_settings *settings = &gaze->trying;
    gaze->trying = gaze->wanted;
    gaze->trying_former = gaze->former;
    gaze->asked = false;
    pthread_mutex_unlock(&gaze->lock);
    struct fovea_gaze_source *source = open_by(gaze, settings);
    if (!source && has_former) {
        settings = &gaze->trying_former;
        source = open_by(gaze, settings);
        if (source) {
            log_info(gaze->log(), "the former gaze source stays");
        }
    }
    pthread_mutex_lock(&gaze->lock);
    if (serial == gaze->serial && !gaze->stop) {
        gaze->ready = source;
        gaze->ready_settings = *settings;
        atomic_store(&gaze->is_ready, true);
        pthread_cond_broadcast(&gaze->changed);
        return;
    }
    pthread_mutex_unlock(&gaze->lock);
    fovea_gaze_source_destroy(&source);
    pthread_mutex_lock(&gaze->lock);
}

static void *run(void *user)
{
    struct gaze_opener *gaze = user;
    pthread_mutex_lock(&gaze->lock);
    while (gaze->closing_count > 0 || !gaze->stop) {
        if (gaze->closing_count > 0) {
            close_all(gaze);
        } else if (gaze->asked) {
            open_wanted(gaze);
        } else {
            pthread_cond_wait(&gaze->changed, &gaze->lock);
        }
    }
    gaze->ended = true;
    const bool last = --gaze->owners == 0;
    pthread_cond_broadcast(&gaze->changed);
    pthread_mutex_unlock(&gaze->lock);
    if (last) {
        free_gaze(gaze);
    }
    return NULL;
}

/* ---- Its owner */

struct gaze_opener *gaze_opener_create(struct fovea_log (*log)(void))
{
    struct gaze_opener *gaze = calloc(1, sizeof *gaze);
    if (gaze) {
        pthread_condattr_t attributes;
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_mutex_init(&gaze->lock, NULL);
        pthread_cond_init(&gaze->changed, &attributes);
        pthread_condattr_destroy(&attributes);
        gaze->log = log;
        gaze->owners = 1;
    }
    return gaze;
}

/* In the child of a fork there is no thread, and the lock may be held for ever. */
static bool has_thread(const struct gaze_opener *gaze)
{
    return gaze && gaze->started && !process_is_child_of(gaze->process);
}

static bool start(struct gaze_opener *gaze)
{
    if (!gaze || gaze->started) {
        return has_thread(gaze);
    }
    gaze->owners = 2;
    gaze->process = getpid();
    gaze->started = thread_start(&gaze->thread, run, gaze) == 0;
    return gaze->started;
}

/* Call it under the lock. */
static void add_closing(struct gaze_opener *gaze, struct fovea_gaze_source **source)
{
    if (*source && gaze->closing_count < CLOSING_MAX) {
        gaze->closing[gaze->closing_count++] = *source;
        *source = NULL;
        pthread_cond_broadcast(&gaze->changed);
    }
}

/* Call it under the lock. A source that is about to be ready is of no use any more. */
static void drop(struct gaze_opener *gaze)
{
    gaze->serial++;
    gaze->asked = false;
    atomic_store(&gaze->is_ready, false);
    add_closing(gaze, &gaze->ready);
}

bool gaze_opener_ask(struct gaze_opener *gaze, const struct fovea_gaze_settings *wanted,
                     const struct fovea_gaze_settings *former)
{
    if (!start(gaze)) {
        return false;
    }
    pthread_mutex_lock(&gaze->lock);
    drop(gaze);
    gaze->wanted = *wanted;
    gaze->has_former = former != NULL;
    if (former) {
        gaze->former = *former;
    }
    gaze->asked = true;
    pthread_cond_broadcast(&gaze->changed);
    pthread_mutex_unlock(&gaze->lock);
    return true;
}

void gaze_opener_cancel(struct gaze_opener *gaze)
{
    if (has_thread(gaze)) {
        pthread_mutex_lock(&gaze->lock);
        drop(gaze);
        pthread_mutex_unlock(&gaze->lock);
    }
}

bool gaze_opener_take(struct gaze_opener *gaze, struct fovea_gaze_source **out_source,
                      struct fovea_gaze_settings *out_settings)
{
    if (!gaze || !atomic_load(&gaze->is_ready) || !has_thread(gaze)) {
        return false;
    }
    pthread_mutex_lock(&gaze->lock);
    *out_source = gaze->ready;
    *out_settings = gaze->ready_settings;
    gaze->ready = NULL;
    atomic_store(&gaze->is_ready, false);
    pthread_mutex_unlock(&gaze->lock);
    return true;
}

static struct timespec after_ms(double ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(ms * 1e6);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

void gaze_opener_wait(struct gaze_opener *gaze, double ms)
{
    if (!has_thread(gaze)) {
        return;
    }
    const struct timespec until = after_ms(ms);
    int error = 0;
    pthread_mutex_lock(&gaze->lock);
    while (!atomic_load(&gaze->is_ready) && error == 0) {
        error = pthread_cond_timedwait(&gaze->changed, &gaze->lock, &until);
    }
    pthread_mutex_unlock(&gaze->lock);
}

void gaze_opener_close(struct gaze_opener *gaze, struct fovea_gaze_source **source)
{
    if (has_thread(gaze)) {
        pthread_mutex_lock(&gaze->lock);
        add_closing(gaze, source);
        pthread_mutex_unlock(&gaze->lock);
    }
    fovea_gaze_source_destroy(source); /* where there is no thread for it */
}

/* -> the thread has ended. */
static bool stop(struct gaze_opener *gaze, bool *out_last)
{
    const struct timespec until = after_ms(LEAVING_MS);
    int error = 0;
    pthread_mutex_lock(&gaze->lock);
    drop(gaze);
    gaze->stop = true;
    pthread_cond_broadcast(&gaze->changed);
    while (!gaze->ended && error == 0) {
        error = pthread_cond_timedwait(&gaze->changed, &gaze->lock, &until);
    }
    const bool ended = gaze->ended;
    *out_last = --gaze->owners == 0;
    pthread_mutex_unlock(&gaze->lock);
    return ended;
}

void gaze_opener_leave(struct gaze_opener **gaze)
{
    struct gaze_opener *own = *gaze;
    *gaze = NULL;
    bool last = false;
    if (!own || (own->started && !has_thread(own))) {
        return; /* a parent's is left alone */
    }
    if (!own->started) {
        free_gaze(own);
        return;
    }
    const pthread_t thread = own->thread;
    if (stop(own, &last)) {
        pthread_join(thread, NULL);
    } else {
        pthread_detach(thread);
    }
    if (last) {
        free_gaze(own);
    }
}
