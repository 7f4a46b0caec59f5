/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Measures the cost of a frame with a peer and without one, for `auto`. One file an idea:
 *
 *     frame_cost.c         what is asked for, and what follows from it
 *     frame_trial.c        measures both, through the frames of the context itself
 *     frame_cost_store.c   results, in this process and as text
 *     frame_cost_file.c    that text in the user's cache directory */
#pragma once

#include "config/settings.h"
#include "fovea_vulkan.h"

/* The cost of RGBA8 images that Fovea made, so that nothing is copied. */
struct frame_cost {
    enum fovea_backend peer; /* CUDA or CPU */
    double peer_us; /* of a frame */
    double vulkan_us;
    uint32_t width_px;
    uint32_t height_px;
    int64_t when_s; /* measured, seconds since 1970 */
};

/* All that costs depend on, as one line of text without a newline. */
struct frame_cost_key {
    char text[432];
};

/* ---- frame_cost.c ---- */

/* Before a peer is made: it is known that vulkan costs less; backend and reason are set. */
bool frame_cost_known_for_vulkan(struct fovea_vk *fovea);
/* Call it with a linked peer whose watchdog sleeps: it keeps the peer or drops it, and says why in
 * the reason. It never fails: if nothing can be measured the peer stays. */
void frame_cost_choose(struct fovea_vk *fovea);
void frame_cost_key_make(const struct fovea_vk *fovea, struct frame_cost_key *out_key);

/* ---- frame_trial.c ---- */

enum frame_trial_result {
    FRAME_TRIAL_DONE,
    FRAME_TRIAL_FAILED, /* nothing is known */
    FRAME_TRIAL_PEER_BROKEN, /* it refused a frame, or had to be cut loose */
};

/* The context is afterwards as it was before its first frame. */
enum frame_trial_result frame_trial(struct fovea_vk *fovea, struct frame_cost *out_cost);

/* ---- frame_cost_store.c ---- */

/* False: unknown, or from too long ago. Any thread. */
bool frame_cost_recall(const struct frame_cost_key *key, struct fovea_log log,
                       struct frame_cost *out_cost);
void frame_cost_keep(const struct frame_cost_key *key, struct fovea_log log,
                     const struct frame_cost *cost);
/* Forgets what this process knows; files stay. For tests. */
void frame_cost_forget(void);

/* ---- frame_cost_file.c ---- */

#define FRAME_COST_FILE_BYTES 16384

/* The whole file as a string; false: there is none that can be trusted. */
bool frame_cost_file_read(struct fovea_log log, char text[FRAME_COST_FILE_BYTES]);
/* Replaces the file, at once or not at all. */
void frame_cost_file_write(struct fovea_log log, const char *text);
