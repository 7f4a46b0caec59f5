/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A Vulkan device of our own on the GPU that OpenGL draws with, and images and semaphores that both
 * know. Vulkan's loader is opened at run time. */
#pragma once

#include "fovea_vulkan.h"

#define GL_VULKAN_FUNCTIONS_OF_INSTANCE(F)                                                         \
    F(DestroyInstance)                                                                             \
    F(EnumeratePhysicalDevices)                                                                    \
    F(EnumerateDeviceExtensionProperties)                                                          \
    F(GetPhysicalDeviceProperties2)                                                                \
    F(GetPhysicalDeviceQueueFamilyProperties)                                                      \
    F(GetPhysicalDeviceMemoryProperties)                                                           \
    F(CreateDevice)                                                                                \
    F(DestroyDevice)                                                                               \
    F(GetDeviceQueue)                                                                              \
    F(DeviceWaitIdle)                                                                              \
    F(CreateImage)                                                                                 \
    F(DestroyImage)                                                                                \
    F(GetImageMemoryRequirements)                                                                  \
    F(AllocateMemory)                                                                              \
    F(FreeMemory)                                                                                  \
    F(BindImageMemory)                                                                             \
    F(CreateImageView)                                                                             \
    F(DestroyImageView)                                                                            \
    F(CreateSemaphore)                                                                             \
    F(DestroySemaphore)

struct gl_vulkan {
    PFN_vkGetInstanceProcAddr get_proc_address;
#define VULKAN_FUNCTION(name) PFN_vk##name name;
    GL_VULKAN_FUNCTIONS_OF_INSTANCE(VULKAN_FUNCTION)
#undef VULKAN_FUNCTION
    PFN_vkGetMemoryFdKHR GetMemoryFdKHR;
    PFN_vkGetSemaphoreFdKHR GetSemaphoreFdKHR; /* NULL: it shares no semaphores */
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkPhysicalDeviceMemoryProperties memory;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    struct fovea_vk_requirements needs;
    const char *extensions[FOVEA_VK_MAX_EXTENSIONS + 4];
    uint32_t extension_count;
};

/* The device and the driver that OpenGL names (VK_UUID_SIZE bytes each). with_semaphores: the
 * device must share semaphores. False, and `out` needs no closing: *out_why says why. */
bool gl_vulkan_open(const uint8_t *device_uuid, const uint8_t *driver_uuid, bool with_semaphores,
                    struct gl_vulkan *out, const char **out_why);
/* Waits for the device. Zeroed is as good as closed. */
void gl_vulkan_close(struct gl_vulkan *vulkan);

/* An image of memory that OpenGL may have, too. */
struct gl_vulkan_image {
    VkImage image;
    VkImageView raw_view; /* for kernels (struct fovea_vk_frame_target) */
    VkDeviceMemory memory;
    VkDeviceSize bytes;
    int fd; /* -1: somebody has taken it */
};

bool gl_vulkan_image_open(const struct gl_vulkan *vulkan, VkFormat format, uint32_t width_px,
                          uint32_t height_px, struct gl_vulkan_image *out);
void gl_vulkan_image_close(const struct gl_vulkan *vulkan, struct gl_vulkan_image *image);

/* A binary semaphore; its file descriptor is the caller's. */
bool gl_vulkan_semaphore_open(const struct gl_vulkan *vulkan, VkSemaphore *out, int *out_fd);
