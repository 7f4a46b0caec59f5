/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every layer of the tests says this to the loader: where it is in the chain of layers, and what it
 * is. */
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

/* The next layer's; the chain stands at the one behind it afterwards. NULL: the loader gave
 * none. */
static inline PFN_vkGetInstanceProcAddr chain_next_of_instance(const VkInstanceCreateInfo *info)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link && !(link->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
                     link->function == VK_LAYER_LINK_INFO)) {
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    }
    if (!link) {
        return NULL;
    }
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return next;
}

static inline VkLayerDeviceCreateInfo *chain_find_of_device(const VkDeviceCreateInfo *info,
                                                            VkLayerFunction function)
{
    VkLayerDeviceCreateInfo *node = (VkLayerDeviceCreateInfo *)info->pNext;
    while (node && !(node->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
                     node->function == function)) {
        node = (VkLayerDeviceCreateInfo *)node->pNext;
    }
    return node;
}

/* Likewise for a device. create makes it, in the next layer. */
struct chain_device {
    PFN_vkCreateDevice create; /* NULL: the loader gave none */
    PFN_vkGetDeviceProcAddr next;
};
static inline struct chain_device chain_next_of_device(VkInstance instance,
                                                       const VkDeviceCreateInfo *info)
{
    VkLayerDeviceCreateInfo *link = chain_find_of_device(info, VK_LAYER_LINK_INFO);
    if (!link) {
        return (struct chain_device){0};
    }
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const struct chain_device device = {
        .create = (PFN_vkCreateDevice)next(instance, "vkCreateDevice"),
        .next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr,
    };
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return device;
}

static inline VkResult chain_negotiate(VkNegotiateLayerInterface *negotiation,
                                       PFN_vkGetInstanceProcAddr instance,
                                       PFN_vkGetDeviceProcAddr device)
{
    negotiation->loaderLayerInterfaceVersion = 2;
    negotiation->pfnGetInstanceProcAddr = instance;
    negotiation->pfnGetDeviceProcAddr = device;
    negotiation->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
