/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "program.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

void program_fail(const char *what, int code)
{
    fprintf(stderr, "program: %s (%d)\n", what, code);
    exit(1);
}

void program_need(bool holds, const char *what)
{
    if (!holds) {
        program_fail(what, 0);
    }
}

void program_skip(const char *why)
{
    fprintf(stderr, "program: skipped: %s\n", why);
    exit(PROGRAM_SKIPPED);
}

void program_check(VkResult result, const char *what)
{
    if (result != VK_SUCCESS) {
        program_fail(what, (int)result);
    }
}

void program_hold(void)
{
    char byte;
    printf("ready\n");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
}

bool program_is_asked(void)
{
    char byte;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&in, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) >= 0;
}

struct program program_default(void)
{
    return (struct program){.api_version = VK_API_VERSION_1_1};
}

/* ---- The instance ---------------------------------------------------------------------------- */

static PFN_vkVoidFunction instance_function(const struct program *program, const char *name)
{
    const PFN_vkVoidFunction function = vkGetInstanceProcAddr(program->instance, name);
    program_need(function, name);
    return function;
}

void program_open_instance(struct program *program)
{
    const PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)vkGetInstanceProcAddr(NULL, "vkCreateInstance");
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "layer program",
                                           .apiVersion = program->api_version};
    const char *extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME, VK_KHR_XCB_SURFACE_EXTENSION_NAME,
                                program->instance_extension};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo =
                                           program->api_version ? &application : NULL,
                                       .enabledExtensionCount = program->instance_extension ? 3 : 2,
                                       .ppEnabledExtensionNames = extensions};
    const VkApplicationInfo before = application;
    program_check(create(&info, NULL, &program->instance), "vkCreateInstance");
    program_need(memcmp(&before, &application, sizeof before) == 0,
                 "vkCreateInstance has changed the program's structure");
#define LOAD(name) program->vk.name = (PFN_vk##name)instance_function(program, "vk" #name);
    PROGRAM_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    uint32_t count = 1;
    const VkResult result =
        program->vk.EnumeratePhysicalDevices(program->instance, &count, &program->physical);
    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || count == 0) {
        program_fail("vkEnumeratePhysicalDevices", (int)result);
    }
}

void program_close_instance(struct program *program)
{
    program->vk.DestroyInstance(program->instance, NULL);
    program->instance = VK_NULL_HANDLE;
}

/* ---- The device ------------------------------------------------------------------------------ */

bool program_has_extension(const struct program *program, const char *name)
{
    VkExtensionProperties extensions[512];
    uint32_t count = 512;
    const VkResult result =
        program->vk.EnumerateDeviceExtensionProperties(program->physical, NULL, &count, extensions);
    program_check(result, "vkEnumerateDeviceExtensionProperties");
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(extensions[i].extensionName, name) == 0) {
            return true;
        }
    }
    return false;
}

uint32_t program_memory_type(const struct program *program, uint32_t bits)
{
    VkPhysicalDeviceMemoryProperties memory;
    program->vk.GetPhysicalDeviceMemoryProperties(program->physical, &memory);
    const uint32_t type = vulkan_memory_type(
        &memory, bits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    program_need(type < memory.memoryTypeCount, "no memory that the host sees");
    return type;
}

static PFN_vkVoidFunction device_function(const struct program *program, const char *name)
{
    const PFN_vkVoidFunction function = program->by_instance
                                            ? vkGetInstanceProcAddr(program->instance, name)
                                            : program->vk.GetDeviceProcAddr(program->device, name);
    program_need(function, name);
    return function;
}

static uint32_t graphics_family(const struct program *program)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    program->vk.GetPhysicalDeviceQueueFamilyProperties(program->physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) {
            return i;
        }
    }
    program_fail("no queue", 0);
}

void program_open_device(struct program *program, const void *next,
                         const VkPhysicalDeviceFeatures *features)
{
    program->family = graphics_family(program);
    const VkDeviceQueueCreateInfo queue = vulkan_queue_info(program->family);
    const char *extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, program->device_extension};
    const char *names[] = {extensions[0], extensions[1]};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = next,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = program->device_extension ? 2 : 1,
                                     .ppEnabledExtensionNames = extensions,
                                     .pEnabledFeatures = features};
    const VkDeviceCreateInfo before = info;
    program_check(program->vk.CreateDevice(program->physical, &info, NULL, &program->device),
                  "vkCreateDevice");
    program_need(memcmp(&before, &info, sizeof info) == 0 &&
                     memcmp(names, extensions, sizeof names) == 0,
                 "vkCreateDevice has changed the program's structure");
#define LOAD(name) program->vk.name = (PFN_vk##name)device_function(program, "vk" #name);
    PROGRAM_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
    program->vk.GetDeviceQueue(program->device, program->family, 0, &program->queue);
}

void program_close_device(struct program *program)
{
    program_check(program->vk.DeviceWaitIdle(program->device), "vkDeviceWaitIdle");
    program->vk.DestroyDevice(program->device, NULL);
    program->device = VK_NULL_HANDLE;
}

void program_open(struct program *program, const void *next,
                  const VkPhysicalDeviceFeatures *features)
{
    program_open_instance(program);
    program_open_device(program, next, features);
}

void program_close(struct program *program)
{
    program_close_device(program);
    program_close_instance(program);
}
