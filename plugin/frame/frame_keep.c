/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Commands that are recorded once. Where a peer foveates from one image of Fovea's to another there
 * is nothing to record but barriers, and those are the same in every frame with the same two
 * images: a slot keeps them for the pairs that it had last. Recording them costs the engine's
 * thread as much as both submits do.
 *
 * An image of the engine's may be gone, and another one have its handle, without anybody saying so;
 * ours go by fovea_vk_image_destroy. */

#include "frame_record.h"

#include "core/log.h"
#include "vulkan/vk_check.h"

bool frame_keep_takes(const struct frame_work *work)
{
    bool all_run = true;
    for (uint32_t i = 0; i < work->view_count; i++) {
        all_run = all_run && work->views[i].runs;
    }
    return all_run && work->use_peer && !work->overlay && !work->watched && work->src.made &&
           work->dst.made && !work->copy_in && !work->copy_out;
}

static bool same_end(const struct frame_kept_end *kept, const struct frame_end *end)
{
    return kept->image == end->made && kept->layout_before == end->layout_before &&
           kept->layout_after == end->layout_after && kept->family == end->family;
}

static struct frame_kept_end end_of(const struct frame_end *end)
{
    return (struct frame_kept_end){.image = end->made,
                                   .layout_before = end->layout_before,
                                   .layout_after = end->layout_after,
                                   .family = end->family};
}

/* The one with these images, or else the one that was used longest ago. */
static struct frame_kept *find(struct frame_slot *slot, const struct frame_work *work)
{
    struct frame_kept *oldest = &slot->kept[0];
    for (int i = 0; i < FRAME_KEPT; i++) {
        struct frame_kept *kept = &slot->kept[i];
        if (kept->whole && same_end(&kept->src, &work->src) && same_end(&kept->dst, &work->dst)) {
            return kept;
        }
        oldest = kept->last_frame < oldest->last_frame ? kept : oldest;
    }
    oldest->whole = false;
    return oldest;
}

static enum fovea_result record(struct fovea_vk *fovea, const struct frame_work *work,
                                struct frame_kept *kept)
{
    const struct vk_functions *vk = &fovea->device.vk;
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VK_TRY(fovea->log, vk->BeginCommandBuffer(kept->commands[0], &info));
    frame_record_open(fovea, work, kept->commands[0]);
    frame_record_to_peer(fovea, work, kept->commands[0]);
    VK_TRY(fovea->log, vk->EndCommandBuffer(kept->commands[0]));
    VK_TRY(fovea->log, vk->BeginCommandBuffer(kept->commands[1], &info));
    frame_record_from_peer(fovea, work, kept->commands[1]);
    frame_record_close(fovea, work, kept->commands[1]);
    VK_TRY(fovea->log, vk->EndCommandBuffer(kept->commands[1]));
    kept->src = end_of(&work->src);
    kept->dst = end_of(&work->dst);
    kept->whole = true;
    return FOVEA_OK;
}

enum fovea_result frame_keep_find(struct fovea_vk *fovea, const struct frame_work *work,
                                  VkCommandBuffer out_commands[2])
{
    struct frame_kept *kept = find(work->slot, work);
    if (!kept->whole) {
        FOVEA_TRY(record(fovea, work, kept));
    }
    kept->last_frame = fovea->frame + 1;
    out_commands[0] = kept->commands[0];
    out_commands[1] = kept->commands[1];
    return FOVEA_OK;
}

void frame_keep_forget(struct fovea_vk *fovea)
{
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        for (int j = 0; j < FRAME_KEPT; j++) {
            fovea->slots[i].kept[j].whole = false;
            fovea->slots[i].kept[j].last_frame = 0;
        }
    }
}

enum fovea_result frame_keep_init(struct fovea_vk *fovea, struct frame_slot *slot)
{
    const struct vk_device *device = &fovea->device;
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = device->queue_family};
    VK_TRY(fovea->log, device->vk.CreateCommandPool(device->handle, &pool, device->allocator,
                                                    &slot->kept_pool));
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = slot->kept_pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 2};
    for (int i = 0; i < FRAME_KEPT; i++) {
        VK_TRY(fovea->log,
               device->vk.AllocateCommandBuffers(device->handle, &info, slot->kept[i].commands));
    }
    return FOVEA_OK;
}
