/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Calls on a stream that is being captured into a CUDA graph. What such a call uses belongs to the
 * capture alone, and is kept for as long as there is a graph of it, which the driver tells. The
 * device is pushed around every call.
 *
 *     cuda_capture_relax(device, &mode)
 *     cuda_capture_of(device, stream, &capture)
 *     capture.id: make memory, cuda_graphs_watch, device->capturing = true, launch, = false
 *     cuda_capture_restore(device, mode);
 *     later: cuda_graphs_are_gone: free it
 */
#pragma once

#include "cuda_device.h"

struct cuda_capture {
    uint64_t id; /* of this process; 0: the stream is not being captured */
    CUgraph graph; /* while it is */
};

/* FOVEA_ERROR_INVALID_STATE, and the capture is as it was: nothing can be enqueued on the stream,
 * because its capture has failed or because it is the legacy stream and another stream, which waits
 * for it, is being captured. */
FOVEA_MUST_CHECK enum fovea_result cuda_capture_of(const struct cuda_device *device,
                                                   CUstream stream,
                                                   struct cuda_capture *out_capture);

/* While this or another thread captures, asking events and making or freeing memory is an error
 * that ends the capture, in case it was meant to be captured. Ours is not: in between, this thread
 * may. */
FOVEA_MUST_CHECK enum fovea_result cuda_capture_relax(const struct cuda_device *device,
                                                      CUstreamCaptureMode *out_before);
void cuda_capture_restore(const struct cuda_device *device, CUstreamCaptureMode before);
/* They do the same around a push and a pop of the device. */
FOVEA_MUST_CHECK enum fovea_result cuda_capture_enter(const struct cuda_device *device,
                                                      CUstreamCaptureMode *out_before);
void cuda_capture_leave(const struct cuda_device *device, CUstreamCaptureMode before);

/* The graph of a capture, with its copies and what was instantiated of them. */
struct cuda_graphs;

FOVEA_MUST_CHECK enum fovea_result cuda_graphs_watch(const struct cuda_device *device,
                                                     const struct cuda_capture *capture,
                                                     struct cuda_graphs **out_graphs);
/* None is left, and the last launch of any is over. The driver may take a while to say so. */
bool cuda_graphs_are_gone(const struct cuda_graphs *graphs);
/* Stops watching, whatever is left. */
void cuda_graphs_forget(struct cuda_graphs **graphs);
