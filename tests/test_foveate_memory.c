/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Both methods with every allocation failing in turn: an error, nothing left behind (the sanitizers
 * of the test build see leaks); and none in a frame. The linker turns pthread_create to the wrapper
 * below, as failing.h says of others. */

#include "failing.h"
#include "test_foveate_support.h"

static int threads_left = -1;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    if (threads_left == 0) {
        return 11;
    }
    threads_left -= threads_left > 0;
    return __real_pthread_create(thread, attributes, start, argument);
}

TEST(plan_without_memory_says_so)
{
    for (int i = 0; i < 2; i++) {
        const struct fovea_foveation settings =
            i ? smooth_settings(FOVEA_MODEL_PHYSICAL) : paper_settings(16);
        const int needed = 3;
        for (int allowed = 0; allowed <= needed; allowed++) {
            OWNED(foveate_plan_destroy) struct gauss_plan *plan = NULL;
            failing_after = allowed;
            const enum fovea_result result = foveate_plan_create(&settings, 320, 240, &plan);
            failing_after = -1;
            assert_int_equal(result, allowed < needed ? FOVEA_ERROR_OUT_OF_MEMORY : FOVEA_OK);
            assert_true((allowed < needed) == (plan == NULL));
        }
    }
}

TEST(cpu_without_memory_says_so)
{
    for (int i = 0; i < 2; i++) {
        const struct fovea_foveation settings =
            i ? smooth_settings(FOVEA_MODEL_PAPER) : paper_settings(16);
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 320, 240);
        OWNED(processor_finish) struct processor processor = {0};
        int allowed = 0;
        for (enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY; result != FOVEA_OK; allowed++) {
            failing_after = allowed;
            result = processor_create(plan, 3, &processor);
            failing_after = -1;
            assert_int_equal(result, processor.cpu ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY);
        }
        assert_true(allowed > (i ? 8 : 6));
    }
}

/* Whichever batch comes after it. */
TEST(a_batch_without_memory_leaves_what_there_is)
{
    const struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 64, 48);
    OWNED(processor_finish) struct processor processor;
    assert_ok(processor_create(plan, 8, &processor));
    failing_after = 5; /* workers have memory of their own */
    assert_int_equal(gauss_cpu_reserve(processor.cpu, &(struct operator_images){.count = 8}),
                     FOVEA_ERROR_OUT_OF_MEMORY);
    failing_after = -1;
    assert_ok(gauss_cpu_reserve(processor.cpu, &(struct operator_images){.count = 3}));
    assert_ok(gauss_cpu_reserve(processor.cpu, &(struct operator_images){.count = 8}));
}

TEST(reference_without_memory_says_so)
{
    const struct fovea_foveation paper = paper_settings(4);
    const struct fovea_foveation smooth = smooth_settings(FOVEA_MODEL_PAPER);
    const double gaze_px[2] = {0.0};
    double src[64] = {0.0};
    double dst[64];
    for (int allowed = 0; allowed < 2; allowed++) {
        failing_after = allowed;
        const enum fovea_result blockwise_result =
            foveate_reference(&paper, 8, 8, 1, src, dst, gaze_px, 1);
        failing_after = allowed;
        const enum fovea_result smooth_result =
            foveate_reference_smooth(&smooth, 8, 8, 1, src, dst, gaze_px, 1);
        failing_after = -1;
        assert_int_equal(blockwise_result, FOVEA_ERROR_OUT_OF_MEMORY);
        assert_int_equal(smooth_result, FOVEA_ERROR_OUT_OF_MEMORY);
    }
}

TEST(fewer_threads_than_asked_for_still_do_the_work)
{
    const struct fovea_foveation settings = paper_settings(16);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 100, 100);
    const struct gauss_frame frame = frame_at(plan, 50, 50);
    OWNED_IMAGE src = image_make_packed(100, 100, FOVEA_FORMAT_R8);
    OWNED_IMAGE dst = image_make_packed(100, 100, FOVEA_FORMAT_R8);
    image_fill(&src.view, 9);
    for (threads_left = 0; threads_left < 3;) {
        const int allowed = threads_left;
        struct processor processor;
        assert_ok(processor_create(plan, 4, &processor));
        processor_run(&processor, &src.view, &dst.view, &frame);
        assert_true(image_get(&dst.view, 99, 99, 0) == 9.0);
        processor_finish(&processor);
        threads_left = allowed + 1;
    }
    threads_left = -1;
}

/* In any format, of which the first is blockwise's too. */
TEST(frames_allocate_nothing)
{
    for (int i = FOVEA_FORMAT_NONE; i <= FOVEA_FORMAT_R32F; i++) {
        const bool blockwise = i == FOVEA_FORMAT_NONE;
        const enum fovea_format format = blockwise ? FOVEA_FORMAT_RGBA8 : (enum fovea_format)i;
        OWNED(rig_finish)
        struct rig rig = rig_make(
            blockwise ? paper_settings(16) : smooth_settings((enum fovea_model)(i % 3)), 100, 100);
        OWNED_IMAGE src = image_make_packed(100, 100, format);
        OWNED_IMAGE dst = image_make_packed(100, 100, format);
        image_fill(&src.view, 1);
        const int before = failing_calls;
        for (int k = 0; k < (blockwise ? 50 : 20); k++) {
            rig_run(&rig, &src.view, &dst.view, k * 2.5, k);
        }
        assert_int_equal(failing_calls, before);
    }
}
