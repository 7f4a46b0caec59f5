/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "late_cuda.h"

#include "kernels/cuda/cuda_kernels.h"
#include "late_params.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const unsigned char late_fatbin[];

#define PLACE_BYTES 64 /* of the block, and of each slot behind it */
#define CALIBRATIONS 5

struct late_cuda {
    const struct cuda_device *device;
    CUmodule module;
    CUfunction latch;
    char *shared; /* host memory that the device sees: the block, then a report for each slot */
    CUdeviceptr shared_device;
    CUdeviceptr latched; /* device memory, for each slot */
    int64_t *enqueued_ns; /* when, for each slot */
    int64_t clock_ahead_ns; /* the device's clock less ours */
};

/* The clock of fovea_time_ns. */
static int64_t now_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint32_t *report_of(const struct late_cuda *late, uint32_t slot)
{
    return (uint32_t *)(void *)(late->shared + (size_t)PLACE_BYTES * (slot + 1));
}

static int64_t device_ns(const struct late_cuda *late, uint32_t slot)
{
    const uint32_t *report = report_of(late, slot);
    return late_join(report[LATCHED_CLOCK_LOW], report[LATCHED_CLOCK_HIGH]);
}

enum fovea_result late_cuda_latch(struct late_cuda *late, CUstream stream, uint32_t slot,
                                  const struct late_own *own, CUdeviceptr *out_gazes)
{
    struct late_cuda_params params = {.block = late->shared_device,
                                      .latched = late->latched + (uint64_t)PLACE_BYTES * slot,
                                      .report =
                                          late->shared_device + (uint64_t)PLACE_BYTES * (slot + 1),
                                      .own = *own};
    *out_gazes = params.latched;
    memset(report_of(late, slot), 0, LATCHED_WORDS * sizeof(uint32_t));
    late->enqueued_ns[slot] = now_ns();
    const struct cuda_launch launch = {late->latch, {1, 1, 1}, {1, 1}, 0};
    return cuda_launch(late->device, stream, &launch, &params);
}

/* The launch that is over soonest says most about how the clocks differ. */
static enum fovea_result calibrate(struct late_cuda *late, CUstream stream)
{
    const struct cuda_device *device = late->device;
    const struct late_own none = {0};
    int64_t best_ns = INT64_MAX;
    for (int i = 0; i < CALIBRATIONS; i++) {
        CUdeviceptr gazes = 0;
        FOVEA_TRY(late_cuda_latch(late, stream, 0, &none, &gazes));
        CU_TRY(device->log, device->cu, device->cu->StreamSynchronize(stream));
        const int64_t took_ns = now_ns() - late->enqueued_ns[0];
        if (took_ns < best_ns) {
            best_ns = took_ns;
            late->clock_ahead_ns = device_ns(late, 0) - (late->enqueued_ns[0] + took_ns / 2);
        }
    }
    return FOVEA_OK;
}

static enum fovea_result build(struct late_cuda *late, CUstream stream, uint32_t slot_count)
{
    const struct cuda_device *device = late->device;
    const struct cuda_driver *cu = device->cu;
    const size_t bytes = (size_t)PLACE_BYTES * (slot_count + 1);
    void *shared = NULL;
    late->enqueued_ns = calloc(slot_count, sizeof *late->enqueued_ns);
    FOVEA_TRY_MEMORY(late->enqueued_ns);
    FOVEA_TRY(cuda_module_load(device, late_fatbin, &late->module));
    FOVEA_TRY(cuda_device_get_kernel(device, late->module, "gaze_latch", &late->latch));
    CU_TRY(device->log, cu,
           cu->MemHostAlloc(&shared, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
    late->shared = shared;
    memset(shared, 0, bytes);
    CU_TRY(device->log, cu, cu->MemHostGetDevicePointer(&late->shared_device, shared, 0));
    CU_TRY(device->log, cu, cu->MemAlloc(&late->latched, bytes));
    return calibrate(late, stream);
}

enum fovea_result late_cuda_create(const struct cuda_device *device, CUstream stream,
                                   uint32_t slot_count, struct late_cuda **out_late)
{
    *out_late = NULL;
    struct late_cuda *late = calloc(1, sizeof *late);
    FOVEA_TRY_MEMORY(late);
    late->device = device;
    const enum fovea_result result = build(late, stream, slot_count);
    if (result != FOVEA_OK) {
        late_cuda_destroy(&late);
        return result;
    }
    *out_late = late;
    return FOVEA_OK;
}

void late_cuda_destroy(struct late_cuda **late)
{
    struct late_cuda *old = *late;
    if (!old) {
        return;
    }
    const struct cuda_device *device = old->device;
    if (old->latched) {
        CU_WARN(device->log, device->cu, device->cu->MemFree(old->latched));
    }
    if (old->shared) {
        CU_WARN(device->log, device->cu, device->cu->MemFreeHost(old->shared));
    }
    cuda_module_unload(device, &old->module);
    late_cuda_abandon(late);
}

void late_cuda_abandon(struct late_cuda **late)
{
    if (*late) {
        free((*late)->enqueued_ns);
        free(*late);
        *late = NULL;
    }
}

uint32_t *late_cuda_block(struct late_cuda *late)
{
    return (uint32_t *)(void *)late->shared;
}

/* The clocks drift apart. That a latch ran after it was enqueued and before now bounds by how
 * much. */
static void follow_drift(struct late_cuda *late, uint32_t slot, int64_t ran_ns)
{
    const int64_t least_ns = ran_ns - now_ns();
    const int64_t most_ns = ran_ns - late->enqueued_ns[slot];
    if (late->clock_ahead_ns < least_ns) {
        late->clock_ahead_ns = least_ns;
    }
    if (late->clock_ahead_ns > most_ns) {
        late->clock_ahead_ns = most_ns;
    }
}

bool late_cuda_age(struct late_cuda *late, uint32_t slot, int64_t *out_age_ns)
{
    const uint32_t *report = report_of(late, slot);
    const int64_t ran_ns = device_ns(late, slot);
    if (ran_ns == 0) {
        return false;
    }
    follow_drift(late, slot, ran_ns);
    *out_age_ns =
        ran_ns - late->clock_ahead_ns - late_join(report[LATCHED_T_LOW], report[LATCHED_T_HIGH]);
    return true;
}
