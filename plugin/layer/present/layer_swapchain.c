/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/layer/layer.h"
#include "plugin/layer/session/layer_session.h"

#include "core/log.h"
#include "vulkan/vk_format.h"

#include <stdlib.h>
#include <string.h>

/* ---- Which swapchains ------------------------------------------------------------------------ */

/* Why frames of that swapchain are passed through; NULL: they are not. */
static const char *obstacle(const VkSwapchainCreateInfoKHR *info)
{
    if (info->flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR) {
        return "its images are protected";
    }
    if (info->flags & VK_SWAPCHAIN_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT_KHR) {
        return "its images are split between GPUs";
    }
    if (info->imageArrayLayers > 1) {
        return "its images have layers";
    }
    if (info->presentMode == VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR ||
        info->presentMode == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR) {
        return "its image is shown while it is drawn";
    }
    if (info->preTransform &
        ~(VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR | VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR)) {
        return "its images are turned";
    }
    if (!vk_format_find(info->imageFormat)) {
        return "its format is none of Fovea's";
    }
    return NULL;
}

/* Fovea copies out of the program's image and back into it. */
static bool add_usage(const struct layer_device *device, VkSwapchainCreateInfoKHR *info)
{
    const VkImageUsageFlags needed =
        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkSurfaceCapabilitiesKHR surface;
    const struct layer_instance_functions *vk = &device->instance->vk;
    if (!vk->GetPhysicalDeviceSurfaceCapabilitiesKHR ||
        vk->GetPhysicalDeviceSurfaceCapabilitiesKHR(device->physical, info->surface, &surface) !=
            VK_SUCCESS ||
        (surface.supportedUsageFlags & needed) != needed) {
        return false;
    }
    info->imageUsage |= needed;
    return true;
}

/* ---- Making one ------------------------------------------------------------------------------ */

static bool take_images(struct layer_swapchain *swapchain)
{
    const struct layer_device *device = swapchain->device;
    uint32_t count = 0;
    if (device->vk.GetSwapchainImagesKHR(device->handle, swapchain->handle, &count, NULL) !=
        VK_SUCCESS) {
        return false;
    }
    swapchain->images = calloc(count, sizeof *swapchain->images);
    swapchain->presentable = calloc(count, sizeof *swapchain->presentable);
    swapchain->presented = calloc(count, sizeof *swapchain->presented);
    swapchain->unpresented = calloc(count, sizeof *swapchain->unpresented);
    if (!swapchain->images || !swapchain->presentable || !swapchain->presented ||
        !swapchain->unpresented ||
        device->vk.GetSwapchainImagesKHR(device->handle, swapchain->handle, &count,
                                         swapchain->images) != VK_SUCCESS) {
        return false;
    }
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    for (uint32_t i = 0; i < count; i++) {
        if (device->vk.CreateSemaphore(device->handle, &info, NULL, &swapchain->presentable[i]) !=
            VK_SUCCESS) {
            return false;
        }
        swapchain->image_count = i + 1;
    }
    return true;
}

static struct layer_swapchain *make(struct layer_device *device,
                                    const VkSwapchainCreateInfoKHR *info, VkSwapchainKHR handle,
                                    VkImageUsageFlags usage, const struct layer_direct *direct)
{
    struct layer_swapchain *swapchain = calloc(1, sizeof *swapchain);
    if (!swapchain) {
        return NULL;
    }
    *swapchain = (struct layer_swapchain){
        .handle = handle,
        .device = device,
        .format = info->imageFormat,
        .color_space = info->imageColorSpace,
        .present_mode = info->presentMode,
        .width_px = info->imageExtent.width,
        .height_px = info->imageExtent.height,
        .window = layer_registry_window(device->instance, info->surface),
        .usage = info->imageUsage,
        .added_usage = usage & ~info->imageUsage,
        .made_format = direct->on ? direct->format : info->imageFormat,
        .format_count = direct->on ? direct->list.viewFormatCount : 0,
    };
    memcpy(swapchain->formats, direct->formats, swapchain->format_count * sizeof(VkFormat));
    if (!take_images(swapchain)) {
        layer_swapchain_free(swapchain);
        return NULL;
    }
    if (direct->on) {
        layer_direct_open(swapchain);
    }
    return swapchain;
}

/* Says whether our usages could be the cause: drivers say all kinds of things of what they cannot
 * make. */
static bool is_worth_another_try(VkResult result)
{
    return result < 0 && result != VK_ERROR_DEVICE_LOST && result != VK_ERROR_SURFACE_LOST_KHR &&
           result != VK_ERROR_NATIVE_WINDOW_IN_USE_KHR;
}

/* The old swapchain is retired even by a try that failed, and may not be named again. */
static VkResult create_again(struct layer_device *device, const VkSwapchainCreateInfoKHR *info,
                             const VkAllocationCallbacks *allocator, VkSwapchainKHR *out_swapchain)
{
    VkSwapchainCreateInfoKHR again = *info;
    again.oldSwapchain = VK_NULL_HANDLE;
    return device->vk.CreateSwapchainKHR(device->handle, &again, allocator, out_swapchain);
}

/* With images that kernels see, or that can be copied at least. -> what they can be used for. */
static VkResult create_for_fovea(struct layer_device *device, const VkSwapchainCreateInfoKHR *info,
                                 VkImageUsageFlags asked, const VkAllocationCallbacks *allocator,
                                 VkSwapchainKHR *out_swapchain, struct layer_direct *out_direct,
                                 VkImageUsageFlags *out_usage)
{
    VkSwapchainCreateInfoKHR own = *info;
    const bool direct = layer_direct_apply(device, asked, out_direct, &own);
    const VkResult result =
        device->vk.CreateSwapchainKHR(device->handle, &own, allocator, out_swapchain);
    *out_usage = own.imageUsage;
    if (!direct || !is_worth_another_try(result)) {
        return result;
    }
    out_direct->on = false;
    *out_usage = info->imageUsage;
    return create_again(device, info, allocator, out_swapchain);
}

/* Images that were acquired before may still be presented, and nothing else of the old one: its
 * contexts are the new one's, but for these frames (layer_present.c). */
static void retire(struct layer_device *device, VkSwapchainKHR handle)
{
    struct layer_swapchain *old = handle ? layer_registry_swapchain(device, handle) : NULL;
    if (old) {
        layer_contexts_leave(old);
        old->retired = true;
    }
}

VKAPI_ATTR VkResult VKAPI_CALL layer_CreateSwapchainKHR(VkDevice handle,
                                                        const VkSwapchainCreateInfoKHR *info,
                                                        const VkAllocationCallbacks *allocator,
                                                        VkSwapchainKHR *out_swapchain)
{
    struct layer_device *device = layer_registry_device(handle);
    if (device->inert) {
        return device->vk.CreateSwapchainKHR(handle, info, allocator, out_swapchain);
    }
    struct layer_swapchain *old =
        info->oldSwapchain ? layer_registry_swapchain(device, info->oldSwapchain) : NULL;
    if (old) {
        layer_timing_leave(old); /* nobody may wait for what is retired */
    }
    VkSwapchainCreateInfoKHR own = *info;
    const char *reason = obstacle(info);
    if (!reason && !add_usage(device, &own)) {
        reason = "its images cannot be copied";
    }
    if (reason) {
        log_info(layer_log(), "a swapchain is left alone: %s", reason);
        return device->vk.CreateSwapchainKHR(handle, info, allocator, out_swapchain);
    }
    struct layer_direct direct;
    VkImageUsageFlags usage;
    const VkResult result =
        create_for_fovea(device, &own, info->imageUsage, allocator, out_swapchain, &direct, &usage);
    if (is_worth_another_try(result)) {
        log_warning(layer_log(),
                    "a swapchain is left alone: it cannot be made with what Fovea needs");
        return create_again(device, info, allocator, out_swapchain);
    }
    if (result != VK_SUCCESS) {
        return result;
    }
    retire(device, info->oldSwapchain);
    struct layer_swapchain *swapchain = make(device, info, *out_swapchain, usage, &direct);
    if (swapchain) {
        layer_registry_add_swapchain(device, swapchain);
        return VK_SUCCESS;
    }
    log_warning(layer_log(), "a swapchain is left alone: no memory for its images");
    if (!direct.on) {
        return VK_SUCCESS;
    }
    /* Nobody would keep the program's views of these from what their images can do more. */
    device->vk.DestroySwapchainKHR(handle, *out_swapchain, allocator);
    return create_again(device, info, allocator, out_swapchain);
}

/* ---- The end --------------------------------------------------------------------------------- */

void layer_swapchain_free(struct layer_swapchain *swapchain)
{
    if (!swapchain) {
        return;
    }
    const struct layer_device *device = swapchain->device;
    layer_direct_close(swapchain);
    for (uint32_t i = 0; i < swapchain->image_count; i++) {
        device->vk.DestroySemaphore(device->handle, swapchain->presentable[i], NULL);
    }
    free(swapchain->presentable);
    free(swapchain->presented);
    free(swapchain->unpresented);
    free(swapchain->images);
    free(swapchain);
}

/* A present has no fence: a program that has waited for its own frames alone may have presents on
 * the queue that wait for these semaphores. They are over when a later frame on that queue is. */
static void keep_semaphores(struct layer_swapchain *swapchain)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < swapchain->image_count; i++) {
        any |= swapchain->presented[i].number;
    }
    if (any == 0) {
        layer_swapchain_free(swapchain);
        return;
    }
    free(swapchain->images);
    free(swapchain->unpresented);
    swapchain->images = NULL;
    swapchain->unpresented = NULL;
    layer_registry_add_gone(swapchain->device, swapchain);
}

static void free_gone(struct layer_device *device, const struct layer_swapchain *later)
{
    struct layer_swapchain *gone;
    layer_registry_strike_presents(device, later);
    while ((gone = layer_registry_take_gone(device)) != NULL) {
        layer_swapchain_free(gone);
    }
}

void layer_swapchains_finish(struct layer_device *device)
{
    free_gone(device, NULL);
}

VKAPI_ATTR void VKAPI_CALL layer_DestroySwapchainKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                     const VkAllocationCallbacks *allocator)
{
    struct layer_device *device = layer_registry_device(handle);
    struct layer_swapchain *known =
        swapchain ? layer_registry_take_swapchain(device, swapchain) : NULL;
    if (known) {
        layer_timing_leave(known);
        layer_contexts_leave(known); /* frames with its images end before they do, */
        layer_direct_close(known);
        free_gone(device, known);
    }
    device->vk.DestroySwapchainKHR(handle, swapchain, allocator);
    if (known) {
        keep_semaphores(known);
    }
}
