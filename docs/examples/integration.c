/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include <fovea_vulkan.h>

struct foveation {
    struct fovea_vk *fovea;
    struct fovea_gaze_source *gaze;
};

/* Once. desc says which instance, device and queue, and what fovea_vk_query had you enable on them. */
static inline bool foveation_open(struct foveation *f, struct fovea_vk_desc desc)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.gaze.kind = FOVEA_GAZE_MOUSE;
    desc.settings = &settings;
    return fovea_vk_create(&desc, &f->fovea) == FOVEA_OK &&
           fovea_gaze_source_create(&settings.gaze, desc.log, &f->gaze) == FOVEA_OK;
}

/* Each frame, after it was drawn and before it is presented. False: show `drawn` as it is. */
static inline bool foveation_frame(struct foveation *f, struct fovea_vk_frame_image drawn,
                                   struct fovea_vk_frame_image shown, VkSemaphore acquired,
                                   VkSemaphore presentable)
{
    struct fovea_vk_semaphore wait = {.semaphore = acquired};
    struct fovea_vk_semaphore signal = {.semaphore = presentable};
    struct fovea_vk_frame frame = {.src = drawn,
                                   .dst = shown,
                                   .waits = &wait,
                                   .wait_count = 1,
                                   .signals = &signal,
                                   .signal_count = 1};
    if (fovea_gaze_source_read(f->gaze, fovea_time_ns(), drawn.width_px, drawn.height_px,
                               &frame.gaze) != FOVEA_OK) {
        return false;
    }
    enum fovea_result result = fovea_vk_foveate(f->fovea, &frame);
    return result == FOVEA_OK || result == FOVEA_PASSED_THROUGH;
}
