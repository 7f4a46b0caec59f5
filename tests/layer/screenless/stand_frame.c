/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "stand.h"

#include "vulkan/vk_format.h"

static enum fovea_format pixel_format(const struct stand *stand)
{
    const struct vk_format *format = vk_format_find((VkFormat)stand->options.format);
    return format ? format->pixel : FOVEA_FORMAT_NONE;
}

/* ---- The picture, on the GPU ----------------------------------------------------------------- */

static uint32_t memory_type(const struct stand *stand, uint32_t bits, VkMemoryPropertyFlags wanted)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(stand->physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
        if ((bits & (1u << i)) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) {
            return i;
        }
    }
    stand_fail("no such memory", (long)wanted);
}

static struct stand_buffer make_buffer(const struct stand *stand, VkDeviceSize size,
                                       VkMemoryPropertyFlags wanted)
{
    struct stand_buffer buffer;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    stand_check(vkCreateBuffer(stand->device, &info, NULL, &buffer.handle), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(stand->device, buffer.handle, &needs);
    const VkMemoryAllocateInfo memory =
        vulkan_memory_info(needs.size, memory_type(stand, needs.memoryTypeBits, wanted));
    stand_check(vkAllocateMemory(stand->device, &memory, NULL, &buffer.memory), "vkAllocateMemory");
    stand_check(vkBindBufferMemory(stand->device, buffer.handle, buffer.memory, 0), "bind");
    return buffer;
}

static void free_buffer(const struct stand *stand, const struct stand_buffer *buffer)
{
    vkDestroyBuffer(stand->device, buffer->handle, NULL);
    vkFreeMemory(stand->device, buffer->memory, NULL);
}

static void begin(VkCommandBuffer commands)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    stand_check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
}

static VkDeviceSize picture_bytes(const struct stand *stand)
{
    const struct fovea_image *picture = &stand->picture.view;
    return (VkDeviceSize)picture->row_stride_bytes * picture->height_px;
}

static void upload(struct stand *stand)
{
    const VkDeviceSize size = picture_bytes(stand);
    const struct stand_buffer staging = make_buffer(
        stand, size, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    void *mapped = NULL;
    stand_check(vkMapMemory(stand->device, staging.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "map");
    memcpy(mapped, stand->picture.view.data, size);
    stand->source = make_buffer(stand, size, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    const VkCommandBuffer commands = stand->slots[0].commands;
    const VkBufferCopy region = {.size = size};
    begin(commands);
    vkCmdCopyBuffer(commands, staging.handle, stand->source.handle, 1, &region);
    stand_check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    const VkSubmitInfo info = vulkan_submit_info(&commands);
    stand_check(vkQueueSubmit(stand->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    stand_check(vkQueueWaitIdle(stand->queue), "vkQueueWaitIdle");
    free_buffer(stand, &staging);
}

/* ---- Slots ----------------------------------------------------------------------------------- */

static void open_slot(const struct stand *stand, struct stand_slot *slot)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = stand->families[0]};
    stand_check(vkCreateCommandPool(stand->device, &pool, NULL, &slot->pool), "pool");
    const VkCommandBufferAllocateInfo commands = vulkan_commands_info(slot->pool, 1);
    stand_check(vkAllocateCommandBuffers(stand->device, &commands, &slot->commands), "commands");
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                     .flags = VK_FENCE_CREATE_SIGNALED_BIT};
    stand_check(vkCreateFence(stand->device, &fence, NULL, &slot->fence), "vkCreateFence");
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    stand_check(vkCreateSemaphore(stand->device, &semaphore, NULL, &slot->acquired), "semaphore");
}

static VkSemaphore make_gate(const struct stand *stand)
{
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = &type};
    VkSemaphore gate = VK_NULL_HANDLE;
    stand_check(vkCreateSemaphore(stand->device, &info, NULL, &gate), "vkCreateSemaphore");
    return gate;
}

void stand_close_gate(const struct stand *stand, uint64_t time)
{
    const VkTimelineSemaphoreSubmitInfo value = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = 1,
        .pWaitSemaphoreValues = &time};
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &value,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &stand->gate,
                               .pWaitDstStageMask = &stage};
    stand_check(vkQueueSubmit(stand->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
}

void stand_open_gate(const struct stand *stand, uint64_t time)
{
    const VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = stand->gate, .value = time};
    stand_check(vkSignalSemaphore(stand->device, &info), "vkSignalSemaphore");
}

void stand_open_frames(struct stand *stand)
{
    const struct stand_options *options = &stand->options;
    stand->slot_count = options->gate ? options->images : STAND_SLOTS;
    stand->gate = options->gate ? make_gate(stand) : VK_NULL_HANDLE;
    stand->picture = image_make_packed(options->width + STAND_MOVES_PX,
                                       options->height + STAND_MOVES_PX, pixel_format(stand));
    image_draw(&stand->picture.view, IMAGE_PHOTO, 1);
    for (uint32_t i = 0; i < stand->slot_count; i++) {
        open_slot(stand, &stand->slots[i]);
    }
    upload(stand);
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    for (uint32_t i = 0; i < stand->options.images; i++) {
        for (uint32_t k = 0; k < options->waits; k++) {
            stand_check(vkCreateSemaphore(stand->device, &info, NULL, &stand->drawn[i][k]),
                        "vkCreateSemaphore");
        }
    }
}

void stand_close_frames(struct stand *stand)
{
    for (uint32_t i = 0; i < stand->slot_count; i++) {
        const struct stand_slot *slot = &stand->slots[i];
        vkDestroyCommandPool(stand->device, slot->pool, NULL);
        vkDestroyFence(stand->device, slot->fence, NULL);
        vkDestroySemaphore(stand->device, slot->acquired, NULL);
    }
    for (uint32_t i = 0; i < stand->options.images; i++) {
        for (uint32_t k = 0; k < stand->options.waits; k++) {
            vkDestroySemaphore(stand->device, stand->drawn[i][k], NULL);
        }
    }
    vkDestroySemaphore(stand->device, stand->gate, NULL);
    free_buffer(stand, &stand->source);
    image_free(&stand->picture);
}

/* ---- A frame --------------------------------------------------------------------------------- */

struct fovea_image stand_drawn(const struct stand *stand, uint32_t number)
{
    struct fovea_image part = stand->picture.view;
    const uint32_t x_px = number * 5 % STAND_MOVES_PX, y_px = number * 3 % STAND_MOVES_PX;
    part.data = (char *)part.data + (ptrdiff_t)y_px * part.row_stride_bytes +
                (ptrdiff_t)x_px * image_bytes(part.format);
    part.width_px = stand->options.width;
    part.height_px = stand->options.height;
    return part;
}

static void barrier(const struct stand *stand, VkCommandBuffer commands, uint32_t image,
                    VkImageLayout before, VkImageLayout after)
{
    const bool first = before == VK_IMAGE_LAYOUT_UNDEFINED;
    VkImageMemoryBarrier info =
        vulkan_layout_barrier(stand->images[image], VK_IMAGE_ASPECT_COLOR_BIT, before, after);
    info.srcAccessMask = first ? 0 : VK_ACCESS_TRANSFER_WRITE_BIT;
    info.dstAccessMask = first ? VK_ACCESS_TRANSFER_WRITE_BIT : 0;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         first ? VK_PIPELINE_STAGE_TRANSFER_BIT
                               : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                         0, 0, NULL, 0, NULL, 1, &info);
}

static void record(const struct stand *stand, VkCommandBuffer commands, uint32_t number,
                   uint32_t image)
{
    const struct fovea_image part = stand_drawn(stand, number);
    const VkBufferImageCopy region = {
        .bufferOffset =
            (VkDeviceSize)((const char *)part.data - (const char *)stand->picture.view.data),
        .bufferRowLength = stand->picture.view.width_px,
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {part.width_px, part.height_px, 1}};
    begin(commands);
    barrier(stand, commands, image, VK_IMAGE_LAYOUT_UNDEFINED,
            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, stand->source.handle, stand->images[image],
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    barrier(stand, commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
            VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    stand_check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

static void draw(const struct stand *stand, const struct stand_slot *slot, uint32_t number,
                 uint32_t image)
{
    record(stand, slot->commands, number, image);
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &slot->acquired,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &slot->commands,
                               .signalSemaphoreCount = stand->options.waits,
                               .pSignalSemaphores = stand->drawn[image]};
    stand_check(vkQueueSubmit(stand->queue, 1, &info, slot->fence), "vkQueueSubmit");
}

uint32_t stand_frame(struct stand *stand, uint32_t number)
{
    const struct stand_slot *slot = &stand->slots[number % stand->slot_count];
    uint32_t image = 0;
    stand_check(vkWaitForFences(stand->device, 1, &slot->fence, VK_TRUE, UINT64_MAX),
                "vkWaitForFences");
    stand_check(vkResetFences(stand->device, 1, &slot->fence), "vkResetFences");
    stand_check(vkAcquireNextImageKHR(stand->device, stand->swapchain, UINT64_MAX, slot->acquired,
                                      VK_NULL_HANDLE, &image),
                "vkAcquireNextImageKHR");
    draw(stand, slot, number, image);
    const uint64_t own = 1000 + 10 * (uint64_t)number;
    const VkPresentIdKHR id = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR, .swapchainCount = 1, .pPresentIds = &own};
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                   .pNext = stand->options.ids ? &id : NULL,
                                   .waitSemaphoreCount = stand->options.waits,
                                   .pWaitSemaphores = stand->drawn[image],
                                   .swapchainCount = 1,
                                   .pSwapchains = &stand->swapchain,
                                   .pImageIndices = &image};
    stand_check(vkQueuePresentKHR(stand->present_queue, &info), "vkQueuePresentKHR");
    return image;
}
