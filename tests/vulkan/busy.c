/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "busy.h"

#define COPIES 4

struct engine_busy engine_busy_create(struct engine *engine, uint32_t side_px)
{
    struct engine_busy busy;
    for (int i = 0; i < 2; i++) {
        busy.images[i] =
            engine_image_create(engine, VK_FORMAT_R16G16B16A16_SFLOAT, side_px, side_px);
    }
    return busy;
}

void engine_busy_record(const struct engine_busy *busy, VkCommandBuffer commands)
{
    const VkImageLayout from = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    const VkImageLayout to = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    const VkImageSubresourceLayers whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy region = {.srcSubresource = whole,
                                .dstSubresource = whole,
                                .extent = {busy->images[0].width_px, busy->images[0].height_px, 1}};
    for (uint32_t i = 0; i < COPIES; i++) {
        const VkImage source = busy->images[i % 2].image;
        const VkImage target = busy->images[(i + 1) % 2].image;
        engine_record_barrier(commands, source, i ? to : VK_IMAGE_LAYOUT_UNDEFINED, from);
        engine_record_barrier(commands, target, VK_IMAGE_LAYOUT_UNDEFINED, to);
        vkCmdCopyImage(commands, source, from, target, to, 1, &region);
    }
}

void engine_busy_destroy(struct engine *engine, struct engine_busy *busy)
{
    for (int i = 0; i < 2; i++) {
        engine_image_destroy(engine, &busy->images[i]);
    }
}
