/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames that are recorded into the engine's own commands (fovea_vk_record). Their pixels are also
 * compared with the reference by the tests whose backend is called "recorded". */

#include "calls.h"
#include "compare.h"
#include "misuse.h"
#include "test_with.h"

#define IN_FLIGHT 3
#define FRAMES 20
static const VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;

static int submits; /* of Fovea's */
static int asked; /* how often the host has asked for queries */

static VKAPI_ATTR VkResult VKAPI_CALL shim_QueueSubmit(VkQueue queue, uint32_t count,
                                                       const VkSubmitInfo *infos, VkFence fence)
{
    submits++;
    return vkQueueSubmit(queue, count, infos, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL shim_GetQueryPoolResults(VkDevice device, VkQueryPool pool,
                                                               uint32_t first, uint32_t count,
                                                               size_t bytes, void *data,
                                                               VkDeviceSize stride,
                                                               VkQueryResultFlags flags)
{
    asked++;
    return vkGetQueryPoolResults(device, pool, first, count, bytes, data, stride, flags);
}

static const struct shim shims[] = {SHIM(QueueSubmit), SHIM(GetQueryPoolResults), NO_MORE_SHIMS};

/* An engine with some pairs of images, a place for what comes out of each, and what should. */
struct show {
    struct rig rig;
    struct engine_image src;
    struct engine_image dst[FRAMES];
    struct engine_buffer out;
    struct test_image expected[FRAMES];
    uint64_t frame; /* the engine's number of the newest one */
};

static VkDeviceSize picture_bytes(void)
{
    return (VkDeviceSize)WIDTH_PX * HEIGHT_PX * engine_pixel_bytes(format);
}

static struct fovea_vk_frame frame_of(const struct show *show, int index)
{
    struct fovea_vk_frame frame = good_frame(&show->src, &show->dst[index]);
    frame.gaze = rig_gaze((index + 0.5) / FRAMES, 0.4);
    return frame;
}

/* Makes what compute shaders make of the frames when they submit them themselves. */
static void make_expected(struct show *show)
{
    struct fovea_settings settings = show->rig.settings;
    settings.backend = FOVEA_BACKEND_VULKAN;
    const struct fovea_vk_desc desc = engine_fovea_desc(&show->rig.engine, &settings);
    OWNED(fovea_vk_destroy) struct fovea_vk *fovea = NULL;
    assert_ok(fovea_vk_create(&desc, &fovea));
    for (int i = 0; i < FRAMES; i++) {
        const struct fovea_vk_frame frame = frame_of(show, i);
        assert_ok(fovea_vk_foveate(fovea, &frame));
        show->expected[i] = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
        engine_read(&show->rig.engine, show->dst[i].image, WIDTH_PX, HEIGHT_PX, format,
                    show->expected[i].view.data, layout, layout);
    }
    engine_idle(&show->rig.engine);
}

static void open_show(struct show *show)
{
    memset(show, 0, sizeof *show);
    const struct engine_options options = {.nvidia = rig_backend() == FOVEA_BACKEND_CUDA,
                                           .host_signals = rig_backend() == FOVEA_BACKEND_CPU};
    assert_true(engine_open(&show->rig.engine, &options));
    show->rig.settings = rig_settings();
    struct fovea_vk_desc desc = engine_fovea_desc(&show->rig.engine, &show->rig.settings);
    desc.get_instance_proc_addr = shims_first(shims);
    desc.frames_in_flight = IN_FLIGHT;
    desc.log = (struct fovea_log){keep_log, NULL, FOVEA_LOG_DEBUG};
    assert_ok(fovea_vk_create(&desc, &show->rig.fovea));
    show->src = drawn_image(&show->rig, WIDTH_PX, HEIGHT_PX);
    for (int i = 0; i < FRAMES; i++) {
        show->dst[i] = engine_image_create(&show->rig.engine, format, WIDTH_PX, HEIGHT_PX);
    }
    show->out = engine_buffer_create(&show->rig.engine, FRAMES * picture_bytes());
    make_expected(show);
    submits = 0;
    asked = 0;
    log_lines = 0;
}

static void close_show(struct show *show)
{
    engine_idle(&show->rig.engine);
    engine_buffer_destroy(&show->rig.engine, &show->out);
    engine_image_destroy(&show->rig.engine, &show->src);
    for (int i = 0; i < FRAMES; i++) {
        engine_image_destroy(&show->rig.engine, &show->dst[i]);
        image_free(&show->expected[i]);
    }
    rig_close(&show->rig);
}

#define SHOW_TEST(name) TEST_WITH(name, struct show, show, open_show(&made), close_show)

static enum fovea_result record(struct show *show, int index, VkCommandBuffer commands,
                                uint64_t finished_frame)
{
    const struct fovea_vk_frame frame = frame_of(show, index);
    struct fovea_vk_recording recording;
    fovea_vk_recording_init(&recording);
    recording.commands = commands;
    recording.frame = ++show->frame;
    recording.finished_frame = finished_frame;
    return fovea_vk_record(show->rig.fovea, &frame, &recording);
}

/* The engine's commands of a frame: Fovea's, and a copy of what they made. */
static void submit_frame(struct show *show, int index, uint64_t finished_frame)
{
    const VkCommandBuffer commands = engine_begin(&show->rig.engine);
    assert_ok(record(show, index, commands, finished_frame));
    engine_record_download(commands, show->dst[index].image, WIDTH_PX, HEIGHT_PX, show->out.buffer,
                           (VkDeviceSize)index * picture_bytes(), layout, layout);
    engine_submit(&show->rig.engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
}

static void expect_picture(struct show *show, int index)
{
    OWNED_IMAGE out = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    memcpy(out.view.data, show->out.mapped + (size_t)index * picture_bytes(), picture_bytes());
    compare_assert_all_same(&out.view, &show->expected[index].view, "recorded");
}

/* The engine waits two frames behind, as engines do. */
SHOW_TEST(frames_in_flight_keep_apart_and_use_no_queue)
{
    VkFence fences[FRAMES];
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkDevice device = show->rig.engine.device;
    for (int i = 0; i < FRAMES; i++) {
        assert_int_equal(vkCreateFence(device, &info, NULL, &fences[i]), VK_SUCCESS);
        if (i >= 2) {
            assert_int_equal(vkWaitForFences(device, 1, &fences[i - 2], VK_TRUE, UINT64_MAX),
                             VK_SUCCESS);
        }
        submit_frame(show, i, i >= 2 ? (uint64_t)(i - 1) : 0);
        assert_int_equal(vkQueueSubmit(show->rig.engine.queue, 0, NULL, fences[i]), VK_SUCCESS);
    }
    engine_idle(&show->rig.engine);
    for (int i = 0; i < FRAMES; i++) {
        vkDestroyFence(device, fences[i], NULL);
        expect_picture(show, i);
    }
    assert_int_equal(submits, 0);
    assert_int_equal(log_lines, 0);
    struct fovea_vk_stats stats;
    fovea_vk_stats_init(&stats);
    assert_ok(fovea_vk_get_stats(show->rig.fovea, &stats));
    assert_int_equal(stats.frames, FRAMES);
}

SHOW_TEST(frames_that_nobody_calls_finished_fill_the_flight)
{
    for (int i = 0; i < IN_FLIGHT + 1; i++) {
        submit_frame(show, i, 0);
    }
    engine_idle(&show->rig.engine);
    fovea_vk_wait(show->rig.fovea); /* knows nothing of them */
    const VkCommandBuffer commands = engine_begin(&show->rig.engine);
    assert_int_equal(record(show, 7, commands, 0), FOVEA_NOT_READY);
    assert_non_null(strstr(last_log, "said to be finished (finished_frame)"));
    engine_submit(&show->rig.engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    const struct fovea_vk_frame frame = frame_of(show, 7);
    assert_int_equal(fovea_vk_foveate(show->rig.fovea, &frame), FOVEA_NOT_READY);
    submit_frame(show, 8, 1);
    engine_idle(&show->rig.engine);
    expect_picture(show, 8);
}

/* The first of each slot among them: their queries were never reset. */
static bool is_dropped(int index)
{
    return index <= IN_FLIGHT || index % 3 == 0;
}

/* Nobody may ask for queries that commands have not begun. */
static void expect_no_queries(const struct show *show)
{
    struct fovea_vk_stats stats;
    fovea_vk_stats_init(&stats);
    assert_ok(fovea_vk_get_stats(show->rig.fovea, &stats));
    assert_int_equal(asked, 0);
    assert_true(stats.gpu_time_known);
    assert_true(stats.gpu_p50_us > 0.0);
}

SHOW_TEST(commands_that_are_dropped_leave_nothing_behind)
{
    for (int i = 0; i < FRAMES; i++) {
        if (is_dropped(i)) {
            const VkCommandBuffer commands = engine_begin(&show->rig.engine);
            assert_ok(record(show, i, commands, show->frame));
            assert_int_equal(vkEndCommandBuffer(commands), VK_SUCCESS);
        } else {
            submit_frame(show, i, show->frame);
        }
        engine_idle(&show->rig.engine); /* resets the pool */
    }
    for (int i = 0; i < FRAMES; i++) {
        if (!is_dropped(i)) {
            expect_picture(show, i);
        }
    }
    expect_no_queries(show);
}

/* Those that are submitted may have a backend of their own, which is compared elsewhere. */
SHOW_TEST(recorded_and_submitted_frames_come_by_turns)
{
    for (int i = 0; i + 1 < FRAMES; i += 2) {
        submit_frame(show, i, show->frame);
        const struct fovea_vk_frame frame = frame_of(show, i + 1);
        assert_ok(fovea_vk_foveate(show->rig.fovea, &frame));
        engine_idle(&show->rig.engine);
        expect_picture(show, i);
        if (rig_backend() == FOVEA_BACKEND_VULKAN) {
            engine_read(&show->rig.engine, show->dst[i + 1].image, WIDTH_PX, HEIGHT_PX, format,
                        show->out.mapped + (size_t)(i + 1) * picture_bytes(), layout, layout);
            expect_picture(show, i + 1);
        }
    }
}

SHOW_TEST(a_frame_without_a_gaze_is_copied)
{
    struct fovea_vk_frame frame = frame_of(show, 0);
    frame.gaze.usable = false;
    const VkCommandBuffer commands = engine_begin(&show->rig.engine);
    const struct fovea_vk_recording recording = {
        .struct_bytes = sizeof recording, .commands = commands, .frame = 1};
    assert_int_equal(fovea_vk_record(show->rig.fovea, &frame, &recording), FOVEA_PASSED_THROUGH);
    engine_submit(&show->rig.engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    OWNED_IMAGE src = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    engine_read(&show->rig.engine, show->src.image, WIDTH_PX, HEIGHT_PX, format, src.view.data,
                layout, layout);
    engine_read(&show->rig.engine, show->dst[0].image, WIDTH_PX, HEIGHT_PX, format, dst.view.data,
                layout, layout);
    compare_assert_all_same(&dst.view, &src.view, "copied");
}

SHOW_TEST(wrong_recordings_are_refused)
{
    const VkCommandBuffer commands = engine_begin(&show->rig.engine);
    const struct fovea_vk_semaphore none = {0};
    assert_ok(record(show, 0, commands, 0)); /* the engine's frame 1 */
    assert_ok(record(show, 1, commands, 1));
    for (int i = 0; i < 7; i++) {
        struct fovea_vk_frame frame = frame_of(show, 2);
        struct fovea_vk_recording recording = {.struct_bytes = sizeof recording,
                                               .commands = commands,
                                               .frame = 3,
                                               .finished_frame = 1};
        recording.commands = i == 0 ? VK_NULL_HANDLE : commands;
        recording.frame = i == 1 ? 0 : i == 2 ? 1 : 3;
        recording.finished_frame = i == 3 ? 3 : i == 2 ? 0 : 1;
        recording.struct_bytes = i == 4 ? 0 : sizeof recording;
        frame.wait_count = i == 5;
        frame.signal_count = i == 6;
        frame.waits = frame.signals = &none;
        log_lines = 0;
        assert_int_equal(fovea_vk_record(show->rig.fovea, &frame, &recording),
                         FOVEA_ERROR_INVALID_ARGUMENT);
        assert_int_equal(log_lines, i == 6 ? 0 : 1); /* the last says the same again */
    }
    const struct fovea_vk_frame frame = frame_of(show, 2);
    const struct fovea_vk_recording recording = {.struct_bytes = sizeof recording};
    assert_int_equal(fovea_vk_record(NULL, &frame, &recording), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_vk_record(show->rig.fovea, NULL, &recording),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_vk_record(show->rig.fovea, &frame, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    engine_submit(&show->rig.engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
}
