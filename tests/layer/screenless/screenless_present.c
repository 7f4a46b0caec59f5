/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "screenless.h"

/* ---- Acquiring ------------------------------------------------------------------------------- */

/* On the first queue that the program has; it is the one that signals. */
static VkResult signal_acquired(struct screenless_image *image, VkSemaphore semaphore,
                                VkFence fence)
{
    const VkCommandBuffer commands = screenless_begin(image, 0, SCREENLESS_ACQUIRED);
    screenless_end(image, commands, SCREENLESS_ACQUIRED);
    VkSubmitInfo info = vulkan_submit_info(&commands);
    info.signalSemaphoreCount = semaphore ? 1 : 0;
    info.pSignalSemaphores = &semaphore;
    return screenless.vk.QueueSubmit(screenless.queues[0], 1, &info, fence);
}

/* Images come back in turns, once they were shown, as with a screen. */
static VKAPI_ATTR VkResult VKAPI_CALL acquire(VkDevice device, VkSwapchainKHR handle,
                                              uint64_t timeout, VkSemaphore semaphore,
                                              VkFence fence, uint32_t *out_index)
{
    struct screenless_swapchain *swapchain = (struct screenless_swapchain *)handle;
    struct screenless_image *image = &swapchain->images[swapchain->next];
    if (image->taken) {
        return VK_TIMEOUT;
    }
    screenless_wait(image);
    screenless_clock_acquire(image->shown_ns);
    pthread_mutex_lock(&screenless.lock);
    image->taken = true;
    image->fovea_submits = 0;
    screenless.current = image;
    *out_index = swapchain->next;
    swapchain->next = (swapchain->next + 1) % swapchain->count;
    const VkResult result = signal_acquired(image, semaphore, fence);
    pthread_mutex_unlock(&screenless.lock);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL acquire2(VkDevice device,
                                               const VkAcquireNextImageInfoKHR *info,
                                               uint32_t *out_index)
{
    return acquire(device, info->swapchain, info->timeout, info->semaphore, info->fence, out_index);
}

/* ---- Presenting ------------------------------------------------------------------------------ */

static void barrier(const struct screenless_image *image, VkCommandBuffer commands,
                    VkImageLayout before, VkImageLayout after)
{
    const VkImageMemoryBarrier info =
        vulkan_layout_barrier(image->handle, VK_IMAGE_ASPECT_COLOR_BIT, before, after);
    screenless.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                                     &info);
}

static void record_copy(const struct screenless_swapchain *swapchain,
                        const struct screenless_image *image, VkCommandBuffer commands)
{
    const VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {swapchain->info.imageExtent.width, swapchain->info.imageExtent.height, 1}};
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    barrier(image, commands, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    screenless.vk.CmdCopyImageToBuffer(
        commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image->buffer, 1, &region);
    barrier(image, commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    screenless.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                     VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
}

#define MAX_WAITS 32

static VkResult show(VkQueue queue, struct screenless_swapchain *swapchain, uint32_t index,
                     const VkPresentInfoKHR *waits)
{
    struct screenless_image *image = &swapchain->images[index];
    const VkCommandBuffer commands =
        screenless_begin(image, screenless_queue(queue), SCREENLESS_SHOWN);
    if (screenless.copies) {
        record_copy(swapchain, image, commands);
    }
    screenless_end(image, commands, SCREENLESS_SHOWN);
    VkPipelineStageFlags stages[MAX_WAITS];
    for (uint32_t i = 0; i < MAX_WAITS; i++) {
        stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    }
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = waits ? waits->waitSemaphoreCount : 0,
                               .pWaitSemaphores = waits ? waits->pWaitSemaphores : NULL,
                               .pWaitDstStageMask = stages,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands};
    if (image->presented) {
        screenless.vk.ResetFences(screenless.device, 1, &image->fence);
    }
    image->presented = true;
    image->taken = false;
    return screenless.vk.QueueSubmit(queue, 1, &info, image->fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL present(VkQueue queue, const VkPresentInfoKHR *info)
{
    if (info->waitSemaphoreCount > MAX_WAITS) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    VkResult worst = VK_SUCCESS;
    pthread_mutex_lock(&screenless.lock);
    const int64_t shown_ns = screenless_clock_show(info);
    for (uint32_t i = 0; i < info->swapchainCount; i++) {
        struct screenless_swapchain *swapchain =
            (struct screenless_swapchain *)info->pSwapchains[i];
        swapchain->images[info->pImageIndices[i]].shown_ns = shown_ns;
        const VkResult result =
            show(queue, swapchain, info->pImageIndices[i], i == 0 ? info : NULL);
        worst = result < worst ? result : worst;
        if (info->pResults) {
            info->pResults[i] = result;
        }
    }
    pthread_mutex_unlock(&screenless.lock);
    return worst;
}

/* ---- For the program ------------------------------------------------------------------------- */

__attribute__((visibility("default"))) const void *screenless_picture(uint32_t index);

const void *screenless_picture(uint32_t index)
{
    struct screenless_image *image = &screenless.swapchain->images[index];
    screenless_wait(image);
    return image->pixels;
}

PFN_vkVoidFunction screenless_present_hook(const char *name)
{
    static const struct named_function hooks[] = {
        {"vkAcquireNextImageKHR", (PFN_vkVoidFunction)acquire},
        {"vkAcquireNextImage2KHR", (PFN_vkVoidFunction)acquire2},
        {"vkQueuePresentKHR", (PFN_vkVoidFunction)present},
    };
    return NAMED(hooks, name);
}
