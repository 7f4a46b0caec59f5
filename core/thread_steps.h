/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Work in steps of many pieces each, shared out among the workers of one thread_pool_run: a step
 * begins when all pieces of those before it are done. Threads that have nothing to do meanwhile do
 * not sleep at once: pieces are handed out in their order, so that all that are missing are under
 * way, and waking takes longer. */
#ifndef FOVEA_KERNELS_THREAD_STEPS_H
#define FOVEA_KERNELS_THREAD_STEPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define THREAD_STEPS_MAX 9

struct thread_steps {
    int32_t ends[THREAD_STEPS_MAX]; /* the first piece that is not of the step */
    int32_t count;
    /* Those who wait look at one while those who work count the other: not in one line of the
     * cache. */
    char apart[64];
    atomic_int next;
    char apart_too[64];
    atomic_int done;
};

void thread_steps_clear(struct thread_steps *steps);
/* THREAD_STEPS_MAX of them at most; before workers begin. */
void thread_steps_add(struct thread_steps *steps, int32_t piece_count);

/* The next piece, counted from its step's first; false: there is none. */
bool thread_steps_take(struct thread_steps *steps, int32_t *out_step, int32_t *out_piece);
/* Once for every piece that was taken. */
void thread_steps_finish(struct thread_steps *steps);

/* For loops that wait for another thread. */
static inline void thread_pause(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb");
#endif
}

#endif
