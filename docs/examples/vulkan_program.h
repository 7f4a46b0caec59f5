/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Some examples without a window share this: a device of Vulkan 1.1, memory, images, and commands
 * that are waited for. minimal_vulkan.c has a device of its own, with what fovea_vk_query asks for,
 * and is one file to begin from. Errors end the program. */
#pragma once

#include <vulkan/vulkan.h>

#include <fovea_base.h>

#include <stdio.h>
#include <stdlib.h>

struct program {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkPhysicalDeviceMemoryProperties kinds;
    VkCommandPool pool;
};

struct image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
};

struct buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    unsigned char *bytes; /* that the CPU sees */
};

/* An example ends where a program would clean up. */
static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
}

static void say(void *user, enum fovea_log_level level, const char *message)
{
    (void)user;
    (void)level;
    fprintf(stderr, "%s\n", message);
}

/* No extension and no feature is needed. */
static void open_device(struct program *p)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    VkQueueFamilyProperties families[16];
    uint32_t count = 1;
    must(vkCreateInstance(&info, NULL, &p->instance) == VK_SUCCESS, "vkCreateInstance");
    must(vkEnumeratePhysicalDevices(p->instance, &count, &p->physical) >= 0 && count == 1,
         "finding a device");
    count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(p->physical, &count, families);
    while (p->family < count && !(families[p->family].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
        p->family++;
    }
    must(p->family < count, "finding a queue");
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = p->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    must(vkCreateDevice(p->physical, &device, NULL, &p->device) == VK_SUCCESS, "vkCreateDevice");
    vkGetDeviceQueue(p->device, p->family, 0, &p->queue);
    vkGetPhysicalDeviceMemoryProperties(p->physical, &p->kinds);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = p->family};
    must(vkCreateCommandPool(p->device, &pool, NULL, &p->pool) == VK_SUCCESS, "a pool");
}

static void close_device(const struct program *p)
{
    vkDestroyCommandPool(p->device, p->pool, NULL);
    vkDestroyDevice(p->device, NULL);
    vkDestroyInstance(p->instance, NULL);
}

static VkDeviceMemory allocate(const struct program *p, VkMemoryRequirements needs,
                               VkMemoryPropertyFlags wanted)
{
    uint32_t kind = 0;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    while (kind < p->kinds.memoryTypeCount &&
           (!(needs.memoryTypeBits >> kind & 1) ||
            (p->kinds.memoryTypes[kind].propertyFlags & wanted) != wanted)) {
        kind++;
    }
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = needs.size,
                                       .memoryTypeIndex = kind};
    must(vkAllocateMemory(p->device, &info, NULL, &memory) == VK_SUCCESS, "vkAllocateMemory");
    return memory;
}

static struct buffer open_buffer(const struct program *p, VkDeviceSize bytes,
                                 VkBufferUsageFlags usage)
{
    struct buffer made;
    VkMemoryRequirements needs;
    void *mapped = NULL;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = usage};
    must(vkCreateBuffer(p->device, &info, NULL, &made.buffer) == VK_SUCCESS, "vkCreateBuffer");
    vkGetBufferMemoryRequirements(p->device, made.buffer, &needs);
    made.memory = allocate(
        p, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    must(vkBindBufferMemory(p->device, made.buffer, made.memory, 0) == VK_SUCCESS &&
             vkMapMemory(p->device, made.memory, 0, bytes, 0, &mapped) == VK_SUCCESS,
         "a buffer");
    made.bytes = mapped;
    return made;
}

static void close_buffer(const struct program *p, const struct buffer *buffer)
{
    vkDestroyBuffer(p->device, buffer->buffer, NULL);
    vkFreeMemory(p->device, buffer->memory, NULL);
}

static struct image open_image(const struct program *p, VkFormat format, uint32_t width_px,
                               uint32_t height_px, VkImageUsageFlags usage)
{
    struct image made;
    VkMemoryRequirements needs;
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = format,
                                    .extent = {width_px, height_px, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .tiling = VK_IMAGE_TILING_OPTIMAL,
                                    .usage = usage};
    must(vkCreateImage(p->device, &info, NULL, &made.image) == VK_SUCCESS, "vkCreateImage");
    vkGetImageMemoryRequirements(p->device, made.image, &needs);
    made.memory = allocate(p, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    must(vkBindImageMemory(p->device, made.image, made.memory, 0) == VK_SUCCESS, "an image");
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = made.image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    must(vkCreateImageView(p->device, &view, NULL, &made.view) == VK_SUCCESS, "a view");
    return made;
}

static void close_image(const struct program *p, const struct image *image)
{
    vkDestroyImageView(p->device, image->view, NULL);
    vkDestroyImage(p->device, image->image, NULL);
    vkFreeMemory(p->device, image->memory, NULL);
}

static void barrier(VkCommandBuffer commands, const struct image *image, VkImageLayout from,
                    VkImageLayout to)
{
    const VkImageMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                       .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                       .dstAccessMask =
                                           VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                       .oldLayout = from,
                                       .newLayout = to,
                                       .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .image = image->image,
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &info);
}

static VkCommandBuffer begin_commands(const struct program *p)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = p->pool,
                                              .commandBufferCount = 1};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    must(vkAllocateCommandBuffers(p->device, &info, &commands) == VK_SUCCESS &&
             vkBeginCommandBuffer(commands, &begin) == VK_SUCCESS,
         "commands");
    return commands;
}

/* Waits; then the CPU sees what was written to buffers. */
static void run_commands(const struct program *p, VkCommandBuffer commands)
{
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &to_host, 0, NULL, 0, NULL);
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &commands};
    must(vkEndCommandBuffer(commands) == VK_SUCCESS &&
             vkQueueSubmit(p->queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
             vkQueueWaitIdle(p->queue) == VK_SUCCESS,
         "the work");
}

/* Copies the beginning of a buffer into a new image, for shaders. */
static void upload(VkCommandBuffer commands, const struct buffer *from, const struct image *to,
                   uint32_t width_px, uint32_t height_px)
{
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {width_px, height_px, 1}};
    const VkImageLayout writing = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    barrier(commands, to, VK_IMAGE_LAYOUT_UNDEFINED, writing);
    vkCmdCopyBufferToImage(commands, from->buffer, to->image, writing, 1, &copy);
    barrier(commands, to, writing, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}
