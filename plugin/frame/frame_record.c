/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame.h"

#define ANY_ACCESS (VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT)

/* What happens to an image on one side of a barrier. */
struct side {
    VkPipelineStageFlags stage;
    VkAccessFlags access;
    VkImageLayout layout;
    uint32_t family;
};

static struct side engine_side(VkImageLayout layout)
{
    return (struct side){VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, ANY_ACCESS, layout,
                         VK_QUEUE_FAMILY_IGNORED};
}

static struct side copy_from(void)
{
    return (struct side){VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT,
                         VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_QUEUE_FAMILY_IGNORED};
}

static struct side copy_to(void)
{
    return (struct side){VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_QUEUE_FAMILY_IGNORED};
}

/* Shared images and scratch stay in GENERAL: a peer knows no layouts. */
static struct side kernel_side(VkAccessFlags access)
{
    return (struct side){VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                         access, VK_IMAGE_LAYOUT_GENERAL, VK_QUEUE_FAMILY_IGNORED};
}

static const VkAccessFlags kernel_reads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
static const VkAccessFlags kernel_writes =
    VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

static void barrier(struct fovea_vk *fovea, VkCommandBuffer commands, VkImage image,
                    struct side before, struct side after)
{
    VkImageMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                 .srcAccessMask = before.access,
                                 .dstAccessMask = after.access,
                                 .oldLayout = before.layout,
                                 .newLayout = after.layout,
                                 .srcQueueFamilyIndex = before.family,
                                 .dstQueueFamilyIndex = after.family,
                                 .image = image,
                                 .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    fovea->device.vk.CmdPipelineBarrier(commands, before.stage, after.stage, 0, 0, NULL, 0, NULL, 1,
                                        &info);
}

static void copy(struct fovea_vk *fovea, const struct frame_work *work, VkCommandBuffer commands,
                 VkImage from, VkImageLayout from_layout, VkImage to, VkImageLayout to_layout)
{
    VkImageCopy region = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                          .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                          .extent = {work->src.width_px, work->src.height_px, 1}};
    fovea->device.vk.CmdCopyImage(commands, from, from_layout, to, to_layout, 1, &region);
}

/* An engine's image of another queue family comes and goes by ownership transfers of its own. */
static void take(struct fovea_vk *fovea, const struct frame_end *end, VkCommandBuffer commands)
{
    bool old_contents = end->layout_before == VK_IMAGE_LAYOUT_UNDEFINED;
    if (end->family != VK_QUEUE_FAMILY_IGNORED && !old_contents) {
        struct side theirs = engine_side(end->layout_before);
        struct side ours = theirs;
        theirs.family = end->family;
        ours.family = fovea->device.queue_family;
        theirs.access = 0;
        barrier(fovea, commands, end->image, theirs, ours);
    }
}

static void give(struct fovea_vk *fovea, const struct frame_end *end, VkCommandBuffer commands)
{
    if (end->family != VK_QUEUE_FAMILY_IGNORED) {
        struct side ours = engine_side(end->layout_after);
        struct side theirs = ours;
        ours.family = fovea->device.queue_family;
        theirs.family = end->family;
        theirs.access = 0;
        barrier(fovea, commands, end->image, ours, theirs);
    }
}

/* Contents that were there are kept: a frame whose peer got stuck shows what was shown before. */
static void to_general(struct fovea_vk *fovea, struct frame_shared *shared,
                       VkCommandBuffer commands)
{
    struct side before = kernel_side(kernel_reads | kernel_writes);
    before.layout = shared->general ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED;
    barrier(fovea, commands, shared->image.handle, before,
            kernel_side(kernel_reads | kernel_writes));
    shared->general = true;
}

void frame_record_open(struct fovea_vk *fovea, const struct frame_work *work,
                       VkCommandBuffer commands)
{
    const struct frame_end *src = &work->src;
    take(fovea, src, commands);
    if (work->copy_in) {
        to_general(fovea, work->read, commands);
        barrier(fovea, commands, src->image, engine_side(src->layout_before), copy_from());
        copy(fovea, work, commands, src->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
             work->read->image.handle, VK_IMAGE_LAYOUT_GENERAL);
        barrier(fovea, commands, work->read->image.handle, kernel_side(kernel_writes),
                kernel_side(kernel_reads));
    } else {
        barrier(fovea, commands, src->image, engine_side(src->layout_before),
                kernel_side(kernel_reads));
    }
    if (work->copy_out) {
        to_general(fovea, work->write, commands);
    } else {
        take(fovea, &work->dst, commands);
        barrier(fovea, commands, work->dst.image, engine_side(work->dst.layout_before),
                kernel_side(kernel_writes));
    }
}

/* The host is a peer without a queue family of its own; its reads and writes need no more than this. */
static void host_barrier(struct fovea_vk *fovea, VkCommandBuffer commands, bool to_host)
{
    VkPipelineStageFlags device =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkAccessFlags host = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT;
    VkMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = to_host ? kernel_writes : VK_ACCESS_HOST_WRITE_BIT,
                            .dstAccessMask = to_host ? host : kernel_reads | kernel_writes};
    fovea->device.vk.CmdPipelineBarrier(commands, to_host ? device : VK_PIPELINE_STAGE_HOST_BIT,
                                        to_host ? VK_PIPELINE_STAGE_HOST_BIT : device, 0, 1, &info,
                                        0, NULL, 0, NULL);
}

static void transfer(struct fovea_vk *fovea, struct frame_shared *shared, VkCommandBuffer commands,
                     bool to_peer)
{
    struct side ours = kernel_side(kernel_reads | kernel_writes);
    struct side theirs = ours;
    ours.family = fovea->device.queue_family;
    theirs.family = VK_QUEUE_FAMILY_EXTERNAL;
    theirs.access = 0;
    if (to_peer) {
        theirs.stage = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
        barrier(fovea, commands, shared->image.handle, ours, theirs);
    } else {
        /* The batch waits for the peer at ALL_COMMANDS: the acquire must come after that wait. */
        theirs.stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        barrier(fovea, commands, shared->image.handle, theirs, ours);
    }
}

void frame_record_to_peer(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands)
{
    if (!fovea->peer->api->imports_handles) {
        host_barrier(fovea, commands, true);
    }
    transfer(fovea, work->read, commands, true);
    transfer(fovea, work->write, commands, true);
}

void frame_record_from_peer(struct fovea_vk *fovea, const struct frame_work *work,
                            VkCommandBuffer commands)
{
    transfer(fovea, work->read, commands, false);
    transfer(fovea, work->write, commands, false);
    if (!fovea->peer->api->imports_handles) {
        host_barrier(fovea, commands, false);
    }
}

static void record_dispatch(struct fovea_vk *fovea, const struct frame_work *work,
                            VkCommandBuffer commands, struct vk_dispatch dispatch)
{
    dispatch.kind = frame_compute_kind(work, dispatch.kind.which);
    dispatch.set = work->slot->set;
    vk_compute_record(&fovea->compute, &fovea->device, commands, &dispatch);
}

static void record_blockwise(struct fovea_vk *fovea, const struct frame_work *work,
                             VkCommandBuffer commands)
{
    struct vk_dispatch dispatch = {.kind.which = SHADER_FOVEATE,
                                   .constants = &work->constants,
                                   .constant_bytes = sizeof work->constants};
    shader_foveate_groups(&work->constants, dispatch.groups);
    record_dispatch(fovea, work, commands, dispatch);
}

void frame_record_kernel_barrier(struct fovea_vk *fovea, VkCommandBuffer commands)
{
    VkMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                            .dstAccessMask =
                                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    fovea->device.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &info, 0, NULL,
                                        0, NULL);
}

static void record_smooth(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands)
{
    const struct foveate_plan *plan = work->plan->plan;
    struct smooth_constants constants = {.frame = work->constants,
                                         .level_count = (int32_t)plan->level_count};
    struct vk_dispatch dispatch = {.constants = &constants, .constant_bytes = sizeof constants};
    for (uint32_t k = 0; k < plan->level_count; k++) {
        const struct foveate_level *level = &plan->levels[k];
        uint32_t margins = 2 * (uint32_t)foveate_level_margin((int32_t)k);
        constants.level = (int32_t)k;
        dispatch.kind.which = k == 0 ? SHADER_SMOOTH_LEVEL : SHADER_SMOOTH_DECIMATE;
        shader_pixel_groups((uint32_t)level->width + margins, (uint32_t)level->height + margins,
                            dispatch.groups);
        frame_record_kernel_barrier(fovea, commands);
        record_dispatch(fovea, work, commands, dispatch);
    }
    frame_record_kernel_barrier(fovea, commands);
    dispatch.kind.which = SHADER_SMOOTH_GATHER;
    shader_pixel_groups(plan->width_px, plan->height_px, dispatch.groups);
    record_dispatch(fovea, work, commands, dispatch);
}

void frame_record_foveate(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands)
{
    struct vk_functions *vk = &fovea->device.vk;
    uint32_t query = 2 * work->slot_index;
    if (fovea->queries) {
        vk->CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, fovea->queries,
                              query);
    }
    if (work->plan->plan->smooth) {
        record_smooth(fovea, work, commands);
    } else {
        record_blockwise(fovea, work, commands);
    }
    if (fovea->queries) {
        vk->CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, fovea->queries,
                              query + 1);
        work->slot->timed = true;
        work->slot->timed_by_peer = false;
    }
}

void frame_record_plain(struct fovea_vk *fovea, const struct frame_work *work,
                        VkCommandBuffer commands)
{
    copy(fovea, work, commands, work->read->image.handle, VK_IMAGE_LAYOUT_GENERAL,
         work->write->image.handle, VK_IMAGE_LAYOUT_GENERAL);
}

/* `src` as frame_record_open left it. */
static struct side src_now(const struct frame_work *work)
{
    return work->copy_in ? copy_from() : kernel_side(kernel_reads);
}

void frame_record_close(struct fovea_vk *fovea, const struct frame_work *work,
                        VkCommandBuffer commands)
{
    const struct frame_end *dst = &work->dst;
    if (work->copy_out) {
        struct side before = work->in_place ? src_now(work) : engine_side(dst->layout_before);
        if (!work->in_place) {
            take(fovea, dst, commands);
        }
        barrier(fovea, commands, work->write->image.handle, kernel_side(kernel_writes),
                kernel_side(kernel_reads));
        barrier(fovea, commands, dst->image, before, copy_to());
        copy(fovea, work, commands, work->write->image.handle, VK_IMAGE_LAYOUT_GENERAL, dst->image,
             VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        barrier(fovea, commands, dst->image, copy_to(), engine_side(dst->layout_after));
    } else {
        barrier(fovea, commands, dst->image, kernel_side(kernel_writes),
                engine_side(dst->layout_after));
    }
    give(fovea, dst, commands);
    if (!work->in_place) {
        barrier(fovea, commands, work->src.image, src_now(work),
                engine_side(work->src.layout_after));
        give(fovea, &work->src, commands);
    }
}

void frame_record_pass(struct fovea_vk *fovea, const struct frame_work *work,
                       VkCommandBuffer commands)
{
    const struct frame_end *src = &work->src;
    const struct frame_end *dst = &work->dst;
    take(fovea, src, commands);
    if (work->in_place) {
        barrier(fovea, commands, src->image, engine_side(src->layout_before),
                engine_side(dst->layout_after));
        give(fovea, dst, commands);
        return;
    }
    take(fovea, dst, commands);
    barrier(fovea, commands, src->image, engine_side(src->layout_before), copy_from());
    barrier(fovea, commands, dst->image, engine_side(dst->layout_before), copy_to());
    copy(fovea, work, commands, src->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, dst->image,
         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    barrier(fovea, commands, src->image, copy_from(), engine_side(src->layout_after));
    barrier(fovea, commands, dst->image, copy_to(), engine_side(dst->layout_after));
    give(fovea, src, commands);
    give(fovea, dst, commands);
}
