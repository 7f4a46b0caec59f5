/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Capturing what was written for streams. The library notes with events which launches still use a
 * plan, and a capture allows only events that were recorded within it: to ask for one, or to wait
 * for an older one, ends the capture with an error. Within a capture older work is over, because
 * the caller waited; so such a wait is left out here, and events of captures count as over when
 * they are asked for. Waits for events of the same capture stay, so that work on a second stream
 * would be captured as well. */

#include "cuda_bench.h"

#define CAPTURED_AT_MOST 256

#define NO_CAPTURE 0

/* CUDA's functions carry no pointer of ours. */
static struct {
    const struct cuda_driver *cu;
    uint32_t capture; /* number of the one under way, or NO_CAPTURE */
    uint32_t newest;
    struct {
        CUevent event;
        uint32_t capture;
    } recorded[CAPTURED_AT_MOST]; /* events that were last recorded in a capture */
    uint32_t count;
} state;

static uint32_t place_of(CUevent event)
{
    uint32_t i = 0;
    while (i < state.count && state.recorded[i].event != event) {
        i++;
    }
    return i;
}

static uint32_t capture_of(CUevent event)
{
    const uint32_t place = place_of(event);
    return place < state.count ? state.recorded[place].capture : NO_CAPTURE;
}

static void forget(CUevent event)
{
    const uint32_t place = place_of(event);
    if (place < state.count) {
        state.recorded[place] = state.recorded[--state.count];
    }
}

static CUresult CUDAAPI event_record(CUevent event, CUstream stream)
{
    const CUresult result = state.cu->EventRecord(event, stream);
    forget(event);
    if (result == CUDA_SUCCESS && state.capture != NO_CAPTURE) {
        if (state.count == CAPTURED_AT_MOST) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        state.recorded[state.count].event = event;
        state.recorded[state.count++].capture = state.capture;
    }
    return result;
}

static CUresult CUDAAPI event_query(CUevent event)
{
    const bool over = state.capture != NO_CAPTURE || capture_of(event) != NO_CAPTURE;
    return over ? CUDA_SUCCESS : state.cu->EventQuery(event);
}

static CUresult CUDAAPI event_synchronize(CUevent event)
{
    return capture_of(event) != NO_CAPTURE ? CUDA_SUCCESS : state.cu->EventSynchronize(event);
}

static CUresult CUDAAPI event_destroy(CUevent event)
{
    forget(event);
    return state.cu->EventDestroy(event);
}

static CUresult CUDAAPI stream_wait_event(CUstream stream, CUevent event, unsigned flags)
{
    return capture_of(event) == state.capture ? state.cu->StreamWaitEvent(stream, event, flags)
                                              : CUDA_SUCCESS;
}

struct cuda_driver cuda_capture_driver(const struct cuda_driver *cu)
{
    struct cuda_driver driver = *cu;
    state.cu = cu;
    driver.EventRecord = event_record;
    driver.EventQuery = event_query;
    driver.EventSynchronize = event_synchronize;
    driver.EventDestroy = event_destroy;
    driver.StreamWaitEvent = stream_wait_event;
    return driver;
}

static bool capture_all(struct cuda_bench *b, cuda_enqueue_fn enqueue, void *user, uint32_t count)
{
    bool enqueued = true;
    for (uint32_t i = 0; enqueued && i < count; i++) {
        enqueued = enqueue(b, user, i % BENCH_PICTURES) == FOVEA_OK;
    }
    return enqueued;
}

CUgraphExec cuda_capture(struct cuda_bench *b, cuda_enqueue_fn enqueue, void *user, uint32_t count)
{
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    if (b->cu->StreamBeginCapture(b->stream, CU_STREAM_CAPTURE_MODE_RELAXED) != CUDA_SUCCESS) {
        return NULL;
    }
    state.capture = ++state.newest;
    const bool enqueued = capture_all(b, enqueue, user, count);
    state.capture = NO_CAPTURE;
    const CUresult ended = b->cu->StreamEndCapture(b->stream, &graph);
    if (ended != CUDA_SUCCESS || !graph) {
        return NULL;
    }
    if (!enqueued || b->cu->GraphInstantiateWithFlags(&exec, graph, 0) != CUDA_SUCCESS) {
        exec = NULL;
    }
    CUDA_MUST(b, b->cu->GraphDestroy(graph));
    return exec;
}
