/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "thread_steps.h"

#include <assert.h>
#include <sched.h>
#include <time.h>

/* Some 50 us: beyond that somebody else has the core that a piece is made on. */
#define SPINS_BEFORE_YIELD 1024
/* Beyond that it does not come back by being asked for: a thread of a higher priority may be in its
 * way, which the one here may be itself, or a quota of the processor's time. */
#define SPINS_BEFORE_SLEEP (SPINS_BEFORE_YIELD + 64)
#define SLEEP_NS 50000

void thread_steps_clear(struct thread_steps *steps)
{
    steps->count = 0;
    atomic_store(&steps->next, 0);
    atomic_store(&steps->done, 0);
}

static int32_t first_of(const struct thread_steps *steps, int32_t step)
{
    return step > 0 ? steps->ends[step - 1] : 0;
}

void thread_steps_add(struct thread_steps *steps, int32_t piece_count)
{
    assert(steps->count < THREAD_STEPS_MAX);
    steps->ends[steps->count] = first_of(steps, steps->count) + piece_count;
    steps->count++;
}

static void wait_for(struct thread_steps *steps, int32_t count)
{
    for (int32_t spins = 0; atomic_load(&steps->done) < count;
         spins += spins < SPINS_BEFORE_SLEEP) {
        if (spins < SPINS_BEFORE_YIELD) {
            thread_pause();
        } else if (spins < SPINS_BEFORE_SLEEP) {
            sched_yield();
        } else {
            nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
        }
    }
}

bool thread_steps_take(struct thread_steps *steps, int32_t *out_step, int32_t *out_piece)
{
    const int32_t piece = atomic_fetch_add(&steps->next, 1);
    int32_t step = 0;
    while (step < steps->count && piece >= steps->ends[step]) {
        step++;
    }
    if (step == steps->count) {
        return false;
    }
    wait_for(steps, first_of(steps, step));
    *out_step = step;
    *out_piece = piece - first_of(steps, step);
    return true;
}

void thread_steps_finish(struct thread_steps *steps)
{
    atomic_fetch_add(&steps->done, 1);
}
