/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "graphs.h"

#include <stdlib.h>
#include <string.h>

/* ---- What the driver's handles are */

struct CUstream_st {
    cuuint64_t capture; /* the last one that it was in */
};

struct CUevent_st {
    cuuint64_t capture; /* that it was last recorded in; 0: in none */
};

struct CUuserObject_st {
    struct CUuserObject_st *next; /* of a graph's */
    unsigned count;
    CUhostFn end;
    void *user;
};

struct step {
    struct step *next;
    graphs_step_fn run;
    void *params;
};

/* An instantiated graph is the graph with one more owner. */
struct CUgraph_st {
    unsigned owners;
    struct step *steps;
    struct step **end;
    struct CUuserObject_st *objects;
};

/* The one under way; graph NULL: none. */
static struct {
    struct CUgraph_st *graph;
    CUstream origin;
    CUstreamCaptureMode mode;
    bool invalid;
} now;
static cuuint64_t newest; /* capture's number */
static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

static bool is_captured(CUstream stream)
{
    return now.graph && stream && stream->capture == newest;
}

static CUresult end_with(CUresult error)
{
    now.invalid = true;
    return error;
}

/* ---- Captures */

bool graphs_capture(CUstream stream, graphs_step_fn run, const void *params, size_t bytes,
                    CUresult *out_result)
{
    if (!is_captured(stream)) {
        return false;
    }
    struct step *step = calloc(1, sizeof *step);
    void *copy = malloc(bytes);
    *out_result = now.invalid      ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                  : !step || !copy ? CUDA_ERROR_OUT_OF_MEMORY
                                   : CUDA_SUCCESS;
    if (*out_result != CUDA_SUCCESS) {
        free(step);
        free(copy);
        return true;
    }
    memcpy(copy, params, bytes);
    *step = (struct step){NULL, run, copy};
    *now.graph->end = step;
    now.graph->end = &step->next;
    return true;
}

CUresult graphs_ask(void)
{
    const bool may = !now.graph || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
                     now.mode == CU_STREAM_CAPTURE_MODE_RELAXED;
    return may ? CUDA_SUCCESS : end_with(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult graphs_ThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    const CUstreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

CUresult graphs_StreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    if (!stream || now.graph) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    now.graph = calloc(1, sizeof *now.graph);
    if (!now.graph) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    now.graph->owners = 1;
    now.graph->end = &now.graph->steps;
    now.origin = stream;
    now.mode = mode;
    now.invalid = false;
    stream->capture = ++newest;
    return CUDA_SUCCESS;
}

CUresult graphs_StreamEndCapture(CUstream stream, CUgraph *graph)
{
    if (!now.graph || stream != now.origin) {
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    *graph = now.graph;
    now.graph = NULL;
    if (now.invalid) {
        const CUresult ended = graphs_GraphDestroy(*graph);
        *graph = NULL;
        return ended == CUDA_SUCCESS ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : ended;
    }
    return CUDA_SUCCESS;
}

CUresult graphs_StreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                     CUgraph *graph, const CUgraphNode **nodes, size_t *node_count)
{
    *status = !is_captured(stream) ? CU_STREAM_CAPTURE_STATUS_NONE
              : now.invalid        ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                   : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (*status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        *id = newest;
        *graph = now.graph;
    }
    return CUDA_SUCCESS;
}

/* ---- Streams and events: all is over at once, but for what is captured */

CUresult graphs_StreamCreate(CUstream *stream)
{
    *stream = calloc(1, sizeof **stream);
    return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult graphs_StreamDestroy(CUstream stream)
{
    if (is_captured(stream)) {
        return end_with(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    free(stream);
    return CUDA_SUCCESS;
}

CUresult graphs_StreamSynchronize(CUstream stream)
{
    return is_captured(stream) ? end_with(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) : graphs_ask();
}

CUresult graphs_StreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    const bool within = now.graph && event->capture == newest;
    if (is_captured(stream) && !within) {
        return end_with(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    }
    if (within && !stream) {
        return end_with(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    }
    if (within) {
        stream->capture = newest; /* it joins */
    }
    return CUDA_SUCCESS;
}

CUresult graphs_EventCreate(CUevent *event, unsigned flags)
{
    *event = calloc(1, sizeof **event);
    return *event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult graphs_EventDestroy(CUevent event)
{
    free(event);
    return CUDA_SUCCESS;
}

CUresult graphs_EventRecord(CUevent event, CUstream stream)
{
    event->capture = is_captured(stream) ? newest : 0;
    return CUDA_SUCCESS;
}

CUresult graphs_EventSynchronize(CUevent event)
{
    return event->capture != 0 ? end_with(CUDA_ERROR_CAPTURED_EVENT) : graphs_ask();
}

/* ---- Graphs, and what they keep */

CUresult graphs_UserObjectCreate(CUuserObject *object, void *user, CUhostFn end, unsigned count,
                                 unsigned flags)
{
    *object = malloc(sizeof **object);
    if (!*object) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    **object = (struct CUuserObject_st){NULL, count, end, user};
    return CUDA_SUCCESS;
}

CUresult graphs_UserObjectRelease(CUuserObject object, unsigned count)
{
    object->count -= count;
    if (object->count == 0) {
        object->end(object->user);
        free(object);
    }
    return CUDA_SUCCESS;
}

/* The reference becomes the graph's. */
CUresult graphs_GraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                      unsigned flags)
{
    if (flags != CU_GRAPH_USER_OBJECT_MOVE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    object->next = graph->objects;
    graph->objects = object;
    return CUDA_SUCCESS;
}

CUresult graphs_GraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                          unsigned long long flags)
{
    graph->owners++;
    *exec = (CUgraphExec)(void *)graph;
    return CUDA_SUCCESS;
}

CUresult graphs_GraphLaunch(CUgraphExec exec, CUstream stream)
{
    const struct CUgraph_st *graph = (const struct CUgraph_st *)(const void *)exec;
    CUresult result = CUDA_SUCCESS;
    for (const struct step *step = graph->steps; step && result == CUDA_SUCCESS;
         step = step->next) {
        result = step->run(step->params);
    }
    return result;
}

CUresult graphs_GraphDestroy(CUgraph graph)
{
    CUresult result = CUDA_SUCCESS;
    if (--graph->owners > 0) {
        return result;
    }
    while (graph->steps) {
        struct step *step = graph->steps;
        graph->steps = step->next;
        free(step->params);
        free(step);
    }
    while (graph->objects && result == CUDA_SUCCESS) {
        CUuserObject object = graph->objects;
        graph->objects = object->next;
        result = graphs_UserObjectRelease(object, 1);
    }
    free(graph);
    return result;
}

CUresult graphs_GraphExecDestroy(CUgraphExec exec)
{
    return graphs_GraphDestroy((CUgraph)(void *)exec);
}
