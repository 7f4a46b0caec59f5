/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This stands before a kernel's source, what cuda_host_entries.py writes behind it, and its kernels
 * are known by name (cuda_host_find). */
#pragma once

#include "cuda_host.h"

template <auto kernel> struct cuda_host_entry;
template <typename Params, void (*kernel)(Params)> struct cuda_host_entry<kernel> {
    static constexpr size_t params_bytes = sizeof(Params);
    static void run(const void *params)
    {
        kernel(*(const Params *)params);
    }
};

struct cuda_host_registered {
    struct cuda_host_kernel kernel;

    cuda_host_registered(const char *name, void (*run)(const void *), size_t params_bytes,
                         void *(*shared)(void))
        : kernel{name, run, params_bytes, shared, NULL}
    {
        cuda_host_register(&kernel);
    }
};

struct cuda_host_registered_constant {
    struct cuda_host_constant constant;

    cuda_host_registered_constant(const char *name, void *data, size_t bytes)
        : constant{name, data, bytes, NULL}
    {
        cuda_host_register_constant(&constant);
    }
};

#define CUDA_HOST_CONSTANT(name)                                                                   \
    static cuda_host_registered_constant cuda_host_constant_of_##name(#name, name, sizeof name);
#define CUDA_HOST_SHARED_IS(array)                                                                 \
    static void *cuda_host_shared_of_file(void)                                                    \
    {                                                                                              \
        return array;                                                                              \
    }
#define CUDA_HOST_KERNEL(name)                                                                     \
    static cuda_host_registered cuda_host_entry_of_##name(#name, cuda_host_entry<name>::run,       \
                                                          cuda_host_entry<name>::params_bytes,     \
                                                          cuda_host_shared_of_file);
