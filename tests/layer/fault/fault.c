/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fault.h"

#include "../loader_chain.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fault_next fault_next;

static VkInstance the_instance;
static bool instance_failed, device_failed;

bool fault_is(const char *name)
{
    const char *wanted = getenv("FOVEA_FAULT");
    return wanted && strcmp(wanted, name) == 0;
}

bool fault_is_foveas(const void *return_address)
{
    Dl_info info;
    return dladdr(return_address, &info) && info.dli_fname &&
           (strstr(info.dli_fname, "libVkLayer_fovea.so") ||
            strstr(info.dli_fname, "libXrApiLayer_fovea.so"));
}

static PFN_vkVoidFunction next_of_instance(VkInstance instance, const char *name)
{
    return fault_next.GetInstanceProcAddr(instance, name);
}

/* ---- Instance and device --------------------------------------------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *out_instance)
{
    fault_next.GetInstanceProcAddr = chain_next_of_instance(info);
    if (!fault_next.GetInstanceProcAddr) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    if (fault_is("instance") && !instance_failed) {
        instance_failed = true;
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    }
    const PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)next_of_instance(VK_NULL_HANDLE, "vkCreateInstance");
    const VkResult result = create(info, allocator, out_instance);
    if (result == VK_SUCCESS) {
        the_instance = *out_instance;
        fault_next.EnumerateDeviceExtensionProperties =
            (PFN_vkEnumerateDeviceExtensionProperties)next_of_instance(
                *out_instance, "vkEnumerateDeviceExtensionProperties");
        fault_next.GetPhysicalDeviceImageFormatProperties2 =
            (PFN_vkGetPhysicalDeviceImageFormatProperties2)next_of_instance(
                *out_instance, "vkGetPhysicalDeviceImageFormatProperties2");
        fault_next.GetPhysicalDeviceSurfaceCapabilitiesKHR =
            (PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR)next_of_instance(
                *out_instance, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
    }
    return result;
}

static void load_device(VkDevice device)
{
#define LOAD(name) fault_next.name = (PFN_vk##name)fault_next.GetDeviceProcAddr(device, "vk" #name)
    LOAD(DestroyDevice);
    LOAD(GetFenceStatus);
    LOAD(CmdPipelineBarrier);
    LOAD(CreateImageView);
    LOAD(CreateSemaphore);
    LOAD(CreateSwapchainKHR);
    LOAD(QueuePresentKHR);
    LOAD(QueueSubmit);
#undef LOAD
    fault_nth_load(device);
}

/* Whether another thread is here at the same time, within what a slow driver would take. */
static bool devices_overlap(void)
{
    static atomic_int inside;
    bool others = atomic_fetch_add(&inside, 1) > 0;
    usleep(3000);
    others = atomic_load(&inside) > 1 || others;
    atomic_fetch_sub(&inside, 1);
    return others;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkDevice *out_device)
{
    const struct chain_device device = chain_next_of_device(the_instance, info);
    if (!device.create) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    fault_next.GetDeviceProcAddr = device.next;
    if (fault_is("device") && !device_failed) {
        device_failed = true;
        return VK_ERROR_FEATURE_NOT_PRESENT;
    }
    if (fault_is("overlap") && devices_overlap()) {
        return VK_ERROR_FEATURE_NOT_PRESENT;
    }
    const VkResult result = device.create(physical, info, allocator, out_device);
    if (result == VK_SUCCESS) {
        load_device(*out_device);
    }
    return result;
}

/* ---- What the loader asks for ---------------------------------------------------------------- */

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device,
                                                                     const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)get_device_proc_addr;
    }
    const PFN_vkVoidFunction more = fault_find_more(name);
    if (more) {
        return more;
    }
    const PFN_vkVoidFunction below = fault_next.GetDeviceProcAddr(device, name);
    const PFN_vkVoidFunction own = fault_find_call(name);
    return below && own ? own : below;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance,
                                                                       const char *name)
{
    if (strcmp(name, "vkGetInstanceProcAddr") == 0) {
        return (PFN_vkVoidFunction)get_instance_proc_addr;
    }
    if (strcmp(name, "vkCreateInstance") == 0) {
        return (PFN_vkVoidFunction)create_instance;
    }
    if (!instance) {
        return NULL;
    }
    if (strcmp(name, "vkCreateDevice") == 0) {
        return (PFN_vkVoidFunction)create_device;
    }
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)get_device_proc_addr;
    }
    const PFN_vkVoidFunction below = next_of_instance(instance, name);
    const PFN_vkVoidFunction own = fault_find_call(name);
    return below && own ? own : below;
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
{
    return chain_negotiate(pVersionStruct, get_instance_proc_addr, get_device_proc_addr);
}
