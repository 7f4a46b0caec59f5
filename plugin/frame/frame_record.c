/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_record.h"

#define ANY_ACCESS (VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT)

/* The state of an image on one side of a barrier. */
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
                    uint32_t layer_count, struct side before, struct side after)
{
    VkImageMemoryBarrier info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = before.access,
        .dstAccessMask = after.access,
        .oldLayout = before.layout,
        .newLayout = after.layout,
        .srcQueueFamilyIndex = before.family,
        .dstQueueFamilyIndex = after.family,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layer_count}};
    fovea->device.vk.CmdPipelineBarrier(commands, before.stage, after.stage, 0, 0, NULL, 0, NULL, 1,
                                        &info);
}

static void end_barrier(struct fovea_vk *fovea, VkCommandBuffer commands,
                        const struct frame_end *end, struct side before, struct side after)
{
    barrier(fovea, commands, end->image, end->layer_count, before, after);
}

static void target_barrier(struct fovea_vk *fovea, VkCommandBuffer commands,
                           const struct frame_target *target, struct side before, struct side after)
{
    barrier(fovea, commands, target->image, target->layer_count, before, after);
}

/* An image that views are copied from or to. */
struct copied {
    VkImage image;
    VkImageLayout layout;
    bool engines; /* views lie where the engine has them, not the kernels */
};

static struct copied engines_image(const struct frame_end *end, struct side side)
{
    return (struct copied){end->image, side.layout, true};
}

static struct copied kernels_image(const struct frame_target *target)
{
    return (struct copied){target->image, VK_IMAGE_LAYOUT_GENERAL, !target->shared};
}

static VkOffset3D offset_of(const struct frame_view *view, const struct copied *image)
{
    return image->engines ? (VkOffset3D){(int32_t)view->x_px, (int32_t)view->y_px, 0}
                          : (VkOffset3D){(int32_t)view->kernel_x_px, (int32_t)view->kernel_y_px, 0};
}

static VkImageSubresourceLayers layer_of(const struct frame_view *view, const struct copied *image)
{
    return (VkImageSubresourceLayers){VK_IMAGE_ASPECT_COLOR_BIT, 0,
                                      image->engines ? view->layer : 0, 1};
}

static void copy(struct fovea_vk *fovea, const struct frame_work *work, VkCommandBuffer commands,
                 struct copied from, struct copied to, enum frame_views which)
{
    VkImageCopy regions[FOVEA_VK_MAX_VIEWS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->view_count; i++) {
        const struct frame_view *view = &work->views[i];
        if (which == FRAME_ALL_VIEWS || !view->runs) {
            regions[count++] =
                (VkImageCopy){.srcSubresource = layer_of(view, &from),
                              .srcOffset = offset_of(view, &from),
                              .dstSubresource = layer_of(view, &to),
                              .dstOffset = offset_of(view, &to),
                              .extent = {work->view_width_px, work->view_height_px, 1}};
        }
    }
    fovea->device.vk.CmdCopyImage(commands, from.image, from.layout, to.image, to.layout, count,
                                  regions);
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
        end_barrier(fovea, commands, end, theirs, ours);
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
        end_barrier(fovea, commands, end, ours, theirs);
    }
}

/* Contents that were there are kept: a frame whose peer got stuck shows what was shown before. */
static void to_general(struct fovea_vk *fovea, struct frame_shared *scratch,
                       VkCommandBuffer commands)
{
    struct side before = kernel_side(kernel_reads | kernel_writes);
    before.layout = scratch->general ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED;
    barrier(fovea, commands, scratch->image.handle, 1, before,
            kernel_side(kernel_reads | kernel_writes));
    scratch->general = true;
}

void frame_record_between(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands)
{
    struct frame_scratch *between = work->between;
    if (between) {
        to_general(fovea, &between->src, commands);
    }
    if (between && between->dst.image.handle) {
        to_general(fovea, &between->dst, commands);
    }
}

/* The engine's image while views are copied from it, */
static struct side read_side(enum frame_copy by)
{
    return by == FRAME_COPY_COMMAND ? copy_from() : kernel_side(kernel_reads);
}

/* and to it. */
static struct side written_side(enum frame_copy by)
{
    return by == FRAME_COPY_COMMAND ? copy_to() : kernel_side(kernel_writes);
}

static void copy_in(struct fovea_vk *fovea, const struct frame_work *work, VkCommandBuffer commands)
{
    if (work->copy_in == FRAME_COPY_KERNEL) {
        frame_copy_record(fovea, work, commands, FRAME_IN);
    } else {
        copy(fovea, work, commands, engines_image(&work->src, copy_from()),
             kernels_image(&work->read), FRAME_ALL_VIEWS);
    }
}

static void copy_out(struct fovea_vk *fovea, const struct frame_work *work,
                     VkCommandBuffer commands)
{
    if (work->copy_out == FRAME_COPY_KERNEL) {
        frame_copy_record(fovea, work, commands, FRAME_OUT);
    } else {
        copy(fovea, work, commands, kernels_image(&work->write),
             engines_image(&work->dst, copy_to()), FRAME_ALL_VIEWS);
    }
}

void frame_record_open(struct fovea_vk *fovea, const struct frame_work *work,
                       VkCommandBuffer commands)
{
    const struct frame_end *src = &work->src;
    take(fovea, src, commands);
    if (work->copy_in) {
        to_general(fovea, work->read.shared, commands);
        end_barrier(fovea, commands, src, engine_side(src->layout_before),
                    read_side(work->copy_in));
        copy_in(fovea, work, commands);
        target_barrier(fovea, commands, &work->read, kernel_side(kernel_writes),
                       kernel_side(kernel_reads));
    } else {
        end_barrier(fovea, commands, src, engine_side(src->layout_before),
                    kernel_side(kernel_reads));
    }
    if (work->copy_out) {
        to_general(fovea, work->write.shared, commands);
    } else {
        take(fovea, &work->dst, commands);
        end_barrier(fovea, commands, &work->dst, engine_side(work->dst.layout_before),
                    kernel_side(kernel_writes));
    }
}

/* The host is a peer without a queue family of its own; its reads and writes need no more than
 * this. */
static void host_barrier(struct fovea_vk *fovea, VkCommandBuffer commands, bool to_host)
{
    VkPipelineStageFlags device =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkAccessFlags host = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT;
    VkMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = to_host ? kernel_writes : VK_ACCESS_HOST_WRITE_BIT,
                            .dstAccessMask = to_host ? host
                                                     : kernel_reads | kernel_writes |
                                                           VK_ACCESS_UNIFORM_READ_BIT};
    fovea->device.vk.CmdPipelineBarrier(commands, to_host ? device : VK_PIPELINE_STAGE_HOST_BIT,
                                        to_host ? VK_PIPELINE_STAGE_HOST_BIT : device, 0, 1, &info,
                                        0, NULL, 0, NULL);
}

static void transfer(struct fovea_vk *fovea, const struct frame_target *target,
                     VkCommandBuffer commands, bool to_peer)
{
    struct side ours = kernel_side(kernel_reads | kernel_writes);
    struct side theirs = ours;
    ours.family = fovea->device.queue_family;
    theirs.family = VK_QUEUE_FAMILY_EXTERNAL;
    theirs.access = 0;
    if (to_peer) {
        theirs.stage = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
        target_barrier(fovea, commands, target, ours, theirs);
    } else {
        /* The batch waits for the peer at ALL_COMMANDS: the acquire must come after that wait. */
        theirs.stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        target_barrier(fovea, commands, target, theirs, ours);
    }
}

void frame_record_to_peer(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands)
{
    if (!fovea->peer->api->imports_handles) {
        host_barrier(fovea, commands, true);
    }
    transfer(fovea, &work->read, commands, true);
    transfer(fovea, &work->write, commands, true);
}

void frame_record_from_peer(struct fovea_vk *fovea, const struct frame_work *work,
                            VkCommandBuffer commands)
{
    transfer(fovea, &work->read, commands, false);
    transfer(fovea, &work->write, commands, false);
    if (!fovea->peer->api->imports_handles) {
        host_barrier(fovea, commands, false);
    }
}

static bool any_view(const struct frame_work *work, enum frame_views which)
{
    bool any = which == FRAME_ALL_VIEWS;
    for (uint32_t i = 0; i < work->view_count; i++) {
        any = any || !work->views[i].runs;
    }
    return any;
}

void frame_record_plain(struct fovea_vk *fovea, const struct frame_work *work,
                        VkCommandBuffer commands, enum frame_views which)
{
    if (!any_view(work, which)) {
        return;
    }
    struct side writes = kernel_side(kernel_writes);
    target_barrier(fovea, commands, &work->write, writes, writes);
    copy(fovea, work, commands, kernels_image(&work->read), kernels_image(&work->write), which);
    target_barrier(fovea, commands, &work->write, writes,
                   kernel_side(kernel_reads | kernel_writes));
}

/* `src` as frame_record_open left it. */
static struct side src_now(const struct frame_work *work)
{
    return read_side(work->copy_in);
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
        target_barrier(fovea, commands, &work->write, kernel_side(kernel_writes),
                       kernel_side(kernel_reads));
        end_barrier(fovea, commands, dst, before, written_side(work->copy_out));
        copy_out(fovea, work, commands);
        end_barrier(fovea, commands, dst, written_side(work->copy_out),
                    engine_side(dst->layout_after));
    } else {
        end_barrier(fovea, commands, dst, kernel_side(kernel_writes),
                    engine_side(dst->layout_after));
    }
    give(fovea, dst, commands);
    if (!work->in_place) {
        end_barrier(fovea, commands, &work->src, src_now(work),
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
        end_barrier(fovea, commands, src, engine_side(src->layout_before),
                    engine_side(dst->layout_after));
        give(fovea, dst, commands);
        return;
    }
    take(fovea, dst, commands);
    end_barrier(fovea, commands, src, engine_side(src->layout_before), copy_from());
    end_barrier(fovea, commands, dst, engine_side(dst->layout_before), copy_to());
    copy(fovea, work, commands, engines_image(src, copy_from()), engines_image(dst, copy_to()),
         FRAME_ALL_VIEWS);
    end_barrier(fovea, commands, src, copy_from(), engine_side(src->layout_after));
    end_barrier(fovea, commands, dst, copy_to(), engine_side(dst->layout_after));
    give(fovea, src, commands);
    give(fovea, dst, commands);
}
