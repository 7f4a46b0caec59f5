/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels read and write raw words. They see the images of both swapchains where they are if the
 * runtime makes them such that they may be seen as words, sampled (the program's) and stored to
 * (the layer's own): then nothing is copied (fovea_vulkan.h: raw_view). A runtime that refuses
 * such images makes those that are copied. One that takes the wish and makes others (Monado of
 * 2022) is found out by Fovea's layer for Vulkan, which sees vkCreateImage; where that layer is not
 * there, nobody knows, and images are copied. */

#include "plugin/openxr/xr_layer.h"

#include <dlfcn.h>

#define READ (XR_SWAPCHAIN_USAGE_SAMPLED_BIT | XR_SWAPCHAIN_USAGE_MUTABLE_FORMAT_BIT)
#define WRITTEN (XR_SWAPCHAIN_USAGE_UNORDERED_ACCESS_BIT | XR_SWAPCHAIN_USAGE_MUTABLE_FORMAT_BIT)

static PFN_vkGetInstanceProcAddr instance_get;
static pthread_once_t instance_get_once = PTHREAD_ONCE_INIT;

static void find_instance_get(void)
{
    void *loader = dlopen("libvulkan.so.1", RTLD_NOW); /* the program's, which stays */
    instance_get =
        loader ? (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr") : NULL;
}

PFN_vkGetInstanceProcAddr openxr_instance_get(void)
{
    pthread_once(&instance_get_once, find_instance_get);
    return instance_get;
}

PFN_vkVoidFunction openxr_of_device(const XrGraphicsBindingVulkanKHR *binding, const char *name)
{
    PFN_vkGetInstanceProcAddr get = openxr_instance_get();
    PFN_vkGetDeviceProcAddr get_of_device =
        get ? (PFN_vkGetDeviceProcAddr)get(binding->instance, "vkGetDeviceProcAddr") : NULL;
    return get_of_device ? get_of_device(binding->device, name) : NULL;
}

/* Images of a format without a storage view of its own, as sRGB, take a view of words all the same
 * where their usage is extended. */
static bool can_be_stored(const struct openxr_session *session, const XrSwapchainCreateInfo *info)
{
    PFN_vkGetInstanceProcAddr get = openxr_instance_get();
    PFN_vkGetPhysicalDeviceImageFormatProperties2 query =
        get ? (PFN_vkGetPhysicalDeviceImageFormatProperties2)get(
                  session->binding.instance, "vkGetPhysicalDeviceImageFormatProperties2")
            : NULL;
    const VkPhysicalDeviceImageFormatInfo2 wanted = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
        .format = (VkFormat)info->format,
        .type = VK_IMAGE_TYPE_2D,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                 VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT};
    VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    return query && query(session->binding.physicalDevice, &wanted, &limits) == VK_SUCCESS;
}

/* Then the program's images have no views of other formats. */
static bool lists_formats(const XrSwapchainCreateInfo *info)
{
    const XrBaseInStructure *next = info->next;
    while (next && next->type != XR_TYPE_VULKAN_SWAPCHAIN_FORMAT_LIST_CREATE_INFO_KHR) {
        next = next->next;
    }
    return next;
}

void openxr_direct_begin(struct openxr_session *session)
{
    session->watch_images =
        (void(VKAPI_PTR *)(VkBool32))openxr_of_device(&session->binding, "vkFoveaWatchImages");
    session->view_usage = (VkImageUsageFlags(VKAPI_PTR *)(
        VkDevice, VkImage, VkFormat))openxr_of_device(&session->binding, "vkFoveaViewUsage");
    if (session->direct && !(session->watch_images && session->view_usage)) {
        session->direct = false;
        openxr_say(FOVEA_LOG_INFO, "views are copied, as nobody tells how the runtime makes "
                                   "images; started with fovea-run, Fovea sees it");
    }
}

XrResult openxr_direct_create_watched(const struct openxr_session *session,
                                      const XrSwapchainCreateInfo *info, XrSwapchain *out)
{
    if (session->watch_images) {
        session->watch_images(VK_TRUE);
    }
    const XrResult result = openxr.below.CreateSwapchain(session->handle, info, out);
    if (session->watch_images) {
        session->watch_images(VK_FALSE);
    }
    return result;
}

static bool is_copied(struct openxr_session *session, int64_t format)
{
    pthread_mutex_lock(&session->lock);
    bool copied = session->copied_count == OPENXR_COPIED;
    for (uint32_t i = 0; i < session->copied_count; i++) {
        copied = copied || session->copied_formats[i] == format;
    }
    pthread_mutex_unlock(&session->lock);
    return copied;
}

/* A runtime that makes no such images once makes none the next time, and may log each refusal. */
static void copy_from_now_on(struct openxr_session *session, int64_t format)
{
    if (!is_copied(session, format)) {
        pthread_mutex_lock(&session->lock);
        session->copied_formats[session->copied_count++] = format;
        pthread_mutex_unlock(&session->lock);
    }
}

XrResult openxr_direct_create(struct openxr_session *session, const XrSwapchainCreateInfo *info,
                              XrSwapchain *out)
{
    XrSwapchainCreateInfo seen = *info;
    seen.usageFlags |= READ;
    if (!session->direct || info->arraySize > OPENXR_ARRAY || lists_formats(info) ||
        is_copied(session, info->format) || !can_be_stored(session, info)) {
        return XR_ERROR_FEATURE_UNSUPPORTED;
    }
    const XrResult result = openxr_direct_create_watched(session, &seen, out);
    if (XR_FAILED(result)) {
        copy_from_now_on(session, info->format);
    }
    return result;
}

XrResult openxr_direct_create_own(struct openxr_swapchain *swapchain)
{
    struct openxr_session *session = swapchain->session;
    XrSwapchainCreateInfo info = swapchain->info;
    info.usageFlags = XR_SWAPCHAIN_USAGE_COLOR_ATTACHMENT_BIT | XR_SWAPCHAIN_USAGE_TRANSFER_DST_BIT;
    if (swapchain->direct && !is_copied(session, info.format)) {
        XrSwapchainCreateInfo stored = info;
        stored.usageFlags |= WRITTEN;
        const XrResult result =
            openxr_direct_create_watched(session, &stored, &swapchain->layer_swapchain.handle);
        if (XR_SUCCEEDED(result)) {
            return result;
        }
        copy_from_now_on(session, info.format);
    }
    openxr_direct_close(swapchain);
    return openxr.below.CreateSwapchain(session->handle, &info, &swapchain->layer_swapchain.handle);
}

/* ---- Views ---- */

static VkImageView make_view(const struct openxr_swapchain *swapchain, VkImage image,
                             uint32_t layer, VkImageUsageFlags usage)
{
    const XrGraphicsBindingVulkanKHR *binding = &swapchain->session->binding;
    const VkFormat format = (VkFormat)swapchain->info.format;
    PFN_vkCreateImageView create =
        (PFN_vkCreateImageView)openxr_of_device(binding, "vkCreateImageView");
    const VkImageViewUsageCreateInfo limited = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, .usage = usage};
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .pNext = &limited,
        .image = image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = swapchain->depths ? format : fovea_vk_raw_format(format),
        .subresourceRange = {swapchain->depths ? VK_IMAGE_ASPECT_DEPTH_BIT
                                               : VK_IMAGE_ASPECT_COLOR_BIT,
                             0, 1, layer, 1}};
    VkImageView view = VK_NULL_HANDLE;
    return create && create(binding->device, &info, NULL, &view) == VK_SUCCESS ? view
                                                                               : VK_NULL_HANDLE;
}

bool openxr_direct_make_views(const struct openxr_swapchain *swapchain, const VkImage *images,
                              uint32_t count, VkImageUsageFlags usage,
                              VkImageView views[][OPENXR_ARRAY])
{
    bool all = true;
    for (uint32_t i = 0; all && i < count; i++) {
        for (uint32_t layer = 0; all && layer < swapchain->info.arraySize; layer++) {
            views[i][layer] = make_view(swapchain, images[i], layer, usage);
            all = views[i][layer] != VK_NULL_HANDLE;
        }
    }
    return all;
}

/* False: some were made otherwise than the runtime was asked to. */
static bool were_made_for(const struct openxr_swapchain *swapchain, const VkImage *images,
                          uint32_t count, VkImageUsageFlags usage)
{
    const struct openxr_session *session = swapchain->session;
    const VkFormat words = fovea_vk_raw_format((VkFormat)swapchain->info.format);
    bool all = true;
    for (uint32_t i = 0; all && i < count; i++) {
        all = session->view_usage(session->binding.device, images[i], words) & usage;
    }
    return all;
}

static void tell_of_others(struct openxr_session *session)
{
    pthread_mutex_lock(&session->lock);
    const bool warned = session->warned_made;
    session->warned_made = true;
    pthread_mutex_unlock(&session->lock);
    if (!warned) {
        openxr_say(FOVEA_LOG_WARNING, "nobody has seen the runtime make the images that it was "
                                      "asked for: views are copied");
    }
}

static void open_views(struct openxr_swapchain *swapchain, const VkImage *images, uint32_t count,
                       VkImageUsageFlags usage, VkImageView views[][OPENXR_ARRAY])
{
    if (!swapchain->direct) {
        return;
    }
    const bool made = were_made_for(swapchain, images, count, usage);
    if (!made) {
        copy_from_now_on(swapchain->session, swapchain->info.format);
        tell_of_others(swapchain->session);
    }
    if (!made || !openxr_direct_make_views(swapchain, images, count, usage, views)) {
        openxr_direct_close(swapchain);
    }
}

void openxr_direct_open(struct openxr_swapchain *swapchain)
{
    open_views(swapchain, swapchain->program_images, swapchain->image_count,
               VK_IMAGE_USAGE_SAMPLED_BIT, swapchain->program_views);
}

void openxr_direct_open_own(struct openxr_swapchain *swapchain)
{
    struct openxr_layer_swapchain *own = &swapchain->layer_swapchain;
    open_views(swapchain, own->images, own->count, VK_IMAGE_USAGE_STORAGE_BIT, own->views);
}

static void destroy_views(const struct openxr_swapchain *swapchain,
                          VkImageView views[][OPENXR_ARRAY])
{
    const XrGraphicsBindingVulkanKHR *binding = &swapchain->session->binding;
    PFN_vkDestroyImageView destroy =
        (PFN_vkDestroyImageView)openxr_of_device(binding, "vkDestroyImageView");
    for (uint32_t i = 0; destroy && i < OPENXR_IMAGES; i++) {
        for (uint32_t layer = 0; layer < OPENXR_ARRAY; layer++) {
            destroy(binding->device, views[i][layer], NULL);
            views[i][layer] = VK_NULL_HANDLE;
        }
    }
}

void openxr_direct_close(struct openxr_swapchain *swapchain)
{
    if (swapchain->direct) {
        swapchain->direct = false;
        destroy_views(swapchain, swapchain->program_views);
        destroy_views(swapchain, swapchain->layer_swapchain.views);
    }
}
