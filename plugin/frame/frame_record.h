/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The commands of a frame. */
#pragma once

#include "frame_work.h"

/* frame_copy.c: how views get from the engine's image to scratch, or back: by a kernel, if an
 * image's own view of layer 0 shows all of them. */
bool frame_in_layer_0(const struct frame_work *work);
enum frame_copy frame_copy_by(const struct frame_work *work, const struct frame_end *end);
/* Kernels may work on the engine's image, one end of the frame, where it is. */
bool frame_sees(const struct frame_work *work, const struct frame_end *end);
/* The frame's slot, for the copies that are made by kernels. */
void frame_copy_write_sets(struct fovea_vk *fovea, const struct frame_work *work);
enum frame_way { FRAME_IN, FRAME_OUT };
void frame_copy_record(struct fovea_vk *fovea, const struct frame_work *work,
                       VkCommandBuffer commands, enum frame_way way);
struct vk_compute_kind frame_copy_kind(const struct frame_work *work);

/* frame_record.c: each records into commands that are open. */
void frame_record_open(struct fovea_vk *fovea, const struct frame_work *work,
                       VkCommandBuffer commands);
/* Images between operators, for kernels. */
void frame_record_between(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands);
void frame_record_to_peer(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands);
void frame_record_from_peer(struct fovea_vk *fovea, const struct frame_work *work,
                            VkCommandBuffer commands);
void frame_record_close(struct fovea_vk *fovea, const struct frame_work *work,
                        VkCommandBuffer commands);
/* After frame_record_open views go to write as they are, all or those that are not foveated. */
enum frame_views { FRAME_ALL_VIEWS, FRAME_PLAIN_VIEWS };
void frame_record_plain(struct fovea_vk *fovea, const struct frame_work *work,
                        VkCommandBuffer commands, enum frame_views which);
/* A whole frame that copies src to dst and nothing else. */
void frame_record_pass(struct fovea_vk *fovea, const struct frame_work *work,
                       VkCommandBuffer commands);

/* frame_keep.c: frames of a peer's whose commands are kept; and those commands, recorded now or
 * before. */
bool frame_keep_takes(const struct frame_work *work);
FOVEA_MUST_CHECK enum fovea_result frame_keep_find(struct fovea_vk *fovea,
                                                   const struct frame_work *work,
                                                   VkCommandBuffer out_commands[2]);
/* An image goes that no unfinished frame uses. */
void frame_keep_forget(struct fovea_vk *fovea);
FOVEA_MUST_CHECK enum fovea_result frame_keep_init(struct fovea_vk *fovea, struct frame_slot *slot);

/* frame_dispatch.c */
void frame_record_foveate(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands);
/* Makes one kernel's writes visible to the next, which reads and overwrites them. */
void frame_record_kernel_barrier(struct fovea_vk *fovea, VkCommandBuffer commands);

/* frame_overlay.c */
bool frame_overlay_wanted(const struct fovea_overlay *overlay);
/* Some of it is drawn over the first view, whether that has a gaze or not. */
bool frame_overlay_tells(const struct fovea_overlay *overlay);
struct vk_compute_kind frame_overlay_kind(const struct frame_work *work);
void frame_overlay_record(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands);
