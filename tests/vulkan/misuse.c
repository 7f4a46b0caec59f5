/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "misuse.h"

char last_log[512];
int log_lines;

void keep_log(void *user, enum fovea_log_level level, const char *message)
{
    if (level >= FOVEA_LOG_WARNING) {
        snprintf(last_log, sizeof last_log, "%s", message);
        log_lines++;
    }
}

void open_logged(struct rig *rig)
{
    struct engine_options options = {.nvidia = rig_backend() == FOVEA_BACKEND_CUDA,
                                     .host_signals = true};
    assert_true(engine_open(&rig->engine, &options));
    rig->settings = rig_settings();
    struct fovea_vk_desc desc = engine_fovea_desc(&rig->engine, &rig->settings);
    desc.log = (struct fovea_log){keep_log, NULL, FOVEA_LOG_DEBUG};
    assert_ok(fovea_vk_create(&desc, &rig->fovea));
    log_lines = 0;
}

struct fovea_vk_frame good_frame(const struct engine_image *src, const struct engine_image *dst)
{
    struct fovea_vk_frame frame = rig_frame_in_place(src);
    frame.dst.image = dst->image;
    frame.dst.layout_before = VK_IMAGE_LAYOUT_UNDEFINED;
    return frame;
}

struct engine_image drawn_image(struct rig *rig, uint32_t width_px, uint32_t height_px)
{
    struct engine_image image = engine_image_create(&rig->engine, format, width_px, height_px);
    OWNED_IMAGE pixels =
        image_drawn(width_px, height_px, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, width_px);
    engine_write(&rig->engine, image.image, width_px, height_px, format, pixels.view.data,
                 VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    return image;
}

struct fovea_vk_semaphore closed_gate(struct engine *engine)
{
    return (struct fovea_vk_semaphore){engine_semaphore(engine, VK_SEMAPHORE_TYPE_TIMELINE), 1};
}

void open_gate(struct engine *engine, struct fovea_vk_semaphore gate)
{
    engine_signal(engine, gate.semaphore, gate.value);
}
