/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "engine.h"

#include "cmocka_all.h"

#define CHECK(call) assert_int_equal((call), VK_SUCCESS)

void engine_image_allocate(struct engine *engine, struct engine_image *image)
{
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(engine->device, image->image, &needs);
    image->memory = engine_allocate(engine, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    CHECK(vkBindImageMemory(engine->device, image->image, image->memory, 0));
}

static void create_view(struct engine *engine, struct engine_image *image, uint32_t layer)
{
    const VkImageViewUsageCreateInfo usage = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT};
    VkImageViewCreateInfo info = vulkan_view_info(image->image, fovea_vk_raw_format(image->format));
    info.pNext = &usage;
    info.subresourceRange.baseArrayLayer = layer;
    CHECK(vkCreateImageView(engine->device, &info, NULL, &image->raw_layers[layer]));
}

struct engine_image engine_seen_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                       uint32_t height_px, uint32_t layer_count)
{
    struct engine_image image = {
        .format = format, .width_px = width_px, .height_px = height_px, .layer_count = layer_count};
    VkImageCreateInfo info =
        vulkan_image_info(format, width_px, height_px,
                          VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                              VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT);
    info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
    info.arrayLayers = layer_count;
    CHECK(vkCreateImage(engine->device, &info, NULL, &image.image));
    engine_image_allocate(engine, &image);
    assert_true(layer_count <= ENGINE_SEEN_LAYERS);
    for (uint32_t i = 0; i < layer_count; i++) {
        create_view(engine, &image, i);
    }
    image.raw_view = image.raw_layers[0];
    return image;
}

struct engine_image engine_plain_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                        uint32_t height_px, VkImageUsageFlags usage)
{
    struct engine_image image = {
        .format = format, .width_px = width_px, .height_px = height_px, .layer_count = 1};
    const VkImageCreateInfo info = vulkan_image_info(format, width_px, height_px,
                                                     usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                         VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    CHECK(vkCreateImage(engine->device, &info, NULL, &image.image));
    engine_image_allocate(engine, &image);
    const VkImageViewCreateInfo view = vulkan_view_info(image.image, format);
    CHECK(vkCreateImageView(engine->device, &view, NULL, &image.raw_layers[0]));
    image.raw_view = image.raw_layers[0];
    return image;
}

struct engine_image engine_sampled_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                          uint32_t height_px)
{
    return engine_plain_create(engine, format, width_px, height_px, VK_IMAGE_USAGE_SAMPLED_BIT);
}

void engine_plain_write(struct engine *engine, const struct engine_image *image, const void *pixels,
                        size_t bytes, VkImageLayout layout)
{
    struct engine_buffer buffer = engine_buffer_create(engine, bytes);
    VkCommandBuffer commands = engine_begin(engine);
    memcpy(buffer.mapped, pixels, bytes);
    engine_record_upload(commands, image->image, image->width_px, image->height_px, buffer.buffer,
                         0, VK_IMAGE_LAYOUT_UNDEFINED, layout);
    engine_submit(engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(engine);
    engine_buffer_destroy(engine, &buffer);
}
