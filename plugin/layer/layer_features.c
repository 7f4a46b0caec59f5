/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer.h"

#include <fcntl.h>
#include <unistd.h>

/* Finds the bit in the program's own structures. A structure of ours beside one of these would be
 * against the rules (VUID-VkDeviceCreateInfo-pNext-02830). */
static VkBool32 *find_bit(const VkDeviceCreateInfo *info, VkStructureType type)
{
    const bool is_timeline = type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
    VkPhysicalDeviceVulkan12Features *all =
        is_timeline
            ? (void *)layer_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            : NULL;
    struct layer_feature_bit *own = (void *)layer_find(info->pNext, type);
    return all ? &all->timelineSemaphore : own ? &own->on : NULL;
}

/* A constant of the program's may lie in memory that cannot be written: then read(2) fails where an
 * assignment would end the program. */
static bool write_bit(VkBool32 *bit, VkBool32 value)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    const bool written = write(ends[1], &value, sizeof value) == (ssize_t)sizeof value &&
                         read(ends[0], bit, sizeof *bit) == (ssize_t)sizeof *bit;
    close(ends[0]);
    close(ends[1]);
    return written;
}

/* The program's structure cannot be copied without what precedes it, whose sizes nobody knows; so
 * its bit is set for the time of the call, which is the program's own. */
void layer_feature_apply(struct layer_feature *feature, VkStructureType type,
                         VkDeviceCreateInfo *info)
{
    VkBool32 *bit = find_bit(info, type);
    const bool is_on = bit && *bit;
    feature->on = !bit || is_on || write_bit(bit, VK_TRUE);
    feature->patched = bit && !is_on && feature->on ? bit : NULL;
    if (bit) {
        return;
    }
    feature->own =
        (struct layer_feature_bit){.type = type, .next = (void *)info->pNext, .on = VK_TRUE};
    info->pNext = &feature->own;
}

void layer_feature_restore(struct layer_feature *feature)
{
    if (feature->patched) {
        *feature->patched = VK_FALSE;
    }
}
