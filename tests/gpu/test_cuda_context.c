/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_context and images in CUDA memory, with a driver that only keeps books. */

#include "fake_cuda_control.h"
#include "fovea.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The fake driver calls the upper half of the addresses its own. */
#define DEVICE_POINTER(offset) ((void *)(uintptr_t)(0x8000000000000000u + (offset)))

static struct fake_cuda *fake;
static const struct fovea_point_uv centre = {0.5, 0.5};

struct capture {
    unsigned errors;
    char last[512];
};

static void capture_line(void *user, enum fovea_log_level level, const char *message)
{
    struct capture *capture = user;
    capture->errors += level == FOVEA_LOG_ERROR;
    snprintf(capture->last, sizeof capture->last, "%s", message);
}

static struct fovea_context *create_for(enum fovea_method method, struct capture *capture)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    settings.foveation.method = method;
    struct fovea_context_desc desc = fovea_context_desc_default();
    desc.settings = &settings;
    desc.log = (struct fovea_log){.fn = capture_line, .user = capture};
    struct fovea_context *context = NULL;
    assert_int_equal(fovea_context_create(&desc, &context), FOVEA_OK);
    return context;
}

static struct fovea_context *create(struct capture *capture)
{
    return create_for(fovea_settings_default().foveation.method, capture);
}

static void destroy(struct fovea_context *context)
{
    fake_cuda_calm(fake);
    fovea_context_destroy(&context);
    assert_int_equal(fake_cuda_living(fake), 0);
}

static struct fovea_image image(void *data, uint32_t side_px)
{
    return (struct fovea_image){.data = data,
                                .width_px = side_px,
                                .height_px = side_px,
                                .format = FOVEA_FORMAT_RGBA8,
                                .memory = FOVEA_MEMORY_CUDA,
                                .row_stride_bytes = (ptrdiff_t)side_px * 4};
}

#define BLOCKWISE_CALLS "LaunchKernel "
/* Four levels: the first, three decimations, and the picture, after the frame before. */
#define SMOOTH_CALLS                                                                               \
    "StreamWaitEvent LaunchKernel LaunchKernel LaunchKernel LaunchKernel LaunchKernel "

static void assert_frame_calls(enum fovea_method method, const char *expected)
{
    struct capture capture = {0};
    struct fovea_context *context = create_for(method, &capture);
    const struct fovea_image src = image(DEVICE_POINTER(0), 64);
    const struct fovea_image dst = image(DEVICE_POINTER(0x100000), 64);
    assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL), FOVEA_OK);
    fake_cuda_calm(fake);
    const struct fovea_point_uv elsewhere = {-1.5, 0.2};
    assert_int_equal(fovea_context_run(context, &src, &dst, elsewhere, (void *)0x10), FOVEA_OK);
    assert_string_equal(fake->calls, expected);
    assert_int_equal(capture.errors, 0);
    destroy(context);
}

static void a_frame_of_a_known_size_only_launches(void **state)
{
    (void)state;
    assert_frame_calls(FOVEA_METHOD_BLOCKWISE,
                       "CtxPushCurrent PointerGetAttributes PointerGetAttributes " BLOCKWISE_CALLS
                       "EventQuery EventRecord CtxPopCurrent ");
    assert_frame_calls(FOVEA_METHOD_SMOOTH,
                       "CtxPushCurrent PointerGetAttributes PointerGetAttributes " SMOOTH_CALLS
                       "EventQuery EventRecord CtxPopCurrent ");
}

static void host_pointers_are_refused_and_said_once(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_context *context = create(&capture);
    static unsigned char pixels[64 * 64 * 4];
    const struct fovea_image src = image(DEVICE_POINTER(0), 64);
    const struct fovea_image dst = image(pixels, 64);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL),
                         FOVEA_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(capture.errors, 1);
    assert_non_null(strstr(capture.last, "dst.data is not a device pointer of device 0"));
    assert_null(strstr(fake->calls, "LaunchKernel"));
    destroy(context);
}

/* More launches in flight than there are events to tell them apart. */
static void many_frames_in_flight_neither_allocate_nor_wait(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_context *context = create(&capture);
    const struct fovea_image src = image(DEVICE_POINTER(0), 64);
    const struct fovea_image dst = image(DEVICE_POINTER(0x100000), 64);
    assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL), FOVEA_OK);
    fake->busy = true;
    for (int i = 0; i < 30; i++) {
        fake->calls[0] = '\0';
        assert_int_equal(fovea_context_run(context, &src, &dst, centre, (void *)0x20), FOVEA_OK);
        assert_null(strstr(fake->calls, "Alloc"));
        assert_null(strstr(fake->calls, "Synchronize"));
    }
    destroy(context);
}

static void sizes_come_and_go_without_waiting(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_context *context = create(&capture);
    fake->busy = true;
    for (uint32_t side = 16; side < 80; side++) {
        const struct fovea_image src = image(DEVICE_POINTER(0), side);
        const struct fovea_image dst = image(DEVICE_POINTER(0x100000), side);
        fake->calls[0] = '\0';
        assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL), FOVEA_OK);
        assert_null(strstr(fake->calls, "EventSynchronize"));
        assert_null(strstr(fake->calls, "MemFree"));
    }
    destroy(context);
}

static void a_context_that_fails_anywhere_leaves_nothing_behind(void **state)
{
    (void)state;
    struct capture capture = {0};
    destroy(create(&capture));
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    struct fovea_context_desc desc = fovea_context_desc_default();
    desc.settings = &settings;
    int n = 1;
    for (bool failed = true; failed; n++) {
        struct fovea_context *context = NULL;
        fake_cuda_fail_at(fake, n, CUDA_ERROR_OUT_OF_MEMORY);
        const enum fovea_result result = fovea_context_create(&desc, &context);
        failed = fake_cuda_has_failed(fake);
        fake->pushed = 0; /* taking the context off again may be what failed */
        assert_true(failed || result == FOVEA_OK);
        if (result == FOVEA_OK) {
            destroy(context);
        }
        assert_null(result < 0 ? context : NULL);
        assert_int_equal(fake_cuda_living(fake), 0);
    }
    assert_true(n > 20);
}

static void a_frame_that_fails_anywhere_says_so_and_the_next_one_works(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_context *context = create(&capture);
    const struct fovea_image src = image(DEVICE_POINTER(0), 64);
    const struct fovea_image dst = image(DEVICE_POINTER(0x100000), 64);
    for (int n = 1; n <= 20; n++) {
        fake_cuda_fail_at(fake, n, CUDA_ERROR_OUT_OF_MEMORY);
        const enum fovea_result result = fovea_context_run(context, &src, &dst, centre, NULL);
        assert_true(result < 0 || !fake_cuda_has_failed(fake) || fake->pushed == 1);
        fake->pushed = 0;
    }
    fake_cuda_calm(fake);
    assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL), FOVEA_OK);
    assert_true(capture.errors > 0);
    destroy(context);
}

static void a_device_that_is_not_there_is_unsupported(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    struct fovea_context_desc desc = fovea_context_desc_default();
    desc.settings = &settings;
    desc.cuda_device = 3;
    desc.log = (struct fovea_log){.fn = capture_line, .user = &capture};
    struct fovea_context *context = NULL;
    assert_int_equal(fovea_context_create(&desc, &context), FOVEA_ERROR_UNSUPPORTED);
    assert_null(context);
    assert_int_equal(capture.errors, 1);
    assert_non_null(strstr(capture.last, "device 3"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_of_a_known_size_only_launches),
        cmocka_unit_test(host_pointers_are_refused_and_said_once),
        cmocka_unit_test(many_frames_in_flight_neither_allocate_nor_wait),
        cmocka_unit_test(sizes_come_and_go_without_waiting),
        cmocka_unit_test(a_context_that_fails_anywhere_leaves_nothing_behind),
        cmocka_unit_test(a_frame_that_fails_anywhere_says_so_and_the_next_one_works),
        cmocka_unit_test(a_device_that_is_not_there_is_unsupported),
    };
    fake = fake_cuda_open();
    return fake ? cmocka_run_group_tests(tests, NULL, NULL) : EXIT_FAILURE;
}
