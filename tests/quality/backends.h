/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The library under test, by backend: host images through fovea_context for cpu, CUDA memory for
 * cuda, a frame of a Vulkan engine for vulkan. One call at a time; a backend that fails ends the
 * program. */
#pragma once

#include "config/settings.h"

struct backend {
    enum fovea_backend kind;
    void *state;
    /* False: the machine has none. */
    bool (*open)(struct backend *);
    void (*close)(struct backend *);
    /* RGBA8 in host memory, without gaps. */
    void (*run)(struct backend *, const struct fovea_foveation *, const struct fovea_image *src,
                struct fovea_point_uv gaze, const struct fovea_image *dst);
};

extern const struct backend backend_cpu;
extern const struct backend backend_cuda;
extern const struct backend backend_vulkan;

/* Returns a backend of the build; NULL at the end. */
const struct backend *backend_at(size_t index);

/* Backends call it: it prints the error and ends the program where result is one. */
void backend_must(enum fovea_result result, const char *what);
