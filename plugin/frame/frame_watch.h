/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Small pictures of what the engine has drawn, for a gaze source that looks at pictures. */
#pragma once

#include "frame_work.h"

struct vk_compute_kind frame_watch_kind(const struct frame_work *work);
/* The frame has all else that it takes: whether it makes a picture, too. */
void frame_watch_choose(struct fovea_vk *fovea, struct frame_work *work, int64_t now_ns);
/* The picture, where kernels may read the view; nothing where the frame makes none. */
void frame_watch_record(struct fovea_vk *fovea, const struct frame_work *work,
                        VkCommandBuffer commands);
/* The frame was handed over, or was not. */
void frame_watch_conclude(struct fovea_vk *fovea, const struct frame_work *work, bool handed_over);
/* A slot's frame has finished: its picture is given to the source. */
void frame_watch_collect(struct fovea_vk *fovea, const struct frame_slot *slot);

/* Shows what the source has found, and where the gaze has been; nothing where no source is shown
 * frames. */
void frame_watch_show(struct fovea_vk *fovea, const struct frame_work *work,
                      struct operator_hud *hud);

/* Writes the places that the source looks at beside its gaze; returns how many there are. */
uint32_t frame_watch_others(const struct fovea_vk *fovea,
                            struct fovea_point_uv out_places[GAZE_OTHERS]);

/* No source is shown frames any more; may wait until its thread has copied one. */
void frame_watch_leave(struct fovea_vk *fovea);
void frame_watch_finish(struct fovea_vk *fovea);
