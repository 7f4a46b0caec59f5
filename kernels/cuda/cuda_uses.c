/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_uses.h"

enum fovea_result cuda_uses_init(const struct cuda_device *device, struct cuda_uses *uses)
{
    *uses = (struct cuda_uses){0};
    for (uint32_t i = 0; i < CUDA_USES_COUNT; i++) {
        CU_TRY(device->log, device->cu,
               device->cu->EventCreate(&uses->events[i], CU_EVENT_DISABLE_TIMING));
    }
    return FOVEA_OK;
}

void cuda_uses_finish(const struct cuda_device *device, struct cuda_uses *uses)
{
    for (uint32_t i = 0; i < CUDA_USES_COUNT; i++) {
        if (uses->events[i]) {
            CU_WARN(device->log, device->cu, device->cu->EventDestroy(uses->events[i]));
        }
    }
    *uses = (struct cuda_uses){0};
}

/* The event is about to stand for a launch on the stream; from now on it stands for its old one
 * too. */
static enum fovea_result take_over(const struct cuda_device *device, CUevent event, CUstream stream)
{
    const struct cuda_driver *cu = device->cu;
    const enum fovea_result before = CU_CHECK(device->log, cu, cu->EventQuery(event));
    return before == FOVEA_NOT_READY
               ? CU_CHECK(device->log, cu,
                          cu->StreamWaitEvent(stream, event, CU_EVENT_WAIT_DEFAULT))
               : before;
}

static enum fovea_result record(const struct cuda_device *device, struct cuda_uses *uses,
                                CUstream stream)
{
    const struct cuda_driver *cu = device->cu;
    CUevent event = uses->events[uses->next];
    uses->loose |= !uses->followed;
    uses->captured |= device->capturing;
    if (uses->loose && !device->capturing) {
        FOVEA_TRY(take_over(device, event, stream));
    }
    CU_TRY(device->log, cu, cu->EventRecord(event, stream));
    uses->followed = false;
    uses->next = (uses->next + 1) % CUDA_USES_COUNT;
    return FOVEA_OK;
}

/* The event that a stream that is kept still lacks. */
static enum fovea_result settle(const struct cuda_device *device, struct cuda_uses *uses)
{
    if (uses->kept) {
        FOVEA_TRY(record(device, uses, uses->kept));
        uses->kept = NULL;
    }
    return FOVEA_OK;
}

enum fovea_result cuda_uses_add(const struct cuda_device *device, struct cuda_uses *uses,
                                CUstream stream)
{
    FOVEA_TRY(settle(device, uses));
    return record(device, uses, stream);
}

enum fovea_result cuda_uses_add_kept(const struct cuda_device *device, struct cuda_uses *uses,
                                     CUstream stream)
{
    if (uses->kept != stream) {
        FOVEA_TRY(settle(device, uses));
    }
    uses->kept = stream;
    return FOVEA_OK;
}

enum fovea_result cuda_uses_follow(const struct cuda_device *device, struct cuda_uses *uses,
                                   CUstream stream)
{
    if (uses->kept && uses->kept == stream) {
        return FOVEA_OK; /* it does one after the other anyway */
    }
    if (device->capturing && !uses->captured) {
        return FOVEA_OK;
    }
    FOVEA_TRY(settle(device, uses));
    CUevent last = uses->events[(uses->next + CUDA_USES_COUNT - 1) % CUDA_USES_COUNT];
    CU_TRY(device->log, device->cu,
           device->cu->StreamWaitEvent(stream, last, CU_EVENT_WAIT_DEFAULT));
    uses->followed = true;
    return FOVEA_OK;
}

/* A stream that has nothing to do needs no event to say so. */
static void forget_idle(const struct cuda_device *device, struct cuda_uses *uses)
{
    if (uses->kept && device->cu->StreamQuery(uses->kept) == CUDA_SUCCESS) {
        uses->kept = NULL;
    }
}

enum fovea_result cuda_uses_query(const struct cuda_device *device, struct cuda_uses *uses)
{
    if (uses->captured) {
        return FOVEA_OK;
    }
    forget_idle(device, uses);
    FOVEA_TRY(settle(device, uses));
    for (uint32_t i = 0; i < CUDA_USES_COUNT; i++) {
        enum fovea_result result =
            CU_CHECK(device->log, device->cu, device->cu->EventQuery(uses->events[i]));
        if (result != FOVEA_OK) {
            return result;
        }
    }
    return FOVEA_OK;
}

enum fovea_result cuda_uses_wait(const struct cuda_device *device, struct cuda_uses *uses)
{
    if (uses->captured) {
        return FOVEA_OK;
    }
    FOVEA_TRY(settle(device, uses));
    for (uint32_t i = 0; i < CUDA_USES_COUNT; i++) {
        CU_TRY(device->log, device->cu, device->cu->EventSynchronize(uses->events[i]));
    }
    return FOVEA_OK;
}
