/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The shared way: two images that OpenGL and a Vulkan device of ours both have. GL blits the
 * program's texture into one, fovea_vk foveates it into the other, GL blits that into the program's
 * texture. With semaphores nobody waits on the processor. */
#pragma once

#include "gl_texture.h"

struct gl_shared;

/* Not NULL: why there is none. waits: without semaphores, too; frames then wait for both sides. */
const char *gl_shared_create(const struct gl_api *api, const struct fovea_gl_desc *desc, bool waits,
                             struct gl_shared **out);
/* Its context of GL's is current, or what it has there ends with that context. */
void gl_shared_destroy(struct gl_shared **own);

enum fovea_result gl_shared_set_settings(struct gl_shared *shared,
                                         const struct fovea_settings *settings);

/* The backend and how the two sides wait for each other, in words. */
const char *gl_shared_words(const struct gl_shared *shared);

/* src and dst of one size and kind; gl_state_take has been called. Negative: *out_why says why, and
 * dst is as it was. */
enum fovea_result gl_shared_foveate(struct gl_shared *shared, const struct gl_texture *src,
                                    const struct gl_texture *dst, const struct fovea_gaze *gaze,
                                    bool top_down, const char **out_why);

/* Returns how many frames were refused since the newest that was taken. */
uint64_t gl_shared_refusals(const struct gl_shared *shared);
/* The program shows src of a frame, whatever refused it; it is counted once. `before` is
 * gl_shared_refusals of before the frame. */
void gl_shared_refused(struct gl_shared *shared, uint64_t before);

/* Does as fovea_gl_shown. */
enum fovea_result gl_shared_shown(struct gl_shared *shared, int64_t t_ns, int64_t refresh_ns);
