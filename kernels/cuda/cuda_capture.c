/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_capture.h"

#include <stdlib.h>

enum fovea_result cuda_capture_of(const struct cuda_device *device, CUstream stream,
                                  struct cuda_capture *out_capture)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;
    CUgraph graph = NULL;
    *out_capture = (struct cuda_capture){0};
    const CUresult asked =
        device->cu->StreamGetCaptureInfo(stream, &status, &id, &graph, NULL, NULL);
    if (asked == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
        log_error(device->log, "cuda: the default stream cannot be used while another stream that "
                               "waits for it is captured");
        return FOVEA_ERROR_INVALID_STATE;
    }
    CU_TRY(device->log, device->cu, asked);
    if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) {
        log_error(device->log, "cuda: the capture of the stream has failed before this call");
        return FOVEA_ERROR_INVALID_STATE;
    }
    if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        *out_capture = (struct cuda_capture){id, graph};
    }
    return FOVEA_OK;
}

enum fovea_result cuda_capture_relax(const struct cuda_device *device,
                                     CUstreamCaptureMode *out_before)
{
    *out_before = CU_STREAM_CAPTURE_MODE_RELAXED;
    return CU_CHECK(device->log, device->cu,
                    device->cu->ThreadExchangeStreamCaptureMode(out_before));
}

void cuda_capture_restore(const struct cuda_device *device, CUstreamCaptureMode before)
{
    CU_WARN(device->log, device->cu, device->cu->ThreadExchangeStreamCaptureMode(&before));
}

enum fovea_result cuda_capture_enter(const struct cuda_device *device,
                                     CUstreamCaptureMode *out_before)
{
    FOVEA_TRY(cuda_device_push(device));
    const enum fovea_result relaxed = cuda_capture_relax(device, out_before);
    if (relaxed < 0) {
        cuda_device_pop(device);
    }
    return relaxed;
}

void cuda_capture_leave(const struct cuda_device *device, CUstreamCaptureMode before)
{
    cuda_capture_restore(device, before);
    cuda_device_pop(device);
}

/* Ours and the graphs': whoever is the last frees it. */
struct cuda_graphs {
    atomic_int owners;
};

static void leave(struct cuda_graphs *graphs)
{
    if (atomic_fetch_sub(&graphs->owners, 1) == 1) {
        free(graphs);
    }
}

/* In a thread of the driver's, which must make no calls. */
static void CUDAAPI end(void *graphs)
{
    leave(graphs);
}

/* The graph takes the only reference. */
static enum fovea_result give(const struct cuda_device *device, CUgraph graph,
                              struct cuda_graphs *graphs)
{
    const struct cuda_driver *cu = device->cu;
    CUuserObject object = NULL;
    CU_TRY(device->log, cu,
           cu->UserObjectCreate(&object, graphs, end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    atomic_fetch_add(&graphs->owners, 1);
    const enum fovea_result given = CU_CHECK(
        device->log, cu, cu->GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    if (given != FOVEA_OK) {
        CU_WARN(device->log, cu, cu->UserObjectRelease(object, 1));
    }
    return given;
}

enum fovea_result cuda_graphs_watch(const struct cuda_device *device,
                                    const struct cuda_capture *capture,
                                    struct cuda_graphs **out_graphs)
{
    *out_graphs = malloc(sizeof **out_graphs);
    FOVEA_TRY_MEMORY(*out_graphs);
    atomic_init(&(*out_graphs)->owners, 1);
    const enum fovea_result result = give(device, capture->graph, *out_graphs);
    if (result != FOVEA_OK) {
        cuda_graphs_forget(out_graphs);
    }
    return result;
}

bool cuda_graphs_are_gone(const struct cuda_graphs *graphs)
{
    return atomic_load(&graphs->owners) == 1;
}

void cuda_graphs_forget(struct cuda_graphs **graphs)
{
    if (*graphs) {
        leave(*graphs);
        *graphs = NULL;
    }
}
