/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Work in steps of many chunks each, shared out among the workers of a pool: a step begins when all
 * chunks of those before it are done. Threads that have nothing to do meanwhile do not sleep at
 * once: chunks are handed out in their order, so that all that are missing are under way, and
 * waking takes longer. */
#pragma once

#include "thread_pool.h"

#include <stdatomic.h>
#include <stdint.h>

#define THREAD_STEPS_MAX 9

struct thread_steps {
    int32_t ends[THREAD_STEPS_MAX]; /* the first chunk that is not of the step */
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
void thread_steps_add(struct thread_steps *steps, int32_t chunk_count);

/* Makes all chunks on so many workers, and returns when they are done. fn makes a chunk, counted
 * from its step's first. (thread_pool_share) */
void thread_steps_run(struct thread_steps *steps, struct thread_pool *pool, uint32_t worker_count,
                      void (*fn)(void *user, uint32_t worker, int32_t step, int32_t chunk),
                      void *user);

/* Does the same for so many chunks that may be made in any order. */
void thread_chunks_run(int32_t chunk_count, struct thread_pool *pool, uint32_t worker_count,
                       void (*fn)(void *user, uint32_t worker, int32_t chunk), void *user);

/* For loops that wait for another thread. */
static inline void thread_pause(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb");
#endif
}
