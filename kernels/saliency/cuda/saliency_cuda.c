/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "saliency_cuda.h"

#include <stdlib.h>

extern const unsigned char saliency_fatbin[];

/* ---- Kernels */

static enum fovea_result get_kernels(struct saliency_cuda *cuda)
{
    const struct cuda_named_kernel kernels[] = {{"saliency_fine", &cuda->fine, 0},
                                                {"saliency_present", &cuda->present, 0},
                                                {"saliency_first_planes", &cuda->first_planes, 0},
                                                {"saliency_next_planes", &cuda->next_planes, 0},
                                                {"saliency_filter", &cuda->filter, 0},
                                                {"saliency_maxima", &cuda->maxima, 0},
                                                {"saliency_report", &cuda->report, 0}};
    FOVEA_TRY(cuda_module_load(cuda->device, saliency_fatbin, &cuda->module));
    FOVEA_TRY(cuda_kernels_get_linear(cuda->device, cuda->module, "saliency_bins",
                                      CUDA_EVERY_FORMAT, &cuda->bins));
    return cuda_kernels_get_named(cuda->device, cuda->module, kernels,
                                  sizeof kernels / sizeof *kernels);
}

/* Level 0 is products of halves, which code for older architectures has not, on whatever card it
 * runs. */
static enum fovea_result check_code(const struct saliency_cuda *cuda)
{
    const struct cuda_device *device = cuda->device;
    int architecture = 0;
    FOVEA_TRY(cuda_device_architecture_of(device, cuda->fine, &architecture));
    if (architecture < CUDA_MMA_ARCHITECTURE) {
        log_error(device->log,
                  "blobs: this build has code of architecture %d.%d at most for %s, of 8.0 "
                  "(FOVEA_CUDA_ARCHITECTURES)",
                  architecture / 10, architecture % 10, device->name);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

static enum fovea_result make_streams(struct saliency_cuda *cuda)
{
    const struct cuda_device *device = cuda->device;
    const struct cuda_driver *cu = device->cu;
    FOVEA_TRY(cuda_device_create_stream(device, &cuda->coarse_stream));
    FOVEA_TRY(cuda_device_create_stream(device, &cuda->maxima_stream));
    FOVEA_TRY(cuda_device_create_low_stream(device, &cuda->fine_stream));
    CUevent *const events[] = {&cuda->begun,     &cuda->binned,         &cuda->coarse_done,
                               &cuda->fine_done, &cuda->reported_at[0], &cuda->reported_at[1]};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        CU_TRY(device->log, cu, cu->EventCreate(events[i], CU_EVENT_DISABLE_TIMING));
    }
    return FOVEA_OK;
}

static void free_streams(const struct saliency_cuda *cuda)
{
    const struct cuda_device *device = cuda->device;
    const CUevent events[] = {cuda->begun,     cuda->binned,         cuda->coarse_done,
                              cuda->fine_done, cuda->reported_at[0], cuda->reported_at[1]};
    const CUstream streams[] = {cuda->coarse_stream, cuda->maxima_stream, cuda->fine_stream};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        if (events[i]) {
            CU_WARN(device->log, device->cu, device->cu->EventDestroy(events[i]));
        }
    }
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        if (streams[i]) {
            CU_WARN(device->log, device->cu, device->cu->StreamDestroy(streams[i]));
        }
    }
}

static enum fovea_result load(struct saliency_cuda *cuda)
{
    CUstreamCaptureMode before;
    FOVEA_TRY(cuda_capture_enter(cuda->device, &before));
    enum fovea_result result = get_kernels(cuda);
    result = result < 0 ? result : check_code(cuda);
    result = result < 0 ? result : make_streams(cuda);
    cuda_capture_leave(cuda->device, before);
    return result;
}

enum fovea_result saliency_cuda_create(int ordinal, struct fovea_log log,
                                       struct saliency_cuda **out_cuda)
{
    struct saliency_cuda *cuda = calloc(1, sizeof *cuda);
    *out_cuda = NULL;
    FOVEA_TRY_MEMORY(cuda);
    cuda->most_bytes = SALIENCY_CUDA_MOST_BYTES;
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
    if (cuda_capture_enter(cuda->device, &before) == FOVEA_OK) {
        saliency_cuda_free_memory(cuda);
        cuda_capture_leave(cuda->device, before);
    }
}

void saliency_cuda_destroy(struct saliency_cuda **cuda)
{
    struct saliency_cuda *gone = *cuda;
    CUstreamCaptureMode before;
    *cuda = NULL;
    if (gone && gone->device && cuda_capture_enter(gone->device, &before) == FOVEA_OK) {
        saliency_cuda_free_memory(gone);
        free_streams(gone);
        cuda_module_unload(gone->device, &gone->module);
        cuda_capture_leave(gone->device, before);
    }
    if (gone) {
        cuda_device_destroy(&gone->device);
    }
    free(gone);
}
