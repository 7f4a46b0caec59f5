/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The tests of wrong arguments and wrong moments share this: good frames, and what is logged of bad
 * ones. */
#pragma once

#include "cmocka_all.h"
#include "rig.h"

#define WIDTH_PX 80
#define HEIGHT_PX 60
static const VkFormat format = VK_FORMAT_B8G8R8A8_UNORM;

/* Warnings and errors, since open_logged. */
extern char last_log[512];
extern int log_lines;
void keep_log(void *user, enum fovea_log_level level, const char *message);
void open_logged(struct rig *rig);
#define LOGGED_RIG(name)                                                                           \
    OWNED(rig_close) struct rig name;                                                              \
    open_logged(&(name))

struct fovea_vk_frame good_frame(const struct engine_image *src, const struct engine_image *dst);
struct engine_image drawn_image(struct rig *rig, uint32_t width_px, uint32_t height_px);

/* Frames wait for it until the host opens it. */
struct fovea_vk_semaphore closed_gate(struct engine *engine);
void open_gate(struct engine *engine, struct fovea_vk_semaphore gate);
