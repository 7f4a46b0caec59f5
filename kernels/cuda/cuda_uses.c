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

static enum fovea_result record(const struct cuda_device *device, struct cuda_uses *uses,
                                CUstream stream)
{
    const struct cuda_driver *cu = device->cu;
    CUevent event = uses->events[uses->next];
    enum fovea_result before = CU_CHECK(device->log, cu, cu->EventQuery(event));
    FOVEA_TRY(before);
    if (before == FOVEA_NOT_READY) {
        /* The event is about to stand for this launch; from now on it stands for its old one
         * too. */
        CU_TRY(device->log, cu, cu->StreamWaitEvent(stream, event, CU_EVENT_WAIT_DEFAULT));
    }
    CU_TRY(device->log, cu, cu->EventRecord(event, stream));
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
    FOVEA_TRY(settle(device, uses));
    CUevent last = uses->events[(uses->next + CUDA_USES_COUNT - 1) % CUDA_USES_COUNT];
    CU_TRY(device->log, device->cu,
           device->cu->StreamWaitEvent(stream, last, CU_EVENT_WAIT_DEFAULT));
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
    FOVEA_TRY(settle(device, uses));
    for (uint32_t i = 0; i < CUDA_USES_COUNT; i++) {
        CU_TRY(device->log, device->cu, device->cu->EventSynchronize(uses->events[i]));
    }
    return FOVEA_OK;
}
