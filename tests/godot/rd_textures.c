/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Textures, their slices, and copies of them. */

#include "rd.h"
#include "resources.h"

#include "cmocka_all.h"

#define CHECK(call) assert_int_equal((call), VK_SUCCESS)

static VkImageUsageFlags vk_usage(int64_t usage)
{
    /* Tests write and read every image, whatever RenderingDevice lets extensions do. */
    VkImageUsageFlags flags = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    flags |= usage & USAGE_SAMPLING ? VK_IMAGE_USAGE_SAMPLED_BIT : 0;
    flags |= usage & USAGE_STORAGE ? VK_IMAGE_USAGE_STORAGE_BIT : 0;
    flags |= usage & USAGE_COLOR_ATTACHMENT ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : 0;
    flags |= usage & USAGE_DEPTH_ATTACHMENT ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : 0;
    flags |= usage & USAGE_INPUT_ATTACHMENT ? VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT : 0;
    return flags;
}

/* Shaders see depths alone, barriers are of the whole. */
static VkImageAspectFlags aspect_of(const struct rd_texture *texture)
{
    return texture->usage & USAGE_DEPTH_ATTACHMENT ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                   : VK_IMAGE_ASPECT_COLOR_BIT;
}

static VkImageAspectFlags aspects_of(const struct rd_texture *texture)
{
    const bool stencil = texture->format == VK_FORMAT_D32_SFLOAT_S8_UINT;
    return aspect_of(texture) | (stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0);
}

static void create_view(struct rd_texture *texture)
{
    const bool array = texture->type == 4;
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = texture->image,
        .viewType = array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
        .format = texture->format,
        .subresourceRange = {aspect_of(texture), texture->first_mip, texture->mips,
                             texture->first_layer, texture->layers}};
    CHECK(vkCreateImageView(the_host.engine.device, &info, NULL, &texture->view));
}

struct resource *rd_texture_create(const struct texture_desc *desc)
{
    VkDevice device = the_host.engine.device;
    struct resource *made = rd_new(RD_TEXTURE);
    struct rd_texture *texture = &made->texture;
    *texture = (struct rd_texture){.format = desc->format,
                                   .type = desc->type,
                                   .width_px = desc->width_px,
                                   .height_px = desc->height_px,
                                   .layers = desc->layers,
                                   .mips = desc->mips,
                                   .usage = desc->usage,
                                   .samples = desc->samples,
                                   .root = made};
    VkImageCreateInfo info =
        vulkan_image_info(desc->format, desc->width_px, desc->height_px, vk_usage(desc->usage));
    info.mipLevels = desc->mips;
    info.arrayLayers = desc->layers;
    info.samples = (VkSampleCountFlagBits)(1 << desc->samples);
    CHECK(vkCreateImage(device, &info, NULL, &texture->image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, texture->image, &needs);
    texture->memory = rd_allocate(needs);
    CHECK(vkBindImageMemory(device, texture->image, texture->memory, 0));
    texture->layouts = calloc((size_t)desc->layers * desc->mips, sizeof(VkImageLayout));
    texture->uses = calloc((size_t)desc->layers * desc->mips, 1);
    if (desc->usage & (USAGE_SAMPLING | USAGE_STORAGE | USAGE_COLOR_ATTACHMENT)) {
        create_view(texture);
    }
    return made;
}

struct resource *rd_texture_share(struct resource *of, uint32_t layer)
{
    struct resource *made = rd_new(RD_TEXTURE);
    made->texture = of->texture;
    made->texture.first_layer += layer;
    made->texture.layers = 1;
    made->texture.type = 1;
    made->of_engine = of->of_engine;
    create_view(&made->texture);
    rd_needs(made, of->texture.root->rid);
    return made;
}

/* All its subresources, which follow each other in images without mips alone. */
void rd_transition(struct resource *resource, VkImageLayout layout)
{
    const struct rd_texture *texture = &resource->texture, *root = &texture->root->texture;
    for (uint32_t l = texture->first_layer; l < texture->first_layer + texture->layers; l++) {
        for (uint32_t m = texture->first_mip; m < texture->first_mip + texture->mips; m++) {
            VkImageLayout *now = &root->layouts[l * root->mips + m];
            VkImageMemoryBarrier barrier = vulkan_layout_barrier(root->image, 0, *now, layout);
            barrier.subresourceRange = (VkImageSubresourceRange){aspects_of(texture), m, 1, l, 1};
            vkCmdPipelineBarrier(rd_commands(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                                 &barrier);
            *now = layout;
        }
    }
}

void rd_texture_write(struct resource *resource, const void *pixels, VkImageLayout after)
{
    const struct rd_texture *texture = &resource->texture;
    const struct engine_buffer from =
        rd_staging((VkDeviceSize)4 * texture->width_px * texture->height_px * texture->layers);
    memcpy(from.mapped, pixels, from.bytes);
    const VkBufferImageCopy region = {
        .imageSubresource = {aspect_of(texture), 0, texture->first_layer, texture->layers},
        .imageExtent = {texture->width_px, texture->height_px, 1}};
    rd_transition(resource, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(rd_commands(), from.buffer, texture->image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    rd_transition(resource, after);
}

/* ---- Formats ---- */

static bool supported(VkFormat format, int64_t usage)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(the_host.engine.physical, format, &properties);
    const VkFormatFeatureFlags has = properties.optimalTilingFeatures;
    return has && (!(usage & USAGE_SAMPLING) || has & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) &&
           (!(usage & USAGE_STORAGE) || has & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) &&
           (!(usage & USAGE_COLOR_ATTACHMENT) || has & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
}

static struct object *format_object(const struct resource *resource)
{
    const struct rd_texture *texture = &resource->texture;
    struct object *made = object_create_of("RDTextureFormat");
    struct fields *fields = made->data;
    *fields = (struct fields){.values = {[FORMAT_FORMAT] = texture->format - 1,
                                         [FORMAT_WIDTH] = texture->width_px,
                                         [FORMAT_HEIGHT] = texture->height_px,
                                         [FORMAT_DEPTH] = 1,
                                         [FORMAT_LAYERS] = texture->layers,
                                         [FORMAT_MIPMAPS] = texture->mips,
                                         [FORMAT_TYPE] = texture->type,
                                         [FORMAT_SAMPLES] = texture->samples,
                                         [FORMAT_USAGE] = texture->usage}};
    memset(fields->set, true, sizeof fields->set);
    return made;
}

void method_texture_format(struct call *call)
{
    const struct resource *texture = rd_find(call->args[0].rid, RD_TEXTURE);
    call->ret.object = texture ? format_object(texture) : NULL;
}

static int64_t field_of(const struct fields *fields, int field, int64_t otherwise)
{
    return fields->set[field] ? fields->values[field] : otherwise;
}

static bool read_desc(const struct fields *fields, struct texture_desc *out)
{
    *out = (struct texture_desc){.format = (VkFormat)(field_of(fields, FORMAT_FORMAT, 8) + 1),
                                 .width_px = (uint32_t)field_of(fields, FORMAT_WIDTH, 1),
                                 .height_px = (uint32_t)field_of(fields, FORMAT_HEIGHT, 1),
                                 .layers = (uint32_t)field_of(fields, FORMAT_LAYERS, 1),
                                 .mips = (uint32_t)field_of(fields, FORMAT_MIPMAPS, 1),
                                 .type = (int)field_of(fields, FORMAT_TYPE, 1),
                                 .samples = field_of(fields, FORMAT_SAMPLES, 0),
                                 .usage = field_of(fields, FORMAT_USAGE, 0)};
    uint32_t largest = out->width_px > out->height_px ? out->width_px : out->height_px, mips = 1;
    while (largest >>= 1) {
        mips++;
    }
    const bool right = out->width_px > 0 && out->height_px > 0 && out->width_px <= 16384 &&
                       out->height_px <= 16384 && out->layers > 0 && out->mips > 0 &&
                       out->mips <= mips &&
                       (out->type == 4 || (out->type == 1 && out->layers == 1));
    if (!right || !out->usage || !supported(out->format, out->usage)) {
        engine_error("texture_create: size, layers, mips, usage or format (%d) not possible",
                     out->format);
        return false;
    }
    return true;
}

/* ---- Methods ---- */

static bool upload(struct resource *resource, uint32_t layer, const struct bytes *data)
{
    const struct rd_texture *texture = &resource->texture;
    const int64_t size = (int64_t)texture->width_px * texture->height_px;
    if (bytes_size(data) <= 0 || bytes_size(data) % size || layer >= texture->layers) {
        engine_error("data of %lld bytes for a texture of %lld pixels", (long long)bytes_size(data),
                     (long long)size);
        return false;
    }
    const struct engine_buffer from = rd_staging((VkDeviceSize)bytes_size(data));
    memcpy(from.mapped, data->data, from.bytes);
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT,
                                                           texture->first_mip,
                                                           texture->first_layer + layer, 1},
                                      .imageExtent = {texture->width_px, texture->height_px, 1}};
    rd_transition(resource, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(rd_commands(), from.buffer, texture->image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    return true;
}

void method_texture_create(struct call *call)
{
    const struct array *data = *(struct array *const *)call->args[2].opaque;
    struct texture_desc desc;
    if (!call->args[0].object || !call->args[1].object) {
        engine_error("texture_create without a format or a view");
        return;
    }
    if (!read_desc(call->args[0].object->data, &desc)) {
        return;
    }
    if (data->count > 0 && (data->count != desc.layers || desc.mips != 1)) {
        engine_error("texture_create: data for %lld of %u layers", (long long)data->count,
                     desc.layers);
        return;
    }
    struct resource *made = rd_texture_create(&desc);
    for (int64_t i = 0; i < data->count; i++) {
        upload(made, (uint32_t)i, (const struct bytes *)(const void *)data->items[i].words);
    }
    call->ret.rid = made->rid;
}
