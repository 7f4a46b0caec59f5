/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "backends.h"

#include "say.h"
#include "settings_for.h"

#include <stdlib.h>

const struct backend *backend_at(size_t index)
{
    static const struct backend *const all[] = {
        &backend_cpu,
#ifdef QUALITY_CUDA
        &backend_cuda,
#endif
#ifdef QUALITY_VULKAN
        &backend_vulkan,
#endif
    };
    return index < sizeof all / sizeof all[0] ? all[index] : NULL;
}

void backend_must(enum fovea_result result, const char *what)
{
    if (result != FOVEA_OK) {
        say_error("%s: %s", what, fovea_result_name(result));
        exit(EXIT_FAILURE);
    }
}

static bool open_cpu(struct backend *backend)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CPU;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    desc.log = say_log(FOVEA_LOG_WARNING);
    struct fovea_context *context = NULL;
    backend_must(fovea_context_create(&desc, &context), "cpu");
    backend->state = context;
    return true;
}

static void close_cpu(struct backend *backend)
{
    struct fovea_context *context = backend->state;
    fovea_context_destroy(&context);
}

static void run_cpu(struct backend *backend, const struct fovea_foveation *foveation,
                    const struct fovea_image *src, struct fovea_point_uv gaze,
                    const struct fovea_image *dst)
{
    backend_must(fovea_context_set_settings(backend->state, settings_for(foveation)), "cpu");
    backend_must(fovea_context_run(backend->state, src, dst, gaze, NULL), "cpu");
}

const struct backend backend_cpu = {
    .kind = FOVEA_BACKEND_CPU, .open = open_cpu, .close = close_cpu, .run = run_cpu};
