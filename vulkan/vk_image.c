/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "vk_image.h"

#include "core/log.h"
#include "vk_check.h"

static const VkImageUsageFlags kernel_usage =
    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
    VK_IMAGE_USAGE_TRANSFER_DST_BIT;

/* An image's create info with the structs it points to; pointers are set by link_info, in place. */
struct image_info {
    VkImageCreateInfo image;
    VkExternalMemoryImageCreateInfo external;
    VkImageFormatListCreateInfo list;
    VkFormat formats[2];
};

static void link_info(struct image_info *info, const struct vk_image_desc *desc, bool format_list)
{
    const void *next = NULL;
    if (desc->sharing == VK_IMAGE_EXPORTED) {
        info->external.pNext = next;
        next = &info->external;
    }
    if (!desc->raw && format_list) {
        info->list.pNext = next;
        info->list.pViewFormats = info->formats;
        next = &info->list;
    }
    info->image.pNext = next;
}

static void fill_info(struct image_info *info, const struct vk_device *device,
                      const struct vk_image_desc *desc)
{
    *info = (struct image_info){
        .image = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                  .imageType = VK_IMAGE_TYPE_2D,
                  .format = desc->raw ? desc->format->raw : desc->format->format,
                  .extent = {desc->width_px, desc->height_px, 1},
                  .mipLevels = 1,
                  .arrayLayers = 1,
                  .samples = VK_SAMPLE_COUNT_1_BIT,
                  .tiling = desc->sharing == VK_IMAGE_MAPPED ? VK_IMAGE_TILING_LINEAR
                                                             : VK_IMAGE_TILING_OPTIMAL,
                  .usage = kernel_usage | desc->usage,
                  /* The kernels' view is of raw words: another format, with a usage that the
                   * image's own format may lack (no device stores to sRGB). */
                  .flags = desc->raw ? 0
                                     : VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT |
                                           VK_IMAGE_CREATE_EXTENDED_USAGE_BIT},
        .external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
                     .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT},
        .list = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, .viewFormatCount = 2},
        .formats = {desc->format->format, desc->format->raw}};
    link_info(info, desc, device->format_list);
}

static VkResult query_format(const struct vk_device *device, const struct image_info *info,
                             bool exported, VkImageFormatProperties *out_properties,
                             VkExternalMemoryFeatureFlags *out_external)
{
    VkImageFormatListCreateInfo list = info->list;
    list.pNext = NULL;
    VkPhysicalDeviceExternalImageFormatInfo external = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
        .pNext = info->image.flags && device->format_list ? &list : NULL,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkPhysicalDeviceImageFormatInfo2 query = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
        .pNext = exported ? (const void *)&external : external.pNext,
        .format = info->image.format,
        .type = info->image.imageType,
        .tiling = info->image.tiling,
        .usage = info->image.usage,
        .flags = info->image.flags};
    VkExternalImageFormatProperties external_out = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
    VkImageFormatProperties2 out = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
                                    .pNext = exported ? &external_out : NULL};
    VkResult result =
        device->vk.GetPhysicalDeviceImageFormatProperties2(device->physical, &query, &out);
    *out_properties = out.imageFormatProperties;
    *out_external = external_out.externalMemoryProperties.externalMemoryFeatures;
    return result;
}

static bool has_features(const struct vk_device *device, VkFormat format, VkImageTiling tiling,
                         VkFormatFeatureFlags wanted)
{
    VkFormatProperties properties;
    device->vk.GetPhysicalDeviceFormatProperties(device->physical, format, &properties);
    VkFormatFeatureFlags has = tiling == VK_IMAGE_TILING_LINEAR ? properties.linearTilingFeatures
                                                                : properties.optimalTilingFeatures;
    return (has & wanted) == wanted;
}

static VkFormatFeatureFlags features_of(VkImageUsageFlags usage)
{
    VkFormatFeatureFlags features = 0;
    if (usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) {
        features |= VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
    }
    if (usage & VK_IMAGE_USAGE_SAMPLED_BIT) {
        features |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    }
    if (usage & VK_IMAGE_USAGE_STORAGE_BIT) {
        features |= VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
    }
    return features;
}

/* An image of extended usage may be made with usages that no view of it can have: what the engine
 * does with its format, and the kernels with raw words, is asked of the formats. */
static bool views_supported(const struct vk_device *device, const struct image_info *info,
                            const struct vk_image_desc *desc)
{
    VkImageTiling tiling = info->image.tiling;
    return has_features(device, desc->format->raw, tiling, features_of(kernel_usage)) &&
           (desc->raw ||
            has_features(device, desc->format->format, tiling, features_of(desc->usage)));
}

enum fovea_result vk_image_supported(const struct vk_device *device,
                                     const struct vk_image_desc *desc, enum fovea_log_level level)
{
    struct image_info info;
    fill_info(&info, device, desc);
    bool exported = desc->sharing == VK_IMAGE_EXPORTED;
    VkImageFormatProperties limits;
    VkExternalMemoryFeatureFlags external;
    VkResult result = query_format(device, &info, exported, &limits, &external);
    if (result == VK_SUCCESS && !views_supported(device, &info, desc)) {
        result = VK_ERROR_FORMAT_NOT_SUPPORTED;
    }
    if (result != VK_SUCCESS) {
        log_write(device->log, level, "vulkan: no image of format %d with usage 0x%x (%s)",
                  info.image.format, info.image.usage, vk_result_name(result));
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (desc->width_px > limits.maxExtent.width || desc->height_px > limits.maxExtent.height) {
        log_write(device->log, level, "vulkan: %ux%u is larger than %ux%u, the most for format %d",
                  desc->width_px, desc->height_px, limits.maxExtent.width, limits.maxExtent.height,
                  info.image.format);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (exported && !(external & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT)) {
        log_write(device->log, level, "vulkan: images of format %d cannot be exported",
                  info.image.format);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

/* Memory that the host reads should be cached: other memory is read some hundred times slower. */
static enum fovea_result mapped_type(struct vk_device *device, uint32_t type_bits,
                                     uint32_t *out_type)
{
    VkMemoryPropertyFlags flags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryPropertyFlags cached = flags | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    if (vk_device_has_memory_type(device, type_bits, cached)) {
        flags = cached;
    }
    return vk_device_memory_type(device, type_bits, flags, out_type);
}

static enum fovea_result allocate(struct vk_image *image, struct vk_device *device)
{
    struct vk_functions *vk = &device->vk;
    VkMemoryRequirements needs;
    vk->GetImageMemoryRequirements(device->handle, image->handle, &needs);
    uint32_t type = 0;
    FOVEA_TRY(image->desc.sharing == VK_IMAGE_MAPPED
                  ? mapped_type(device, needs.memoryTypeBits, &type)
                  : vk_device_memory_type(device, needs.memoryTypeBits,
                                          VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &type));
    VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                           .handleTypes =
                                               VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    /* Always dedicated: one image, one allocation, offset 0, whatever the driver prefers; the
     * peer's import flag is then a constant. */
    VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .pNext = image->desc.sharing == VK_IMAGE_EXPORTED ? &exported : NULL,
        .image = image->handle};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = &dedicated,
                                 .allocationSize = needs.size,
                                 .memoryTypeIndex = type};
    VK_TRY(device->log,
           vk->AllocateMemory(device->handle, &info, device->allocator, &image->memory));
    image->allocation_bytes = needs.size;
    VK_TRY(device->log, vk->BindImageMemory(device->handle, image->handle, image->memory, 0));
    return FOVEA_OK;
}

static enum fovea_result map(struct vk_image *image, struct vk_device *device)
{
    VkImageSubresource subresource = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    VkSubresourceLayout layout;
    device->vk.GetImageSubresourceLayout(device->handle, image->handle, &subresource, &layout);
    void *base = NULL;
    VK_TRY(device->log,
           device->vk.MapMemory(device->handle, image->memory, 0, VK_WHOLE_SIZE, 0, &base));
    image->mapped = (char *)base + layout.offset;
    image->row_stride_bytes = (ptrdiff_t)layout.rowPitch;
    return FOVEA_OK;
}

static enum fovea_result create_view(struct vk_image *image, struct vk_device *device,
                                     VkFormat format, VkImageUsageFlags usage,
                                     VkImageView *out_view)
{
    VkImageViewUsageCreateInfo limited = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
                                          .usage = usage};
    VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .pNext = &limited,
                                  .image = image->handle,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VK_TRY(device->log,
           device->vk.CreateImageView(device->handle, &info, device->allocator, out_view));
    return FOVEA_OK;
}

static enum fovea_result create_views(struct vk_image *image, struct vk_device *device)
{
    const struct vk_image_desc *desc = &image->desc;
    FOVEA_TRY(create_view(image, device, desc->format->raw,
                          VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
                          &image->raw_view));
    VkImageUsageFlags viewable = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                 VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
    VkImageUsageFlags usage = (desc->usage | VK_IMAGE_USAGE_SAMPLED_BIT) & viewable;
    if (desc->raw) {
        return FOVEA_OK;
    }
    return create_view(image, device, desc->format->format, usage, &image->view);
}

static enum fovea_result build(struct vk_image *image, struct vk_device *device)
{
    struct image_info info;
    fill_info(&info, device, &image->desc);
    VK_TRY(device->log,
           device->vk.CreateImage(device->handle, &info.image, device->allocator, &image->handle));
    FOVEA_TRY(allocate(image, device));
    if (image->desc.sharing == VK_IMAGE_MAPPED) {
        FOVEA_TRY(map(image, device));
    }
    return create_views(image, device);
}

enum fovea_result vk_image_init(struct vk_image *image, struct vk_device *device,
                                const struct vk_image_desc *desc)
{
    *image = (struct vk_image){.desc = *desc};
    enum fovea_result result = build(image, device);
    if (result < 0) {
        vk_image_finish(image, device);
    }
    return result;
}

void vk_image_finish(struct vk_image *image, struct vk_device *device)
{
    struct vk_functions *vk = &device->vk;
    vk->DestroyImageView(device->handle, image->view, device->allocator);
    vk->DestroyImageView(device->handle, image->raw_view, device->allocator);
    vk->DestroyImage(device->handle, image->handle, device->allocator);
    vk->FreeMemory(device->handle, image->memory, device->allocator);
    *image = (struct vk_image){0};
}

enum fovea_result vk_image_export(const struct vk_image *image, struct vk_device *device,
                                  struct os_handle *out_handle)
{
    *out_handle = OS_HANDLE_INVALID;
    VkMemoryGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                 .memory = image->memory,
                                 .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VK_TRY(device->log, device->vk.GetMemoryFdKHR(device->handle, &info, &out_handle->fd));
    return FOVEA_OK;
}
