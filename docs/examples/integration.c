/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include <fovea_vulkan.h>

struct foveation {
    struct fovea_vk *fovea;
    struct fovea_gaze_source *gaze;
};

/* Once. desc says which instance, device and queue, and what fovea_vk_query had you enable on
 * them. */
static inline bool foveation_open(struct foveation *f, struct fovea_vk_desc desc)
{
    struct fovea_settings *settings = NULL;
    struct fovea_gaze_source_desc source;
    fovea_gaze_source_desc_init(&source);
    bool open = fovea_settings_create(&settings) == FOVEA_OK &&
                fovea_settings_set(settings, "gaze.source", "mouse", desc.log) == FOVEA_OK;
    desc.settings = source.settings = settings;
    source.log = desc.log;
    open = open && fovea_vk_create(&desc, &f->fovea) == FOVEA_OK &&
           fovea_gaze_source_create(&source, &f->gaze) == FOVEA_OK;
    fovea_settings_destroy(&settings);
    return open;
}

/* Each frame, after it was drawn and before it is presented.
 *
 *     FOVEA_OK, FOVEA_PASSED_THROUGH         present `shown`
 *     FOVEA_ERROR_FRAME_LOST                 `acquired` is taken: present nothing; a new context
 *     FOVEA_ERROR_DEVICE_LOST                as of Vulkan: a new device
 *     else                                   nothing was submitted: show `drawn` as it is */
static inline enum fovea_result foveation_frame(struct foveation *f,
                                                struct fovea_vk_frame_target drawn,
                                                struct fovea_vk_frame_target shown,
                                                VkSemaphore acquired, VkSemaphore presentable)
{
    struct fovea_vk_semaphore wait = {.semaphore = acquired};
    struct fovea_vk_semaphore signal = {.semaphore = presentable};
    struct fovea_vk_frame frame = {.struct_bytes = sizeof frame,
                                   .src = drawn,
                                   .dst = shown,
                                   .waits = &wait,
                                   .wait_count = 1,
                                   .signals = &signal,
                                   .signal_count = 1};
    const enum fovea_result result = fovea_gaze_source_read(
        f->gaze, fovea_time_ns(), drawn.width_px, drawn.height_px, &frame.gaze);
    return result == FOVEA_OK ? fovea_vk_foveate(f->fovea, &frame) : result;
}
