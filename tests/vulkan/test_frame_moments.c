/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Wrong moments, and what an engine does to its images while frames are in flight. Nothing here may
 * crash, submit half a frame or upset validation. */

#include "misuse.h"
#include "plugin/frame/frame.h"

TEST(images_know_whose_they_are)
{
    LOGGED_RIG(rig);
    struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc, format, WIDTH_PX, HEIGHT_PX, 0};
    struct fovea_vk_image *image = NULL;
    assert_ok(fovea_vk_image_create(rig.fovea, &desc, &image));
    assert_true(fovea_vk_image_handle(image) && fovea_vk_image_view(image));
    VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
    assert_int_equal(fovea_vk_image_release(image, layout), FOVEA_ERROR_INVALID_STATE);
    assert_ok(fovea_vk_image_acquire(image, &layout));
    assert_int_equal(layout, VK_IMAGE_LAYOUT_UNDEFINED);
    assert_int_equal(fovea_vk_image_acquire(image, &layout), FOVEA_ERROR_INVALID_STATE);
    assert_non_null(strstr(last_log, "acquired twice"));
    assert_ok(fovea_vk_image_release(image, VK_IMAGE_LAYOUT_UNDEFINED));

    struct engine_image other = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct fovea_vk_frame frame = good_frame(&other, &other);
    frame.src.made = image;
    assert_int_equal(fovea_vk_foveate(rig.fovea, &frame), FOVEA_ERROR_INVALID_STATE);
    frame = good_frame(&other, &other);
    frame.dst.made = image;
    assert_ok(fovea_vk_foveate(rig.fovea, &frame));
    assert_int_equal(fovea_vk_foveate(rig.fovea, &frame), FOVEA_ERROR_INVALID_STATE);
    assert_int_equal(fovea_vk_image_acquire(image, &layout), FOVEA_ERROR_INVALID_STATE);
    assert_ok(fovea_vk_image_release(image, VK_IMAGE_LAYOUT_GENERAL));
    assert_ok(fovea_vk_foveate(rig.fovea, &frame));
    engine_idle(&rig.engine);
    engine_image_destroy(&rig.engine, &other);
    /* One is destroyed by hand, one with the context. */
    fovea_vk_image_destroy(&image);
    assert_null(image);
    fovea_vk_image_destroy(&image);
    assert_ok(fovea_vk_image_create(rig.fovea, &desc, &image));
}

TEST(too_many_unfinished_frames_are_refused_and_come_back)
{
    struct rig rig;
    open_logged(&rig);
    struct engine *engine = &rig.engine;
    if (!engine->needs.timeline_semaphore) {
        rig_close(&rig);
        skip();
    }
    struct engine_image src = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct engine_image dst = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct fovea_vk_semaphore gate = closed_gate(engine);
    struct fovea_vk_frame frame = good_frame(&src, &dst);
    frame.waits = &gate;
    frame.wait_count = 1;
    for (uint32_t i = 0; i < 4; i++) { /* frames_in_flight is 3, and one place is spare */
        assert_ok(fovea_vk_foveate(rig.fovea, &frame));
    }
    assert_int_equal(fovea_vk_foveate(rig.fovea, &frame), FOVEA_NOT_READY);
    assert_int_equal(rig.fovea->row_refused, 1); /* a program that shows it as it is had a gaze */
    open_gate(engine, gate);
    engine_idle(engine);
    assert_ok(fovea_vk_foveate(rig.fovea, &frame));
    engine_idle(engine);
    vkDestroySemaphore(engine->device, gate.semaphore, NULL);
    engine_image_destroy(engine, &src);
    engine_image_destroy(engine, &dst);
    rig_close(&rig);
}

/* Without the value the frame would be over before the gate is open, or the device lost. */
TEST(an_engines_timelines_count_though_the_context_was_not_told_of_any)
{
    LOGGED_RIG(rig);
    struct engine *engine = &rig.engine;
    if (!engine->needs.timeline_semaphore) {
        skip();
    }
    struct fovea_vk_desc desc = engine_fovea_desc(engine, &rig.settings);
    desc.timeline_semaphore = false;
    rig.settings.backend = FOVEA_BACKEND_VULKAN; /* peers may need what is not said */
    fovea_vk_destroy(&rig.fovea);
    assert_ok(fovea_vk_create(&desc, &rig.fovea));
    struct engine_image image = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct fovea_vk_semaphore gate = closed_gate(engine);
    const struct fovea_vk_semaphore over = {gate.semaphore, 2};
    const struct fovea_vk_semaphore start = {gate.semaphore, 0};
    struct fovea_vk_frame frame = rig_frame_in_place(&image);
    frame.waits = &start;
    frame.wait_count = 1;
    assert_ok(fovea_vk_foveate(rig.fovea, &frame)); /* at once, and validation wants the 0 */
    frame.waits = &gate;
    frame.signals = &over;
    frame.signal_count = 1;
    assert_ok(fovea_vk_foveate(rig.fovea, &frame));
    open_gate(engine, gate);
    engine_idle(engine);
    uint64_t value = 0;
    assert_int_equal(vkGetSemaphoreCounterValue(engine->device, gate.semaphore, &value),
                     VK_SUCCESS);
    assert_int_equal(value, 2);
    vkDestroySemaphore(engine->device, gate.semaphore, NULL);
    engine_image_destroy(engine, &image);
}

TEST(the_size_may_change_with_frames_in_flight)
{
    LOGGED_RIG(rig);
    struct engine_image src[6];
    struct engine_image dst[6];
    for (uint32_t i = 0; i < 6; i++) {
        src[i] = drawn_image(&rig, WIDTH_PX + 7 * i, HEIGHT_PX + i);
        dst[i] = drawn_image(&rig, WIDTH_PX + 7 * i, HEIGHT_PX + i);
    }
    for (uint32_t i = 0; i < 40; i++) {
        struct fovea_vk_frame frame = good_frame(&src[i % 6], &dst[i % 6]);
        enum fovea_result result = fovea_vk_foveate(rig.fovea, &frame);
        if (result == FOVEA_NOT_READY) {
            engine_idle(&rig.engine);
            result = fovea_vk_foveate(rig.fovea, &frame);
        }
        assert_ok(result);
    }
    engine_idle(&rig.engine);
    for (uint32_t i = 0; i < 6; i++) {
        engine_image_destroy(&rig.engine, &src[i]);
        engine_image_destroy(&rig.engine, &dst[i]);
    }
    assert_int_equal(log_lines, 0);
}

TEST(contexts_and_images_may_go_with_frames_in_flight)
{
    LOGGED_RIG(rig);
    struct engine_image src = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc, format, WIDTH_PX, HEIGHT_PX, 0};
    struct fovea_vk_image *made[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        assert_ok(fovea_vk_image_create(rig.fovea, &desc, &made[i]));
        struct fovea_vk_frame frame = good_frame(&src, &src);
        frame.dst.made = made[i];
        assert_ok(fovea_vk_foveate(rig.fovea, &frame));
    }
    fovea_vk_image_destroy(&made[0]);
    fovea_vk_destroy(&rig.fovea);
    engine_idle(&rig.engine);
    engine_image_destroy(&rig.engine, &src);
}

static void draw_once(struct rig *rig, struct fovea_vk_frame *frame, bool usable)
{
    frame->gaze.usable = usable;
    assert_int_equal(fovea_vk_foveate(rig->fovea, frame), usable ? FOVEA_OK : FOVEA_PASSED_THROUGH);
    engine_idle(&rig->engine);
}

/* A tracker that loses the eye every few frames. In the end the log says how it is. */
TEST(troubles_by_turns_are_said_seldom_and_counted)
{
    LOGGED_RIG(rig);
    struct engine_image image = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct fovea_vk_frame frame = good_frame(&image, &image);
    for (int i = 0; i < 20; i++) {
        draw_once(&rig, &frame, true);
        draw_once(&rig, &frame, false);
        draw_once(&rig, &frame, false);
    }
    assert_int_equal(log_lines, 1);
    assert_string_equal(last_log, "frame: no usable gaze; frames pass through");
    rig.fovea->said.next_ns[FRAME_NO_GAZE] = 0; /* the time is over */
    draw_once(&rig, &frame, false);
    assert_int_equal(log_lines, 2);
    assert_string_equal(last_log, "frame: no usable gaze; frames pass through (19 times since that "
                                  "was said)");
    draw_once(&rig, &frame, true);
    draw_once(&rig, &frame, false);
    draw_once(&rig, &frame, false);
    assert_int_equal(log_lines, 2);
    engine_image_destroy(&rig.engine, &image);
}
