/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "peer_cuda_import.h"

#include <fcntl.h>

/* CUDA owns a descriptor from a successful import on, the caller his own until everything has
 * succeeded: so a copy goes in. */
static int copy_handle(struct os_handle handle)
{
    return fcntl(handle.fd, F_DUPFD_CLOEXEC, 0);
}

/* ---- Images ---------------------------------------------------------------------------------- */

/* Bits matter here and not what they mean: formats that CUDA has no name for are 32-bit words. */
CUDA_ARRAY3D_DESCRIPTOR peer_cuda_array_desc(const struct peer_image_desc *desc)
{
    CUDA_ARRAY3D_DESCRIPTOR array = {.Width = desc->width_px,
                                     .Height = desc->height_px,
                                     .Depth = 0,
                                     .Format = CU_AD_FORMAT_UNSIGNED_INT32,
                                     .NumChannels = 1,
                                     .Flags = CUDA_ARRAY3D_SURFACE_LDST};
    if (desc->format == FOVEA_FORMAT_RGBA8) {
        array.Format = CU_AD_FORMAT_UNSIGNED_INT8;
        array.NumChannels = 4;
    } else if (desc->format == FOVEA_FORMAT_RGBA16F) {
        array.Format = CU_AD_FORMAT_HALF;
        array.NumChannels = 4;
    }
    if (desc->color_attachment) {
        array.Flags |= CUDA_ARRAY3D_COLOR_ATTACHMENT;
    }
    return array;
}

static enum fovea_result import_memory(const struct cuda_device *device,
                                       const struct peer_image_desc *desc, struct peer_image *image)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC info = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                                             .size = desc->allocation_bytes,
                                             .flags = CUDA_EXTERNAL_MEMORY_DEDICATED};
    struct os_handle copy = {.fd = copy_handle(desc->memory)};
    info.handle.fd = copy.fd;
    enum fovea_result result =
        CU_CHECK(device->log, device->cu, device->cu->ImportExternalMemory(&image->memory, &info));
    if (result != FOVEA_OK) {
        image->memory = NULL;
        os_handle_close(&copy);
    }
    return result;
}

static enum fovea_result check_array(const struct cuda_device *device, CUarray array,
                                     const CUDA_ARRAY3D_DESCRIPTOR *wanted)
{
    CUDA_ARRAY3D_DESCRIPTOR mapped = {0};
    CU_TRY(device->log, device->cu, device->cu->Array3DGetDescriptor(&mapped, array));
    if (mapped.Width == wanted->Width && mapped.Height == wanted->Height &&
        mapped.Format == wanted->Format && mapped.NumChannels == wanted->NumChannels) {
        return FOVEA_OK;
    }
    log_error(device->log,
              "cuda: the shared image was mapped as %zu x %zu, %u channels of format %d; it is "
              "%zu x %zu, %u of %d",
              mapped.Width, mapped.Height, mapped.NumChannels, (int)mapped.Format, wanted->Width,
              wanted->Height, wanted->NumChannels, (int)wanted->Format);
    return FOVEA_ERROR_INTERNAL;
}

enum fovea_result peer_cuda_map_image(const struct cuda_device *device,
                                      const struct peer_image_desc *desc, struct peer_image *image)
{
    const struct cuda_driver *cu = device->cu;
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC levels = {.arrayDesc = peer_cuda_array_desc(desc),
                                                        .numLevels = 1};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUarray *array = &resource.res.array.hArray;
    FOVEA_TRY(import_memory(device, desc, image));
    CU_TRY(device->log, cu,
           cu->ExternalMemoryGetMappedMipmappedArray(&image->levels, image->memory, &levels));
    CU_TRY(device->log, cu, cu->MipmappedArrayGetLevel(array, image->levels, 0));
    FOVEA_TRY(check_array(device, *array, &levels.arrayDesc));
    CU_TRY(device->log, cu, cu->SurfObjectCreate(&image->surface, &resource));
    return FOVEA_OK;
}

void peer_cuda_unmap_image(const struct cuda_device *device, struct peer_image *image)
{
    const struct cuda_driver *cu = device->cu;
    if (image->surface) {
        CU_WARN(device->log, cu, cu->SurfObjectDestroy(image->surface));
    }
    if (image->levels) {
        CU_WARN(device->log, cu, cu->MipmappedArrayDestroy(image->levels));
    }
    if (image->array) {
        CU_WARN(device->log, cu, cu->ArrayDestroy(image->array));
    }
    if (image->memory) {
        CU_WARN(device->log, cu, cu->DestroyExternalMemory(image->memory));
    }
}

/* ---- Semaphores ------------------------------------------------------------------------------ */

static enum fovea_result check_timeline(const struct cuda_device *device)
{
    int supported = 0;
    CU_TRY(device->log, device->cu,
           device->cu->DeviceGetAttribute(&supported,
                                          CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED,
                                          device->handle));
    return supported ? FOVEA_OK : FOVEA_ERROR_UNSUPPORTED;
}

enum fovea_result peer_cuda_import_semaphore(const struct cuda_device *device,
                                             const struct peer_semaphore_desc *desc,
                                             CUexternalSemaphore *out_handle)
{
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC info = {.type =
                                                    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD};
    if (desc->timeline) {
        FOVEA_TRY(check_timeline(device));
        info.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    }
    info.handle.fd = desc->handle.fd;
    return CU_CHECK(device->log, device->cu,
                    device->cu->ImportExternalSemaphore(out_handle, &info));
}
