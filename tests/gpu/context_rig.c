/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "context_rig.h"

struct fake_cuda *fake;
struct recorded said;
const struct fovea_point_uv centre = {0.5, 0.5};

struct fovea_context *context_open_with(struct fovea_settings *settings)
{
    struct fovea_context_desc desc;
    settings->backend = FOVEA_BACKEND_CUDA;
    fovea_context_desc_init(&desc);
    desc.settings = settings;
    desc.log = recorded_log(&said);
    recorded_clear(&said);
    struct fovea_context *context = NULL;
    assert_ok(fovea_context_create(&desc, &context));
    return context;
}

struct fovea_context *context_open_for(enum fovea_method method)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.method = method;
    return context_open_with(&settings);
}

struct fovea_context *context_open(void)
{
    return context_open_for(fovea_settings_default().foveation.method);
}

void context_close(struct fovea_context **context)
{
    fake_cuda_calm(fake);
    fovea_context_destroy(context);
    assert_int_equal(fake_cuda_living(fake), 0);
}

struct fovea_image image(void *data, uint32_t side_px)
{
    return (struct fovea_image){.data = data,
                                .width_px = side_px,
                                .height_px = side_px,
                                .format = FOVEA_FORMAT_RGBA8,
                                .memory = FOVEA_MEMORY_CUDA,
                                .row_stride_bytes = (ptrdiff_t)side_px * 4};
}

int context_run_tests(void)
{
    fake = fake_cuda_open();
    return fake ? tests_run(NULL, NULL) : EXIT_FAILURE;
}
