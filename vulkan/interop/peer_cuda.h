/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The peer that the project is about: CUDA on the GPU that Vulkan renders with. Images and
 * semaphores come as opaque file descriptors; a job is wait, launch, signal on one stream of the
 * peer's own.
 *
 * Every entry pushes and pops the device's primary context or the peer's own; the calling thread's
 * current context stays what it was. What has been enqueued cannot be taken back. A job that fails
 * in the middle signals after what there is of it, so that the queue can wait for that. After
 * abandon a job whose wait is met late still runs and signals; therefore abandon makes destroy and
 * the forget functions leave everything to the end of the process, instead of waiting or taking
 * memory away from a stream that may still move. */
#pragma once

#include "config/settings.h"
#include "peer.h"

#include "core/log.h"

/* Returns whether peer_cuda_create has a chance: there is a driver, and one of its devices has the
 * UUID of the Vulkan device. FOVEA_ERROR_UNSUPPORTED: no, and the log says why at INFO. Makes no
 * context. */
FOVEA_MUST_CHECK enum fovea_result peer_cuda_available(const uint8_t device_uuid[16],
                                                       struct fovea_log log);

/* Importing a timeline semaphore into a device that cannot is FOVEA_ERROR_UNSUPPORTED; import pairs
 * of binary ones then. */
FOVEA_MUST_CHECK enum fovea_result peer_cuda_create(const uint8_t device_uuid[16],
                                                    uint32_t slot_count,
                                                    enum fovea_cuda_context context,
                                                    struct fovea_log log, struct peer **out_peer);
