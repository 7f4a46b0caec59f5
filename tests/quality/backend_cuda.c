/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "backends.h"
#include "cuda_fixture.h"
#include "memory.h"
#include "say.h"
#include "settings_for.h"

struct cuda_state {
    struct fovea_context *context;
};

static bool open_cuda(struct backend *backend)
{
    struct cuda_state *state = memory_make(1, sizeof *state);
    if (cuda_fixture_open() != 0) {
        free(state);
        return false;
    }
    /* Threads take turns: each call pushes the device for itself. */
    cuda_device_pop(fixture.device);
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    desc.log = say_log(FOVEA_LOG_WARNING);
    backend_must(fovea_context_create(&desc, &state->context), "cuda");
    backend->state = state;
    return true;
}

static void close_cuda(struct backend *backend)
{
    OWNED(owned_free) struct cuda_state *state = backend->state;
    fovea_context_destroy(&state->context);
    backend_must(cuda_device_push(fixture.device), "cuda");
    cuda_fixture_close();
}

static void run_cuda(struct backend *backend, const struct fovea_foveation *foveation,
                     const struct fovea_image *src, struct fovea_point_uv gaze,
                     const struct fovea_image *dst)
{
    struct cuda_state *state = backend->state;
    const size_t bytes = (size_t)src->row_stride_bytes * src->height_px;
    backend_must(cuda_device_push(fixture.device), "cuda");
    OWNED_IMAGE host = image_make_packed(src->width_px, src->height_px, src->format);
    memcpy(host.view.data, src->data, bytes);
    struct device_image from = device_image_make(&host, 0);
    struct device_image to = device_image_make(&host, 0);
    backend_must(fovea_context_set_settings(state->context, settings_for(foveation)), "cuda");
    backend_must(fovea_context_run(state->context, &from.view, &to.view, gaze, fixture.stream),
                 "cuda");
    cuda_fixture_wait();
    device_image_download(&to, &host);
    memcpy(dst->data, host.view.data, bytes);
    device_image_free(&from);
    device_image_free(&to);
    cuda_device_pop(fixture.device);
}

const struct backend backend_cuda = {
    .kind = FOVEA_BACKEND_CUDA, .open = open_cuda, .close = close_cuda, .run = run_cuda};
