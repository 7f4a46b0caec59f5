/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_slot.h"
#include "frame_watch.h"

#include "core/ending.h"
#include "core/log.h"
#include "vulkan/vk_check.h"

#include <time.h>

/* A wait that fails is tried again, so often and so far apart. */
#define WAIT_TRIES 1000
#define WAIT_PAUSE_NS 1000000

/* Nothing runs on a lost device. Another error, such as want of memory, says nothing of what was
 * asked: that may be in use. */
static bool says_over(VkResult result)
{
    return result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST;
}

static void retire(struct fovea_vk *fovea, struct frame_slot *slot)
{
    slot->pending = false;
    frame_stats_collect(fovea, slot);
    frame_watch_collect(fovea, slot);
}

static bool is_over(const struct fovea_vk *fovea, const struct frame_slot *slot)
{
    const struct vk_device *device = &fovea->device;
    return slot->recorded ? slot->engines_frame <= fovea->engines_finished
                          : says_over(device->vk.GetFenceStatus(device->handle, slot->fence));
}

static bool slot_retired(struct fovea_vk *fovea, struct frame_slot *slot)
{
    if (slot->pending && is_over(fovea, slot)) {
        retire(fovea, slot);
    }
    return !slot->pending;
}

/* Waits for the fence or, without one, the semaphore. False: it is not known whether the frame is
 * over. */
static bool wait_for(struct fovea_vk *fovea, VkFence fence, const VkSemaphoreWaitInfo *semaphore)
{
    const struct vk_device *device = &fovea->device;
    const struct timespec pause = {.tv_nsec = WAIT_PAUSE_NS};
    VkResult result = VK_TIMEOUT;
    for (int i = 0; i < WAIT_TRIES && !says_over(result); i++) {
        if (i > 0) {
            nanosleep(&pause, NULL);
        }
        result = fence ? device->vk.WaitForFences(device->handle, 1, &fence, VK_TRUE, UINT64_MAX)
                       : device->vk.WaitSemaphores(device->handle, semaphore, UINT64_MAX);
    }
    (void)vk_checked(fovea->log, result, fence ? "vkWaitForFences" : "vkWaitSemaphores", __FILE__,
                     __LINE__);
    return says_over(result);
}

bool frame_retired(struct fovea_vk *fovea, uint64_t frame)
{
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        struct frame_slot *slot = &fovea->slots[i];
        if (slot->frame <= frame && !slot_retired(fovea, slot)) {
            return false;
        }
    }
    return true;
}

uint64_t frame_surely_over(const struct fovea_vk *fovea)
{
    return fovea->frame > fovea->slot_count ? fovea->frame - fovea->slot_count : 0;
}

bool frame_is_free(struct fovea_vk *fovea, uint64_t last_frame)
{
    return last_frame <= fovea->frame && frame_retired(fovea, last_frame);
}

/* Nobody else says when its first batch and the peer's job are over. */
static bool wait_for_half(struct fovea_vk *fovea)
{
    struct frame_half *half = &fovea->half;
    if (!half->pending) {
        return true;
    }
    const uint64_t value = fovea->link.value + (half->answered ? 2 : 1);
    const VkSemaphoreWaitInfo turn = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &fovea->link.semaphore,
                                      .pValues = &value};
    const bool timeline = fovea->link.timeline;
    if (!wait_for(fovea, timeline ? VK_NULL_HANDLE : half->slot->taken, &turn)) {
        return false;
    }
    if (!timeline) {
        fovea->peer->api->drain(fovea->peer);
    }
    fovea->link.value += 2;
    half->pending = false;
    return true;
}

bool frame_wait(struct fovea_vk *fovea, uint64_t frame)
{
    bool all = true;
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        struct frame_slot *slot = &fovea->slots[i];
        /* Only the engine can wait for commands of its own. */
        if (slot->pending && slot->frame <= frame && !slot->recorded) {
            if (wait_for(fovea, slot->fence, NULL)) {
                retire(fovea, slot);
            } else {
                all = false;
            }
        }
    }
    return wait_for_half(fovea) && all;
}

void fovea_vk_wait(struct fovea_vk *fovea)
{
    if (fovea && !frame_is_parents(fovea) && ending_enter()) {
        (void)frame_wait(fovea, fovea->frame);
        ending_leave();
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
    slot->recorded = false;
    work->slot = slot;
    work->slot_index = index;
    return FOVEA_OK;
}
