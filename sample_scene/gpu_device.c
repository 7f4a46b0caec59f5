/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Chooses a device, and what is enabled on it. */
#include "gpu.h"

#include <stdio.h>

#define MAX_DEVICES 16
#define MAX_FAMILIES 32

struct devices {
    VkPhysicalDevice handles[MAX_DEVICES];
    uint32_t count;
};

static bool find_devices(const struct gpu *gpu, struct devices *devices)
{
    devices->count = 0;
    VK_TRY(vkEnumeratePhysicalDevices(gpu->instance, &devices->count, NULL));
    devices->count = devices->count < MAX_DEVICES ? devices->count : MAX_DEVICES;
    VK_TRY(vkEnumeratePhysicalDevices(gpu->instance, &devices->count, devices->handles));
    if (devices->count == 0) {
        say_error(
            "there is no Vulkan device; Debian's package mesa-vulkan-drivers has a software one");
        return false;
    }
    return true;
}

/* The first family that draws, computes and, if there is a window, presents; -1: none. */
static int find_family(VkPhysicalDevice device, VkSurfaceKHR surface)
{
    VkQueueFamilyProperties families[MAX_FAMILIES];
    uint32_t count = 0;
    const VkQueueFlags needed = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, NULL);
    count = count < MAX_FAMILIES ? count : MAX_FAMILIES;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        VkBool32 presents = VK_TRUE;
        if (surface && vkGetPhysicalDeviceSurfaceSupportKHR(device, i, surface, &presents) < 0) {
            presents = VK_FALSE;
        }
        if ((families[i].queueFlags & needed) == needed && presents) {
            return (int)i;
        }
    }
    return -1;
}

static struct fovea_vk_requirements ask_fovea(const struct gpu *gpu, VkPhysicalDevice device)
{
    struct fovea_vk_requirements needs = {.struct_bytes = sizeof needs};
    if (fovea_vk_query(gpu->instance, device, vkGetInstanceProcAddr, &needs) < 0) {
        needs =
            (struct fovea_vk_requirements){.struct_bytes = sizeof(struct fovea_vk_requirements)};
    }
    return needs;
}

static int kind_rank(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return 2;
    default:
        return 1;
    }
}

static const char *kind_name(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return "software";
    default:
        return "other";
    }
}

/* 0: cannot be used. A device that the wanted backend can use goes before a faster one. */
static int rank(const struct gpu *gpu, VkPhysicalDevice device, const struct gpu_device_desc *desc)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    if (find_family(device, desc->surface) < 0) {
        return 0;
    }
    bool cuda_counts = desc->backend == FOVEA_BACKEND_CUDA || desc->backend == FOVEA_BACKEND_AUTO;
    return kind_rank(properties.deviceType) +
           (cuda_counts && ask_fovea(gpu, device).cuda ? 100 : 0);
}

static bool choose(struct gpu *gpu, const struct gpu_device_desc *desc)
{
    struct devices devices;
    if (!find_devices(gpu, &devices)) {
        return false;
    }
    if (desc->index >= (int)devices.count) {
        say_error("--device %d: there are %u; --list-devices shows them", desc->index,
                  devices.count);
        return false;
    }
    int best = 0;
    for (uint32_t i = 0; i < devices.count; i++) {
        int value = rank(gpu, devices.handles[i], desc);
        bool wanted = desc->index < 0 || desc->index == (int)i;
        if (wanted && value > best) {
            best = value;
            gpu->physical = devices.handles[i];
        }
    }
    if (!gpu->physical) {
        say_error("no device here can draw%s", desc->surface ? " to this window" : " and compute");
        return false;
    }
    return true;
}

static enum fovea_present_way choose_present_way(const struct gpu *gpu)
{
    for (int way = FOVEA_PRESENT_DISPLAY_TIMING; way <= FOVEA_PRESENT_WAIT; way++) {
        if (fovea_present_offers(gpu->instance, gpu->physical, vkGetInstanceProcAddr,
                                 (enum fovea_present_way)way)) {
            return (enum fovea_present_way)way;
        }
    }
    return FOVEA_PRESENT_UNKNOWN;
}

static void add_present_extensions(struct gpu *gpu)
{
    if (gpu->present_way == FOVEA_PRESENT_DISPLAY_TIMING) {
        gpu->extensions[gpu->extension_count++] = VK_GOOGLE_DISPLAY_TIMING_EXTENSION_NAME;
    } else if (gpu->present_way == FOVEA_PRESENT_WAIT) {
        gpu->extensions[gpu->extension_count++] = VK_KHR_PRESENT_ID_EXTENSION_NAME;
        gpu->extensions[gpu->extension_count++] = VK_KHR_PRESENT_WAIT_EXTENSION_NAME;
    }
}

static bool make_device(struct gpu *gpu, const struct fovea_vk_requirements *needs)
{
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = gpu->family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE};
    VkPhysicalDevicePresentWaitFeaturesKHR present_wait = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR,
        .pNext = needs->timeline_semaphore ? &timeline : NULL,
        .presentWait = VK_TRUE};
    VkPhysicalDevicePresentIdFeaturesKHR present_id = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR,
        .pNext = &present_wait,
        .presentId = VK_TRUE};
    VkPhysicalDeviceFeatures features = {0};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = gpu->present_way == FOVEA_PRESENT_WAIT
                                            ? (const void *)&present_id
                                            : present_wait.pNext,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = gpu->extension_count,
                               .ppEnabledExtensionNames = gpu->extensions,
                               .pEnabledFeatures = &features};
    VK_TRY(vkCreateDevice(gpu->physical, &info, NULL, &gpu->device));
    vkGetDeviceQueue(gpu->device, gpu->family, 0, &gpu->queue);
    gpu->timeline_semaphore = needs->timeline_semaphore;
    return true;
}

bool gpu_open_device(struct gpu *gpu, const struct gpu_device_desc *desc)
{
    if (!choose(gpu, desc)) {
        return false;
    }
    gpu->family = (uint32_t)find_family(gpu->physical, desc->surface);
    vkGetPhysicalDeviceProperties(gpu->physical, &gpu->properties);
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory);
    struct fovea_vk_requirements needs = ask_fovea(gpu, gpu->physical);
    for (uint32_t i = 0; i < needs.device_extension_count; i++) {
        gpu->extensions[gpu->extension_count++] = needs.device_extensions[i];
    }
    if (desc->surface) {
        gpu->extensions[gpu->extension_count++] = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
        gpu->present_way = desc->records ? choose_present_way(gpu) : FOVEA_PRESENT_UNKNOWN;
        add_present_extensions(gpu);
    }
    return make_device(gpu, &needs);
}

bool gpu_list_devices(struct gpu *gpu)
{
    struct devices devices;
    if (!find_devices(gpu, &devices)) {
        return false;
    }
    for (uint32_t i = 0; i < devices.count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(devices.handles[i], &properties);
        bool draws = find_family(devices.handles[i], VK_NULL_HANDLE) >= 0;
        bool cuda = ask_fovea(gpu, devices.handles[i]).cuda;
        printf("%u  %s (%s, Vulkan %u.%u.%u)  backends: %s\n", i, properties.deviceName,
               kind_name(properties.deviceType), VK_API_VERSION_MAJOR(properties.apiVersion),
               VK_API_VERSION_MINOR(properties.apiVersion),
               VK_API_VERSION_PATCH(properties.apiVersion),
               !draws ? "none, it cannot draw"
               : cuda ? "cuda, vulkan, cpu"
                      : "vulkan, cpu");
    }
    return true;
}

VkImageMemoryBarrier gpu_layout_change(VkImage image, VkImageLayout from, VkImageLayout to)
{
    return (VkImageMemoryBarrier){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                  .dstAccessMask =
                                      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                  .oldLayout = from,
                                  .newLayout = to,
                                  .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .image = image,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
}
