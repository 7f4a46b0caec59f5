/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The peer's jobs, and who cuts a stuck peer loose. */
#pragma once

#include "frame_work.h"

/* frame_link.c */
FOVEA_MUST_CHECK enum fovea_result frame_link_init(struct fovea_vk *fovea);
void frame_link_finish(struct fovea_vk *fovea);
FOVEA_MUST_CHECK enum fovea_result frame_link_enqueue(struct fovea_vk *fovea,
                                                      const struct frame_work *work,
                                                      enum peer_answer *out_answer);
/* True if there is a peer and it takes jobs. */
bool frame_peer_usable(const struct fovea_vk *fovea);
/* It has failed, with that result, and gets no more jobs. Those that it has go on, unless it has
 * lost its device: then the watchdog takes its turns from now on. What becomes of the frame is the
 * trouble that is told. */
void frame_peer_fail(struct fovea_vk *fovea, enum fovea_result result, enum frame_trouble trouble);
/* No frame is on its way, no image or plan is made, the watchdog sleeps: the peer goes, and vulkan
 * is the backend. The reason stays. */
void frame_peer_drop(struct fovea_vk *fovea);
/* Takes note, once, that the watchdog has cut it loose. */
void frame_peer_notice(struct fovea_vk *fovea);

/* A peer that was cut loose may still be at work: waits for it where that is possible. Before
 * anything that its jobs use is freed. */
void frame_quiet_lost_peer(struct fovea_vk *fovea);
/* True: that needs no wait. Frames free nothing that a peer knows otherwise, as long as there is
 * room for more. */
bool frame_peer_is_quiet(const struct fovea_vk *fovea);

/* frame_watchdog.c */
FOVEA_MUST_CHECK enum fovea_result frame_watchdog_start(struct fovea_vk *fovea);
void frame_watchdog_stop(struct fovea_vk *fovea);
