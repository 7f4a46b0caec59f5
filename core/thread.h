/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Starting a thread of ours in somebody else's program. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* pthread_create. The program's signals are for its own threads, so this one blocks them, but for
 * faults: a fault that is blocked ends the program, though a handler of the program's or of a layer
 * may follow writes to its memory by them, as gfxreconstruct does to mapped memory. */
static inline int thread_start(pthread_t *thread, void *(*run)(void *), void *user)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        sigdelset(&all, faults[i]);
    }
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const int error = pthread_create(thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}
