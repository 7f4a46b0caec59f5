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

static inline VkDeviceQueueCreateInfo vulkan_queue_info(uint32_t family)
{
    static const float priority = 1.0f;
    return (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
}

static inline VkMemoryAllocateInfo vulkan_memory_info(VkDeviceSize bytes, uint32_t type)
{
    return (VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .allocationSize = bytes,
                                  .memoryTypeIndex = type};
}

static inline VkCommandBufferAllocateInfo vulkan_commands_info(VkCommandPool pool, uint32_t count)
{
    return (VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                         .commandPool = pool,
                                         .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                         .commandBufferCount = count};
}

/* A batch of these commands alone. */
static inline VkSubmitInfo vulkan_submit_info(const VkCommandBuffer *commands)
{
    return (VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .commandBufferCount = 1,
                          .pCommandBuffers = commands};
}

/* An image in two dimensions, of one level and one layer. */
static inline VkImageCreateInfo vulkan_image_info(VkFormat format, uint32_t width_px,
                                                  uint32_t height_px, VkImageUsageFlags usage)
{
    return (VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = format,
                               .extent = {width_px, height_px, 1},
                               .mipLevels = 1,
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .tiling = VK_IMAGE_TILING_OPTIMAL,
                               .usage = usage};
}

/* A view of its first layer's colours. */
static inline VkImageViewCreateInfo vulkan_view_info(VkImage image, VkFormat format)
{
    return (VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                   .image = image,
                                   .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                   .format = format,
                                   .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
}

/* A barrier of the whole image for any access. */
static inline VkImageMemoryBarrier vulkan_layout_barrier(VkImage image, VkImageAspectFlags aspects,
                                                         VkImageLayout before, VkImageLayout after)
{
    const VkAccessFlags any = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    return (VkImageMemoryBarrier){
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = any,
        .dstAccessMask = any,
        .oldLayout = before,
        .newLayout = after,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
}

/* All that comes before it is over, and all that comes after it waits. */
static inline void vulkan_record_layout(VkCommandBuffer commands, VkImage image,
                                        VkImageAspectFlags aspects, VkImageLayout before,
                                        VkImageLayout after)
{
    const VkImageMemoryBarrier barrier = vulkan_layout_barrier(image, aspects, before, after);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}
