/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer.h"

/* Where the program itself has the bit, if it does; a structure of ours beside one of these would be
 * against the rules (VUID-VkDeviceCreateInfo-pNext-02830). */
static VkBool32 *find_bit(const VkDeviceCreateInfo *info)
{
    for (VkBaseOutStructure *s = (VkBaseOutStructure *)info->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            return &((VkPhysicalDeviceVulkan12Features *)s)->timelineSemaphore;
        }
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES) {
            return &((VkPhysicalDeviceTimelineSemaphoreFeatures *)s)->timelineSemaphore;
        }
    }
    return NULL;
}

/* The program's structure cannot be copied without what precedes it, whose sizes nobody knows; so its bit
 * is set for the time of the call, which is the program's own. */
void layer_features_apply(struct layer_features *features, VkDeviceCreateInfo *info)
{
    features->on = true;
    features->patched = find_bit(info);
    if (features->patched) {
        features->before = *features->patched;
        *features->patched = VK_TRUE;
        return;
    }
    features->own = (VkPhysicalDeviceTimelineSemaphoreFeatures){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .pNext = (void *)info->pNext,
        .timelineSemaphore = VK_TRUE};
    info->pNext = &features->own;
}

void layer_features_restore(struct layer_features *features)
{
    if (features->patched) {
        *features->patched = features->before;
    }
}
