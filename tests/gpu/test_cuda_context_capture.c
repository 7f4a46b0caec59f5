/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_context on streams that are captured, with a driver that only keeps books and knows what a
 * capture forbids. */

#include "cmocka_all.h"
#include "context_rig.h"

static void *const stream = (void *)0x10;

static struct fovea_batch batch_of(uint32_t count)
{
    static const float gazes[2 * 200];
    return (struct fovea_batch){.struct_bytes = sizeof(struct fovea_batch),
                                .count = count,
                                .src = image(DEVICE_POINTER(0), 64),
                                .dst = image(DEVICE_POINTER(0x1000000000), 64),
                                .src_next_bytes = 64 * 64 * 4,
                                .dst_next_bytes = 64 * 64 * 4,
                                .gazes_uv = gazes};
}

static enum fovea_result run(struct fovea_context *context, uint32_t count)
{
    const struct fovea_batch batch = batch_of(count);
    fake->calls[0] = '\0';
    return fovea_context_run_batch(context, &batch, stream);
}

static enum fovea_result run_gradient(struct fovea_context *context, uint32_t count,
                                      enum fovea_memory gazes_memory)
{
    static float gazes[2 * 100];
    static float d_gazes[2 * 100];
    const bool host = gazes_memory == FOVEA_MEMORY_CPU;
    struct fovea_batch_gradient batch;
    fovea_batch_gradient_init(&batch);
    batch.count = count;
    batch.src = image(DEVICE_POINTER(0), 64);
    batch.d_dst = image(DEVICE_POINTER(0x1000000000), 64);
    batch.d_src = image(DEVICE_POINTER(0x2000000000), 64);
    struct fovea_image *const images[] = {&batch.src, &batch.d_dst, &batch.d_src};
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
        images[i]->format = FOVEA_FORMAT_R32F;
    }
    batch.src_next_bytes = batch.d_dst_next_bytes = batch.d_src_next_bytes = 64 * 64 * 4;
    batch.gazes_memory = gazes_memory;
    batch.gazes_uv = host ? gazes : DEVICE_POINTER(0x3000000000);
    batch.d_gazes_uv = host ? d_gazes : DEVICE_POINTER(0x3000001000);
    fake->calls[0] = '\0';
    return fovea_context_run_batch_gradient(context, &batch, stream);
}

static enum fovea_result run_gradient_on_device(struct fovea_context *context, uint32_t count)
{
    return run_gradient(context, count, FOVEA_MEMORY_CUDA);
}

typedef enum fovea_result (*run_fn)(struct fovea_context *context, uint32_t count);

/* The thread is as it was: what others may not, it may not again. */
static enum fovea_result captured(run_fn run_any, struct fovea_context *context, uint32_t count)
{
    fake->capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    const enum fovea_result result = run_any(context, count);
    assert_int_equal(fake->mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(fake->capturing, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    fake->capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    return result;
}

static enum fovea_result run_captured(struct fovea_context *context, uint32_t count)
{
    return captured(run, context, count);
}

static enum fovea_result run_captured_gradient(struct fovea_context *context, uint32_t count)
{
    return captured(run_gradient_on_device, context, count);
}

static struct fovea_context *open_smooth(void)
{
    fake_cuda_calm(fake);
    return context_open_for(FOVEA_METHOD_SMOOTH);
}

TEST(a_captured_call_asks_no_event_and_follows_its_capture_alone)
{
    OWNED(context_close) struct fovea_context *context = open_smooth();
    assert_ok(run(context, 100));
    fake->busy = true;
    assert_ok(run_captured(context, 100));
    static const char first[] =
        "LaunchKernel LaunchKernel LaunchKernel LaunchKernel EventRecord " RUN_END;
    const size_t length = strlen(fake->calls);
    assert_true(length > strlen(first));
    assert_string_equal(fake->calls + length - strlen(first), first);
    assert_null(strstr(fake->calls, "StreamWaitEvent"));
    assert_ok(run_captured(context, 100));
    assert_string_equal(fake->calls,
                        RUN_BEGIN "StreamWaitEvent LaunchKernel LaunchKernel LaunchKernel "
                                  "LaunchKernel EventRecord " RUN_END);
    assert_int_equal(fake->graphs, 1);
    fake_cuda_end_graphs(fake);
}

TEST(a_cold_call_is_captured_too)
{
    for (uint32_t count = 1; count <= 100; count += 99) {
        OWNED(context_close) struct fovea_context *context = open_smooth();
        assert_ok(run_captured(context, count));
        assert_int_equal(said.count[FOVEA_LOG_ERROR], 0);
        fake_cuda_end_graphs(fake);
    }
}

/* Many settings and larger batches later a graph still has what it uses; without it, it is
 * freed. */
TEST(what_a_graph_uses_lives_as_long_as_it)
{
    OWNED(context_close) struct fovea_context *context = open_smooth();
    assert_ok(run(context, 10));
    const int before = fake->memories;
    assert_ok(run_captured(context, 10));
    const int captured = fake->memories - before;
    assert_int_equal(captured, 2);
    assert_ok(run_captured(context, 20)); /* one of its own */
    assert_int_equal(fake->memories - before, 2 * captured);
    fake->calls[0] = '\0';
    struct fovea_settings settings = fovea_settings_default();
    for (int i = 0; i < 6; i++) {
        settings.foveation.strength = 0.5 + 0.1 * i;
        assert_ok(fovea_context_set_settings(context, &settings));
        assert_ok(run(context, 10));
    }
    const int with_graphs = fake->memories;
    assert_ok(run(context, 10));
    assert_int_equal(fake->memories, with_graphs);
    fake_cuda_end_graphs(fake);
    assert_ok(run(context, 10));
    assert_int_equal(fake->memories, with_graphs - 2 * captured);
}

TEST(what_a_capture_cannot_take_is_said_and_leaves_it_as_it_was)
{
    OWNED(context_close) struct fovea_context *context = open_smooth();
    assert_ok(run(context, 10));
    const int before = fake_cuda_living(fake);
    fake->capturing = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    assert_int_equal(run(context, 10), FOVEA_ERROR_INVALID_STATE);
    assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], "has failed before"));
    fake->capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    fake->captured_elsewhere = true;
    assert_int_equal(run(context, 10), FOVEA_ERROR_INVALID_STATE);
    assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], "default stream"));
    fake->captured_elsewhere = false;
    assert_null(strstr(fake->calls, "LaunchKernel"));
    assert_int_equal(fake_cuda_living(fake), before);
    assert_int_equal(said.count[FOVEA_LOG_ERROR], 2);
    assert_ok(run_captured(context, 10));
    fake_cuda_end_graphs(fake);
}

/* ---- Gradients */

/* Cold or not; in settings that are gone as in others. */
TEST(what_a_graph_of_gradients_uses_lives_as_long_as_it)
{
    OWNED(context_close) struct fovea_context *context = open_smooth();
    assert_ok(run_captured_gradient(context, 10));
    const int modules = fake->modules;
    assert_ok(run_gradient(context, 10, FOVEA_MEMORY_CUDA));
    const int before = fake->memories;
    assert_ok(run_captured_gradient(context, 10));
    assert_null(strstr(fake->calls, "Alloc")); /* of the same capture and size */
    assert_non_null(strstr(fake->calls, "StreamWaitEvent")); /* it follows the one before */
    assert_ok(run_captured_gradient(context, 20));
    assert_int_equal(fake->memories, before + 2);
    assert_int_equal(fake->graphs, 2);
    struct fovea_settings settings = fovea_settings_default();
    for (int i = 0; i < 6; i++) {
        settings.foveation.strength = 0.5 + 0.1 * i;
        assert_ok(fovea_context_set_settings(context, &settings));
        assert_ok(run_gradient(context, 10, FOVEA_MEMORY_CUDA));
    }
    const int with_graphs = fake->memories;
    assert_ok(run_gradient(context, 10, FOVEA_MEMORY_CUDA));
    assert_int_equal(fake->memories, with_graphs);
    fake_cuda_end_graphs(fake);
    assert_ok(run_gradient(context, 10, FOVEA_MEMORY_CUDA));
    assert_int_equal(fake->memories, with_graphs - 4);
    assert_int_equal(fake->modules, modules);
    assert_int_equal(said.count[FOVEA_LOG_ERROR], 0);
}

TEST(gradients_that_would_wait_are_not_captured)
{
    OWNED(context_close) struct fovea_context *context = open_smooth();
    fake->capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    assert_int_equal(run_gradient(context, 10, FOVEA_MEMORY_CPU), FOVEA_ERROR_UNSUPPORTED);
    fake->capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], "d_gazes_uv in CPU memory"));
    assert_null(strstr(fake->calls, "LaunchKernel"));
}

/* ---- Failures */

/* Returns whether one has failed. */
static bool fail_in_capture(run_fn run_any, int n)
{
    struct fovea_context *context = open_smooth();
    assert_ok(run(context, 5));
    fake_cuda_fail_at(fake, n, CUDA_ERROR_OUT_OF_MEMORY);
    fake->capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    const enum fovea_result result = run_any(context, 50);
    const bool failed = fake_cuda_has_failed(fake);
    assert_true(failed || result == FOVEA_OK);
    assert_int_equal(said.count[FOVEA_LOG_ERROR] > 0, failed);
    fake->pushed = 0;
    fake->mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    fake_cuda_calm(fake);
    assert_ok(captured(run_any, context, 50));
    assert_ok(run_any(context, 50));
    fake_cuda_end_graphs(fake);
    context_close(&context);
    return failed;
}

TEST(a_captured_call_that_fails_anywhere_says_so_and_the_next_one_works)
{
    static const run_fn runs[] = {run, run_gradient_on_device};
    for (int i = 0; i < 2; i++) {
        int n = 1;
        while (fail_in_capture(runs[i], n)) {
            n++;
        }
        assert_true(n > 30);
    }
}

/* The memory and the kernels of a graph stay, and nothing waits. */
static void assert_graph_outlives_context(run_fn run_any)
{
    struct fovea_context *context = open_smooth();
    const int before = fake->modules;
    assert_ok(captured(run_any, context, 10));
    const int modules = run_any == run ? before : fake->modules;
    const int memories = fake->memories;
    fovea_context_destroy(&context);
    assert_int_equal(fake->modules, modules);
    assert_int_equal(fake->memories, memories);
    assert_int_equal(fake->pushed, 0);
    fake_cuda_end_graphs(fake);
}

/* The last ones: what they leave is counted. */
TEST(a_graph_may_outlive_its_context)
{
    assert_graph_outlives_context(run);
}

TEST(a_graph_of_gradients_may_outlive_its_context)
{
    assert_graph_outlives_context(run_gradient_on_device);
}

int main(void)
{
    return context_run_tests();
}
