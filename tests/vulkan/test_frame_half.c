/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames of two batches, of which one is refused for want of memory: the waits are the engine's as
 * before, or it is said that they are taken; and nothing that is still in use is freed. */

#include "calls.h"
#include "clock.h"
#include "cmocka_all.h"
#include "compare.h"
#include "plugin/frame/frame.h"
#include "rig.h"

#define WIDTH_PX 40
#define HEIGHT_PX 30
static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

static int submits; /* of Fovea */
static int submit_calls; /* those that were refused included */
static int refused_from, refused_count; /* of the calls, from 1; none: 0 */
static VkResult refusal = VK_ERROR_OUT_OF_HOST_MEMORY;

static VKAPI_ATTR VkResult VKAPI_CALL shim_QueueSubmit(VkQueue queue, uint32_t count,
                                                       const VkSubmitInfo *infos, VkFence fence)
{
    submit_calls++;
    if (submit_calls >= refused_from && submit_calls < refused_from + refused_count) {
        return refusal;
    }
    submits++;
    return vkQueueSubmit(queue, count, infos, fence);
}

static _Thread_local int failing_waits; /* so many of the next ones */

static VKAPI_ATTR VkResult VKAPI_CALL shim_WaitSemaphores(VkDevice device,
                                                          const VkSemaphoreWaitInfo *info,
                                                          uint64_t timeout_ns)
{
    return failing_waits > 0 && failing_waits-- ? VK_ERROR_OUT_OF_HOST_MEMORY
                                                : vkWaitSemaphores(device, info, timeout_ns);
}

static const struct shim shims[] = {SHIM(QueueSubmit), SHIM(WaitSemaphores), NO_MORE_SHIMS};

static void open_shimmed(struct rig *rig)
{
    const struct engine_options options = {.host_signals = true};
    assert_true(engine_open(&rig->engine, &options));
    rig->settings = rig_settings();
    struct fovea_vk_desc desc = engine_fovea_desc(&rig->engine, &rig->settings);
    desc.get_instance_proc_addr = shims_first(shims);
    assert_ok(fovea_vk_create(&desc, &rig->fovea));
    submits = submit_calls = refused_from = refused_count = 0;
    refusal = VK_ERROR_OUT_OF_HOST_MEMORY;
}

TEST(a_second_batch_that_is_refused_once_is_tried_again)
{
    OWNED(rig_close) struct rig rig;
    open_shimmed(&rig);
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 9);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE second = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    const struct fovea_gaze gaze = rig_gaze(0.5, 0.5);
    refused_from = rig_backend() == FOVEA_BACKEND_VULKAN ? 0 : 2; /* one batch: none */
    refused_count = 1;
    assert_ok(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, format, &src.view, gaze, &dst.view));
    assert_int_equal(submit_calls, submits + (refused_from ? 1 : 0));
    assert_ok(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, format, &src.view, gaze, &second.view));
    compare_assert_all_same(&second.view, &dst.view, "after the refusal");
}

/* An engine's frame in place that waits for its drawing and for the host, and whose end it would
 * wait for. */
struct half_frame {
    struct rig rig;
    struct engine_image image;
    VkSemaphore drawn, go, presentable;
    struct fovea_vk_semaphore waits[2], signal;
    struct fovea_vk_frame desc;
};

static void open_half_frame(struct half_frame *half)
{
    *half = (struct half_frame){.drawn = VK_NULL_HANDLE};
    struct engine *engine = &half->rig.engine;
    open_shimmed(&half->rig);
    half->image = engine_image_create(engine, format, WIDTH_PX, HEIGHT_PX);
    half->drawn = engine_semaphore(engine, VK_SEMAPHORE_TYPE_BINARY);
    half->presentable = engine_semaphore(engine, VK_SEMAPHORE_TYPE_BINARY);
    half->go = engine_semaphore(engine, VK_SEMAPHORE_TYPE_TIMELINE);
    VkCommandBuffer commands = engine_begin(engine);
    engine_record_barrier(commands, half->image.image, VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_GENERAL);
    engine_submit(engine, commands, VK_NULL_HANDLE, half->drawn);
    half->waits[0] = (struct fovea_vk_semaphore){half->drawn, 0};
    half->waits[1] = (struct fovea_vk_semaphore){half->go, 1};
    half->signal = (struct fovea_vk_semaphore){half->presentable, 0};
    half->desc = rig_frame_in_place(&half->image);
    half->desc.waits = half->waits;
    half->desc.wait_count = 2;
    half->desc.signals = &half->signal;
    half->desc.signal_count = 1;
}

static void close_half_frame(struct half_frame *half)
{
    struct engine *engine = &half->rig.engine;
    engine_idle(engine);
    vkDestroySemaphore(engine->device, half->drawn, NULL);
    vkDestroySemaphore(engine->device, half->presentable, NULL);
    vkDestroySemaphore(engine->device, half->go, NULL);
    engine_image_destroy(engine, &half->image);
    rig_close(&half->rig);
}

static void *signal_late(void *argument)
{
    const struct half_frame *half = argument;
    rest_ms(200);
    const VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = half->go, .value = 1};
    (void)vkSignalSemaphore(half->rig.engine.device, &info);
    return NULL;
}

/* Uses the semaphore again as an engine does: it is in the state that was promised, or validation
 * speaks. */
static void use_again(struct engine *engine, VkSemaphore semaphore)
{
    engine_submit(engine, engine_begin(engine), VK_NULL_HANDLE, semaphore);
    engine_submit(engine, engine_begin(engine), semaphore, VK_NULL_HANDLE);
}

static void lose_a_frame(bool wait_first)
{
    OWNED(close_half_frame) struct half_frame half;
    open_half_frame(&half);
    struct engine *engine = &half.rig.engine;
    refused_from = 2;
    refused_count = 2;
    assert_int_equal(fovea_vk_foveate(half.rig.fovea, &half.desc), FOVEA_ERROR_FRAME_LOST);
    assert_int_equal(submits, 1);
    assert_int_equal(submit_calls, 3);
    /* The peer has said that it signals: somebody still looks whether it does. */
    assert_false(atomic_load(&half.rig.fovea->watchdog.stop));
    assert_int_equal(fovea_vk_foveate(half.rig.fovea, &half.desc), FOVEA_ERROR_INVALID_STATE);
    assert_int_equal(submit_calls, 3);
    const pthread_t thread = test_thread(signal_late, &half);
    failing_waits = 3;
    if (wait_first) {
        fovea_vk_wait(half.rig.fovea);
        uint64_t value = 0;
        assert_int_equal(vkGetSemaphoreCounterValue(engine->device, half.go, &value), VK_SUCCESS);
        assert_int_equal(value, 1);
    }
    fovea_vk_destroy(&half.rig.fovea); /* nothing of it may be in use, or validation speaks */
    assert_int_equal(failing_waits, 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    use_again(engine, half.drawn);
    use_again(engine, half.presentable);
}

TEST(a_frame_that_is_lost_half_way_is_said_and_waited_for)
{
    if (rig_backend() == FOVEA_BACKEND_VULKAN) {
        skip(); /* one batch */
    }
    lose_a_frame(true);
    lose_a_frame(false);
}

/* A device that is lost between the two batches: the waits are taken all the same, and it is
 * said. */
TEST(a_device_that_is_lost_half_way_loses_the_frame)
{
    if (rig_backend() == FOVEA_BACKEND_VULKAN) {
        skip(); /* one batch */
    }
    OWNED(close_half_frame) struct half_frame half;
    open_half_frame(&half);
    refused_from = 2;
    refused_count = 1;
    refusal = VK_ERROR_DEVICE_LOST;
    assert_int_equal(fovea_vk_foveate(half.rig.fovea, &half.desc), FOVEA_ERROR_FRAME_LOST);
    assert_int_equal(submits, 1);
    assert_int_equal(fovea_vk_foveate(half.rig.fovea, &half.desc), FOVEA_ERROR_DEVICE_LOST);
    assert_int_equal(submit_calls, 2);
    (void)signal_late(&half);
    fovea_vk_destroy(&half.rig.fovea);
    use_again(&half.rig.engine, half.drawn);
    use_again(&half.rig.engine, half.presentable);
}

/* The same without a peer, or where the first batch is refused: the waits are the engine's as
 * before. */
TEST(a_frame_that_is_refused_leaves_its_waits)
{
    OWNED(close_half_frame) struct half_frame half;
    open_half_frame(&half);
    refused_from = 1;
    refused_count = 1;
    assert_int_equal(fovea_vk_foveate(half.rig.fovea, &half.desc), FOVEA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(submits, 0);
    (void)signal_late(&half);
    assert_ok(fovea_vk_foveate(half.rig.fovea, &half.desc));
    fovea_vk_wait(half.rig.fovea);
    engine_submit(&half.rig.engine, engine_begin(&half.rig.engine), half.presentable,
                  VK_NULL_HANDLE);
}
