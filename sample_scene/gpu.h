/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine's Vulkan: instance, device, one queue that does everything. */
#pragma once

#include "fovea_present.h"
#include "say.h"

#include <stdatomic.h>
#include <vulkan/vulkan.h>

#define GPU_MAX_EXTENSIONS (FOVEA_VK_MAX_EXTENSIONS + 4)

struct gpu {
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    atomic_uint validation_messages;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    /* The extensions that the device was made with; Fovea is told. */
    const char *extensions[GPU_MAX_EXTENSIONS];
    uint32_t extension_count;
    bool timeline_semaphore;
    enum fovea_present_way present_way; /* with what this needs */
};

/* All functions here and below return false after a message has been printed. */

struct gpu_instance_desc {
    const char *const *extensions; /* what a window system needs */
    uint32_t extension_count;
    bool validate; /* with the Khronos layer: core, synchronisation, best practices */
};

bool gpu_open_instance(struct gpu *gpu, const struct gpu_instance_desc *desc);

struct gpu_device_desc {
    int index; /* in the order of gpu_list_devices; -1: the best one for the backend */
    enum fovea_backend backend;
    VkSurfaceKHR surface; /* the queue must be able to present to it; VK_NULL_HANDLE: no window */
    bool records; /* when pictures are in the window is to be known */
};

bool gpu_open_device(struct gpu *gpu, const struct gpu_device_desc *desc);
void gpu_close(struct gpu *gpu);

/* Prints a line for each device to stdout. */
bool gpu_list_devices(struct gpu *gpu);

const char *gpu_result_name(VkResult result);

/* Makes one for a colour image of one layer and mip, after whatever wrote it and before whatever
 * follows. */
VkImageMemoryBarrier gpu_layout_change(VkImage image, VkImageLayout from, VkImageLayout to);

/* Returns false from the calling function, with a message, when a Vulkan call fails. */
#define VK_TRY(call)                                                                               \
    do {                                                                                           \
        VkResult try_result_ = (call);                                                             \
        if (try_result_ < 0) {                                                                     \
            say_error("%s failed: %s (%s:%d)", #call, gpu_result_name(try_result_), __FILE__,      \
                      __LINE__);                                                                   \
            return false;                                                                          \
        }                                                                                          \
    } while (0)
