/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "vk_semaphore.h"

#include "core/log.h"
#include "vk_check.h"

static VkSemaphoreTypeCreateInfo type_info(bool timeline)
{
    return (VkSemaphoreTypeCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .semaphoreType = timeline ? VK_SEMAPHORE_TYPE_TIMELINE
                                                                 : VK_SEMAPHORE_TYPE_BINARY};
}

bool vk_semaphore_exportable(const struct vk_device *device, bool timeline)
{
    if (!device->semaphore_fd || (timeline && !device->timeline)) {
        return false;
    }
    VkSemaphoreTypeCreateInfo type = type_info(timeline);
    VkPhysicalDeviceExternalSemaphoreInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
        .pNext = timeline ? &type : NULL,
        .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkExternalSemaphoreProperties properties = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
    device->vk.GetPhysicalDeviceExternalSemaphoreProperties(device->physical, &info, &properties);
    return properties.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

enum fovea_result vk_semaphore_create(struct vk_device *device, bool timeline, bool exported,
                                      VkSemaphore *out_semaphore)
{
    VkSemaphoreTypeCreateInfo type = type_info(timeline);
    VkExportSemaphoreCreateInfo export_info = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
        .pNext = timeline ? &type : NULL,
        .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                  .pNext =
                                      exported ? (const void *)&export_info : export_info.pNext};
    VK_TRY(device->log,
           device->vk.CreateSemaphore(device->handle, &info, device->allocator, out_semaphore));
    return FOVEA_OK;
}

enum fovea_result vk_semaphore_export(struct vk_device *device, VkSemaphore semaphore,
                                      struct os_handle *out_handle)
{
    *out_handle = OS_HANDLE_INVALID;
    VkSemaphoreGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                    .semaphore = semaphore,
                                    .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VK_TRY(device->log, device->vk.GetSemaphoreFdKHR(device->handle, &info, &out_handle->fd));
    return FOVEA_OK;
}
