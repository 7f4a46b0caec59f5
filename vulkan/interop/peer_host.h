/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The peer that needs no second API: threads of the host, on images in memory that they can map. It
 * is the cpu backend of Vulkan frames, and it stands in CUDA's role where the protocol is
 * tested. */
#pragma once

#include "peer.h"
#include "vulkan/vk_device.h"

/* The device needs timeline semaphores and outlives the peer. */
FOVEA_MUST_CHECK enum fovea_result peer_host_create(struct vk_device *device, uint32_t slot_count,
                                                    uint32_t thread_count, struct peer **out_peer);
