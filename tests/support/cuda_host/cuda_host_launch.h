/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels start on the host by this (cuda_host.h): C, for drivers and tests. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Behind the number that is a surface. */
struct cuda_host_surface {
    void *data;
    size_t row_bytes;
    int rows;
};

struct cuda_host_launch {
    unsigned grid[3];
    unsigned block[3];
    void *shared; /* dynamic shared memory of the calling thread, NULL for none */
    size_t shared_bytes;
    void (*run)(const void *argument); /* what a thread does */
    const void *argument;
    bool early; /* launched before the kernel ahead has ended: every thread has to wait for it */
};

/* Returns when all blocks have run. */
void cuda_host_run(const struct cuda_host_launch *launch);

/* A kernel that is found by its name. */
struct cuda_host_kernel {
    const char *name;
    void (*run)(const void *params); /* what the launch's argument points to */
    size_t params_bytes;
    void *(*shared)(void); /* the file's dynamic shared memory; NULL: it has none */
    struct cuda_host_kernel *next;
};

void cuda_host_register(struct cuda_host_kernel *kernel);
const struct cuda_host_kernel *cuda_host_find(const char *name);

/* A variable of constant memory that is found by its name; a file says which it has:
 * CUDA_HOST_CONSTANT(name), where FOVEA_CUDA_HOST is defined. */
struct cuda_host_constant {
    const char *name;
    void *data;
    size_t bytes;
    struct cuda_host_constant *next;
};

void cuda_host_register_constant(struct cuda_host_constant *constant);
const struct cuda_host_constant *cuda_host_find_constant(const char *name);

/* Runs the kernel of that name, of one argument at `params`; false where there is none. */
bool cuda_host_run_named(const char *name, const unsigned grid[3], const unsigned block[3],
                         size_t shared_bytes, const void *params);

#ifdef __cplusplus
}
#endif
