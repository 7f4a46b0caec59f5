/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures of depths of frames, and what has been in focus in their views. */
#pragma once

#include "frame_work.h"

/* Makes the memory of what has been in focus, for each view by its number: zeros at first, and then
 * as the passes leave it. */
FOVEA_MUST_CHECK enum fovea_result frame_depth_init(struct fovea_vk *fovea);
void frame_depth_finish(struct fovea_vk *fovea);

/* The size of the views is known. */
FOVEA_MUST_CHECK enum fovea_result frame_depth_check(struct fovea_vk *fovea,
                                                     const struct frame_work *work,
                                                     const struct fovea_vk_depth *given,
                                                     uint32_t index, struct frame_view *view);
/* An operator needs depths. Says the first time that compute shaders make such frames, where others
 * have another backend. */
bool frame_depth_needed(struct fovea_vk *fovea);

/* For a step of a view's passes. */
void frame_depth_bind(const struct fovea_vk *fovea, const struct frame_work *work, uint32_t index,
                      const struct operator_step *step, struct vk_compute_bindings *bindings);
/* Makes the engine's drawing visible to the passes; attachments are theirs until _record_back. */
void frame_depth_record(struct fovea_vk *fovea, const struct frame_work *work,
                        VkCommandBuffer commands);
void frame_depth_record_back(struct fovea_vk *fovea, const struct frame_work *work,
                             VkCommandBuffer commands);
