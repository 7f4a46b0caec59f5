/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Streams, events, captures and graphs of the driver whose device is the host. What a capture
 * forbids ends it with an error, as with the real driver: waiting for what lies outside it, asking
 * what lies in it, and what might wait for it, unless the thread has said that it knows better. One
 * capture at a time. */
#pragma once

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

/* Does what was captured; `params` is the graph's own copy. */
typedef CUresult (*graphs_step_fn)(const void *params);

/* Whether the stream is being captured: then *out_result is the result of the call, and step runs
 * with a copy of params whenever a graph is launched. */
bool graphs_capture(CUstream stream, graphs_step_fn step, const void *params, size_t bytes,
                    CUresult *out_result);

/* For calls that conflict with any capture. CUDA_SUCCESS: there is none, or the thread may. */
CUresult graphs_ask(void);

CUresult graphs_StreamCreate(CUstream *stream);
CUresult graphs_StreamDestroy(CUstream stream);
CUresult graphs_StreamSynchronize(CUstream stream); /* and StreamQuery */
CUresult graphs_StreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUresult graphs_EventCreate(CUevent *event, unsigned flags);
CUresult graphs_EventDestroy(CUevent event);
CUresult graphs_EventRecord(CUevent event, CUstream stream);
CUresult graphs_EventSynchronize(CUevent event); /* and EventQuery */

CUresult graphs_ThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
CUresult graphs_StreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
CUresult graphs_StreamEndCapture(CUstream stream, CUgraph *graph);
CUresult graphs_StreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                     CUgraph *graph, const CUgraphNode **nodes, size_t *node_count);

CUresult graphs_UserObjectCreate(CUuserObject *object, void *user, CUhostFn end, unsigned count,
                                 unsigned flags);
CUresult graphs_UserObjectRelease(CUuserObject object, unsigned count);
CUresult graphs_GraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                      unsigned flags);
CUresult graphs_GraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                          unsigned long long flags);
CUresult graphs_GraphLaunch(CUgraphExec exec, CUstream stream);
CUresult graphs_GraphExecDestroy(CUgraphExec exec);
CUresult graphs_GraphDestroy(CUgraph graph);
