/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "ending.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* A watchdog takes two seconds where its peer and the queue are stuck. */
#define STAGE_MS 4000

/* How many threads are at it, and how often this one is. */
static _Atomic int frames, drivers, watchdogs;
static _Thread_local int own_frames, own_drivers, own_watchdogs;

static _Atomic int stage; /* enum ending_stage */
static _Atomic unsigned expected; /* a bit for each driver */

/* Held by threads of ours that sleep, and by the handler. */
static pthread_mutex_t rest_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t rest_over;
static unsigned wakes; /* under the lock: who has seen another number does not go to sleep */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;

static void init_rest(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&rest_over, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Only the thread that has forked is there. The lock may have been another's. */
static void be_a_child(void)
{
    atomic_store(&frames, own_frames);
    atomic_store(&drivers, own_drivers);
    atomic_store(&watchdogs, own_watchdogs);
    pthread_mutex_init(&rest_lock, NULL);
    init_rest();
}

static void init(void)
{
    init_rest();
    ready = pthread_atfork(NULL, NULL, be_a_child) == 0;
}

/* Signals are blocked on all threads that take the lock otherwise, and none runs code of others
 * under it. */
static void begin(enum ending_stage which)
{
    atomic_store(&stage, which);
    ending_wake();
}

static void wait_for_others(const _Atomic int *all, int own)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int ms = 0; ms < STAGE_MS && atomic_load(all) > own; ms++) {
        nanosleep(&pause, NULL); /* however short: it is looked again */
    }
}

static void end(void)
{
    int not_yet = ENDING_NOT;
    if (!atomic_compare_exchange_strong(&stage, &not_yet, ENDING_BEGUN)) {
        return;
    }
    wait_for_others(&frames, own_frames);
    begin(ENDING_DRAINS);
    wait_for_others(&watchdogs, own_watchdogs);
    begin(ENDING_OVER);
    wait_for_others(&drivers, own_drivers);
}

/* Handlers run in the reverse order in which they were registered: ours, registered while a driver
 * is in use, runs before the one that the driver registered when it was loaded. A driver that is
 * loaded later may register one that runs before ours; so each driver that contexts use has us
 * registered again. */
bool ending_expect(unsigned driver)
{
    const unsigned bit = 1u << driver;
    pthread_once(&once, init);
    if (!ready) {
        return false;
    }
    if (atomic_fetch_or(&expected, bit) & bit) {
        return true;
    }
    const bool registered = atexit(end) == 0;
    if (!registered) {
        atomic_fetch_and(&expected, ~bit);
    }
    return registered;
}

enum ending_stage ending_stage(void)
{
    return (enum ending_stage)atomic_load(&stage);
}

/* Who enters is counted before he looks, and the handler looks at the count after it has said
 * so. */
bool ending_enter_frame(void)
{
    own_frames++;
    atomic_fetch_add(&frames, 1);
    if (ending_stage() == ENDING_NOT) {
        return true;
    }
    ending_leave_frame();
    return false;
}

void ending_leave_frame(void)
{
    atomic_fetch_sub(&frames, 1);
    own_frames--;
}

bool ending_enter(void)
{
    own_drivers++;
    atomic_fetch_add(&drivers, 1);
    if (ending_stage() != ENDING_OVER) {
        return true;
    }
    ending_leave();
    return false;
}

void ending_leave(void)
{
    atomic_fetch_sub(&drivers, 1);
    own_drivers--;
}

void ending_watch(int more)
{
    atomic_fetch_add(&watchdogs, more);
}

void ending_watch_here(void)
{
    own_watchdogs = 1;
}

unsigned ending_wakes(void)
{
    pthread_mutex_lock(&rest_lock);
    const unsigned count = wakes;
    pthread_mutex_unlock(&rest_lock);
    return count;
}

void ending_rest(double ms, unsigned seen)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const long ns = until.tv_nsec + (long)(ms * 1e6);
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    pthread_mutex_lock(&rest_lock);
    int result = 0;
    while (result == 0 && wakes == seen) {
        result = pthread_cond_timedwait(&rest_over, &rest_lock, &until);
    }
    pthread_mutex_unlock(&rest_lock);
}

void ending_wake(void)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* a handler might call exit() under the lock */
    pthread_mutex_lock(&rest_lock);
    wakes++;
    pthread_cond_broadcast(&rest_over);
    pthread_mutex_unlock(&rest_lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
