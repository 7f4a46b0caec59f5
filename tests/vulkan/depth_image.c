/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "depth_image.h"

#include "cmocka_all.h"
#include "images.h"

#define CHECK(call) assert_int_equal(call, VK_SUCCESS)

static bool is_color(VkFormat format)
{
    return format == VK_FORMAT_R32_SFLOAT || format == VK_FORMAT_R16_SFLOAT;
}

static bool is_combined(VkFormat format)
{
    return format == VK_FORMAT_D24_UNORM_S8_UINT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
}

static VkImageAspectFlags aspect_of(VkFormat format)
{
    return is_color(format) ? VK_IMAGE_ASPECT_COLOR_BIT : VK_IMAGE_ASPECT_DEPTH_BIT;
}

VkFormat depth_image_format_or(const struct engine *engine, VkFormat format)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(engine->physical, format, &properties);
    const bool is_there = properties.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    return is_there ? format : VK_FORMAT_D32_SFLOAT;
}

/* ---- Values */

static size_t value_bytes(VkFormat format)
{
    return format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_R16_SFLOAT ? 2 : 4;
}

/* There are `most` steps from 0 to 1; returns what is stored. */
static double store_whole(double value, uint32_t most, size_t bytes, void *at)
{
    const uint32_t whole = (uint32_t)(fmin(fmax(value, 0.0), 1.0) * most + 0.5);
    memcpy(at, &whole, bytes); /* the machine's low bytes come first */
    return (double)whole / most;
}

static double store_float(VkFormat format, double value, void *at)
{
    struct fovea_image pixel = {.data = at,
                                .width_px = 1,
                                .height_px = 1,
                                .format = format == VK_FORMAT_R16_SFLOAT ? FOVEA_FORMAT_R16F
                                                                         : FOVEA_FORMAT_R32F};
    pixel.row_stride_bytes = pixel.pixel_stride_bytes = (ptrdiff_t)value_bytes(format);
    image_set(&pixel, 0, 0, 0, value);
    return image_get(&pixel, 0, 0, 0);
}

static double store(VkFormat format, double value, void *at)
{
    switch (format) {
    case VK_FORMAT_D16_UNORM:
        return store_whole(value, 0xffff, 2, at);
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D24_UNORM_S8_UINT:
        return store_whole(value, 0xffffff, 4, at);
    default:
        return store_float(format, value, at);
    }
}

/* ---- Images */

static void make_image(struct engine *engine, struct engine_image *image)
{
    const VkImageUsageFlags attachment =
        is_color(image->format) ? 0 : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    const VkImageCreateInfo info = vulkan_image_info(
        image->format, image->width_px, image->height_px,
        VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | attachment);
    CHECK(vkCreateImage(engine->device, &info, NULL, &image->image));
    engine_image_allocate(engine, image);
    VkImageViewCreateInfo view = vulkan_view_info(image->image, image->format);
    view.subresourceRange.aspectMask = aspect_of(image->format);
    CHECK(vkCreateImageView(engine->device, &view, NULL, &image->raw_layers[0]));
    image->raw_view = image->raw_layers[0];
}

static void record_barrier(VkCommandBuffer commands, const struct engine_image *image,
                           VkImageLayout before, VkImageLayout after)
{
    const VkImageAspectFlags stencil = is_combined(image->format) ? VK_IMAGE_ASPECT_STENCIL_BIT : 0;
    vulkan_record_layout(commands, image->image, aspect_of(image->format) | stencil, before, after);
}

static void upload(struct engine *engine, const struct depth_image *image,
                   const struct engine_buffer *buffer)
{
    const VkBufferImageCopy region = {
        .imageSubresource = {aspect_of(image->image.format), 0, 0, 1},
        .imageExtent = {image->image.width_px, image->image.height_px, 1}};
    VkCommandBuffer commands = engine_begin(engine);
    record_barrier(commands, &image->image, VK_IMAGE_LAYOUT_UNDEFINED,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, buffer->buffer, image->image.image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    record_barrier(commands, &image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, image->layout);
    engine_submit(engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(engine);
}

/* Images of 16 bits are in the layout that engines with synchronization2 use. */
static VkImageLayout layout_of(const struct engine *engine, VkFormat format)
{
    const bool is_short = format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_R16_SFLOAT;
    return is_short && engine->has_synchronization2 ? VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL
           : is_color(format)                       ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
                              : VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
}

struct depth_image depth_image_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                      uint32_t height_px,
                                      double (*value)(const void *user, uint32_t x, uint32_t y),
                                      const void *user)
{
    const size_t pixels = (size_t)width_px * height_px;
    struct depth_image depths = {
        .image = {.format = format, .width_px = width_px, .height_px = height_px, .layer_count = 1},
        .layout = layout_of(engine, format),
        .values = malloc(pixels * sizeof(double))};
    assert_non_null(depths.values);
    struct engine_buffer buffer = engine_buffer_create(engine, pixels * value_bytes(format));
    for (size_t i = 0; i < pixels; i++) {
        depths.values[i] =
            store(format, value(user, (uint32_t)(i % width_px), (uint32_t)(i / width_px)),
                  buffer.mapped + i * value_bytes(format));
    }
    make_image(engine, &depths.image);
    upload(engine, &depths, &buffer);
    engine_buffer_destroy(engine, &buffer);
    return depths;
}

void depth_image_attach(struct engine *engine, struct depth_image *image)
{
    VkCommandBuffer commands = engine_begin(engine);
    const VkImageLayout before = image->layout;
    image->layout =
        before == VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL && engine->has_synchronization2
            ? VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL
            : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    record_barrier(commands, &image->image, before, image->layout);
    engine_submit(engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(engine);
}

void depth_image_destroy(struct engine *engine, struct depth_image *image)
{
    engine_image_destroy(engine, &image->image);
    free(image->values);
    image->values = NULL;
}

struct fovea_vk_depth depth_image_given(const struct depth_image *image,
                                        const struct fovea_depth *values)
{
    return (struct fovea_vk_depth){.view = image->image.raw_view,
                                   .format = image->image.format,
                                   .layout = image->layout,
                                   .image = image->image.image,
                                   .width_px = image->image.width_px,
                                   .height_px = image->image.height_px,
                                   .values = values};
}
