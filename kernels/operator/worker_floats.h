/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Memory of its own for each thread that works for an operator on the processor. All zero: there is
 * none. */
#pragma once

#include "core/log.h"

#include <stddef.h>
#include <stdint.h>

struct thread_pool;

struct worker_floats {
    float **of; /* of each worker */
    uint32_t wanted; /* of the pool; the system may have given fewer */
    uint32_t count; /* of workers that there is memory for */
};

/* Asks the pool for so many workers, or as many as it may have, and makes `floats` for each, the
 * same number in every call. What is there stays after a failure too. */
FOVEA_MUST_CHECK enum fovea_result worker_floats_grow(struct worker_floats *workers,
                                                      struct thread_pool *pool, uint32_t wanted,
                                                      size_t floats);
void worker_floats_free(struct worker_floats *workers);
