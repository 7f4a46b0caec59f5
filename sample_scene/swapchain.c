/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "swapchain.h"

#define MAX_FORMATS 64

static bool offered(const VkSurfaceFormatKHR *formats, uint32_t count, VkFormat wanted,
                    struct swapchain *swapchain)
{
    for (uint32_t i = 0; i < count; i++) {
        if (formats[i].format == wanted &&
            formats[i].colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR) {
            swapchain->format = formats[i];
            return true;
        }
    }
    return false;
}

bool swapchain_choose_format(struct swapchain *swapchain, const struct pixels_format *wanted)
{
    VkSurfaceFormatKHR formats[MAX_FORMATS];
    uint32_t count = 0;
    VkPhysicalDevice device = swapchain->gpu->physical;
    VK_TRY(vkGetPhysicalDeviceSurfaceFormatsKHR(device, swapchain->surface, &count, NULL));
    count = count < MAX_FORMATS ? count : MAX_FORMATS;
    VK_TRY(vkGetPhysicalDeviceSurfaceFormatsKHR(device, swapchain->surface, &count, formats));
    if (wanted) {
        if (!offered(formats, count, wanted->format, swapchain)) {
            say_error("--format %s: this window cannot show it", wanted->name);
            return false;
        }
        return true;
    }
    for (size_t i = 0; pixels_format_at(i); i++) {
        if (offered(formats, count, pixels_format_at(i)->format, swapchain)) {
            return true;
        }
    }
    say_error("this window shows no format that Fovea takes");
    return false;
}

static uint32_t within(uint32_t value, uint32_t low, uint32_t high)
{
    return value < low ? low : value > high ? high : value;
}

static VkExtent2D extent_of(const VkSurfaceCapabilitiesKHR *can, VkExtent2D window)
{
    if (can->currentExtent.width != UINT32_MAX) {
        return can->currentExtent;
    }
    return (VkExtent2D){
        within(window.width, can->minImageExtent.width, can->maxImageExtent.width),
        within(window.height, can->minImageExtent.height, can->maxImageExtent.height)};
}

static void drop_images(struct swapchain *swapchain)
{
    for (uint32_t i = 0; i < swapchain->image_count; i++) {
        vkDestroySemaphore(swapchain->gpu->device, swapchain->finished[i], NULL);
        swapchain->finished[i] = VK_NULL_HANDLE;
    }
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) {
        vkDestroySemaphore(swapchain->gpu->device, swapchain->acquired[i], NULL);
        swapchain->acquired[i] = VK_NULL_HANDLE;
    }
    swapchain->image_count = 0;
}

static bool take_images(struct swapchain *swapchain)
{
    VkDevice device = swapchain->gpu->device;
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    uint32_t count = 0;
    VK_TRY(vkGetSwapchainImagesKHR(device, swapchain->handle, &count, NULL));
    if (count > SWAPCHAIN_MAX_IMAGES) {
        say_error("the window has %u images; %d are enough", count, SWAPCHAIN_MAX_IMAGES);
        return false;
    }
    VK_TRY(vkGetSwapchainImagesKHR(device, swapchain->handle, &count, swapchain->images));
    swapchain->image_count = count;
    for (uint32_t i = 0; i < count; i++) {
        VK_TRY(vkCreateSemaphore(device, &semaphore, NULL, &swapchain->finished[i]));
    }
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) {
        VK_TRY(vkCreateSemaphore(device, &semaphore, NULL, &swapchain->acquired[i]));
    }
    return true;
}

/* Watches for a record; without one nothing happens. */
static bool watch(struct swapchain *swapchain)
{
    struct fovea_present_desc desc;
    fovea_present_desc_init(&desc);
    desc.device = swapchain->gpu->device;
    desc.get_device_proc_addr = vkGetDeviceProcAddr;
    desc.swapchain = swapchain->handle;
    desc.mode = VK_PRESENT_MODE_FIFO_KHR;
    desc.way = swapchain->gpu->present_way;
    desc.log = say_log(FOVEA_LOG_WARNING);
    const enum fovea_result result = fovea_present_create(&desc, &swapchain->present);
    if (result < 0) {
        say_error("when pictures are on the screen cannot be asked: %s", fovea_result_name(result));
    }
    return result >= 0;
}

static bool create(struct swapchain *swapchain, const VkSurfaceCapabilitiesKHR *can)
{
    uint32_t most = can->maxImageCount ? can->maxImageCount : SWAPCHAIN_MAX_IMAGES;
    const VkImageUsageFlags usage =
        VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    VkSwapchainKHR old = swapchain->handle;
    VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                     .surface = swapchain->surface,
                                     .minImageCount =
                                         within(FRAMES_IN_FLIGHT, can->minImageCount, most),
                                     .imageFormat = swapchain->format.format,
                                     .imageColorSpace = swapchain->format.colorSpace,
                                     .imageExtent = swapchain->extent,
                                     .imageArrayLayers = 1,
                                     .imageUsage = usage & can->supportedUsageFlags,
                                     .preTransform = can->currentTransform,
                                     .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                     .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                     .clipped = VK_TRUE,
                                     .oldSwapchain = old};
    if (!(info.imageUsage & VK_IMAGE_USAGE_TRANSFER_DST_BIT)) {
        say_error("this window's images cannot be copied to");
        return false;
    }
    if (!(can->supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR)) {
        info.compositeAlpha = VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
    }
    fovea_present_destroy(&swapchain->present); /* nobody may wait for what is replaced */
    swapchain->handle = VK_NULL_HANDLE;
    VkResult result = vkCreateSwapchainKHR(swapchain->gpu->device, &info, NULL, &swapchain->handle);
    vkDestroySwapchainKHR(swapchain->gpu->device, old, NULL);
    VK_TRY(result);
    return watch(swapchain);
}

bool swapchain_make(struct swapchain *swapchain, VkExtent2D window)
{
    VkSurfaceCapabilitiesKHR can;
    VK_TRY(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(swapchain->gpu->physical, swapchain->surface,
                                                     &can));
    drop_images(swapchain);
    swapchain->extent = extent_of(&can, window);
    if (swapchain->extent.width == 0 || swapchain->extent.height == 0) {
        return true;
    }
    return create(swapchain, &can) && take_images(swapchain);
}

void swapchain_finish(struct swapchain *swapchain)
{
    if (swapchain->gpu && swapchain->gpu->device) {
        drop_images(swapchain);
        fovea_present_destroy(&swapchain->present);
        vkDestroySwapchainKHR(swapchain->gpu->device, swapchain->handle, NULL);
        swapchain->handle = VK_NULL_HANDLE;
    }
}

static enum swapchain_outcome outcome_of(VkResult result, const char *what)
{
    if (result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_SUBOPTIMAL_KHR) {
        return SWAPCHAIN_STALE;
    }
    if (result < 0) {
        say_error("%s failed: %s", what, gpu_result_name(result));
        return SWAPCHAIN_FAILED;
    }
    return SWAPCHAIN_FINE;
}

enum swapchain_outcome swapchain_acquire(struct swapchain *swapchain, uint64_t number,
                                         uint32_t *out_index)
{
    VkSemaphore semaphore = swapchain->acquired[number % FRAMES_IN_FLIGHT];
    VkResult result = vkAcquireNextImageKHR(swapchain->gpu->device, swapchain->handle, UINT64_MAX,
                                            semaphore, VK_NULL_HANDLE, out_index);
    /* Suboptimal: there is an image and the semaphore will come; present tells it again. */
    return result == VK_SUBOPTIMAL_KHR ? SWAPCHAIN_FINE
                                       : outcome_of(result, "vkAcquireNextImageKHR");
}

enum swapchain_outcome swapchain_present(struct swapchain *swapchain, uint32_t index,
                                         uint64_t number)
{
    const VkPresentTimeGOOGLE time = {.presentID = (uint32_t)number};
    const VkPresentTimesInfoGOOGLE times = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE, .swapchainCount = 1, .pTimes = &time};
    const VkPresentIdKHR id = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR, .swapchainCount = 1, .pPresentIds = &number};
    const bool waits = swapchain->gpu->present_way == FOVEA_PRESENT_WAIT;
    const void *chain = waits ? (const void *)&id : &times;
    VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                             .pNext = number ? chain : NULL,
                             .waitSemaphoreCount = 1,
                             .pWaitSemaphores = &swapchain->finished[index],
                             .swapchainCount = 1,
                             .pSwapchains = &swapchain->handle,
                             .pImageIndices = &index};
    const VkResult result = vkQueuePresentKHR(swapchain->gpu->queue, &info);
    fovea_present_end(swapchain->present, result);
    return outcome_of(result, "vkQueuePresentKHR");
}
