/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "program.h"

/* ---- Slots: what a frame needs for itself until the GPU is done with it ---------------------- */

static void open_buffer(struct screen *screen, struct slot *slot)
{
    struct program *program = screen->program;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = 4ull * screen->width_px * screen->height_px,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
    program_check(program->vk.CreateBuffer(program->device, &info, NULL, &slot->buffer),
                  "vkCreateBuffer");
    VkMemoryRequirements needs;
    program->vk.GetBufferMemoryRequirements(program->device, slot->buffer, &needs);
    const VkMemoryAllocateInfo memory =
        vulkan_memory_info(needs.size, program_memory_type(program, needs.memoryTypeBits));
    program_check(program->vk.AllocateMemory(program->device, &memory, NULL, &slot->memory),
                  "vkAllocateMemory");
    program_check(program->vk.BindBufferMemory(program->device, slot->buffer, slot->memory, 0),
                  "vkBindBufferMemory");
    program_check(program->vk.MapMemory(program->device, slot->memory, 0, VK_WHOLE_SIZE, 0,
                                        (void **)&slot->pixels),
                  "vkMapMemory");
}

static void open_slot(struct screen *screen, struct slot *slot)
{
    struct program *program = screen->program;
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                     .flags = VK_FENCE_CREATE_SIGNALED_BIT};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = program->family};
    program_check(program->vk.CreateFence(program->device, &fence, NULL, &slot->fence),
                  "vkCreateFence");
    program_check(program->vk.CreateSemaphore(program->device, &semaphore, NULL, &slot->acquired),
                  "vkCreateSemaphore");
    program_check(program->vk.CreateCommandPool(program->device, &pool, NULL, &slot->pool),
                  "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo commands = vulkan_commands_info(slot->pool, 1);
    program_check(program->vk.AllocateCommandBuffers(program->device, &commands, &slot->commands),
                  "vkAllocateCommandBuffers");
    open_buffer(screen, slot);
}

void frame_open_slots(struct screen *screen)
{
    for (uint32_t i = 0; i < PROGRAM_SLOTS; i++) {
        open_slot(screen, &screen->slots[i]);
    }
}

void frame_close_slots(struct screen *screen)
{
    struct program *program = screen->program;
    for (uint32_t i = 0; i < PROGRAM_SLOTS; i++) {
        struct slot *slot = &screen->slots[i];
        program->vk.DestroyFence(program->device, slot->fence, NULL);
        program->vk.DestroySemaphore(program->device, slot->acquired, NULL);
        program->vk.DestroyCommandPool(program->device, slot->pool, NULL);
        program->vk.DestroyBuffer(program->device, slot->buffer, NULL);
        program->vk.FreeMemory(program->device, slot->memory, NULL);
    }
}

/* ---- The picture ----------------------------------------------------------------------------- */

/* Opaque; fine enough everywhere that any blur shows. */
static void paint(const struct screen *screen, uint32_t *pixels)
{
    for (uint32_t y = 0; y < screen->height_px; y++) {
        for (uint32_t x = 0; x < screen->width_px; x++) {
            const uint32_t red = (x ^ y) * 37 + screen->frame * 11;
            const uint32_t green = (x / 3 + y / 5) % 2 ? 230 : 20;
            const uint32_t blue = x * 255 / screen->width_px;
            pixels[(size_t)y * screen->width_px + x] =
                0xff000000u | (red & 255) << 16 | green << 8 | blue;
        }
    }
}

static void barrier(const struct screen *screen, VkCommandBuffer commands, VkImageLayout before,
                    VkImageLayout after)
{
    const bool first = before == VK_IMAGE_LAYOUT_UNDEFINED;
    VkImageMemoryBarrier info = vulkan_layout_barrier(screen->images[screen->image],
                                                      VK_IMAGE_ASPECT_COLOR_BIT, before, after);
    info.srcAccessMask = first ? 0 : VK_ACCESS_TRANSFER_WRITE_BIT;
    info.dstAccessMask = first ? VK_ACCESS_TRANSFER_WRITE_BIT : 0;
    screen->program->vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                           first ? VK_PIPELINE_STAGE_TRANSFER_BIT
                                                 : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                           0, 0, NULL, 0, NULL, 1, &info);
}

static void record_copy(const struct screen *screen, const struct slot *slot)
{
    const struct program *program = screen->program;
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {screen->width_px, screen->height_px, 1}};
    barrier(screen, slot->commands, VK_IMAGE_LAYOUT_UNDEFINED,
            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    program->vk.CmdCopyBufferToImage(slot->commands, slot->buffer, screen->images[screen->image],
                                     VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    barrier(screen, slot->commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
            VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

static void record(const struct screen *screen, const struct slot *slot)
{
    const struct program *program = screen->program;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    program_check(program->vk.BeginCommandBuffer(slot->commands, &begin), "vkBeginCommandBuffer");
    if (screen->draw) {
        screen->draw(screen, slot->commands);
    } else {
        record_copy(screen, slot);
    }
    program_check(program->vk.EndCommandBuffer(slot->commands), "vkEndCommandBuffer");
}

static void submit(struct screen *screen, const struct slot *slot, VkSemaphore wait)
{
    const struct program *program = screen->program;
    const VkPipelineStageFlags stage = screen->draw ? VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
                                                    : VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &wait,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &slot->commands,
                               .signalSemaphoreCount = screen->wait_count,
                               .pSignalSemaphores = screen->drawn[screen->image]};
    program_check(program->vk.QueueSubmit(program->queue, 1, &info, slot->fence), "vkQueueSubmit");
    if (screen->wait_count == 0) {
        program_check(
            program->vk.WaitForFences(program->device, 1, &slot->fence, VK_TRUE, UINT64_MAX),
            "vkWaitForFences");
    }
}

bool frame_draw(struct screen *screen)
{
    struct program *program = screen->program;
    struct slot *slot = &screen->slots[screen->frame % PROGRAM_SLOTS];
    program_check(program->vk.WaitForFences(program->device, 1, &slot->fence, VK_TRUE, UINT64_MAX),
                  "vkWaitForFences");
    const VkResult result =
        program->vk.AcquireNextImageKHR(program->device, screen->swapchain, UINT64_MAX,
                                        slot->acquired, VK_NULL_HANDLE, &screen->image);
    if (result == VK_ERROR_OUT_OF_DATE_KHR) {
        return false;
    }
    if (result != VK_SUBOPTIMAL_KHR) {
        program_check(result, "vkAcquireNextImageKHR");
    }
    program_check(program->vk.ResetFences(program->device, 1, &slot->fence), "vkResetFences");
    paint(screen, slot->pixels);
    record(screen, slot);
    submit(screen, slot, slot->acquired);
    screen->frame++;
    return true;
}

static void draw_after(struct screen *screen, VkSemaphore before)
{
    struct program *program = screen->program;
    struct slot *slot = &screen->slots[screen->frame % PROGRAM_SLOTS];
    program_check(program->vk.WaitForFences(program->device, 1, &slot->fence, VK_TRUE, UINT64_MAX),
                  "vkWaitForFences");
    program_check(program->vk.ResetFences(program->device, 1, &slot->fence), "vkResetFences");
    paint(screen, slot->pixels);
    record(screen, slot);
    submit(screen, slot, before);
    screen->frame++;
    program_check(program->vk.QueueWaitIdle(program->queue), "vkQueueWaitIdle");
}

void frame_draw_again(struct screen *screen)
{
    struct program *program = screen->program;
    VkSemaphore *drawn = &screen->drawn[screen->image][0];
    const VkSemaphore before = *drawn;
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    program_check(program->vk.CreateSemaphore(program->device, &info, NULL, drawn),
                  "vkCreateSemaphore");
    draw_after(screen, before);
    program->vk.DestroySemaphore(program->device, before, NULL);
}

void frame_draw_over(struct screen *screen)
{
    draw_after(screen, screen->drawn[screen->image][0]);
}

VkResult frame_present(struct screen *const *screens, uint32_t count, const void *next)
{
    VkSwapchainKHR swapchains[4];
    uint32_t images[4], wait_count = 0;
    VkResult results[4];
    VkSemaphore waits[4 * PROGRAM_MAX_WAITS];
    for (uint32_t i = 0; i < count; i++) {
        swapchains[i] = screens[i]->swapchain;
        images[i] = screens[i]->image;
        results[i] = VK_RESULT_MAX_ENUM;
        for (uint32_t k = 0; k < screens[i]->wait_count; k++) {
            waits[wait_count++] = screens[i]->drawn[images[i]][k];
        }
    }
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                   .pNext = next,
                                   .waitSemaphoreCount = wait_count,
                                   .pWaitSemaphores = waits,
                                   .swapchainCount = count,
                                   .pSwapchains = swapchains,
                                   .pImageIndices = images,
                                   .pResults = results};
    const VkPresentInfoKHR before = info;
    struct program *program = screens[0]->program;
    const VkResult result = program->vk.QueuePresentKHR(program->queue, &info);
    program_need(memcmp(&before, &info, sizeof info) == 0,
                 "vkQueuePresentKHR has changed the program's structure");
    for (uint32_t i = 0; i < count; i++) {
        if (result == VK_SUCCESS && results[i] == VK_RESULT_MAX_ENUM) {
            program_fail("vkQueuePresentKHR has not set pResults", (int)i);
        }
    }
    return result;
}

void frame_run(struct screen *screen, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        program_need(frame_draw(screen), "the swapchain fits no longer");
        const VkResult result = frame_present(&screen, 1, NULL);
        if (result != VK_SUBOPTIMAL_KHR) {
            program_check(result, "vkQueuePresentKHR");
        }
    }
}
