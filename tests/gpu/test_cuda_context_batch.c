/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_context and batches in CUDA memory, with a driver that only keeps books. */

#include "cmocka_all.h"
#include "context_rig.h"

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
    return (struct fovea_batch){.struct_bytes = sizeof(struct fovea_batch),
                                .count = count,
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
    assert_ok(fovea_context_run_batch(context, batch, (void *)0x10));
}

#define BATCH_END "EventRecord " RUN_END

TEST(a_batch_of_a_known_kind_only_launches)
{
    /* After the batch before: the gazes, level 1, further levels, the images. */
    static const char expected[] =
        RUN_BEGIN "StreamWaitEvent LaunchKernel LaunchKernel LaunchKernel "
                  "LaunchKernel " BATCH_END;
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        OWNED(context_close)
        struct fovea_context *context = context_open_for((enum fovea_method)method);
        struct fovea_batch batch = batch_of(100, 64);
        run_batch(context, &batch);
        run_batch(context, &batch);
        assert_string_equal(fake->calls, expected);
        assert_int_equal(fake->images, 100);
        batch.count = 99;
        run_batch(context, &batch);
        assert_string_equal(fake->calls, expected);
        assert_int_equal(fake->images, 99);
        assert_int_equal(said.count[FOVEA_LOG_ERROR], 0);
    }
}

TEST(a_batch_of_one_is_a_frame)
{
    OWNED(context_close) struct fovea_context *context = context_open_for(FOVEA_METHOD_BLOCKWISE);
    const struct fovea_batch batch = batch_of(1, 64);
    run_batch(context, &batch);
    run_batch(context, &batch);
    assert_string_equal(fake->calls, RUN_BEGIN FRAME_CALLS "EventRecord " RUN_END);
}

/* A gaze on the device, of a batch of one, is no cause for memory of a batch's where it counts for
 * nothing. */
TEST(a_batch_of_one_takes_no_memory_for_a_gaze_that_blur_does_not_look_at)
{
    for (int looks = 0; looks < 2; looks++) {
        struct fovea_settings settings = fovea_settings_default();
        settings.operators.order[0] = looks ? FOVEA_OPERATOR_foveate : FOVEA_OPERATOR_blur;
        settings.own.blur_sigma_px = 4.0;
        OWNED(context_close) struct fovea_context *context = context_open_with(&settings);
        struct fovea_batch batch = batch_of(1, 64);
        batch.gazes_uv = DEVICE_POINTER(0x2000000000);
        batch.gazes_memory = FOVEA_MEMORY_CUDA;
        run_batch(context, &batch);
        assert_int_equal(fake->memories, looks ? 2 : 1);
    }
}

/* The longest transform in a block of the driver's has 2,304 numbers. The answer is kept: a frame
 * makes no plan again. */
TEST(a_line_that_no_block_holds_is_told_once)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.operators = (struct fovea_operators){1, {FOVEA_OPERATOR_blur}};
    settings.own.blur_engine = 5; /* fft */
    OWNED(context_close) struct fovea_context *context = context_open_with(&settings);
    const struct fovea_batch batch = batch_of(1, 4096);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fovea_context_run_batch(context, &batch, NULL), FOVEA_ERROR_UNSUPPORTED);
        assert_int_equal(said.count[FOVEA_LOG_ERROR], 1);
        assert_non_null(strstr(said.last[FOVEA_LOG_ERROR],
                               "is more than a block of this GPU holds, 2304 in single precision"));
    }
    assert_int_equal(count_calls("LaunchKernel"), 0);
}

/* A launch carries 500. */
TEST(many_gazes_travel_in_several_launches)
{
    OWNED(context_close) struct fovea_context *context = context_open_for(FOVEA_METHOD_BLOCKWISE);
    const struct fovea_batch batch = batch_of(1024, 64);
    run_batch(context, &batch);
    run_batch(context, &batch);
    assert_int_equal(count_calls("LaunchKernel"), 3 + 3);
    assert_int_equal(fake->images, 1024);
    assert_null(strstr(fake->calls, "Memcpy"));
}

TEST(gazes_on_the_device_are_read_there)
{
    OWNED(context_close) struct fovea_context *context = context_open_for(FOVEA_METHOD_BLOCKWISE);
    struct fovea_batch batch = batch_of(1024, 64);
    batch.gazes_uv = DEVICE_POINTER(0x2000000000);
    batch.gazes_memory = FOVEA_MEMORY_CUDA;
    run_batch(context, &batch);
    run_batch(context, &batch);
    assert_string_equal(fake->calls, RUN_BEGIN "PointerGetAttributes StreamWaitEvent "
                                               "LaunchKernel LaunchKernel LaunchKernel "
                                               "LaunchKernel " BATCH_END);
    batch.gazes_uv = gazes();
    assert_int_equal(fovea_context_run_batch(context, &batch, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(said.count[FOVEA_LOG_ERROR], 1);
    assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], "gazes_uv is not a device pointer"));
}

/* Each frame brings another one, and only launches. */
TEST(sigmas_on_the_device_are_read_there)
{
    OWNED(context_close) struct fovea_context *context = context_open();
    struct fovea_settings settings = fovea_settings_default();
    settings.operators = (struct fovea_operators){1, {FOVEA_OPERATOR_blur}};
    assert_ok(fovea_context_set_settings(context, &settings));
    struct fovea_batch batch = batch_of(7, 64);
    batch.gazes_uv = NULL;
    batch.sigmas = image(DEVICE_POINTER(0x2000000000), 64);
    batch.sigmas.format = FOVEA_FORMAT_R32F;
    run_batch(context, &batch);
    batch.sigmas.data = DEVICE_POINTER(0x3000000000);
    run_batch(context, &batch);
    assert_string_equal(fake->calls, RUN_BEGIN "PointerGetAttributes StreamWaitEvent "
                                               "LaunchKernel LaunchKernel LaunchKernel "
                                               "LaunchKernel " BATCH_END);
    assert_int_equal(fake->images, 7);
    static float in_host_memory[64 * 64];
    batch.sigmas.data = in_host_memory;
    assert_int_equal(fovea_context_run_batch(context, &batch, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(said.count[FOVEA_LOG_ERROR], 1);
    assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], "sigmas.data is not a device pointer"));
}

/* Each frame brings others, and only launches: the gazes, the focus, four of sigmas, three of the
 * machine for means, the layers, the machine's gazes and three for both layers, and the picture. */
TEST(depths_on_the_device_are_read_there)
{
    OWNED(context_close) struct fovea_context *context = context_open();
    struct fovea_settings settings = fovea_settings_default();
    struct fovea_batch batch = batch_of(1, 64);
    struct fovea_depth depth;
    fovea_depth_init(&depth);
    depth.data = DEVICE_POINTER(0x2000000000);
    depth.width_px = depth.height_px = 64;
    depth.format = FOVEA_DEPTH_FORMAT_R32F;
    depth.memory = FOVEA_MEMORY_CUDA;
    depth.row_stride_bytes = 4 * 64;
    batch.depth = &depth;
    settings.operators = (struct fovea_operators){1, {FOVEA_OPERATOR_dof}};
    assert_ok(fovea_context_set_settings(context, &settings));
    run_batch(context, &batch);
    depth.data = DEVICE_POINTER(0x3000000000);
    run_batch(context, &batch);
    assert_null(strstr(fake->calls, "Mem"));
    assert_null(strstr(fake->calls, "Synchronize"));
    static float in_host_memory[64 * 64];
    depth.data = in_host_memory;
    assert_int_equal(fovea_context_run_batch(context, &batch, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(said.count[FOVEA_LOG_ERROR], 1);
    assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], "depth.data is not a device pointer"));
}

/* 80 px have levels of some 29 KB: 256 MiB hold those of some 9,300 images. */
TEST(images_beyond_the_memory_of_levels_come_after_the_others)
{
    OWNED(context_close) struct fovea_context *context = context_open_for(FOVEA_METHOD_SMOOTH);
    struct fovea_batch batch = batch_of(MAX_GAZES, 80);
    run_batch(context, &batch);
    assert_in_range(fake->bytes, (240 << 20) + 8 * MAX_GAZES, (256 << 20) + 16 * MAX_GAZES);
    run_batch(context, &batch);
    assert_int_equal(count_calls("LaunchKernel"), MAX_GAZES / 500 + 2 * 3);
    assert_true(fake->images < 4000); /* the rest */
    batch.src_next_bytes = 0; /* levels of one picture */
    run_batch(context, &batch);
    assert_int_equal(count_calls("LaunchKernel"), MAX_GAZES / 500 + 3);
    assert_int_equal(fake->images, MAX_GAZES);
}

TEST(batches_grow_without_waiting)
{
    OWNED(context_close) struct fovea_context *context = context_open_for(FOVEA_METHOD_SMOOTH);
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
}

/* The batch alone has an event: the tables that it reads wait for it, in plans that went and in
 * memory that was too small. */
TEST(tables_stay_while_a_batch_reads_them)
{
    OWNED(context_close) struct fovea_context *context = context_open_for(FOVEA_METHOD_SMOOTH);
    struct fovea_batch batch = batch_of(2, 64);
    fake->busy = fake->only_recorded = true;
    run_batch(context, &batch);
    batch.count = 10;
    run_batch(context, &batch);
    assert_int_equal(fake->memories, 1 + 2);
    for (uint32_t side = 65; side < 65 + 8; side++) {
        batch = batch_of(2, side);
        run_batch(context, &batch);
    }
    assert_int_equal(fake->memories, (1 + 2) + 8 * (1 + 1));
    fake->busy = false;
    batch = batch_of(2, 80);
    run_batch(context, &batch);
    assert_int_equal(fake->memories, 4 * (1 + 1));
}

TEST(a_batch_without_memory_says_so_and_the_others_work)
{
    OWNED(context_close) struct fovea_context *context = context_open_for(FOVEA_METHOD_SMOOTH);
    struct fovea_batch batch = batch_of(10, 64);
    run_batch(context, &batch);
    const int before = fake_cuda_living(fake);
    batch.count = 1000;
    fake->fails = "MemAlloc";
    fake_cuda_fail_at(fake, 1, CUDA_ERROR_OUT_OF_MEMORY);
    fake->fails = "MemAlloc";
    assert_int_equal(fovea_context_run_batch(context, &batch, NULL), FOVEA_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], "1000 images"));
    assert_int_equal(fake_cuda_living(fake), before);
    batch.count = 10;
    run_batch(context, &batch);
    assert_null(strstr(fake->calls, "MemAlloc"));
    batch.count = 1000;
    run_batch(context, &batch);
}

/* A larger batch than the one before, while that one is under way. */
static bool fail_while_growing(enum fovea_method method, int n)
{
    struct fovea_context *context = context_open_for(method);
    struct fovea_batch batch = batch_of(5, 64);
    run_batch(context, &batch);
    batch.count = 50;
    fake_cuda_fail_at(fake, n, CUDA_ERROR_OUT_OF_MEMORY);
    fake->busy = true;
    const enum fovea_result result = fovea_context_run_batch(context, &batch, NULL);
    const bool failed = fake_cuda_has_failed(fake);
    assert_true(failed || result == FOVEA_OK);
    assert_int_equal(said.count[FOVEA_LOG_ERROR] > 0, failed);
    fake->pushed = 0;
    fake_cuda_calm(fake);
    run_batch(context, &batch);
    context_close(&context);
    return failed;
}

TEST(a_batch_that_fails_anywhere_says_so_and_the_next_one_works)
{
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        int n = 1;
        while (fail_while_growing((enum fovea_method)method, n)) {
            n++;
        }
        assert_true(n > 20);
    }
}

int main(void)
{
    return context_run_tests();
}
