/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* XLA calls handlers of its foreign function interface with this, as far as Fovea reads it: the
 * binary interface of version 0.1 to 0.3 (jaxlib/include/xla/ffi/api/c_api.h), written out so that
 * the package is built without jaxlib. python/tests/test_jax.py compares sizes and places with the
 * header of the jaxlib that is installed. Structs grow at their ends and say their size. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum xla_error_code {
    XLA_INVALID_ARGUMENT = 3,
    XLA_RESOURCE_EXHAUSTED = 8,
    XLA_UNIMPLEMENTED = 12,
    XLA_INTERNAL = 13,
};

enum xla_type { XLA_S64 = 5, XLA_U8 = 6, XLA_U16 = 7, XLA_F16 = 10, XLA_F32 = 11 };

enum { XLA_EXTENSION_METADATA = 1, XLA_ATTRIBUTE_SCALAR = 3, XLA_ATTRIBUTE_STRING = 4 };

struct xla_extension {
    size_t struct_size;
    int type;
    struct xla_extension *next;
};

struct xla_version {
    size_t struct_size;
    struct xla_extension *extensions;
    int major;
    int minor;
};

/* XLA asks for it before it calls: what the handler was made for. */
struct xla_metadata {
    size_t struct_size;
    struct xla_version version;
    uint32_t traits;
    int64_t state_type; /* since 0.2 */
};

struct xla_metadata_extension {
    struct xla_extension base;
    struct xla_metadata *metadata;
};

struct xla_error;
struct xla_execution;

struct xla_error_args {
    size_t struct_size;
    struct xla_extension *extensions;
    const char *message;
    int code;
};

struct xla_stream_args {
    size_t struct_size;
    struct xla_extension *extensions;
    struct xla_execution *execution;
    void *stream; /* out */
};

struct xla_ordinal_args {
    size_t struct_size;
    struct xla_extension *extensions;
    struct xla_execution *execution;
    int32_t ordinal; /* out */
};

struct xla_api {
    size_t struct_size;
    struct xla_extension *extensions;
    struct xla_version version;
    const void *internal;
    struct xla_error *(*error_create)(struct xla_error_args *);
    void (*error_get_message)(void *);
    void (*error_destroy)(void *);
    struct xla_error *(*handler_register)(void *);
    struct xla_error *(*stream_get)(struct xla_stream_args *);
    /* type_register, execution_context_get, state_set, state_get, device_memory_allocate,
     * device_memory_free, thread_pool_schedule, thread_pool_num_threads, future_create,
     * future_set_available, future_set_error, run_id_get */
    struct xla_error *(*others[12])(void *);
    struct xla_error *(*ordinal_get)(struct xla_ordinal_args *); /* since jaxlib 0.6 */
};

struct xla_buffer {
    size_t struct_size;
    struct xla_extension *extensions;
    int type;
    void *data;
    int64_t rank;
    int64_t *dims;
};

struct xla_text {
    const char *ptr;
    size_t len;
};

struct xla_scalar {
    int type;
    void *value;
};

struct xla_buffers { /* arguments, and results */
    size_t struct_size;
    struct xla_extension *extensions;
    int64_t size;
    int *types;
    void **items; /* struct xla_buffer */
};

struct xla_attributes {
    size_t struct_size;
    struct xla_extension *extensions;
    int64_t size;
    int *types;
    struct xla_text **names;
    void **items; /* struct xla_scalar, struct xla_text */
};

struct xla_call {
    size_t struct_size;
    struct xla_extension *extensions;
    const struct xla_api *api;
    struct xla_execution *execution;
    int stage;
    struct xla_buffers arguments;
    struct xla_buffers results;
    struct xla_attributes attributes;
};
