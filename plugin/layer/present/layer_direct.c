/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels read and write raw words. They see a swapchain's images where they are if those may be
 * seen as words, by VK_KHR_swapchain_mutable_format, sampled and stored to: then nothing is copied
 * in, and what is copied back is copied by a kernel (fovea_vulkan.h: raw_view). The program's own
 * views of them stay what they would be. */

#include "plugin/layer/layer.h"
#include "plugin/layer/session/layer_session.h"

#include "core/log.h"
#include "vulkan/vk_format.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const VkImageUsageFlags kernel_usage =
    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT;

/* Images without memory until they are acquired cannot have views before; of later headers. */
#define DEFERRED_MEMORY ((VkSwapchainCreateFlagsKHR)0x8)

/* ---- May they be? ---------------------------------------------------------------------------- */

static bool has_extension(const struct layer_device *device, const char *name)
{
    for (uint32_t i = 0; i < device->extension_count; i++) {
        if (strcmp(device->extensions[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Layers that hand a swapchain's create info down with what it has, by the beginning of their
 * files' names. Others may make the program's images themselves, in formats of their own, as
 * vkBasalt does: nobody may see words in those. */
static const char *const known_layers[] = {
    "VkLayer_fovea_", /* of the tests */
    "libGLX_nvidia",  "libMangoHud", "libVkLayer_MESA_", "libVkLayer_khronos_",
};

static bool is_known(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    for (size_t i = 0; i < sizeof known_layers / sizeof known_layers[0]; i++) {
        if (strncmp(name, known_layers[i], strlen(known_layers[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether there is a layer below that is not known. The link of each layer has the functions of the
 * next one, that of the last one the driver's. */
static bool has_stranger_below(const VkLayerDeviceLink *link)
{
    for (; link->pNext; link = link->pNext) {
        Dl_info info;
        const void *function = *(void *const *)&link->pfnNextGetDeviceProcAddr;
        const bool found = dladdr(function, &info) != 0 && info.dli_fname;
        if (!found || !is_known(info.dli_fname)) {
            log_info(layer_log(), "swapchains are copied: %s stands below, and is not known",
                     found ? info.dli_fname : "a layer without a file");
            return true;
        }
    }
    return false;
}

/* Framebuffers without images say beforehand how the images were made that they will be used with,
 * which are the program's words: its views can be kept to them, an image's flags and formats
 * cannot. */
static bool has_imageless_framebuffers(const VkDeviceCreateInfo *info)
{
    const VkPhysicalDeviceVulkan12Features *all =
        layer_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    const VkPhysicalDeviceImagelessFramebufferFeatures *own =
        layer_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES);
    const bool has = (all && all->imagelessFramebuffer) || (own && own->imagelessFramebuffer);
    if (has) {
        log_info(layer_log(), "swapchains are copied: framebuffers may be without images");
    }
    return has;
}

void layer_direct_note(struct layer_device *device, const VkDeviceCreateInfo *info,
                       const VkLayerDeviceLink *link)
{
    device->has_stranger = !device->inert && has_stranger_below(link);
    device->not_direct = device->inert || device->has_stranger || has_imageless_framebuffers(info);
}

static bool is_wanted(const struct layer_device *device, const VkSwapchainCreateInfoKHR *info)
{
    return layer_session_direct() && !device->not_direct && !(info->flags & DEFERRED_MEMORY) &&
           has_extension(device, VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME);
}

static bool surface_allows(const struct layer_device *device, VkSurfaceKHR surface)
{
    VkSurfaceCapabilitiesKHR capabilities;
    const struct layer_instance_functions *vk = &device->instance->vk;
    return vk->GetPhysicalDeviceSurfaceCapabilitiesKHR(device->physical, surface, &capabilities) ==
               VK_SUCCESS &&
           (capabilities.supportedUsageFlags & kernel_usage) == kernel_usage;
}

static bool words_can_be_stored(const struct layer_device *device, VkFormat raw)
{
    const VkFormatFeatureFlags needed =
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
    VkFormatProperties properties;
    device->instance->vk.GetPhysicalDeviceFormatProperties(device->physical, raw, &properties);
    return (properties.optimalTilingFeatures & needed) == needed;
}

/* The images of a swapchain with that create info, as the device would make them itself. */
static bool images_can_be_made(const struct layer_device *device,
                               const VkSwapchainCreateInfoKHR *info,
                               const VkImageFormatListCreateInfo *own)
{
    VkImageFormatListCreateInfo list = *own;
    list.pNext = NULL;
    const VkPhysicalDeviceImageFormatInfo2 query = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
        .pNext = &list,
        .format = info->imageFormat,
        .type = VK_IMAGE_TYPE_2D,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = info->imageUsage,
        .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT};
    VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    return device->instance->vk.GetPhysicalDeviceImageFormatProperties2(device->physical, &query,
                                                                        &limits) == VK_SUCCESS &&
           info->imageExtent.width <= limits.imageFormatProperties.maxExtent.width &&
           info->imageExtent.height <= limits.imageFormatProperties.maxExtent.height;
}

/* ---- What they need -------------------------------------------------------------------------- */

static bool add_format(struct layer_direct *direct, VkFormat format)
{
    for (uint32_t i = 0; i < direct->list.viewFormatCount; i++) {
        if (direct->formats[i] == format) {
            return true;
        }
    }
    if (direct->list.viewFormatCount == LAYER_MAX_VIEW_FORMATS) {
        return false;
    }
    direct->formats[direct->list.viewFormatCount++] = format;
    return true;
}

/* A list of the program's is replaced where it is the first of its chain: what precedes it could
 * not be copied. */
static bool make_list(struct layer_direct *direct, const VkSwapchainCreateInfoKHR *info,
                      VkFormat raw)
{
    const VkImageFormatListCreateInfo *theirs =
        layer_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
    if (theirs && (const void *)theirs != info->pNext) {
        return false;
    }
    direct->list =
        (VkImageFormatListCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                      .pNext = theirs ? theirs->pNext : info->pNext,
                                      .pViewFormats = direct->formats};
    bool all = add_format(direct, info->imageFormat) && add_format(direct, raw);
    for (uint32_t i = 0; theirs && i < theirs->viewFormatCount; i++) {
        all = all && add_format(direct, theirs->pViewFormats[i]);
    }
    return all;
}

/* The same channels as they are stored; the format itself where it is no sRGB. */
static VkFormat plain_format(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_R8G8B8A8_SRGB:
        return VK_FORMAT_R8G8B8A8_UNORM;
    case VK_FORMAT_B8G8R8A8_SRGB:
        return VK_FORMAT_B8G8R8A8_UNORM;
    case VK_FORMAT_A8B8G8R8_SRGB_PACK32:
        return VK_FORMAT_A8B8G8R8_UNORM_PACK32;
    default:
        return format;
    }
}

static bool surface_has(const struct layer_device *device, const VkSwapchainCreateInfoKHR *info,
                        VkFormat format)
{
    VkSurfaceFormatKHR formats[64];
    uint32_t count = sizeof formats / sizeof formats[0];
    const struct layer_instance_functions *vk = &device->instance->vk;
    bool found = false;
    if (vk->GetPhysicalDeviceSurfaceFormatsKHR(device->physical, info->surface, &count, formats) <
        0) {
        return false;
    }
    for (uint32_t i = 0; i < count && !found; i++) {
        found = formats[i].format == format && formats[i].colorSpace == info->imageColorSpace;
    }
    return found;
}

/* No sRGB can be stored to, and some drivers and validation (1.3.239, 01778) ask that of an image's
 * own format: the images are made of the plain one and seen as sRGB. Programs draw into views,
 * which say their format; clears, blits and copies go by the image's own. */
static bool take_plain_format(const struct layer_device *device, VkImageUsageFlags asked,
                              VkSwapchainCreateInfoKHR *info)
{
    const VkImageUsageFlags by_image =
        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const VkFormat plain = plain_format(info->imageFormat);
    if (plain == info->imageFormat) {
        return true;
    }
    const bool can_be = !(asked & by_image) && surface_has(device, info, plain);
    info->imageFormat = plain;
    return can_be;
}

bool layer_direct_apply(const struct layer_device *device, VkImageUsageFlags asked,
                        struct layer_direct *direct, VkSwapchainCreateInfoKHR *info)
{
    const VkFormat raw = fovea_vk_raw_format(info->imageFormat);
    VkSwapchainCreateInfoKHR own = *info;
    direct->on = false;
    if (!is_wanted(device, info) || !surface_allows(device, info->surface) ||
        !words_can_be_stored(device, raw) || !make_list(direct, info, raw) ||
        !take_plain_format(device, asked, &own) || !add_format(direct, own.imageFormat)) {
        return false;
    }
    own.pNext = &direct->list;
    own.flags |= VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
    own.imageUsage |= kernel_usage;
    if (!images_can_be_made(device, &own, &direct->list)) {
        return false;
    }
    *info = own;
    direct->on = true;
    direct->format = own.imageFormat;
    return true;
}

/* ---- Views ----------------------------------------------------------------------------------- */

static VkResult make_view(const struct layer_swapchain *swapchain, uint32_t index,
                          VkImageView *out_view)
{
    const struct layer_device *device = swapchain->device;
    const VkImageViewUsageCreateInfo usage = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, .usage = kernel_usage};
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .pNext = &usage,
        .image = swapchain->images[index],
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = fovea_vk_raw_format(swapchain->format),
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    return device->vk.CreateImageView(device->handle, &info, NULL, out_view);
}

void layer_direct_open(struct layer_swapchain *swapchain)
{
    swapchain->raw_views = calloc(swapchain->image_count, sizeof *swapchain->raw_views);
    for (uint32_t i = 0; swapchain->raw_views && i < swapchain->image_count; i++) {
        if (make_view(swapchain, i, &swapchain->raw_views[i]) != VK_SUCCESS) {
            swapchain->raw_views[i] = VK_NULL_HANDLE;
            layer_direct_close(swapchain);
        }
    }
}

void layer_direct_close(struct layer_swapchain *swapchain)
{
    const struct layer_device *device = swapchain->device;
    for (uint32_t i = 0; swapchain->raw_views && i < swapchain->image_count; i++) {
        device->vk.DestroyImageView(device->handle, swapchain->raw_views[i], NULL);
    }
    free(swapchain->raw_views);
    swapchain->raw_views = NULL;
}

/* A view has all of its image's usages unless it says which, one of sRGB cannot be stored to, and a
 * framebuffer without images has said which it will have. */
VKAPI_ATTR VkResult VKAPI_CALL layer_CreateImageView(VkDevice handle,
                                                     const VkImageViewCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkImageView *out_view)
{
    struct layer_device *device = layer_registry_device(handle);
    VkImageViewUsageCreateInfo usage = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
                                        .pNext = info->pNext};
    if (!device->inert &&
        !layer_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO)) {
        usage.usage = layer_registry_image_usage(device, info->image);
    }
    VkImageViewCreateInfo own = *info;
    own.pNext = usage.usage ? &usage : info->pNext;
    return device->vk.CreateImageView(handle, &own, allocator, out_view);
}
