/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A program may end while contexts of ours are alive: main returns, or some thread calls exit()
 * while others still draw. Drivers take themselves down in handlers of exit(), and a thread of ours
 * that is in a driver then crashes the program. Therefore exit() runs a handler of ours first
 * (ending_expect). The stages:
 *
 *     ENDING_BEGUN   contexts take no more frames
 *     ENDING_DRAINS  watchdogs see to it that the peers' jobs get over, because the program may
 *                    still wait for its queue
 *     ENDING_OVER    nobody calls a driver through us, or touches what a driver has mapped
 *
 * At each the handler waits for those threads, for seconds at most where something is stuck. It
 * takes no lock that anybody holds while code of the program's runs, and leaves out the thread that
 * it runs on: exit() may be called within a callback of ours. After _exit, abort or a signal
 * nothing of this runs, and nothing has to.
 *
 * The child of a fork has none of our threads: what its parent has made is left alone there
 * (core/process.h). */
#pragma once

#include "fovea.h"

#include <stdbool.h>

enum ending_stage { ENDING_NOT, ENDING_BEGUN, ENDING_DRAINS, ENDING_OVER };

/* Has exit() run our handler; called once more for another `driver` (a number below 32), with that
 * driver in use. False: there is no memory for that. */
FOVEA_MUST_CHECK bool ending_expect(unsigned driver);

enum ending_stage ending_stage(void);

/* Around a frame, and where a context is made, on the program's thread. False: the ending has
 * begun; no frame and no context. */
FOVEA_MUST_CHECK bool ending_enter_frame(void);
void ending_leave_frame(void);

/* Around all that a thread of ours does with a driver or its memory, and around the program's other
 * calls. False: the ending is over; it must not. */
FOVEA_MUST_CHECK bool ending_enter(void);
void ending_leave(void);

/* There is one watchdog more, or less, that has a peer's jobs to see to. It counts from before its
 * thread is started; the thread says that it is one. */
void ending_watch(int more);
void ending_watch_here(void);

/* Sleeps, less long when a stage begins or ending_wake is called, and not at all where that has
 * happened since ending_wakes said `seen`: who asks first, then looks whether there is a reason to
 * go on, misses no wake-up. */
unsigned ending_wakes(void);
void ending_rest(double ms, unsigned seen);
void ending_wake(void);
