/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cpu_copy.h"

#include "bench.h"
#include "core/thread_pool.h"

struct cpu_copy {
    struct thread_pool *pool;
    uint32_t worker_count;
    uint64_t *words;
    size_t count;
    volatile uint64_t mask; /* 0, which the compiler must not know */
};

struct cpu_copy *cpu_copy_create(uint32_t threads)
{
    struct cpu_copy *copy = bench_memory(1, sizeof *copy);
    bench_must(thread_pool_create(threads, &copy->pool), "threads");
    copy->worker_count = thread_pool_grow(copy->pool, threads);
    return copy;
}

void cpu_copy_destroy(struct cpu_copy **copy)
{
    if (*copy) {
        thread_pool_destroy(&(*copy)->pool);
    }
    free(*copy);
    *copy = NULL;
}

static void copy_part(void *user, uint32_t worker)
{
    const struct cpu_copy *copy = user;
    const size_t workers = copy->worker_count;
    const size_t begin = copy->count * worker / workers;
    const size_t end = copy->count * (worker + 1) / workers;
    const uint64_t mask = copy->mask;
    for (size_t i = begin; i < end; i++) {
        copy->words[i] ^= mask;
    }
}

void cpu_copy_run(struct cpu_copy *copy, void *memory, size_t bytes)
{
    copy->words = memory;
    copy->count = bytes / sizeof *copy->words;
    thread_pool_run(copy->pool, copy->worker_count, copy_part, copy);
}
