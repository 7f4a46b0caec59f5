/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* VK_LAYER_TEST_lists, a layer of nobody's below Fovea's: as some that draw into a program's images
 * do, it makes every swapchain's images visible in formats of its own, with a list of these that it
 * puts before all others; and it presents under a lock that signals of the host take, too. */
#include "loader_chain.h"
#include "tests/support/named.h"

#include <pthread.h>
#include <string.h>

static VkInstance the_instance;
static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *out)
{
    next_instance = chain_next_of_instance(info);
    if (!next_instance) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    const VkResult result =
        ((PFN_vkCreateInstance)next_instance(NULL, "vkCreateInstance"))(info, allocator, out);
    the_instance = *out;
    return result;
}

/* With the extension that the flag is of, unless somebody has asked for it. */
static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkDevice *out)
{
    const struct chain_device device = chain_next_of_device(the_instance, info);
    const char *names[64];
    VkDeviceCreateInfo own = *info;
    if (!device.create || info->enabledExtensionCount >= 64) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    next_device = device.next;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        names[i] = info->ppEnabledExtensionNames[i];
        if (strcmp(names[i], VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME) == 0) {
            return device.create(physical, info, allocator, out);
        }
    }
    names[own.enabledExtensionCount++] = VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME;
    own.ppEnabledExtensionNames = names;
    return device.create(physical, &own, allocator, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_swapchain(VkDevice device,
                                                       const VkSwapchainCreateInfoKHR *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkSwapchainKHR *out)
{
    const VkFormat formats[] = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB};
    const VkImageFormatListCreateInfo list = {.sType =
                                                  VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                              .pNext = info->pNext,
                                              .viewFormatCount = 2,
                                              .pViewFormats = formats};
    VkSwapchainCreateInfoKHR own = *info;
    own.pNext = &list;
    own.flags |= VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
    return ((PFN_vkCreateSwapchainKHR)next_device(device, "vkCreateSwapchainKHR"))(device, &own,
                                                                                   allocator, out);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static PFN_vkQueuePresentKHR next_present;

static VKAPI_ATTR VkResult VKAPI_CALL present(VkQueue queue, const VkPresentInfoKHR *info)
{
    pthread_mutex_lock(&lock);
    const VkResult result = next_present(queue, info);
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL signal_semaphore(VkDevice device,
                                                       const VkSemaphoreSignalInfo *info)
{
    pthread_mutex_lock(&lock);
    const VkResult result =
        ((PFN_vkSignalSemaphore)next_device(device, "vkSignalSemaphore"))(device, info);
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char *name)
{
    static const struct named_function own[] = {
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc},
        {"vkCreateSwapchainKHR", (PFN_vkVoidFunction)create_swapchain},
        {"vkQueuePresentKHR", (PFN_vkVoidFunction)present},
        {"vkSignalSemaphore", (PFN_vkVoidFunction)signal_semaphore},
    };
    const PFN_vkVoidFunction below = next_device(device, name);
    const PFN_vkVoidFunction found = below ? NAMED(own, name) : NULL;
    if (found == (PFN_vkVoidFunction)present) {
        next_present = (PFN_vkQueuePresentKHR)below;
    }
    return found ? found : below;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc(VkInstance instance, const char *name)
{
    static const struct named_function own[] = {
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_proc},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc},
    };
    const PFN_vkVoidFunction found = NAMED(own, name);
    return found || !instance ? found : next_instance(instance, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
{
    return chain_negotiate(pVersionStruct, instance_proc, device_proc);
}
