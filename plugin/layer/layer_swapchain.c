/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer.h"
#include "layer_session.h"

#include "core/log.h"

#include <stdlib.h>

#define MAX_FRAMES_IN_FLIGHT 8

/* ---- Which swapchains ----------------------------------------------------------------------------- */

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

/* ---- Making one ----------------------------------------------------------------------------------- */

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
    if (!swapchain->images || !swapchain->presentable ||
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
                                    const VkSwapchainCreateInfoKHR *info, VkSwapchainKHR handle)
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
        .width_px = info->imageExtent.width,
        .height_px = info->imageExtent.height,
        .window = layer_registry_window(device->instance, info->surface),
    };
    if (!take_images(swapchain)) {
        layer_swapchain_free(swapchain);
        return NULL;
    }
    return swapchain;
}

/* As the program asked, after a try with more has failed: by the rules that one has retired the old
 * swapchain, which must not be named again; a driver that did not even look at it wants it all the same. */
static VkResult create_plain(const struct layer_device *device,
                             const VkSwapchainCreateInfoKHR *info, VkResult before,
                             const VkAllocationCallbacks *allocator, VkSwapchainKHR *out_swapchain)
{
    VkSwapchainCreateInfoKHR own = *info;
    own.oldSwapchain = VK_NULL_HANDLE;
    VkResult result = device->vk.CreateSwapchainKHR(device->handle, &own, allocator, out_swapchain);
    if (result == VK_ERROR_NATIVE_WINDOW_IN_USE_KHR && info->oldSwapchain) {
        result = device->vk.CreateSwapchainKHR(device->handle, info, allocator, out_swapchain);
    }
    if (result == VK_SUCCESS) {
        log_warning(layer_log(),
                    "a swapchain is left alone: it cannot be made with what Fovea needs "
                    "(VkResult %d)",
                    (int)before);
    }
    return result;
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
    VkSwapchainCreateInfoKHR own = *info;
    const char *reason = obstacle(info);
    if (!reason && !add_usage(device, &own)) {
        reason = "its images cannot be copied";
    }
    if (reason) {
        log_info(layer_log(), "a swapchain is left alone: %s", reason);
        return device->vk.CreateSwapchainKHR(handle, info, allocator, out_swapchain);
    }
    const VkResult result = device->vk.CreateSwapchainKHR(handle, &own, allocator, out_swapchain);
    if (result != VK_SUCCESS) {
        return create_plain(device, info, result, allocator, out_swapchain);
    }
    struct layer_swapchain *swapchain = make(device, &own, *out_swapchain);
    if (swapchain) {
        layer_registry_add_swapchain(device, swapchain);
    } else {
        log_warning(layer_log(), "a swapchain is left alone: no memory for its images");
    }
    return VK_SUCCESS;
}

/* ---- Fovea's context ------------------------------------------------------------------------------ */

static void describe(const struct layer_swapchain *swapchain)
{
    log_info(layer_log(), "swapchain of %u images, %ux%u, VkFormat %d, colour space %d",
             swapchain->image_count, swapchain->width_px, swapchain->height_px,
             (int)swapchain->format, (int)swapchain->color_space);
}

static struct fovea_vk *make_fovea(struct layer_swapchain *swapchain,
                                   const struct layer_queue *queue)
{
    const struct layer_device *device = swapchain->device;
    struct fovea_settings settings;
    swapchain->settings_serial = layer_session_settings(&settings, swapchain->color_space);
    struct fovea_vk_desc desc = fovea_vk_desc_default();
    desc.instance = device->instance->handle;
    desc.physical_device = device->physical;
    desc.device = device->handle;
    desc.get_instance_proc_addr = layer_proc_addr_for_fovea;
    desc.queue = queue->handle;
    desc.queue_family = queue->family;
    desc.device_extensions = device->extensions;
    desc.device_extension_count = device->extension_count;
    desc.timeline_semaphore = device->timeline;
    desc.frames_in_flight = swapchain->image_count < MAX_FRAMES_IN_FLIGHT
                                ? swapchain->image_count + 1
                                : MAX_FRAMES_IN_FLIGHT;
    desc.settings = &settings;
    desc.log = layer_log();
    struct fovea_vk *fovea = NULL;
    const enum fovea_result result = fovea_vk_create(&desc, &fovea);
    if (result < 0) {
        log_error(layer_log(), "frames are presented as they are: %s", fovea_result_name(result));
        return NULL;
    }
    layer_session_meet(fovea, swapchain->window);
    return fovea;
}

static void free_fovea(struct layer_swapchain *swapchain)
{
    if (swapchain->fovea) {
        layer_session_part(swapchain->fovea);
        fovea_vk_destroy(&swapchain->fovea);
    }
}

struct fovea_vk *layer_swapchain_fovea(struct layer_swapchain *swapchain,
                                       const struct layer_queue *queue)
{
    if (swapchain->fovea && swapchain->queue != queue->handle) {
        free_fovea(swapchain); /* the program presents from another queue now */
    }
    if (!swapchain->fovea && !swapchain->failed) {
        describe(swapchain);
        swapchain->queue = queue->handle;
        swapchain->fovea = make_fovea(swapchain, queue);
        swapchain->failed = !swapchain->fovea;
    }
    return swapchain->fovea;
}

/* ---- The end -------------------------------------------------------------------------------------- */

void layer_swapchain_free(struct layer_swapchain *swapchain)
{
    if (!swapchain) {
        return;
    }
    const struct layer_device *device = swapchain->device;
    free_fovea(swapchain);
    for (uint32_t i = 0; i < swapchain->image_count; i++) {
        device->vk.DestroySemaphore(device->handle, swapchain->presentable[i], NULL);
    }
    free(swapchain->presentable);
    free(swapchain->images);
    free(swapchain);
}

VKAPI_ATTR void VKAPI_CALL layer_DestroySwapchainKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                     const VkAllocationCallbacks *allocator)
{
    struct layer_device *device = layer_registry_device(handle);
    if (swapchain) {
        layer_swapchain_free(layer_registry_take_swapchain(device, swapchain));
    }
    device->vk.DestroySwapchainKHR(handle, swapchain, allocator);
}
