/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "vk_device.h"

#include "core/log.h"
#include "vk_check.h"
#include "vk_loaded.h"

#include <stdlib.h>
#include <string.h>

static bool has_extension(const VkExtensionProperties *extensions, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(extensions[i].extensionName, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool timeline_feature(const struct vk_functions *vk, VkPhysicalDevice physical)
{
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &timeline};
    vk->GetPhysicalDeviceFeatures2(physical, &features);
    return timeline.timelineSemaphore;
}

static VkPhysicalDeviceProperties get_properties(const struct vk_functions *vk,
                                                 VkPhysicalDevice physical,
                                                 uint8_t uuid[VK_UUID_SIZE])
{
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    vk->GetPhysicalDeviceProperties2(physical, &properties);
    memcpy(uuid, id.deviceUUID, VK_UUID_SIZE);
    return properties.properties;
}

static void read_offer(const struct vk_functions *vk, VkPhysicalDevice physical,
                       const VkExtensionProperties *extensions, uint32_t count,
                       struct vk_offer *offer)
{
    VkPhysicalDeviceProperties properties = get_properties(vk, physical, offer->uuid);
    bool core = properties.apiVersion >= VK_API_VERSION_1_2;
    bool extension = has_extension(extensions, count, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME);
    offer->timeline = (core || extension) && timeline_feature(vk, physical);
    offer->timeline_extension = offer->timeline && extension;
    offer->format_list = has_extension(extensions, count, VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME);
    offer->memory_fd = has_extension(extensions, count, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    offer->semaphore_fd =
        has_extension(extensions, count, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
    if (has_extension(extensions, count, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME)) {
        offer->calibrated_timestamps = VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
    } else if (has_extension(extensions, count, VK_KHR_CALIBRATED_TIMESTAMPS_NAME)) {
        offer->calibrated_timestamps = VK_KHR_CALIBRATED_TIMESTAMPS_NAME;
    }
}

enum fovea_result vk_device_offer(const struct vk_functions *vk, VkPhysicalDevice physical,
                                  struct fovea_log log, struct vk_offer *out_offer)
{
    *out_offer = (struct vk_offer){0};
    uint32_t count = 0;
    VK_TRY(log, vk->EnumerateDeviceExtensionProperties(physical, NULL, &count, NULL));
    VkExtensionProperties *extensions = calloc(count + 1, sizeof *extensions);
    FOVEA_TRY_MEMORY(extensions);
    VkResult result = vk->EnumerateDeviceExtensionProperties(physical, NULL, &count, extensions);
    if (result >= 0) {
        read_offer(vk, physical, extensions, count, out_offer);
    }
    free(extensions);
    return vk_checked(log, result, "vkEnumerateDeviceExtensionProperties", __FILE__, __LINE__);
}

static bool listed(const struct vk_device_desc *desc, const char *name)
{
    for (uint32_t i = 0; i < desc->extension_count; i++) {
        if (strcmp(desc->extensions[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static enum fovea_result check_queue(struct vk_device *device)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    device->vk.GetPhysicalDeviceQueueFamilyProperties(device->physical, &count, families);
    if (device->queue_family >= count) {
        log_error(device->log, "vulkan: queue family %u of %u does not exist", device->queue_family,
                  count);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!(families[device->queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
        log_error(device->log, "vulkan: queue family %u cannot compute", device->queue_family);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    device->queue_family_count = count;
    device->timestamp_bits = families[device->queue_family].timestampValidBits;
    return FOVEA_OK;
}

static void set_handles(struct vk_device *device, const struct vk_device_desc *desc)
{
    *device = (struct vk_device){.instance = desc->instance,
                                 .physical = desc->physical,
                                 .handle = desc->device,
                                 .queue = desc->queue,
                                 .queue_family = desc->queue_family,
                                 .pipeline_cache = desc->pipeline_cache,
                                 .log = desc->log};
    if (desc->allocator) {
        device->callbacks = *desc->allocator;
        device->allocator = &device->callbacks;
    }
}

static bool knows_our_clock(const struct vk_functions *vk, VkPhysicalDevice physical)
{
    VkTimeDomainEXT domains[16];
    uint32_t count = 16;
    if (!vk->GetPhysicalDeviceCalibrateableTimeDomainsEXT ||
        vk->GetPhysicalDeviceCalibrateableTimeDomainsEXT(physical, &count, domains) < 0) {
        return false;
    }
    bool device = false;
    bool host = false;
    for (uint32_t i = 0; i < count; i++) {
        device = device || domains[i] == VK_TIME_DOMAIN_DEVICE_EXT;
        host = host || domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
    }
    return device && host;
}

static void keep_driver_loaded(const struct vk_functions *vk)
{
    void *function = NULL;
    memcpy(&function, &vk->QueueSubmit, sizeof function);
    vk_loaded_keep(function);
}

enum fovea_result vk_device_init(struct vk_device *device, const struct vk_device_desc *desc)
{
    set_handles(device, desc);
    struct vk_functions *vk = &device->vk;
    FOVEA_TRY(
        vk_functions_load_instance(vk, desc->instance, desc->get_instance_proc_addr, desc->log));
    FOVEA_TRY(vk_functions_load_device(vk, desc->device, desc->log));
    keep_driver_loaded(vk);
    FOVEA_TRY(check_queue(device));
    device->properties = get_properties(vk, desc->physical, device->uuid);
    vk->GetPhysicalDeviceMemoryProperties(desc->physical, &device->memory);
    device->timeline =
        desc->timeline && vk->GetSemaphoreCounterValue && vk->SignalSemaphore && vk->WaitSemaphores;
    device->format_list = listed(desc, VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME);
    device->memory_fd =
        listed(desc, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) && vk->GetMemoryFdKHR;
    device->semaphore_fd =
        listed(desc, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) && vk->GetSemaphoreFdKHR;
    device->calibrated = (listed(desc, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME) ||
                          listed(desc, VK_KHR_CALIBRATED_TIMESTAMPS_NAME)) &&
                         vk->GetCalibratedTimestampsEXT && knows_our_clock(vk, desc->physical);
    return FOVEA_OK;
}

static bool find_type(const struct vk_device *device, uint32_t type_bits,
                      VkMemoryPropertyFlags flags, uint32_t *out_index)
{
    for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
        VkMemoryPropertyFlags has = device->memory.memoryTypes[i].propertyFlags;
        if ((type_bits >> i & 1) && (has & flags) == flags) {
            *out_index = i;
            return true;
        }
    }
    return false;
}

bool vk_device_has_memory_type(const struct vk_device *device, uint32_t type_bits,
                               VkMemoryPropertyFlags flags)
{
    uint32_t index;
    return find_type(device, type_bits, flags, &index);
}

enum fovea_result vk_device_memory_type(const struct vk_device *device, uint32_t type_bits,
                                        VkMemoryPropertyFlags flags, uint32_t *out_index)
{
    if (find_type(device, type_bits, flags, out_index)) {
        return FOVEA_OK;
    }
    log_error(device->log, "vulkan: no memory type of 0x%x has the properties 0x%x", type_bits,
              flags);
    return FOVEA_ERROR_UNSUPPORTED;
}
