/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The resources of a frame in flight, and its times. */
#pragma once

#include "frame_work.h"

/* frame_stats.c */
/* Takes the GPU time of a slot whose frame has finished, once. */
void frame_stats_collect(struct fovea_vk *fovea, struct frame_slot *slot);

/* frame_slot.c: true if the work of that frame and of all before it has left the queue: one that
 * was recorded may be behind one that was submitted. Marks slots that have. Never waits. */
bool frame_retired(struct fovea_vk *fovea, uint64_t frame);
/* A frame that is over whatever the others do, as its slot is another one's now. */
uint64_t frame_surely_over(const struct fovea_vk *fovea);
/* True if no unfinished frame uses what that frame was the last one to use, nor does the one that
 * is being made ready. */
bool frame_is_free(struct fovea_vk *fovea, uint64_t last_frame);
/* Waits for a frame, and for one that was given up half way; the watchdog sees to it that none
 * lasts for ever. False: Vulkan does not say whether they are over; what they use must stay. */
bool frame_wait(struct fovea_vk *fovea, uint64_t frame);
/* The next frame's; FOVEA_NOT_READY where it is still in use. */
FOVEA_MUST_CHECK enum fovea_result frame_slot_take(struct fovea_vk *fovea, struct frame_work *work);
