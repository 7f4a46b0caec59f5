/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "worker_floats.h"

#include "core/large_memory.h"
#include "core/thread_pool.h"

#include <stdlib.h>

enum fovea_result worker_floats_grow(struct worker_floats *workers, struct thread_pool *pool,
                                     uint32_t wanted, size_t floats)
{
    const uint32_t most = thread_pool_worker_max(pool);
    wanted = wanted < most ? wanted : most;
    if (wanted <= workers->wanted) {
        return FOVEA_OK;
    }
    const uint32_t there = thread_pool_grow(pool, wanted);
    const uint32_t count = there < wanted ? there : wanted;
    const uint32_t capacity = wanted > workers->count ? wanted : workers->count;
    float **of = realloc(workers->of, capacity * sizeof *of);
    FOVEA_TRY_MEMORY(of);
    workers->of = of;
    for (; workers->count < count; workers->count++) {
        of[workers->count] = large_memory_make(floats, sizeof *of[0]);
        FOVEA_TRY_MEMORY(of[workers->count]);
    }
    workers->wanted = wanted;
    return FOVEA_OK;
}

void worker_floats_free(struct worker_floats *workers)
{
    for (uint32_t i = 0; i < workers->count; i++) {
        large_memory_free(workers->of[i]);
    }
    free(workers->of);
    *workers = (struct worker_floats){0};
}
