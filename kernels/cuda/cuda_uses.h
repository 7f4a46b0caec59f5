/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Keeps track of which launches that use a block of device memory are still under way, on whatever
 * streams they were enqueued, so that it can be freed without waiting. The device is pushed around
 * every call.
 *
 * A block that a capture uses (cuda_device.capturing) is that capture's from then on. Within it the
 * launches follow each other as they do on streams; whether its graphs are still there the block
 * does not know, so that its owner keeps it for as long as they are (cuda_capture.h). Of what was
 * enqueued before the capture, its graphs wait for nothing. */
#pragma once

#include "cuda_device.h"

/* More launches than this on several streams at once run one after another. Where each follows the
 * one before it (cuda_uses_follow) the last event stands for all. */
#define CUDA_USES_COUNT 8

struct cuda_uses {
    CUevent events[CUDA_USES_COUNT];
    uint32_t next;
    CUstream kept; /* NULL: no launch of a stream that is kept lacks its event */
    bool followed; /* the next launch waits for the last one */
    bool loose; /* one that was added had not waited for the one before it */
    bool captured; /* events stand for work of a capture, and nobody may ask them */
};

FOVEA_MUST_CHECK enum fovea_result cuda_uses_init(const struct cuda_device *device,
                                                  struct cuda_uses *uses);
void cuda_uses_finish(const struct cuda_device *device, struct cuda_uses *uses);

/* Call it after a launch on that stream. It neither allocates nor waits. */
FOVEA_MUST_CHECK enum fovea_result cuda_uses_add(const struct cuda_device *device,
                                                 struct cuda_uses *uses, CUstream stream);

/* Does the same for a stream that lives as long as the memory: the event, which costs as much as a
 * launch, is recorded when somebody asks, and stands for all that the stream has to do by then. */
FOVEA_MUST_CHECK enum fovea_result cuda_uses_add_kept(const struct cuda_device *device,
                                                      struct cuda_uses *uses, CUstream stream);

/* One of the two, by whether the stream is kept. */
FOVEA_MUST_CHECK static inline enum fovea_result cuda_uses_note(const struct cuda_device *device,
                                                                struct cuda_uses *uses,
                                                                CUstream stream, bool stream_kept)
{
    return stream_kept ? cuda_uses_add_kept(device, uses, stream)
                       : cuda_uses_add(device, uses, stream);
}

/* The stream waits for the launch that was added last, on whatever stream that was. Neither
 * allocates nor waits itself. */
FOVEA_MUST_CHECK enum fovea_result cuda_uses_follow(const struct cuda_device *device,
                                                    struct cuda_uses *uses, CUstream stream);

/* FOVEA_OK when none is left, else FOVEA_NOT_READY. Launches of a capture do not count. */
FOVEA_MUST_CHECK enum fovea_result cuda_uses_query(const struct cuda_device *device,
                                                   struct cuda_uses *uses);
FOVEA_MUST_CHECK enum fovea_result cuda_uses_wait(const struct cuda_device *device,
                                                  struct cuda_uses *uses);
