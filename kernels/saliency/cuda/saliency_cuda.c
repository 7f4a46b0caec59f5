/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "saliency_cuda.h"

#include <stdlib.h>

extern const unsigned char saliency_fatbin[];

#define SHARED_PERCENT 100

enum fovea_result saliency_cuda_enter(const struct saliency_cuda *cuda,
                                      CUstreamCaptureMode *out_before)
{
    FOVEA_TRY(cuda_device_push(cuda->device));
    const enum fovea_result relaxed = cuda_capture_relax(cuda->device, out_before);
    if (relaxed < 0) {
        cuda_device_pop(cuda->device);
    }
    return relaxed;
}

void saliency_cuda_leave(const struct saliency_cuda *cuda, CUstreamCaptureMode before)
{
    cuda_capture_restore(cuda->device, before);
    cuda_device_pop(cuda->device);
}

/* ---- Kernels */

/* As much shared memory as there is, for all that run beside each other: a multiprocessor that
 * shares its memory in another way first has to be empty. */
static enum fovea_result get_kernel(struct saliency_cuda *cuda, const char *name, int shared_bytes,
                                    CUfunction *out)
{
    const struct cuda_device *device = cuda->device;
    FOVEA_TRY(cuda_device_get_kernel(device, cuda->module, name, out));
    if (shared_bytes > 0) {
        CU_TRY(device->log, device->cu,
               device->cu->FuncSetAttribute(*out, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                            shared_bytes));
    }
    return FOVEA_OK;
}

static enum fovea_result get_kernels(struct saliency_cuda *cuda)
{
    FOVEA_TRY(cuda_module_load(cuda->device, saliency_fatbin, &cuda->module));
    FOVEA_TRY(cuda_kernels_get_linear(cuda->device, cuda->module, "saliency_bins",
                                      CUDA_EVERY_FORMAT, &cuda->bins));
    FOVEA_TRY(get_kernel(cuda, "saliency_fine", SALIENCY_CUDA_FINE_BYTES(SALIENCY_FINE_REACH),
                         &cuda->fine));
    FOVEA_TRY(get_kernel(cuda, "saliency_near", SALIENCY_CUDA_NEAR_BYTES, &cuda->near));
    FOVEA_TRY(get_kernel(cuda, "saliency_far", SALIENCY_CUDA_FAR_BYTES, &cuda->far));
    FOVEA_TRY(get_kernel(cuda, "saliency_far_planes", 0, &cuda->far_planes));
    FOVEA_TRY(get_kernel(cuda, "saliency_filter", SALIENCY_CUDA_FILTER_MOST_BYTES, &cuda->filter));
    FOVEA_TRY(get_kernel(cuda, "saliency_maxima", 0, &cuda->maxima));
    return get_kernel(cuda, "saliency_report", 0, &cuda->report);
}

_Static_assert(SALIENCY_CUDA_FILTER_MOST_BYTES >= SALIENCY_CUDA_FINE_BYTES(SALIENCY_FINE_REACH),
               "no kernel takes more than the filter");

static enum fovea_result check_device(const struct cuda_device *device)
{
    int bytes = 0;
    CU_TRY(device->log, device->cu,
           device->cu->DeviceGetAttribute(
               &bytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device->handle));
    if (bytes < SALIENCY_CUDA_FILTER_MOST_BYTES) {
        log_error(device->log, "blobs: %s has %d bytes of shared memory for a block, of %d",
                  device->name, bytes, SALIENCY_CUDA_FILTER_MOST_BYTES);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

static enum fovea_result make_side(struct saliency_cuda *cuda)
{
    const struct cuda_device *device = cuda->device;
    const struct cuda_driver *cu = device->cu;
    FOVEA_TRY(cuda_device_create_stream(device, &cuda->side));
    CU_TRY(device->log, cu, cu->EventCreate(&cuda->begun, CU_EVENT_DISABLE_TIMING));
    CU_TRY(device->log, cu, cu->EventCreate(&cuda->done, CU_EVENT_DISABLE_TIMING));
    return FOVEA_OK;
}

static void free_side(const struct saliency_cuda *cuda)
{
    const struct cuda_device *device = cuda->device;
    const CUevent events[] = {cuda->begun, cuda->done};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        if (events[i]) {
            CU_WARN(device->log, device->cu, device->cu->EventDestroy(events[i]));
        }
    }
    if (cuda->side) {
        CU_WARN(device->log, device->cu, device->cu->StreamDestroy(cuda->side));
    }
}

static enum fovea_result load(struct saliency_cuda *cuda)
{
    CUstreamCaptureMode before;
    FOVEA_TRY(saliency_cuda_enter(cuda, &before));
    enum fovea_result result = check_device(cuda->device);
    result = result < 0 ? result : get_kernels(cuda);
    result = result < 0 ? result : make_side(cuda);
    saliency_cuda_leave(cuda, before);
    return result;
}

enum fovea_result saliency_cuda_create(int ordinal, struct fovea_log log,
                                       struct saliency_cuda **out_cuda)
{
    struct saliency_cuda *cuda = calloc(1, sizeof *cuda);
    *out_cuda = NULL;
    if (!cuda) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    enum fovea_result result = cuda_device_create(ordinal, log, &cuda->device);
    result = result < 0 ? result : load(cuda);
    if (result < 0) {
        saliency_cuda_destroy(&cuda);
        return result;
    }
    *out_cuda = cuda;
    return FOVEA_OK;
}

void saliency_cuda_forget(struct saliency_cuda *cuda)
{
    CUstreamCaptureMode before;
    if (saliency_cuda_enter(cuda, &before) == FOVEA_OK) {
        saliency_cuda_free_memory(cuda);
        saliency_cuda_leave(cuda, before);
    }
}

void saliency_cuda_destroy(struct saliency_cuda **cuda)
{
    struct saliency_cuda *gone = *cuda;
    CUstreamCaptureMode before;
    *cuda = NULL;
    if (gone && gone->device && saliency_cuda_enter(gone, &before) == FOVEA_OK) {
        saliency_cuda_free_memory(gone);
        free_side(gone);
        cuda_module_unload(gone->device, &gone->module);
        saliency_cuda_leave(gone, before);
    }
    if (gone) {
        cuda_device_destroy(&gone->device);
    }
    free(gone);
}
