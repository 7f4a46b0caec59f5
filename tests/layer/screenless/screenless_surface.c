/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "screenless.h"

#include <stdlib.h>
#include <string.h>

/* More than any screen has: what programs may ask for, Fovea has to take. */
static const VkSurfaceFormatKHR formats[] = {
    {VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_B8G8R8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_R8G8B8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_A8B8G8R8_UNORM_PACK32, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_A8B8G8R8_SRGB_PACK32, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_COLOR_SPACE_HDR10_ST2084_EXT},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_COLOR_SPACE_HDR10_HLG_EXT},
    {VK_FORMAT_A2R10G10B10_UNORM_PACK32, VK_COLOR_SPACE_HDR10_ST2084_EXT},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT},
    {VK_FORMAT_R16G16B16A16_SFLOAT, VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT},
    {VK_FORMAT_R16G16B16A16_SFLOAT, VK_COLOR_SPACE_HDR10_ST2084_EXT},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
};
#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

bool screenless_surface_takes(VkFormat format, VkColorSpaceKHR color_space)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i].format == format && formats[i].colorSpace == color_space) {
            return true;
        }
    }
    return false;
}

static VKAPI_ATTR VkResult VKAPI_CALL create(VkInstance instance,
                                             const VkHeadlessSurfaceCreateInfoEXT *info,
                                             const VkAllocationCallbacks *allocator,
                                             VkSurfaceKHR *out_surface)
{
    *out_surface = (VkSurfaceKHR)malloc(1); /* a number that is nobody else's */
    return *out_surface ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VKAPI_ATTR void VKAPI_CALL destroy(VkInstance instance, VkSurfaceKHR surface,
                                          const VkAllocationCallbacks *allocator)
{
    free((void *)surface);
}

static VKAPI_ATTR VkResult VKAPI_CALL support(VkPhysicalDevice physical, uint32_t family,
                                              VkSurfaceKHR surface, VkBool32 *out_supported)
{
    *out_supported = VK_TRUE;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL capabilities(VkPhysicalDevice physical, VkSurfaceKHR surface,
                                                   VkSurfaceCapabilitiesKHR *out_capabilities)
{
    *out_capabilities = (VkSurfaceCapabilitiesKHR){
        .minImageCount = SCREENLESS_IMAGES,
        .maxImageCount = SCREENLESS_MAX_IMAGES,
        .currentExtent = {UINT32_MAX, UINT32_MAX},
        .minImageExtent = {1, 1},
        .maxImageExtent = {16384, 16384},
        .maxImageArrayLayers = 1,
        .supportedTransforms = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .currentTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .supportedCompositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .supportedUsageFlags = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                               VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                               VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL surface_formats(VkPhysicalDevice physical,
                                                      VkSurfaceKHR surface, uint32_t *count,
                                                      VkSurfaceFormatKHR *out_formats)
{
    if (!out_formats) {
        *count = FORMAT_COUNT;
        return VK_SUCCESS;
    }
    const bool all = *count >= FORMAT_COUNT;
    *count = all ? FORMAT_COUNT : *count;
    memcpy(out_formats, formats, *count * sizeof formats[0]);
    return all ? VK_SUCCESS : VK_INCOMPLETE;
}

static VKAPI_ATTR VkResult VKAPI_CALL present_modes(VkPhysicalDevice physical, VkSurfaceKHR surface,
                                                    uint32_t *count, VkPresentModeKHR *out_modes)
{
    static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR};
    const bool all = !out_modes || *count >= 2;
    *count = all ? 2 : *count;
    for (uint32_t i = 0; out_modes && i < *count; i++) {
        out_modes[i] = modes[i];
    }
    return all ? VK_SUCCESS : VK_INCOMPLETE;
}

PFN_vkVoidFunction screenless_surface_hook(const char *name)
{
    static const struct named_function hooks[] = {
        {"vkCreateHeadlessSurfaceEXT", (PFN_vkVoidFunction)create},
        {"vkDestroySurfaceKHR", (PFN_vkVoidFunction)destroy},
        {"vkGetPhysicalDeviceSurfaceSupportKHR", (PFN_vkVoidFunction)support},
        {"vkGetPhysicalDeviceSurfaceCapabilitiesKHR", (PFN_vkVoidFunction)capabilities},
        {"vkGetPhysicalDeviceSurfaceFormatsKHR", (PFN_vkVoidFunction)surface_formats},
        {"vkGetPhysicalDeviceSurfacePresentModesKHR", (PFN_vkVoidFunction)present_modes},
    };
    return NAMED(hooks, name);
}
