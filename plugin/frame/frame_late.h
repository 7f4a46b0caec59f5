/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Late gazes: from a source to frames that are already queued. */
#pragma once

#include "frame_work.h"

/* frame_late.c */
FOVEA_MUST_CHECK enum fovea_result frame_late_init(struct fovea_vk *fovea);
/* A peer's block is written, too, from now on. */
void frame_late_meet_peer(struct fovea_vk *fovea);
void frame_late_finish(struct fovea_vk *fovea);
/* The source is not followed any more; before anything else of the context goes. */
void frame_late_leave(struct fovea_vk *fovea);
/* The plans are found: whether this frame's gaze is late. */
void frame_late_choose(struct fovea_vk *fovea, struct frame_work *work);
struct vk_compute_kind frame_late_kind(void);
/* The latch, before every kernel; nothing where the frame is not late. */
void frame_late_record(struct fovea_vk *fovea, const struct frame_work *work,
                       VkCommandBuffer commands);
/* The same for a peer's job. */
void frame_late_job(const struct fovea_vk *fovea, const struct frame_work *work,
                    struct peer_late *out_late);
/* A slot's frame has finished; start_ticks: of the queue's clock when its kernels began. Returns
 * how old the late gaze's sample was then; negative: there was none, or it is not known. */
int64_t frame_late_collect(struct fovea_vk *fovea, struct frame_slot *slot,
                           const uint64_t *start_ticks);
/* Finds the late gaze of a frame that is over. False: it is not known. */
FOVEA_MUST_CHECK bool frame_late_place(const struct fovea_vk *fovea, const struct frame_slot *slot,
                                       struct record_row *row);
void frame_late_bind(const struct fovea_vk *fovea, uint32_t slot,
                     struct vk_compute_bindings *bindings);
