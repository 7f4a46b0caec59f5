/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "screenless.h"

#include "../loader_chain.h"

#include <stdlib.h>
#include <string.h>

struct screenless screenless = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define EXPORT __attribute__((visibility("default")))

static bool is_set(const char *name, const char *value)
{
    const char *found = getenv(name);
    return found && strcmp(found, value) == 0;
}

/* ---- Instance and device --------------------------------------------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *out_instance)
{
    const PFN_vkGetInstanceProcAddr next = chain_next_of_instance(info);
    if (!next) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    const PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)next(VK_NULL_HANDLE, "vkCreateInstance");
    const VkResult result = create(info, allocator, out_instance);
    if (result == VK_SUCCESS) {
        screenless.instance = *out_instance;
        screenless.GetInstanceProcAddr = next;
        screenless.copies = !is_set("SCREENLESS_COPY", "0");
        screenless.times = is_set("SCREENLESS_TIMES", "1");
        screenless_clock_open();
#define LOAD(name) screenless.vk.name = (PFN_vk##name)next(*out_instance, "vk" #name);
        SCREENLESS_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkDevice *out_device)
{
    const VkLayerDeviceCreateInfo *callback = chain_find_of_device(info, VK_LOADER_DATA_CALLBACK);
    const struct chain_device device = chain_next_of_device(screenless.instance, info);
    if (!device.create || !callback) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    screenless.GetDeviceProcAddr = device.next;
    screenless_clock_device(info, false);
    const VkResult result = device.create(physical, info, allocator, out_device);
    screenless_clock_device(info, true);
    if (result == VK_SUCCESS) {
        screenless.physical = physical;
        screenless.device = *out_device;
        screenless.set_loader_data = callback->u.pfnSetDeviceLoaderData;
        screenless.queue_count = 0;
#define LOAD(name)                                                                                 \
    screenless.vk.name = (PFN_vk##name)screenless.GetDeviceProcAddr(*out_device, "vk" #name);
        SCREENLESS_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
    }
    return result;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static void note_queue(VkQueue queue, uint32_t family)
{
    pthread_mutex_lock(&screenless.lock);
    uint32_t i = 0;
    while (i < screenless.queue_count && screenless.queues[i] != queue) {
        i++;
    }
    if (i == screenless.queue_count && i < SCREENLESS_QUEUES) {
        screenless.queues[i] = queue;
        screenless.families[i] = family;
        screenless.queue_count++;
    }
    pthread_mutex_unlock(&screenless.lock);
}

uint32_t screenless_queue(VkQueue queue)
{
    for (uint32_t i = 0; i < screenless.queue_count; i++) {
        if (screenless.queues[i] == queue) {
            return i;
        }
    }
    abort(); /* a test with more queues than there is room for */
}

static VKAPI_ATTR void VKAPI_CALL get_device_queue(VkDevice device, uint32_t family, uint32_t index,
                                                   VkQueue *out_queue)
{
    screenless.vk.GetDeviceQueue(device, family, index, out_queue);
    note_queue(*out_queue, family);
}

static VKAPI_ATTR void VKAPI_CALL get_device_queue2(VkDevice device, const VkDeviceQueueInfo2 *info,
                                                    VkQueue *out_queue)
{
    screenless.vk.GetDeviceQueue2(device, info, out_queue);
    note_queue(*out_queue, info->queueFamilyIndex);
}

/* ---- What the loader asks for ---------------------------------------------------------------- */

static PFN_vkVoidFunction find_hook(const char *name)
{
    static const struct named_function own[] = {
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkGetDeviceQueue", (PFN_vkVoidFunction)get_device_queue},
        {"vkGetDeviceQueue2", (PFN_vkVoidFunction)get_device_queue2},
    };
    PFN_vkVoidFunction found = NAMED(own, name);
    found = found ? found : screenless_surface_hook(name);
    found = found ? found : screenless_swapchain_hook(name);
    found = found ? found : screenless_present_hook(name);
    found = found ? found : screenless_times_hook(name);
    return found ? found : screenless_clock_hook(name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device,
                                                                     const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)get_device_proc_addr;
    }
    const PFN_vkVoidFunction own = find_hook(name);
    return own ? own : screenless.GetDeviceProcAddr(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance,
                                                                       const char *name)
{
    if (strcmp(name, "vkGetInstanceProcAddr") == 0) {
        return (PFN_vkVoidFunction)get_instance_proc_addr;
    }
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)get_device_proc_addr;
    }
    const PFN_vkVoidFunction own = find_hook(name);
    if (own || !instance) {
        return own;
    }
    return screenless.GetInstanceProcAddr(instance, name);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
{
    return chain_negotiate(pVersionStruct, get_instance_proc_addr, get_device_proc_addr);
}
