/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_context and images in CUDA memory, with a driver that only keeps books. */

#include "cmocka_all.h"
#include "context_rig.h"

static void assert_frame_calls(enum fovea_method method, const char *expected)
{
    OWNED(context_close) struct fovea_context *context = context_open_for(method);
    const struct fovea_image src = image(DEVICE_POINTER(0), 64);
    const struct fovea_image dst = image(DEVICE_POINTER(0x100000), 64);
    assert_ok(fovea_context_run(context, &src, &dst, centre, NULL));
    fake_cuda_calm(fake);
    const struct fovea_point_uv elsewhere = {-1.5, 0.2};
    assert_ok(fovea_context_run(context, &src, &dst, elsewhere, (void *)0x10));
    assert_string_equal(fake->calls, expected);
    assert_int_equal(said.count[FOVEA_LOG_ERROR], 0);
}

TEST(a_frame_of_a_known_size_only_launches)
{
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        assert_frame_calls((enum fovea_method)method, RUN_BEGIN FRAME_CALLS "EventRecord " RUN_END);
    }
}

static void run_large(struct fovea_context *context, enum fovea_result expected)
{
    const struct fovea_image src = image(DEVICE_POINTER(0), 1024);
    const struct fovea_image dst = image(DEVICE_POINTER(0x1000000), 1024);
    fake->calls[0] = '\0';
    assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL), expected);
}

/* Two launches. What one of them that fails leaves of the list of tiles is cleared before the
 * next. */
TEST(a_frame_in_tiles_cleans_up_after_one_that_failed)
{
    static const char usual[] = RUN_BEGIN "StreamWaitEvent LaunchKernel LaunchKernel "
                                          "EventRecord " RUN_END;
    static const char after[] = RUN_BEGIN "StreamWaitEvent MemsetD8Async LaunchKernel LaunchKernel "
                                          "EventRecord " RUN_END;
    OWNED(context_close) struct fovea_context *context = context_open_for(FOVEA_METHOD_SMOOTH);
    run_large(context, FOVEA_OK);
    run_large(context, FOVEA_OK);
    assert_string_equal(fake->calls, usual);
    for (int n = 1; n <= 2; n++) {
        fake_cuda_fail_at(fake, n, CUDA_ERROR_OUT_OF_MEMORY);
        fake->fails = "LaunchKernel";
        run_large(context, FOVEA_ERROR_OUT_OF_MEMORY);
        fake_cuda_calm(fake);
        run_large(context, FOVEA_OK);
        assert_string_equal(fake->calls, after);
        run_large(context, FOVEA_OK);
        assert_string_equal(fake->calls, usual);
    }
}

TEST(host_pointers_are_refused_and_said_once)
{
    OWNED(context_close) struct fovea_context *context = context_open();
    static unsigned char pixels[64 * 64 * 4];
    const struct fovea_image src = image(DEVICE_POINTER(0), 64);
    const struct fovea_image dst = image(pixels, 64);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL),
                         FOVEA_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(said.count[FOVEA_LOG_ERROR], 1);
    assert_non_null(
        strstr(said.last[FOVEA_LOG_ERROR], "dst.data is not a device pointer of device 0"));
    assert_null(strstr(fake->calls, "LaunchKernel"));
}

/* More launches in flight than there are events to tell them apart. */
TEST(many_frames_in_flight_neither_allocate_nor_wait)
{
    OWNED(context_close) struct fovea_context *context = context_open();
    const struct fovea_image src = image(DEVICE_POINTER(0), 64);
    const struct fovea_image dst = image(DEVICE_POINTER(0x100000), 64);
    assert_ok(fovea_context_run(context, &src, &dst, centre, NULL));
    fake->busy = true;
    for (int i = 0; i < 30; i++) {
        fake->calls[0] = '\0';
        assert_ok(fovea_context_run(context, &src, &dst, centre, (void *)0x20));
        assert_null(strstr(fake->calls, "Alloc"));
        assert_null(strstr(fake->calls, "Synchronize"));
    }
}

TEST(sizes_come_and_go_without_waiting)
{
    OWNED(context_close) struct fovea_context *context = context_open();
    fake->busy = true;
    for (uint32_t side = 16; side < 80; side++) {
        const struct fovea_image src = image(DEVICE_POINTER(0), side);
        const struct fovea_image dst = image(DEVICE_POINTER(0x100000), side);
        fake->calls[0] = '\0';
        assert_ok(fovea_context_run(context, &src, &dst, centre, NULL));
        assert_null(strstr(fake->calls, "EventSynchronize"));
        assert_null(strstr(fake->calls, "MemFree"));
    }
}

TEST(a_context_that_fails_anywhere_leaves_nothing_behind)
{
    struct fovea_context *first = context_open();
    context_close(&first);
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    int n = 1;
    for (bool failed = true; failed; n++) {
        struct fovea_context *context = NULL;
        fake_cuda_fail_at(fake, n, CUDA_ERROR_OUT_OF_MEMORY);
        const enum fovea_result result = fovea_context_create(&desc, &context);
        failed = fake_cuda_has_failed(fake);
        fake->pushed = 0; /* making all as it was may be what failed */
        fake->mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
        assert_true(failed || result == FOVEA_OK);
        if (result == FOVEA_OK) {
            context_close(&context);
        }
        assert_null(result < 0 ? context : NULL);
        assert_int_equal(fake_cuda_living(fake), 0);
    }
    assert_true(n > 20);
}

TEST(a_frame_that_fails_anywhere_says_so_and_the_next_one_works)
{
    OWNED(context_close) struct fovea_context *context = context_open();
    const struct fovea_image src = image(DEVICE_POINTER(0), 64);
    const struct fovea_image dst = image(DEVICE_POINTER(0x100000), 64);
    for (int n = 1; n <= 20; n++) {
        fake_cuda_fail_at(fake, n, CUDA_ERROR_OUT_OF_MEMORY);
        const enum fovea_result result = fovea_context_run(context, &src, &dst, centre, NULL);
        assert_true(result < 0 || !fake_cuda_has_failed(fake) || fake->pushed == 1 ||
                    fake->mode != CU_STREAM_CAPTURE_MODE_GLOBAL);
        fake->pushed = 0;
        fake->mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    }
    fake_cuda_calm(fake);
    assert_ok(fovea_context_run(context, &src, &dst, centre, NULL));
    assert_true(said.count[FOVEA_LOG_ERROR] > 0);
}

TEST(a_device_that_is_not_there_is_unsupported)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    struct recorded heard = {0};
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    desc.cuda_device = 3;
    desc.log = recorded_log(&heard);
    struct fovea_context *context = NULL;
    assert_int_equal(fovea_context_create(&desc, &context), FOVEA_ERROR_UNSUPPORTED);
    assert_null(context);
    assert_int_equal(heard.count[FOVEA_LOG_ERROR], 1);
    assert_non_null(strstr(heard.last[FOVEA_LOG_ERROR], "device 3"));
}

int main(void)
{
    return context_run_tests();
}
