/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer.h"

#include <string.h>

/* The size of a structure that may precede; nobody knows how much there is to copy of others. */
static size_t size_of(VkStructureType type)
{
    switch (type) {
    case VK_STRUCTURE_TYPE_PRESENT_ID_KHR:
        return sizeof(VkPresentIdKHR);
    case VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE:
        return sizeof(VkPresentTimesInfoGOOGLE);
    case VK_STRUCTURE_TYPE_DISPLAY_PRESENT_INFO_KHR:
        return sizeof(VkDisplayPresentInfoKHR);
    case VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR:
        return sizeof(VkDeviceGroupPresentInfoKHR);
#ifdef VK_EXT_swapchain_maintenance1
    case VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT:
        return sizeof(VkSwapchainPresentFenceInfoEXT);
    case VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT:
        return sizeof(VkSwapchainPresentModeInfoEXT);
#endif
    default:
        return 0;
    }
}

#define LEAVE_OUT_TWINS(link, function, own)                                                       \
    for (; (link); (link) = (link)->pNext) {                                                       \
        while ((link)->pNext && (link)->function == (own)) {                                       \
            *(link) = *(link)->pNext;                                                              \
        }                                                                                          \
    }

void layer_leave_out_instance_twins(VkLayerInstanceLink *link)
{
    LEAVE_OUT_TWINS(link, pfnNextGetInstanceProcAddr, layer_GetInstanceProcAddr)
}

void layer_leave_out_device_twins(VkLayerDeviceLink *link)
{
    LEAVE_OUT_TWINS(link, pfnNextGetDeviceProcAddr, layer_GetDeviceProcAddr)
}

const void *layer_find(const void *chain, VkStructureType type)
{
    const VkBaseInStructure *s = chain;
    while (s && s->sType != type) {
        s = s->pNext;
    }
    return s;
}

bool layer_lists(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

void layer_present_chain_without_regions(struct layer_present_chain *chain, VkPresentInfoKHR *info)
{
    if (!layer_find(info->pNext, VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR)) {
        return;
    }
    const void *first = NULL;
    const void **at = &first;
    uint32_t used = 0;
    const VkBaseInStructure *s = info->pNext;
    for (; s->sType != VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR; s = s->pNext, used++) {
        const size_t size = size_of(s->sType);
        if (size == 0 || size > sizeof chain->copies[0] || used == LAYER_MAX_PRESENT_CHAIN) {
            return;
        }
        memcpy(&chain->copies[used], s, size);
        *at = &chain->copies[used];
        at = (const void **)&chain->copies[used].base.pNext;
    }
    *at = s->pNext;
    info->pNext = first;
}
