/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer.h"
#include "layer_dump.h"
#include "layer_session.h"

#include "core/log.h"

#include <alloca.h>

/* One call of vkQueuePresentKHR. The first image that is foveated takes over what the program waits for;
 * the others lie behind it on the queue. */
struct presentation {
    struct layer_device *device;
    struct layer_queue queue;
    const VkPresentInfoKHR *info;
    bool waits_taken;
    VkSemaphore *waits; /* of the present that goes down */
    uint32_t wait_count;
};

static struct fovea_vk_frame_image frame_image(const struct layer_swapchain *swapchain,
                                               uint32_t index)
{
    return (struct fovea_vk_frame_image){
        .image = swapchain->images[index],
        .format = swapchain->format,
        .width_px = swapchain->width_px,
        .height_px = swapchain->height_px,
        .layout_before = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
        .layout_after = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
        .queue_family = VK_QUEUE_FAMILY_IGNORED,
    };
}

static void tell(struct layer_swapchain *swapchain, enum fovea_result result)
{
    const bool failing = result < 0 || result == FOVEA_NOT_READY;
    if (failing && !swapchain->failing) {
        log_warning(layer_log(), "a frame is presented as it is: %s", fovea_result_name(result));
    } else if (!failing && swapchain->failing) {
        log_info(layer_log(), "frames are foveated again");
    }
    swapchain->failing = failing;
    swapchain->failed = swapchain->failed || result == FOVEA_ERROR_DEVICE_LOST;
}

static struct layer_dump_picture picture(const struct presentation *p,
                                         const struct layer_swapchain *swapchain, uint32_t index,
                                         const VkSemaphore *waits, uint32_t wait_count)
{
    return (struct layer_dump_picture){.device = p->device,
                                       .queue = p->queue.handle,
                                       .queue_family = p->queue.family,
                                       .swapchain = swapchain,
                                       .image = index,
                                       .waits = waits,
                                       .wait_count = wait_count};
}

/* For tests: the same frame between two pictures. */
static enum fovea_result foveate_dumped(const struct presentation *p,
                                        const struct layer_swapchain *swapchain,
                                        struct fovea_vk *fovea, const struct fovea_vk_frame *frame,
                                        uint32_t index)
{
    const struct layer_dump_picture before =
        picture(p, swapchain, index, p->info->pWaitSemaphores, frame->wait_count);
    layer_dump_before(&before);
    const enum fovea_result result = fovea_vk_foveate(fovea, frame);
    if (result == FOVEA_OK || result == FOVEA_PASSED_THROUGH) {
        const struct layer_dump_picture after =
            picture(p, swapchain, index, &swapchain->presentable[index], 1);
        layer_dump_after(&after, &frame->gaze, result);
    }
    return result;
}

static enum fovea_result foveate(struct presentation *p, struct layer_swapchain *swapchain,
                                 struct fovea_vk *fovea, uint32_t index)
{
    const uint32_t wait_count = p->waits_taken ? 0 : p->info->waitSemaphoreCount;
    if (wait_count > FOVEA_VK_MAX_SEMAPHORES) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct fovea_vk_semaphore waits[FOVEA_VK_MAX_SEMAPHORES] = {0};
    for (uint32_t i = 0; i < wait_count; i++) {
        waits[i].semaphore = p->info->pWaitSemaphores[i];
    }
    const struct fovea_vk_semaphore signal = {.semaphore = swapchain->presentable[index]};
    struct layer_frame own;
    layer_session_frame(swapchain, &own);
    const struct fovea_vk_frame frame = {
        .src = frame_image(swapchain, index),
        .dst = frame_image(swapchain, index),
        .waits = waits,
        .wait_count = wait_count,
        .signals = &signal,
        .signal_count = 1,
        .gaze = own.gaze,
        .hud = own.hud[0] ? own.hud : NULL,
    };
    return layer_dump_wanted() ? foveate_dumped(p, swapchain, fovea, &frame, index)
                               : fovea_vk_foveate(fovea, &frame);
}

/* Puts what the present has to wait for into the list where the image was foveated. */
static void take_image(struct presentation *p, VkSwapchainKHR handle, uint32_t index)
{
    struct layer_swapchain *swapchain = layer_registry_swapchain(p->device, handle);
    if (!swapchain || index >= swapchain->image_count) {
        return;
    }
    struct fovea_vk *fovea = layer_swapchain_fovea(swapchain, &p->queue);
    if (!fovea || swapchain->failed) {
        return;
    }
    const enum fovea_result result = foveate(p, swapchain, fovea, index);
    tell(swapchain, result);
    if (result == FOVEA_OK || result == FOVEA_PASSED_THROUGH) {
        p->waits[p->wait_count++] = swapchain->presentable[index];
        p->waits_taken = true;
        swapchain->frame++;
    }
}

static bool is_of_one_gpu(const VkPresentInfoKHR *info)
{
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR) {
            return false;
        }
    }
    return true;
}

VKAPI_ATTR VkResult VKAPI_CALL layer_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *info)
{
    struct presentation p = {.device = layer_registry_device(queue), .info = info};
    if (p.device->inert || !layer_registry_queue(p.device, queue, &p.queue) || !p.queue.usable ||
        !is_of_one_gpu(info)) {
        return p.device->vk.QueuePresentKHR(queue, info);
    }
    if (!layer_session_tick()) {
        return p.device->vk.QueuePresentKHR(queue, info);
    }
    p.waits = alloca((info->swapchainCount + info->waitSemaphoreCount + 1) * sizeof *p.waits);
    for (uint32_t i = 0; i < info->swapchainCount; i++) {
        take_image(&p, info->pSwapchains[i], info->pImageIndices[i]);
    }
    if (!p.waits_taken) {
        return p.device->vk.QueuePresentKHR(queue, info);
    }
    VkPresentInfoKHR own = *info;
    own.pWaitSemaphores = p.waits;
    own.waitSemaphoreCount = p.wait_count;
    return p.device->vk.QueuePresentKHR(queue, &own);
}
