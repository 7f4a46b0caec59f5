/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every program that uses Vulkan has to have these. */
#pragma once

#include <vulkan/vulkan.h>

/* The first type of memory of those in bits that has all wanted flags; memoryTypeCount: none. */
static inline uint32_t vulkan_memory_type(const VkPhysicalDeviceMemoryProperties *memory,
                                          uint32_t bits, VkMemoryPropertyFlags wanted)
{
    uint32_t type = 0;
    while (type < memory->memoryTypeCount &&
           (!(bits >> type & 1) || (memory->memoryTypes[type].propertyFlags & wanted) != wanted)) {
        type++;
    }
    return type;
}

/* All that comes before it is over, and all that comes after it waits. */
static inline void vulkan_record_layout(VkCommandBuffer commands, VkImage image,
                                        VkImageAspectFlags aspects, VkImageLayout before,
                                        VkImageLayout after)
{
    const VkAccessFlags any = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = any,
        .dstAccessMask = any,
        .oldLayout = before,
        .newLayout = after,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}
