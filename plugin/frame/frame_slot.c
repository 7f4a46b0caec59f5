/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_slot.h"

#include "core/ending.h"
#include "core/log.h"
#include "vulkan/vk_check.h"

static bool slot_retired(struct fovea_vk *fovea, struct frame_slot *slot)
{
    struct vk_device *device = &fovea->device;
    if (slot->pending && device->vk.GetFenceStatus(device->handle, slot->fence) != VK_NOT_READY) {
        slot->pending = false;
        frame_stats_collect(fovea, slot);
    }
    return !slot->pending;
}

bool frame_retired(struct fovea_vk *fovea, uint64_t frame)
{
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        struct frame_slot *slot = &fovea->slots[i];
        if (slot->frame == frame && !slot_retired(fovea, slot)) {
            return false;
        }
    }
    return true;
}

/* Nobody else says when its first batch and the peer's job are over. */
static void wait_for_half(struct fovea_vk *fovea)
{
    struct vk_device *device = &fovea->device;
    struct frame_half *half = &fovea->half;
    if (!half->pending) {
        return;
    }
    if (fovea->link.timeline) {
        const uint64_t value = fovea->link.value + (half->answered ? 2 : 1);
        const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                          .semaphoreCount = 1,
                                          .pSemaphores = &fovea->link.semaphore,
                                          .pValues = &value};
        const VkResult result = device->vk.WaitSemaphores(device->handle, &info, UINT64_MAX);
        (void)vk_checked(fovea->log, result, "vkWaitSemaphores", __FILE__, __LINE__);
    } else {
        const VkResult result =
            device->vk.WaitForFences(device->handle, 1, &half->slot->taken, VK_TRUE, UINT64_MAX);
        (void)vk_checked(fovea->log, result, "vkWaitForFences", __FILE__, __LINE__);
        fovea->peer->api->drain(fovea->peer);
    }
    fovea->link.value += 2;
    half->pending = false;
}

void frame_wait(struct fovea_vk *fovea, uint64_t frame)
{
    struct vk_device *device = &fovea->device;
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        struct frame_slot *slot = &fovea->slots[i];
        if (!slot->pending || slot->frame > frame) {
            continue;
        }
        VkResult result =
            device->vk.WaitForFences(device->handle, 1, &slot->fence, VK_TRUE, UINT64_MAX);
        (void)vk_checked(fovea->log, result, "vkWaitForFences", __FILE__, __LINE__);
        slot->pending = false;
        frame_stats_collect(fovea, slot);
    }
    wait_for_half(fovea);
}

void fovea_vk_wait(struct fovea_vk *fovea)
{
    if (fovea && !frame_is_parents(fovea) && ending_stage() != ENDING_OVER) {
        frame_wait(fovea, fovea->frame);
    }
}

enum fovea_result frame_slot_take(struct fovea_vk *fovea, struct frame_work *work)
{
    struct vk_device *device = &fovea->device;
    uint32_t index = (uint32_t)((fovea->frame + 1) % fovea->slot_count);
    struct frame_slot *slot = &fovea->slots[index];
    if (!slot_retired(fovea, slot)) {
        return FOVEA_NOT_READY;
    }
    VK_TRY(fovea->log, device->vk.ResetFences(device->handle, 1, &slot->fence));
    slot->pool_reset = false;
    slot->timed = false;
    slot->by_peer = false;
    slot->late = false;
    work->slot = slot;
    work->slot_index = index;
    return FOVEA_OK;
}
