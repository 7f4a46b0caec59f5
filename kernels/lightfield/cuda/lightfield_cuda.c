/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_cuda.h"

#include "kernels/cuda/cuda_capture.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

extern const unsigned char lightfield_fatbin[];

#define TILE_BYTES (96 * 1024) /* two blocks of a multiprocessor of 9.0 */
#define TILE_OWN_BYTES 15616 /* that tiles have beside them, at most */

static enum fovea_result get_kernels_of(const struct lightfield_cuda *cuda, const char *prefix,
                                        int kinds, int shared_bytes, CUfunction out[])
{
    static const char *const names[] = {"r8",    "rgb8",   "rgba8",   "r16",
                                        "rgb16", "rgba16", "mosaic8", "mosaic16"};
    for (int i = 0; i < kinds; i++) {
        char name[64];
        snprintf(name, sizeof name, "lightfield_%s_%s", prefix, names[i]);
        FOVEA_TRY(cuda_kernels_get_named(cuda->device, cuda->module,
                                         &(struct cuda_named_kernel){name, &out[i], shared_bytes},
                                         1));
    }
    return FOVEA_OK;
}

static enum fovea_result get_tiles(struct lightfield_cuda *cuda)
{
    int bytes = 0;
    FOVEA_TRY(cuda_device_shared_bytes(cuda->device, &bytes));
    bytes -= TILE_OWN_BYTES;
    cuda->tile_bytes = bytes < TILE_BYTES ? bytes : TILE_BYTES;
    FOVEA_TRY(get_kernels_of(cuda, "render_tile", LIGHTFIELD_CUDA_TILES, cuda->tile_bytes,
                             cuda->render_tile));
    FOVEA_TRY(get_kernels_of(cuda, "render_rings", LIGHTFIELD_CUDA_TILES, 0, cuda->render_rings));
    return get_kernels_of(cuda, "depth_tile", LIGHTFIELD_CUDA_TILES, cuda->tile_bytes,
                          cuda->depth_tile);
}

/* Streams of the program need not wait for it: it is over when this returns. */
static enum fovea_result make_focus(struct lightfield_cuda *cuda)
{
    static const char nothing[offsetof(struct lightfield_cuda_focus, differences)];
    const struct cuda_device *device = cuda->device;
    CU_TRY(device->log, device->cu,
           device->cu->MemAlloc(&cuda->focus, sizeof(struct lightfield_cuda_focus)));
    CU_TRY(device->log, device->cu, device->cu->MemcpyHtoD(cuda->focus, nothing, sizeof nothing));
    return FOVEA_OK;
}

static enum fovea_result load_pushed(struct lightfield_cuda *cuda)
{
    const struct cuda_device *device = cuda->device;
    FOVEA_TRY(cuda_module_load(device, lightfield_fatbin, &cuda->module));
    FOVEA_TRY(get_kernels_of(cuda, "render", LIGHTFIELD_CUDA_KINDS, 0, cuda->render));
    FOVEA_TRY(get_kernels_of(cuda, "render_each", LIGHTFIELD_CUDA_KINDS, 0, cuda->render_each));
    FOVEA_TRY(get_kernels_of(cuda, "costs", LIGHTFIELD_CUDA_KINDS, 0, cuda->costs));
    FOVEA_TRY(get_kernels_of(cuda, "sum", LIGHTFIELD_CUDA_KINDS, 0, cuda->sum));
    FOVEA_TRY(get_kernels_of(cuda, "search", LIGHTFIELD_CUDA_KINDS, 0, cuda->search));
    FOVEA_TRY(cuda_device_get_kernel(device, cuda->module, "lightfield_boxes", &cuda->boxes));
    FOVEA_TRY(cuda_device_get_kernel(device, cuda->module, "lightfield_choose", &cuda->choose));
    FOVEA_TRY(get_tiles(cuda));
    FOVEA_TRY(make_focus(cuda));
    CU_TRY(device->log, device->cu, device->cu->EventCreate(&cuda->done, CU_EVENT_DISABLE_TIMING));
    return FOVEA_OK;
}

/* The first picture of a device may be one of a capture. */
static enum fovea_result load(struct lightfield_cuda *cuda)
{
    CUstreamCaptureMode before;
    FOVEA_TRY(cuda_capture_enter(cuda->device, &before));
    const enum fovea_result result = load_pushed(cuda);
    cuda_capture_leave(cuda->device, before);
    return result;
}

enum fovea_result lightfield_cuda_create(const struct fovea_lightfield_geometry *geometry,
                                         int ordinal, struct fovea_log log,
                                         struct lightfield_cuda **out_cuda)
{
    struct lightfield_cuda *cuda = calloc(1, sizeof *cuda);
    *out_cuda = NULL;
    FOVEA_TRY_MEMORY(cuda);
    cuda->geometry = *geometry;
    enum fovea_result result = cuda_device_create(ordinal, log, &cuda->device);
    result = result < 0 ? result : load(cuda);
    if (result < 0) {
        lightfield_cuda_destroy(&cuda);
        return result;
    }
    *out_cuda = cuda;
    return FOVEA_OK;
}

static void free_pushed(struct lightfield_cuda *cuda)
{
    const struct cuda_device *device = cuda->device;
    if (cuda->was_used) {
        CU_WARN(device->log, device->cu, device->cu->EventSynchronize(cuda->done));
    }
    cuda_device_free(device, &cuda->memory);
    cuda_device_free(device, &cuda->focus);
    if (cuda->done) {
        CU_WARN(device->log, device->cu, device->cu->EventDestroy(cuda->done));
    }
    cuda_module_unload(device, &cuda->module);
}

void lightfield_cuda_destroy(struct lightfield_cuda **cuda)
{
    struct lightfield_cuda *gone = *cuda;
    CUstreamCaptureMode before;
    *cuda = NULL;
    /* A context in which not even this goes frees its memory when it ends. */
    if (gone && gone->device && cuda_capture_enter(gone->device, &before) == FOVEA_OK) {
        free_pushed(gone);
        cuda_capture_leave(gone->device, before);
    }
    if (gone) {
        cuda_device_destroy(&gone->device);
    }
    free(gone);
}
