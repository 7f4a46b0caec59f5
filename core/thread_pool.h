/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A few threads that sleep between jobs. The calling thread is worker 0. One pool serves many who
 * run their jobs one after the other: threads cost the program memory and count against its
 * limits. In the child of a fork that came between two jobs a pool has threads of the child's. */
#pragma once

#include "fovea.h"

struct thread_pool;

/* Runs on every worker at once; workers share out the work among themselves. */
typedef void (*thread_pool_fn)(void *user, uint32_t worker);

/* The setting "cpu_threads" allows as many. */
#define THREAD_POOL_WORKERS 256

/* Room for so many workers, the caller included; 0: one for each core. There is none for more than
 * THREAD_POOL_WORKERS, or one for each core where that is more. No thread is started yet. */
FOVEA_MUST_CHECK enum fovea_result thread_pool_create(uint32_t worker_max,
                                                      struct thread_pool **out_pool);
void thread_pool_destroy(struct thread_pool **pool);

uint32_t thread_pool_worker_max(const struct thread_pool *pool);

/* Starts threads until there are so many workers, at least 1. How many there are then: no more than
 * there is room for, and fewer where the system gives no more threads. One caller at a time, also
 * while another thread is in thread_pool_run. */
uint32_t thread_pool_grow(struct thread_pool *pool, uint32_t worker_count);

/* Runs fn on so many workers, or on all where there are fewer, and returns when it has returned on
 * each. One caller at a time. */
void thread_pool_run(struct thread_pool *pool, uint32_t worker_count, thread_pool_fn fn,
                     void *user);

/* Does the same for work that workers take until there is none: when worker 0 has returned, those
 * that have not begun by then are not waited for, and do not begin. A thread takes tens of
 * microseconds to wake, and longer where others have its core. */
void thread_pool_share(struct thread_pool *pool, uint32_t worker_count, thread_pool_fn fn,
                       void *user);

/* Cores that this process may run on; at least 1. */
uint32_t thread_pool_core_count(void);
