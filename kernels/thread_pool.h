/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A few threads that sleep between jobs. The calling thread is worker 0. */
#ifndef FOVEA_KERNELS_THREAD_POOL_H
#define FOVEA_KERNELS_THREAD_POOL_H

#include "fovea.h"

struct thread_pool;

/* Runs on every worker at once; workers share out the work among themselves. */
typedef void (*thread_pool_fn)(void *user, uint32_t worker);

/* worker_count at least 1, the caller included. Where the system gives fewer threads the pool has
 * fewer workers. */
FOVEA_MUST_CHECK enum fovea_result thread_pool_create(uint32_t worker_count,
                                                      struct thread_pool **out_pool);
void thread_pool_destroy(struct thread_pool **pool);

uint32_t thread_pool_worker_count(const struct thread_pool *pool);

/* Returns when fn has returned on every worker. One caller at a time. */
void thread_pool_run(struct thread_pool *pool, thread_pool_fn fn, void *user);

/* Cores that this process may run on; at least 1. */
uint32_t thread_pool_core_count(void);

#endif
