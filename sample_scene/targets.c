/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "targets.h"

#include "pixels.h"

static VkImageCreateInfo image_info(const struct targets *targets, VkFormat format,
                                    VkImageUsageFlags usage)
{
    return (VkImageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {targets->desc.extent.width, targets->desc.extent.height, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = usage};
}

#define SRC_USAGE (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT)
#define DST_USAGE (VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT)

static bool add_own(struct targets *targets, struct foveation_image *image, VkImageUsageFlags usage)
{
    VkImageCreateInfo info = image_info(targets, targets->format, usage);
    image->format = targets->format;
    image->extent = targets->desc.extent;
    return arena_add_image(&targets->arena, &info, &image->image);
}

static bool add_made(struct targets *targets, struct foveation *foveation,
                     struct foveation_image *image, VkImageUsageFlags usage)
{
    const struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc,
                                             .format = targets->format,
                                             .width_px = targets->desc.extent.width,
                                             .height_px = targets->desc.extent.height,
                                             .usage = usage};
    return foveation_image_create(foveation, &desc, image);
}

static bool add_pictures(struct targets *targets, struct foveation *foveation)
{
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) {
        const bool made = targets->desc.made;
        const VkImageUsageFlags usage =
            SRC_USAGE | (targets->desc.copied ? VK_IMAGE_USAGE_TRANSFER_DST_BIT : 0u);
        if (!(made ? add_made(targets, foveation, &targets->src[i], usage)
                   : add_own(targets, &targets->src[i], usage))) {
            return false;
        }
        if (targets->desc.own_dst &&
            !(made ? add_made(targets, foveation, &targets->dst[i], DST_USAGE)
                   : add_own(targets, &targets->dst[i], DST_USAGE))) {
            return false;
        }
    }
    return true;
}

static VkDeviceSize depth_bytes(const struct targets *targets)
{
    return (VkDeviceSize)targets->desc.extent.width * targets->desc.extent.height * sizeof(float);
}

static bool add_readback(struct targets *targets)
{
    VkDeviceSize pixels = (VkDeviceSize)targets->desc.extent.width * targets->desc.extent.height;
    targets->picture_bytes = (pixels * pixels_bytes(targets->format) + 63) / 64 * 64;
    if (!targets->desc.readback) {
        return true;
    }
    targets->depths_at = targets->picture_bytes * 2 * FRAMES_IN_FLIGHT;
    const struct arena_buffer_desc desc = {targets->depths_at +
                                               depth_bytes(targets) * FRAMES_IN_FLIGHT,
                                           VK_BUFFER_USAGE_TRANSFER_DST_BIT, ARENA_READBACK};
    return arena_add_buffer(&targets->arena, &desc, &targets->readback, &targets->readback_mapped);
}

static bool make_view(const struct targets *targets, VkImage image, VkFormat format,
                      VkImageAspectFlags aspect, VkImageView *out_view)
{
    VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format,
                                  .subresourceRange = {aspect, 0, 1, 0, 1}};
    VK_TRY(vkCreateImageView(targets->arena.gpu->device, &info, NULL, out_view));
    return true;
}

static bool make_framebuffer(struct targets *targets, const struct renderer *renderer,
                             uint32_t slot)
{
    struct foveation_image *src = &targets->src[slot];
    if (!src->made &&
        !make_view(targets, src->image, targets->format, VK_IMAGE_ASPECT_COLOR_BIT, &src->view)) {
        return false;
    }
    const VkImageView views[2] = {src->view, targets->depth_view};
    VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                    .renderPass = renderer->main_pass,
                                    .attachmentCount = 2,
                                    .pAttachments = views,
                                    .width = targets->desc.extent.width,
                                    .height = targets->desc.extent.height,
                                    .layers = 1};
    VK_TRY(vkCreateFramebuffer(renderer->gpu->device, &info, NULL, &targets->framebuffers[slot]));
    return true;
}

static bool build(struct targets *targets, const struct renderer *renderer,
                  struct foveation *foveation)
{
    VkImageCreateInfo depth =
        image_info(targets, DEPTH_FORMAT,
                   VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                       VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    if (!add_pictures(targets, foveation) ||
        !arena_add_image(&targets->arena, &depth, &targets->depth) || !add_readback(targets) ||
        !arena_bind(&targets->arena) ||
        !make_view(targets, targets->depth, DEPTH_FORMAT, VK_IMAGE_ASPECT_DEPTH_BIT,
                   &targets->depth_view)) {
        return false;
    }
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) {
        if (!make_framebuffer(targets, renderer, i)) {
            return false;
        }
    }
    return true;
}

bool targets_init(struct targets *targets, const struct renderer *renderer,
                  struct foveation *foveation, const struct targets_desc *desc)
{
    *targets = (struct targets){.desc = *desc, .format = renderer->format};
    arena_init(&targets->arena, renderer->gpu);
    if (!build(targets, renderer, foveation)) {
        targets_finish(targets);
        return false;
    }
    return true;
}

void targets_finish(struct targets *targets)
{
    if (!targets->arena.gpu) {
        return;
    }
    VkDevice device = targets->arena.gpu->device;
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) {
        vkDestroyFramebuffer(device, targets->framebuffers[i], NULL);
        if (!targets->src[i].made) {
            vkDestroyImageView(device, targets->src[i].view, NULL);
        }
        foveation_image_destroy(&targets->src[i]);
        foveation_image_destroy(&targets->dst[i]);
    }
    vkDestroyImageView(device, targets->depth_view, NULL);
    arena_finish(&targets->arena);
    *targets = (struct targets){0};
}

/* A copy of an image that is in TRANSFER_SRC_OPTIMAL, where the host sees it. */
static void read_into(const struct targets *targets, VkCommandBuffer commands, VkImage image,
                      VkImageAspectFlags aspect, VkDeviceSize offset, VkDeviceSize bytes)
{
    VkBufferImageCopy region = {
        .bufferOffset = offset,
        .imageSubresource = {aspect, 0, 0, 1},
        .imageExtent = {targets->desc.extent.width, targets->desc.extent.height, 1}};
    vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, targets->readback,
                           1, &region);
    VkBufferMemoryBarrier host = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
                                  .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .buffer = targets->readback,
                                  .offset = offset,
                                  .size = bytes};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 0,
                         NULL, 1, &host, 0, NULL);
}

void targets_read(const struct targets *targets, VkCommandBuffer commands, VkImage image,
                  VkImageLayout before, uint32_t picture)
{
    const VkImageMemoryBarrier barrier =
        gpu_layout_change(image, before, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
    read_into(targets, commands, image, VK_IMAGE_ASPECT_COLOR_BIT, targets->picture_bytes * picture,
              targets->picture_bytes);
}

void targets_read_depth(const struct targets *targets, VkCommandBuffer commands, uint32_t slot)
{
    const VkImageLayout layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
    const VkImageLayout copied = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    VkImageMemoryBarrier before = gpu_layout_change(targets->depth, layout, copied);
    VkImageMemoryBarrier after = gpu_layout_change(targets->depth, copied, layout);
    before.subresourceRange.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
    after.subresourceRange.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
    after.srcAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &before);
    read_into(targets, commands, targets->depth, VK_IMAGE_ASPECT_DEPTH_BIT,
              targets->depths_at + depth_bytes(targets) * slot, depth_bytes(targets));
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &after);
}

const void *targets_picture(const struct targets *targets, uint32_t picture)
{
    const uint8_t *mapped = targets->readback_mapped;
    return mapped ? mapped + targets->picture_bytes * picture : NULL;
}

const float *targets_depth(const struct targets *targets, uint32_t slot)
{
    const uint8_t *mapped = targets->readback_mapped;
    return mapped ? (const float *)(const void *)(mapped + targets->depths_at +
                                                  depth_bytes(targets) * slot)
                  : NULL;
}
