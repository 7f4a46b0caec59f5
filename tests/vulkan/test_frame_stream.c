/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames one after the other as an engine makes them: several in flight, the gaze moving, no
 * waiting but for the engine's own fence. Every frame is kept and compared afterwards.
 *
 * Arguments: backend, then the number of frames (60). */

#include "cmocka_all.h"
#include "compare.h"
#include "rig.h"

#define WIDTH_PX 192
#define HEIGHT_PX 108
#define IN_FLIGHT 3
#define PICTURES 4
#define PERIOD 60 /* frames from a picture and its gaze to both again; PICTURES divides it */

static uint32_t frame_count = 60;
static const VkFormat format = VK_FORMAT_B8G8R8A8_SRGB;

/* A different picture each frame, so that a frame that reads too early or too late shows. */
static struct test_image pictures[PICTURES];

static struct fovea_point_uv gaze_of(uint32_t frame)
{
    double t = 0.11 * (frame % PERIOD);
    return (struct fovea_point_uv){0.5 + 0.6 * cos(t), 0.5 + 0.55 * sin(1.7 * t)};
}

struct in_flight {
    VkFence fence;
    VkCommandBuffer upload;
    VkCommandBuffer download;
    struct fovea_vk_image *src_made;
    struct fovea_vk_image *dst_made;
    struct engine_image src_own;
    struct engine_image dst_own;
};

struct stream {
    struct rig rig;
    bool made;
    struct in_flight slots[IN_FLIGHT];
    struct engine_buffer sources; /* the pictures */
    struct engine_buffer results; /* every frame */
};

static VkDeviceSize frame_bytes(void)
{
    return (VkDeviceSize)WIDTH_PX * HEIGHT_PX * engine_pixel_bytes(format);
}

static void open_slot(struct stream *stream, struct in_flight *slot)
{
    struct engine *engine = &stream->rig.engine;
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                               .flags = VK_FENCE_CREATE_SIGNALED_BIT};
    assert_int_equal(vkCreateFence(engine->device, &fence, NULL, &slot->fence), VK_SUCCESS);
    if (stream->made) {
        struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc,
                                           format,
                                           WIDTH_PX,
                                           HEIGHT_PX,
                                           VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
        assert_ok(fovea_vk_image_create(stream->rig.fovea, &desc, &slot->src_made));
        assert_ok(fovea_vk_image_create(stream->rig.fovea, &desc, &slot->dst_made));
    } else {
        slot->src_own = engine_image_create(engine, format, WIDTH_PX, HEIGHT_PX);
        slot->dst_own = engine_image_create(engine, format, WIDTH_PX, HEIGHT_PX);
    }
}

static void open_stream(struct stream *stream, bool made)
{
    *stream = (struct stream){.made = made};
    rig_open(&stream->rig, NULL);
    struct engine *engine = &stream->rig.engine;
    stream->sources = engine_buffer_create(engine, PICTURES * frame_bytes());
    stream->results = engine_buffer_create(engine, frame_count * frame_bytes());
    for (uint32_t i = 0; i < PICTURES; i++) {
        memcpy(stream->sources.mapped + i * frame_bytes(), pictures[i].view.data, frame_bytes());
    }
    for (uint32_t i = 0; i < IN_FLIGHT; i++) {
        open_slot(stream, &stream->slots[i]);
    }
}

static void close_stream(struct stream *stream)
{
    struct engine *engine = &stream->rig.engine;
    engine_idle(engine);
    for (uint32_t i = 0; i < IN_FLIGHT; i++) {
        struct in_flight *slot = &stream->slots[i];
        vkDestroyFence(engine->device, slot->fence, NULL);
        fovea_vk_image_destroy(&slot->src_made);
        fovea_vk_image_destroy(&slot->dst_made);
        engine_image_destroy(engine, &slot->src_own);
        engine_image_destroy(engine, &slot->dst_own);
    }
    engine_buffer_destroy(engine, &stream->sources);
    engine_buffer_destroy(engine, &stream->results);
    rig_close(&stream->rig);
}

static void wait_for_slot(struct stream *stream, struct in_flight *slot)
{
    struct engine *engine = &stream->rig.engine;
    assert_int_equal(vkWaitForFences(engine->device, 1, &slot->fence, VK_TRUE, 60000000000u),
                     VK_SUCCESS);
    assert_int_equal(vkResetFences(engine->device, 1, &slot->fence), VK_SUCCESS);
    if (slot->upload) {
        VkCommandBuffer old[2] = {slot->upload, slot->download};
        vkFreeCommandBuffers(engine->device, engine->pool, 2, old);
    }
}

static void submit(struct stream *stream, VkCommandBuffer commands, VkFence fence)
{
    assert_int_equal(vkEndCommandBuffer(commands), VK_SUCCESS);
    const VkSubmitInfo info = vulkan_submit_info(&commands);
    assert_int_equal(vkQueueSubmit(stream->rig.engine.queue, 1, &info, fence), VK_SUCCESS);
}

static void draw(struct stream *stream, struct in_flight *slot, uint32_t frame)
{
    VkImage image = slot->src_own.image;
    if (stream->made) {
        VkImageLayout layout;
        assert_ok(fovea_vk_image_acquire(slot->src_made, &layout));
        image = fovea_vk_image_handle(slot->src_made);
    }
    slot->upload = engine_begin(&stream->rig.engine);
    engine_record_upload(slot->upload, image, WIDTH_PX, HEIGHT_PX, stream->sources.buffer,
                         frame % PICTURES * frame_bytes(), VK_IMAGE_LAYOUT_UNDEFINED,
                         VK_IMAGE_LAYOUT_GENERAL);
    submit(stream, slot->upload, VK_NULL_HANDLE);
}

static void keep(struct stream *stream, struct in_flight *slot, uint32_t frame)
{
    VkImage image = stream->made ? fovea_vk_image_handle(slot->dst_made) : slot->dst_own.image;
    slot->download = engine_begin(&stream->rig.engine);
    engine_record_download(slot->download, image, WIDTH_PX, HEIGHT_PX, stream->results.buffer,
                           frame * frame_bytes(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           VK_IMAGE_LAYOUT_GENERAL);
    submit(stream, slot->download, slot->fence);
    if (stream->made) {
        assert_ok(fovea_vk_image_release(slot->dst_made, VK_IMAGE_LAYOUT_GENERAL));
    }
}

static struct fovea_vk_frame_target end(struct fovea_vk_image *made, struct engine_image *own,
                                        VkImageLayout before, VkImageLayout after)
{
    return (struct fovea_vk_frame_target){.made = made,
                                          .image = own->image,
                                          .format = format,
                                          .width_px = WIDTH_PX,
                                          .height_px = HEIGHT_PX,
                                          .layout_before = before,
                                          .layout_after = after,
                                          .queue_family = VK_QUEUE_FAMILY_IGNORED};
}

static void run_frame(struct stream *stream, uint32_t number)
{
    struct in_flight *slot = &stream->slots[number % IN_FLIGHT];
    wait_for_slot(stream, slot);
    draw(stream, slot, number);
    struct fovea_point_uv gaze = gaze_of(number);
    struct fovea_vk_frame frame = {
        .struct_bytes = sizeof frame,
        .src =
            end(slot->src_made, &slot->src_own, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL),
        .dst = end(slot->dst_made, &slot->dst_own, VK_IMAGE_LAYOUT_UNDEFINED,
                   VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
        .gaze = rig_gaze(gaze.x_uv, gaze.y_uv)};
    assert_ok(fovea_vk_foveate(stream->rig.fovea, &frame));
    keep(stream, slot, number);
}

/* Compares all frames that are this one a number of periods later. */
static void expect_frames(const struct stream *stream, const struct gauss_plan *plan,
                          uint32_t first)
{
    const struct fovea_image *src = &pictures[first % PICTURES].view;
    const struct gauss_frame frame = gauss_frame_make(plan, gaze_of(first));
    OWNED(owned_free)
    double *expected = compare_expected(&stream->rig.settings.foveation, src, &frame);
    struct fovea_image actual = *src;
    for (uint32_t number = first; number < frame_count; number += PERIOD) {
        actual.data = stream->results.mapped + number * frame_bytes();
        compare_assert_close(&actual, expected,
                             compare_budget_for(&stream->rig.settings.foveation, src->format),
                             test_text("%s, frame %u", rig_backend_name(), number));
    }
}

static void run_stream(bool made)
{
    OWNED(close_stream) struct stream stream;
    open_stream(&stream, made);
    for (uint32_t i = 0; i < frame_count; i++) {
        run_frame(&stream, i);
    }
    engine_idle(&stream.rig.engine);
    struct gauss_plan *plan = NULL;
    assert_ok(foveate_plan_create(&stream.rig.settings.foveation, WIDTH_PX, HEIGHT_PX, &plan));
    for (uint32_t i = 0; i < PERIOD && i < frame_count; i++) {
        expect_frames(&stream, plan, i);
    }
    foveate_plan_destroy(&plan);
    const struct fovea_vk_stats stats = rig_stats(&stream.rig);
    assert_int_equal(stats.frames, frame_count);
    assert_int_equal(stats.backend, rig_backend());
    printf("report: %s, %s: %u frames, gpu %.1f us p50, %.1f us p99, cpu %.1f us p50, sync %s\n",
           rig_backend_name(), made ? "no copy" : "copied", frame_count, stats.gpu_p50_us,
           stats.gpu_p99_us, stats.cpu_p50_us, stats.sync);
    for (uint32_t i = 0; i < IN_FLIGHT; i++) {
        stream.slots[i].upload = VK_NULL_HANDLE;
    }
}

static void copied_frames_in_flight_are_each_the_reference(void **state)
{
    run_stream(false);
}

static void made_frames_in_flight_are_each_the_reference(void **state)
{
    run_stream(true);
}

int main(int argc, char **argv)
{
    if (!rig_choose_backend(argc, argv)) {
        return 2;
    }
    if (!rig_available()) {
        return 77;
    }
    frame_count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : frame_count;
    for (uint32_t i = 0; i < PICTURES; i++) {
        pictures[i] = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
        image_draw(&pictures[i].view, i % 2 ? IMAGE_RANDOM : IMAGE_PHOTO, i);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copied_frames_in_flight_are_each_the_reference),
        cmocka_unit_test(made_frames_in_flight_are_each_the_reference),
    };
    int failed = cmocka_run_group_tests_name(rig_backend_name(), tests, NULL, NULL);
    for (uint32_t i = 0; i < PICTURES; i++) {
        image_free(&pictures[i]);
    }
    return failed;
}
