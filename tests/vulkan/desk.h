/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A gaze source that a context follows, and a frame that waits for a gate: what comes before the
 * gate opens is then no matter of luck. */
#pragma once

#include "cmocka_all.h"
#include "compare.h"
#include "plugin/frame/frame.h"
#include "rig.h"

#define SIDE_PX 256
#define MS INT64_C(1000000)

struct desk {
    struct rig rig;
    VkFormat format;
    uint32_t width_px;
    uint32_t height_px;
    struct engine_image src;
    struct engine_image dst;
    struct test_image drawn;
    struct test_image shown;
    struct test_image wanted;
    struct fovea_vk_depth depth; /* of its frames; none in the beginning */
    struct fovea_gaze_source *source;
    VkSemaphore gate;
    uint64_t gate_value;
    PFN_vkSignalSemaphore signal;
};

struct fovea_gaze_source *gaze_open(enum fovea_gaze_kind kind);
struct fovea_settings late_settings(void);
void desk_open_images(struct desk *desk, uint32_t width_px, uint32_t height_px);
void desk_close_images(struct desk *desk);
/* late_settings where settings is NULL. */
void desk_open(struct desk *desk, const struct fovea_settings *settings, VkFormat format);
void desk_close(struct desk *desk);
#define DESK(name, settings)                                                                       \
    OWNED(desk_close) struct desk name;                                                            \
    desk_open(&(name), settings, VK_FORMAT_R8G8B8A8_UNORM)
void desk_set(struct desk *desk, bool late);
void gaze_push(struct fovea_gaze_source *source, double x_uv, double y_uv, int64_t t_ns);
/* The eye closes: from now on frames have no gaze of the source's at their submission. */
void gaze_blink(struct fovea_gaze_source *source);
struct fovea_vk_frame desk_frame_of(const struct desk *desk, struct fovea_gaze gaze);
void desk_read_into(struct desk *desk, struct test_image *out);
/* Makes what a frame of that gaze shows, foveated at once. */
void desk_want(struct desk *desk, double x_uv, double y_uv);
/* Queues a frame that cannot start before desk_start. */
void desk_queue(struct desk *desk, struct fovea_vk_frame frame);
void desk_start(struct desk *desk);
bool desk_shows_what_is_wanted(const struct desk *desk);
void desk_assert_shown(struct desk *desk, double x_uv, double y_uv);
