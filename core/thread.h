/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Starting a thread of ours in somebody else's program. */
#ifndef FOVEA_CORE_THREAD_H
#define FOVEA_CORE_THREAD_H

#include <pthread.h>
#include <signal.h>

/* pthread_create; the program's signal handlers must not run on the thread, so it blocks them
 * all. */
static inline int thread_start(pthread_t *thread, void *(*run)(void *), void *user)
{
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const int error = pthread_create(thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

#endif
