/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "desk.h"

struct fovea_gaze_source *gaze_open(enum fovea_gaze_kind kind)
{
    struct fovea_gaze_settings settings = fovea_settings_default().gaze;
    struct fovea_gaze_source *source = NULL;
    settings.kind = kind;
    settings.udp_port = 0;
    assert_ok(gaze_source_open(&settings, (struct fovea_log){0}, &source));
    return source;
}

struct fovea_settings late_settings(void)
{
    struct fovea_settings settings = rig_settings();
    settings.gaze.late = true;
    return settings;
}

void desk_open_images(struct desk *desk, uint32_t width_px, uint32_t height_px)
{
    struct engine *engine = &desk->rig.engine;
    const enum fovea_format pixel = rig_pixel_format(desk->format);
    desk->width_px = width_px;
    desk->height_px = height_px;
    desk->src = engine_image_create(engine, desk->format, width_px, height_px);
    desk->dst = engine_image_create(engine, desk->format, width_px, height_px);
    desk->drawn = image_make_packed(width_px, height_px, pixel);
    desk->shown = image_make_packed(width_px, height_px, pixel);
    desk->wanted = image_make_packed(width_px, height_px, pixel);
    image_draw(&desk->drawn.view, IMAGE_RANDOM, 5);
    engine_write(engine, desk->src.image, width_px, height_px, desk->format, desk->drawn.view.data,
                 VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

void desk_close_images(struct desk *desk)
{
    engine_idle(&desk->rig.engine);
    engine_image_destroy(&desk->rig.engine, &desk->src);
    engine_image_destroy(&desk->rig.engine, &desk->dst);
    image_free(&desk->drawn);
    image_free(&desk->shown);
    image_free(&desk->wanted);
}

void desk_open(struct desk *desk, const struct fovea_settings *settings, VkFormat format)
{
    *desk = (struct desk){.format = format};
    const bool nvidia =
        rig_backend() == FOVEA_BACKEND_CUDA || strcmp(rig_backend_name(), "nvidia") == 0;
    const struct engine_options options = {.nvidia = nvidia, .host_signals = true};
    assert_true(engine_open(&desk->rig.engine, &options));
    desk->rig.settings = settings ? *settings : late_settings();
    struct fovea_vk_desc desc = engine_fovea_desc(&desk->rig.engine, &desk->rig.settings);
    assert_ok(fovea_vk_create(&desc, &desk->rig.fovea));
    desk_open_images(desk, SIDE_PX, SIDE_PX);
    desk->source = gaze_open(FOVEA_GAZE_MOUSE);
    assert_ok(fovea_vk_follow_gaze(desk->rig.fovea, desk->source));
    desk->gate = engine_semaphore(&desk->rig.engine, VK_SEMAPHORE_TYPE_TIMELINE);
    VkDevice device = desk->rig.engine.device;
    desk->signal = (PFN_vkSignalSemaphore)vkGetDeviceProcAddr(device, "vkSignalSemaphore");
    assert_non_null(desk->signal);
}

void desk_close(struct desk *desk)
{
    desk_close_images(desk);
    vkDestroySemaphore(desk->rig.engine.device, desk->gate, NULL);
    rig_close(&desk->rig);
    fovea_gaze_source_destroy(&desk->source);
}

void desk_set(struct desk *desk, bool late)
{
    desk->rig.settings.gaze.late = late;
    assert_ok(fovea_vk_set_settings(desk->rig.fovea, &desk->rig.settings));
}

void gaze_push(struct fovea_gaze_source *source, double x_uv, double y_uv, int64_t t_ns)
{
    const struct fovea_gaze_sample sample = {.x = x_uv, .y = y_uv, .t_ns = t_ns, .confidence = 1};
    assert_ok(fovea_gaze_source_push(source, &sample));
}

void gaze_blink(struct fovea_gaze_source *source)
{
    const struct fovea_gaze_sample sample = {.t_ns = fovea_time_ns(), .blink = true};
    assert_ok(fovea_gaze_source_push(source, &sample));
}

struct fovea_vk_frame desk_frame_of(const struct desk *desk, struct fovea_gaze gaze)
{
    const VkImageLayout layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    struct fovea_vk_frame frame = {.struct_bytes = sizeof frame,
                                   .src = {.image = desk->src.image,
                                           .format = desk->format,
                                           .width_px = desk->width_px,
                                           .height_px = desk->height_px,
                                           .layout_before = layout,
                                           .layout_after = layout},
                                   .gaze = gaze,
                                   .depth = desk->depth};
    frame.dst = frame.src;
    frame.dst.image = desk->dst.image;
    frame.dst.layout_before = VK_IMAGE_LAYOUT_UNDEFINED;
    return frame;
}

void desk_read_into(struct desk *desk, struct test_image *out)
{
    engine_idle(&desk->rig.engine);
    engine_read(&desk->rig.engine, desk->dst.image, desk->width_px, desk->height_px, desk->format,
                out->view.data, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

void desk_want(struct desk *desk, double x_uv, double y_uv)
{
    const struct fovea_vk_frame frame = desk_frame_of(desk, rig_gaze(x_uv, y_uv));
    const bool late = desk->rig.settings.gaze.late;
    desk_set(desk, false);
    assert_ok(fovea_vk_foveate(desk->rig.fovea, &frame));
    desk_read_into(desk, &desk->wanted);
    desk_set(desk, late);
}

void desk_queue(struct desk *desk, struct fovea_vk_frame frame)
{
    const struct fovea_vk_semaphore wait = {desk->gate, desk->gate_value + 1};
    frame.waits = &wait;
    frame.wait_count = 1;
    assert_ok(fovea_vk_foveate(desk->rig.fovea, &frame));
}

void desk_start(struct desk *desk)
{
    const VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                        .semaphore = desk->gate,
                                        .value = ++desk->gate_value};
    assert_int_equal(desk->signal(desk->rig.engine.device, &info), VK_SUCCESS);
    desk_read_into(desk, &desk->shown);
}

bool desk_shows_what_is_wanted(const struct desk *desk)
{
    return memcmp(desk->shown.view.data, desk->wanted.view.data,
                  (size_t)desk->width_px * desk->height_px * engine_pixel_bytes(desk->format)) == 0;
}

void desk_assert_shown(struct desk *desk, double x_uv, double y_uv)
{
    desk_want(desk, x_uv, y_uv);
    compare_assert_all_same(&desk->shown.view, &desk->wanted.view, "the frame and the gaze's");
}
