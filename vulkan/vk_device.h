/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine's device as Fovea sees it: functions, what it can, and how to find memory in it. */
#pragma once

#include "vk_functions.h"

struct vk_device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    VkQueue queue;
    uint32_t queue_family;
    uint32_t queue_family_count;
    struct vk_functions vk;
    const VkAllocationCallbacks *allocator; /* callbacks below; NULL: the driver's */
    VkAllocationCallbacks callbacks;
    VkPipelineCache pipeline_cache; /* the program's, or none */
    struct fovea_log log;

    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    uint8_t uuid[VK_UUID_SIZE];
    uint32_t timestamp_bits; /* of the queue's family; 0: no timestamps */

    bool timeline; /* timeline semaphores may be made */
    bool format_list; /* VK_KHR_image_format_list is enabled */
    bool memory_fd; /* VK_KHR_external_memory_fd is enabled */
    bool semaphore_fd; /* VK_KHR_external_semaphore_fd is enabled */
    bool
        /* VK_KHR_ or VK_EXT_calibrated_timestamps is enabled and knows the host's clock */
        calibrated;
};

#define VK_KHR_CALIBRATED_TIMESTAMPS_NAME "VK_KHR_calibrated_timestamps" /* old headers lack it */

/* The abilities of the physical device, before a VkDevice is there. */
struct vk_offer {
    bool timeline; /* the feature timelineSemaphore */
    bool timeline_extension; /* it has the extension, which an instance of Vulkan 1.1 needs */
    bool format_list; /* VK_KHR_image_format_list, likewise */
    bool memory_fd;
    bool semaphore_fd;
    /* the extension, EXT where there are both; NULL: neither */
    const char *calibrated_timestamps;
    uint8_t uuid[VK_UUID_SIZE];
};

FOVEA_MUST_CHECK enum fovea_result vk_device_offer(const struct vk_functions *vk,
                                                   VkPhysicalDevice physical, struct fovea_log log,
                                                   struct vk_offer *out_offer);

struct vk_device_desc {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    const char *const *extensions;
    uint32_t extension_count;
    bool timeline;
    const VkAllocationCallbacks *allocator; /* copied; may be NULL */
    VkPipelineCache pipeline_cache; /* may be none */
    struct fovea_log log;
};

/* Borrows the handles; needs no finish. */
FOVEA_MUST_CHECK enum fovea_result vk_device_init(struct vk_device *device,
                                                  const struct vk_device_desc *desc);

bool vk_device_has_memory_type(const struct vk_device *device, uint32_t type_bits,
                               VkMemoryPropertyFlags flags);
/* Index of a memory type of `type_bits` that has all `flags`. */
FOVEA_MUST_CHECK enum fovea_result vk_device_memory_type(const struct vk_device *device,
                                                         uint32_t type_bits,
                                                         VkMemoryPropertyFlags flags,
                                                         uint32_t *out_index);
