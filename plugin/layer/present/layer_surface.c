/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/layer/layer.h"

#include <stdlib.h>

/* Without memory for it the pointer is not known there, and that is all. */
static void remember(struct layer_instance *instance, VkSurfaceKHR surface, uint32_t window)
{
    struct layer_window *entry = calloc(1, sizeof *entry);
    if (entry) {
        entry->surface = surface;
        entry->window = window;
        layer_registry_add_window(instance, entry);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL layer_CreateXcbSurfaceKHR(VkInstance handle,
                                                         const struct layer_xcb_surface_info *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkSurfaceKHR *out_surface)
{
    struct layer_instance *instance = layer_registry_instance(handle);
    const VkResult result = instance->vk.CreateXcbSurfaceKHR(handle, info, allocator, out_surface);
    if (result == VK_SUCCESS) {
        remember(instance, *out_surface, info->window);
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateXlibSurfaceKHR(VkInstance handle, const struct layer_xlib_surface_info *info,
                           const VkAllocationCallbacks *allocator, VkSurfaceKHR *out_surface)
{
    struct layer_instance *instance = layer_registry_instance(handle);
    const VkResult result = instance->vk.CreateXlibSurfaceKHR(handle, info, allocator, out_surface);
    if (result == VK_SUCCESS) {
        remember(instance, *out_surface, (uint32_t)info->window);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL layer_DestroySurfaceKHR(VkInstance handle, VkSurfaceKHR surface,
                                                   const VkAllocationCallbacks *allocator)
{
    struct layer_instance *instance = layer_registry_instance(handle);
    free(layer_registry_take_window(instance, surface));
    instance->vk.DestroySurfaceKHR(handle, surface, allocator);
}
