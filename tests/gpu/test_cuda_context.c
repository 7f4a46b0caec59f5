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

/* Bytes have kernels of their own where pixels lie beside each other; the
 * row's first operator launches as ever. */
TEST(a_lens_is_one_launch)
{
    static const struct {
        uint32_t operators, filter;
        enum fovea_light light;
        double red_r2;
        ptrdiff_t pixel_bytes;
        const char *launched;
    } cases[] = {
        {1, 1, FOVEA_LIGHT_ENCODED, 0.0, 4, "lens_bytes_linear_rgba8 "},
        {1, 1, FOVEA_LIGHT_ENCODED, 0.1, 4, "lens_bytes_colored_linear_rgba8 "},
        {1, 1, FOVEA_LIGHT_ENCODED, 0.1, 8, "lens_bilinear_linear_rgba8 "},
        {1, 1, FOVEA_LIGHT_LINEAR, 0.0, 4, "lens_light_linear_rgba8 "},
        {1, 1, FOVEA_LIGHT_LINEAR, 0.1, 4, "lens_light_colored_linear_rgba8 "},
        {1, 2, FOVEA_LIGHT_ENCODED, 0.0, 4, "lens_bytes_bicubic_linear_rgba8 "},
        {1, 2, FOVEA_LIGHT_LINEAR, 0.1, 4, "lens_light_bicubic_colored_linear_rgba8 "},
        {1, 2, FOVEA_LIGHT_ENCODED, 0.0, 8, "lens_bicubic_linear_rgba8 "},
        {1, 0, FOVEA_LIGHT_LINEAR, 0.0, 4, "lens_moved_linear_rgba8 "},
        {1, 0, FOVEA_LIGHT_LINEAR, 0.1, 4, "lens_moved_colored_linear_rgba8 "},
        {1, 0, FOVEA_LIGHT_LINEAR, 0.1, 8, "lens_nearest_linear_rgba8 "},
        {2, 1, FOVEA_LIGHT_ENCODED, 0.0, 4,
         "nodes_level_1_linear_rgba8 nodes_levels_colours nodes_picture_linear_rgba8 "
         "lens_bytes_linear_rgba8 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fovea_settings settings = fovea_settings_default();
        settings.backend = FOVEA_BACKEND_CUDA;
        settings.operators = (struct fovea_operators){cases[i].operators, {FOVEA_OPERATOR_lens}};
        if (cases[i].operators == 2) {
            settings.operators =
                (struct fovea_operators){2, {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_lens}};
        }
        settings.foveation.method = FOVEA_METHOD_BLOCKWISE;
        settings.foveation.light = cases[i].light;
        settings.own.lens_filter = cases[i].filter;
        settings.own.lens_red_r2 = cases[i].red_r2;
        OWNED(context_close) struct fovea_context *context = context_open_with(&settings);
        struct fovea_image src = image(DEVICE_POINTER(0), 64);
        struct fovea_image dst = image(DEVICE_POINTER(0x100000), 64);
        src.pixel_stride_bytes = dst.pixel_stride_bytes = cases[i].pixel_bytes;
        src.row_stride_bytes = dst.row_stride_bytes = 64 * cases[i].pixel_bytes;
        assert_ok(fovea_context_run(context, &src, &dst, centre, NULL));
        fake_cuda_calm(fake);
        fake->launched[0] = '\0';
        assert_ok(fovea_context_run(context, &src, &dst, centre, NULL));
        assert_string_equal(fake->launched, cases[i].launched);
        assert_null(strstr(fake->calls, "Alloc"));
        assert_null(strstr(fake->calls, "Synchronize"));
        assert_int_equal(said.count[FOVEA_LOG_ERROR], 0);
    }
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

/* Tiles have no level 0; floats have one of 16 bytes a pixel. */
TEST(only_images_of_32_bit_floats_have_levels_of_them)
{
    const size_t pixels = (size_t)512 * 512;
    OWNED(context_close) struct fovea_context *context = context_open_for(FOVEA_METHOD_SMOOTH);
    struct fovea_image src = image(DEVICE_POINTER(0), 512);
    struct fovea_image dst = image(DEVICE_POINTER(0x1000000), 512);
    assert_ok(fovea_context_run(context, &src, &dst, centre, NULL));
    assert_in_range(fake->bytes, pixels, 4 * pixels);
    src.format = dst.format = FOVEA_FORMAT_RGBA32F;
    src.row_stride_bytes = dst.row_stride_bytes = 512 * 16;
    assert_ok(fovea_context_run(context, &src, &dst, centre, NULL));
    assert_in_range(fake->bytes, 16 * pixels, 24 * pixels);
    fake->calls[0] = '\0';
    assert_ok(fovea_context_run(context, &src, &dst, centre, NULL));
    src.format = dst.format = FOVEA_FORMAT_RGBA16F;
    assert_ok(fovea_context_run(context, &src, &dst, centre, NULL));
    assert_null(strstr(fake->calls, "MemAlloc"));
}

TEST(a_device_that_is_not_there_is_unsupported)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    desc.cuda_device = 3;
    desc.log = recorded_log(&said);
    struct fovea_context *context = NULL;
    assert_int_equal(fovea_context_create(&desc, &context), FOVEA_ERROR_UNSUPPORTED);
    assert_null(context);
    assert_int_equal(said.count[FOVEA_LOG_ERROR], 1);
    assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], "device 3"));
}

int main(void)
{
    return context_run_tests();
}
