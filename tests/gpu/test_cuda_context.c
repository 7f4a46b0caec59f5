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

static void run_large(struct fovea_context *context, enum fovea_result expected)
{
    const struct fovea_image src = image(DEVICE_POINTER(0), 1024);
    const struct fovea_image dst = image(DEVICE_POINTER(0x1000000), 1024);
    fake->calls[0] = '\0';
    assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL), expected);
}

/* Two launches. What one of them that fails leaves of the list of tiles is cleared before the next. */
static void a_frame_in_tiles_cleans_up_after_one_that_failed(void **state)
{
    (void)state;
    static const char usual[] = "CtxPushCurrent PointerGetAttributes PointerGetAttributes "
                                "StreamWaitEvent LaunchKernel LaunchKernel "
                                "EventQuery EventRecord CtxPopCurrent ";
    static const char after[] = "CtxPushCurrent PointerGetAttributes PointerGetAttributes "
                                "StreamWaitEvent MemsetD8Async LaunchKernel LaunchKernel "
                                "EventQuery EventRecord CtxPopCurrent ";
    struct capture capture = {0};
    struct fovea_context *context = create_for(FOVEA_METHOD_SMOOTH, &capture);
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
    destroy(context);
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

/* ---- Batches */

#define MAX_GAZES 12000

static const float *gazes(void)
{
    static float uv[2 * MAX_GAZES];
    for (int i = 0; i < 2 * MAX_GAZES; i++) {
        uv[i] = (float)i / (2 * MAX_GAZES);
    }
    return uv;
}

static struct fovea_batch batch_of(uint32_t count, uint32_t side_px)
{
    const ptrdiff_t bytes = (ptrdiff_t)side_px * side_px * 4;
    return (struct fovea_batch){.count = count,
                                .src = image(DEVICE_POINTER(0), side_px),
                                .dst = image(DEVICE_POINTER(0x1000000000), side_px),
                                .src_next_bytes = bytes,
                                .dst_next_bytes = bytes,
                                .gazes_uv = gazes()};
}

static int count_calls(const char *name)
{
    int count = 0;
    for (const char *at = fake->calls; (at = strstr(at, name)) != NULL; at++) {
        count++;
    }
    return count;
}

static void run_batch(struct fovea_context *context, const struct fovea_batch *batch)
{
    fake->calls[0] = '\0';
    assert_int_equal(fovea_context_run_batch(context, batch, (void *)0x10), FOVEA_OK);
}

#define BATCH_BEGIN "CtxPushCurrent PointerGetAttributes PointerGetAttributes "
#define BATCH_END "EventQuery EventRecord EventQuery EventRecord CtxPopCurrent "

static void a_batch_of_a_known_kind_only_launches(void **state)
{
    (void)state;
    static const char *const expected[] = {
        /* after the batch before: the gazes, the images */
        BATCH_BEGIN "StreamWaitEvent LaunchKernel LaunchKernel " BATCH_END,
        /* after the frame and the batch before: the gazes, level 0, three decimations, the images */
        BATCH_BEGIN "StreamWaitEvent StreamWaitEvent LaunchKernel LaunchKernel LaunchKernel "
                    "LaunchKernel LaunchKernel LaunchKernel " BATCH_END};
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        struct capture capture = {0};
        struct fovea_context *context = create_for((enum fovea_method)method, &capture);
        struct fovea_batch batch = batch_of(100, 64);
        run_batch(context, &batch);
        run_batch(context, &batch);
        assert_string_equal(fake->calls, expected[method]);
        assert_int_equal(fake->images, 100);
        batch.count = 99;
        run_batch(context, &batch);
        assert_string_equal(fake->calls, expected[method]);
        assert_int_equal(fake->images, 99);
        assert_int_equal(capture.errors, 0);
        destroy(context);
    }
}

static void a_batch_of_one_is_a_frame(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_context *context = create_for(FOVEA_METHOD_BLOCKWISE, &capture);
    const struct fovea_batch batch = batch_of(1, 64);
    run_batch(context, &batch);
    run_batch(context, &batch);
    assert_string_equal(fake->calls,
                        BATCH_BEGIN BLOCKWISE_CALLS "EventQuery EventRecord CtxPopCurrent ");
    destroy(context);
}

/* A launch carries 500. */
static void many_gazes_travel_in_several_launches(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_context *context = create_for(FOVEA_METHOD_BLOCKWISE, &capture);
    const struct fovea_batch batch = batch_of(1024, 64);
    run_batch(context, &batch);
    run_batch(context, &batch);
    assert_int_equal(count_calls("LaunchKernel"), 3 + 1);
    assert_int_equal(fake->images, 1024);
    assert_null(strstr(fake->calls, "Memcpy"));
    destroy(context);
}

static void gazes_on_the_device_are_read_there(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_context *context = create_for(FOVEA_METHOD_BLOCKWISE, &capture);
    struct fovea_batch batch = batch_of(1024, 64);
    batch.gazes_uv = DEVICE_POINTER(0x2000000000);
    batch.gazes_memory = FOVEA_MEMORY_CUDA;
    run_batch(context, &batch);
    run_batch(context, &batch);
    assert_string_equal(fake->calls, BATCH_BEGIN "PointerGetAttributes StreamWaitEvent "
                                                 "LaunchKernel LaunchKernel " BATCH_END);
    batch.gazes_uv = gazes();
    assert_int_equal(fovea_context_run_batch(context, &batch, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(capture.errors, 1);
    assert_non_null(strstr(capture.last, "gazes_uv is not a device pointer"));
    destroy(context);
}

/* 64 px have 5892 samples of 8 bytes: 256 MiB hold the levels of 5694 images. */
static void images_beyond_the_memory_of_levels_come_after_the_others(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_context *context = create_for(FOVEA_METHOD_SMOOTH, &capture);
    struct fovea_batch batch = batch_of(MAX_GAZES, 64);
    run_batch(context, &batch);
    assert_in_range(fake->bytes, (240 << 20) + 8 * MAX_GAZES, (256 << 20) + 16 * MAX_GAZES);
    run_batch(context, &batch);
    assert_int_equal(count_calls("LaunchKernel"), MAX_GAZES / 500 + 3 * 5);
    assert_true(fake->images < 4000); /* the rest */
    batch.src_next_bytes = 0; /* levels of one picture */
    run_batch(context, &batch);
    assert_int_equal(count_calls("LaunchKernel"), MAX_GAZES / 500 + 5);
    assert_int_equal(fake->images, MAX_GAZES);
    destroy(context);
}

static void batches_grow_without_waiting(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_context *context = create_for(FOVEA_METHOD_SMOOTH, &capture);
    struct fovea_batch batch = batch_of(2, 64);
    run_batch(context, &batch);
    fake->busy = true;
    for (batch.count = 3; batch.count < 40; batch.count++) {
        run_batch(context, &batch);
        assert_null(strstr(fake->calls, "Synchronize"));
        assert_null(strstr(fake->calls, "MemFree"));
        /* in powers of two: from 2 to 4, 8, 16, 32, 64 */
        const bool beyond = ((batch.count - 1) & (batch.count - 2)) == 0;
        assert_int_equal(count_calls("MemAlloc"), beyond ? 1 : 0);
    }
    assert_int_equal(fake->memories, 2 + 5);
    fake->busy = false;
    batch.count = 65;
    run_batch(context, &batch); /* what is idle by now is freed where memory is taken */
    assert_int_equal(fake->memories, 2);
    destroy(context);
}

static void a_batch_without_memory_says_so_and_the_others_work(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_context *context = create_for(FOVEA_METHOD_SMOOTH, &capture);
    struct fovea_batch batch = batch_of(10, 64);
    run_batch(context, &batch);
    const int before = fake_cuda_living(fake);
    batch.count = 1000;
    fake->fails = "MemAlloc";
    fake_cuda_fail_at(fake, 1, CUDA_ERROR_OUT_OF_MEMORY);
    fake->fails = "MemAlloc";
    assert_int_equal(fovea_context_run_batch(context, &batch, NULL), FOVEA_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(capture.last, "1000 images"));
    assert_int_equal(fake_cuda_living(fake), before);
    batch.count = 10;
    run_batch(context, &batch);
    assert_null(strstr(fake->calls, "MemAlloc"));
    batch.count = 1000;
    run_batch(context, &batch);
    destroy(context);
}

/* A larger batch than the one before, while that one is under way. */
static bool fail_while_growing(enum fovea_method method, int n)
{
    struct capture capture = {0};
    struct fovea_context *context = create_for(method, &capture);
    struct fovea_batch batch = batch_of(5, 64);
    run_batch(context, &batch);
    batch.count = 50;
    fake_cuda_fail_at(fake, n, CUDA_ERROR_OUT_OF_MEMORY);
    fake->busy = true;
    const enum fovea_result result = fovea_context_run_batch(context, &batch, NULL);
    const bool failed = fake_cuda_has_failed(fake);
    assert_true(failed || result == FOVEA_OK);
    assert_int_equal(capture.errors > 0, failed);
    fake->pushed = 0;
    fake_cuda_calm(fake);
    run_batch(context, &batch);
    destroy(context);
    return failed;
}

static void a_batch_that_fails_anywhere_says_so_and_the_next_one_works(void **state)
{
    (void)state;
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        int n = 1;
        while (fail_while_growing((enum fovea_method)method, n)) {
            n++;
        }
        assert_true(n > 20);
    }
}

static void only_images_of_32_bit_floats_have_levels_of_them(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct fovea_context *context = create_for(FOVEA_METHOD_SMOOTH, &capture);
    struct fovea_image src = image(DEVICE_POINTER(0), 512);
    struct fovea_image dst = image(DEVICE_POINTER(0x1000000), 512);
    assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL), FOVEA_OK);
    const size_t halves = fake->bytes;
    src.format = dst.format = FOVEA_FORMAT_RGBA32F;
    src.row_stride_bytes = dst.row_stride_bytes = 512 * 16;
    assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL), FOVEA_OK);
    assert_in_range(fake->bytes, halves * 19 / 10, halves * 2);
    fake->calls[0] = '\0';
    assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL), FOVEA_OK);
    src.format = dst.format = FOVEA_FORMAT_RGBA16F;
    assert_int_equal(fovea_context_run(context, &src, &dst, centre, NULL), FOVEA_OK);
    assert_null(strstr(fake->calls, "MemAlloc"));
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
        cmocka_unit_test(a_frame_in_tiles_cleans_up_after_one_that_failed),
        cmocka_unit_test(host_pointers_are_refused_and_said_once),
        cmocka_unit_test(many_frames_in_flight_neither_allocate_nor_wait),
        cmocka_unit_test(sizes_come_and_go_without_waiting),
        cmocka_unit_test(a_context_that_fails_anywhere_leaves_nothing_behind),
        cmocka_unit_test(a_frame_that_fails_anywhere_says_so_and_the_next_one_works),
        cmocka_unit_test(a_batch_of_a_known_kind_only_launches),
        cmocka_unit_test(a_batch_of_one_is_a_frame),
        cmocka_unit_test(many_gazes_travel_in_several_launches),
        cmocka_unit_test(gazes_on_the_device_are_read_there),
        cmocka_unit_test(images_beyond_the_memory_of_levels_come_after_the_others),
        cmocka_unit_test(batches_grow_without_waiting),
        cmocka_unit_test(a_batch_without_memory_says_so_and_the_others_work),
        cmocka_unit_test(a_batch_that_fails_anywhere_says_so_and_the_next_one_works),
        cmocka_unit_test(only_images_of_32_bit_floats_have_levels_of_them),
        cmocka_unit_test(a_device_that_is_not_there_is_unsupported),
    };
    fake = fake_cuda_open();
    return fake ? cmocka_run_group_tests(tests, NULL, NULL) : EXIT_FAILURE;
}
