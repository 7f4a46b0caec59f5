/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "watch.h"

#include "core/log.h"
#include "core/process.h"
#include "core/thread.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LOOK_INTERVAL_NS 200000000 /* five looks a second */
#define LEAVING_NS 500000000

/* Two own it: who has made it, and the thread. The last one to leave frees it. */
struct config_watch {
    struct config_reader reader; /* the thread's alone once it is started */
    struct fovea_log log; /* only its level is used: see said.h */
    _Atomic(struct config_news *) news;
    atomic_bool asked; /* somebody has asked for news since the last look */
    atomic_bool idle; /* nobody had; the thread sleeps until somebody does */
    atomic_bool reload;
    atomic_bool stop;
    atomic_int owners;
    sem_t wake;
    sem_t ended; /* the thread touches nothing of ours any more but this and the owners */
    pthread_t thread;
    pid_t process; /* that has the thread */
    atomic_bool started;
};

void config_news_finish(struct config_news **news)
{
    while (*news) {
        struct config_news *old = *news;
        *news = old->before;
        config_said_finish(&old->said);
        free(old);
    }
}

static void free_watch(struct config_watch *watch)
{
    struct config_news *news = atomic_load(&watch->news);
    config_news_finish(&news);
    config_reader_finish(&watch->reader);
    sem_destroy(&watch->wake);
    sem_destroy(&watch->ended);
    free(watch);
}

/* ---- The thread */

/* If a reload was not taken yet the last good settings still come first; older mistakes do not
 * matter any more. */
static void hand_over(struct config_watch *watch, struct config_news *fresh)
{
    struct config_news *old = atomic_exchange(&watch->news, NULL);
    if (fresh->result < 0 && old && old->result == FOVEA_OK) {
        fresh->before = old;
        old = NULL;
    } else if (fresh->result < 0 && old) {
        fresh->before = old->before;
        old->before = NULL;
    }
    config_news_finish(&old);
    atomic_store(&watch->news, fresh);
}

/* Without memory nothing is looked at: a change would be taken note of and lost. */
static void look(struct config_watch *watch)
{
    struct config_news *fresh = calloc(1, sizeof *fresh);
    if (!fresh) {
        return;
    }
    watch->reader.log = config_said_collect(&fresh->said, watch->log);
    fresh->result = atomic_exchange(&watch->reload, false)
                        ? config_reader_reload(&watch->reader, &fresh->settings)
                        : config_reader_look(&watch->reader, &fresh->settings);
    if (fresh->result == FOVEA_NOT_READY) {
        config_news_finish(&fresh);
    } else {
        hand_over(watch, fresh);
    }
}

static void sleep_until_asked(struct config_watch *watch)
{
    atomic_store(&watch->idle, true);
    while (!atomic_load(&watch->asked) && !atomic_load(&watch->stop) &&
           sem_wait(&watch->wake) != 0) {
    }
    atomic_store(&watch->idle, false);
}

/* False: nobody has posted it in that time, less than a second. */
static bool wait_for(sem_t *semaphore, long ns)
{
    struct timespec until;
    int error = EINTR;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ns;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (error == EINTR) {
        error = sem_clockwait(semaphore, CLOCK_MONOTONIC, &until) == 0 ? 0 : errno;
    }
    return error == 0;
}

static void *run(void *user)
{
    struct config_watch *watch = user;
    while (!atomic_load(&watch->stop)) {
        look(watch);
        if (atomic_exchange(&watch->asked, false) || config_reader_is_unsettled(&watch->reader)) {
            (void)wait_for(&watch->wake, LOOK_INTERVAL_NS);
        } else {
            sleep_until_asked(watch);
        }
    }
    sem_post(&watch->ended);
    if (atomic_fetch_sub(&watch->owners, 1) == 1) {
        free_watch(watch);
    }
    return NULL;
}

/* ---- Its owner */

enum fovea_result config_watch_create(struct config_reader *reader, struct config_watch **out_watch)
{
    struct config_watch *watch = calloc(1, sizeof *watch);
    *out_watch = watch;
    FOVEA_TRY_MEMORY(watch);
    sem_init(&watch->wake, 0, 0);
    sem_init(&watch->ended, 0, 0);
    watch->log = reader->log;
    watch->reader = *reader;
    *reader = (struct config_reader){0};
    return FOVEA_OK;
}

enum fovea_result config_watch_start(struct config_watch *watch)
{
    atomic_store(&watch->owners, 2);
    watch->process = getpid();
    atomic_store(&watch->started, thread_start(&watch->thread, run, watch) == 0);
    return watch->started ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}

bool config_watch_is_started(const struct config_watch *watch)
{
    return watch->started;
}

static void wake(struct config_watch *watch)
{
    if (atomic_exchange(&watch->idle, false)) {
        sem_post(&watch->wake);
    }
}

void config_watch_reload(struct config_watch *watch)
{
    atomic_store(&watch->reload, true);
    atomic_store(&watch->asked, true);
    sem_post(&watch->wake);
}

struct config_news *config_watch_take(struct config_watch *watch)
{
    if (!atomic_load(&watch->asked)) {
        atomic_store(&watch->asked, true);
        wake(watch);
    }
    return atomic_load(&watch->news) ? atomic_exchange(&watch->news, NULL) : NULL;
}

bool config_watch_has_news(struct config_watch *watch)
{
    if (atomic_load(&watch->started) && !atomic_exchange(&watch->asked, true)) {
        wake(watch);
    }
    return atomic_load(&watch->news);
}

void config_watch_leave(struct config_watch **watch)
{
    if (!*watch) {
        return;
    }
    struct config_watch *own = *watch;
    *watch = NULL;
    if (!own->started) {
        free_watch(own);
        return;
    }
    if (process_is_child_of(own->process)) {
        return;
    }
    atomic_store(&own->stop, true);
    sem_post(&own->wake);
    if (wait_for(&own->ended, LEAVING_NS)) {
        pthread_join(own->thread, NULL);
    } else {
        pthread_detach(
            own->thread); /* it comes back to our code one day: that stays (-z nodelete) */
    }
    if (atomic_fetch_sub(&own->owners, 1) == 1) {
        free_watch(own);
    }
}
