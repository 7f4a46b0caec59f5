/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A swapchain of the program's and the one of the layer's that stands for it. */

#include "plugin/openxr/xr_layer.h"

#include <stdlib.h>

#define WAIT_NS 100000000 /* for an image of the layer's own */

struct openxr_chain *openxr_chain_of(const struct openxr_session *session, XrSwapchain handle)
{
    struct openxr_chain *found = session->chains;
    while (found && found->program != handle) {
        found = found->next;
    }
    return found;
}

struct openxr_chain *openxr_chain_lock(XrSwapchain handle)
{
    struct openxr_chain *found = NULL;
    pthread_mutex_lock(&openxr.lock);
    for (const struct openxr_session *at = openxr.sessions; at && !found; at = at->next) {
        found = openxr_chain_of(at, handle);
    }
    pthread_mutex_unlock(&openxr.lock);
    if (found) {
        pthread_mutex_lock(&found->session->lock);
    }
    return found;
}

void openxr_chain_unlock(const struct openxr_chain *chain)
{
    if (chain) {
        pthread_mutex_unlock(&chain->session->lock);
    }
}

static void free_chain(struct openxr_chain *chain)
{
    if (chain->fovea) {
        fovea_vk_wait(chain->fovea);
        fovea_vk_destroy(&chain->fovea);
    }
    openxr_direct_close(chain);
    free(chain);
}

/* The runtime's own goes with the program's, or with the session. */
static void take_out(struct openxr_chain *chain)
{
    pthread_mutex_lock(&openxr.lock);
    for (struct openxr_chain **at = &chain->session->chains; *at; at = &(*at)->next) {
        if (*at == chain) {
            *at = chain->next;
            break;
        }
    }
    pthread_mutex_unlock(&openxr.lock);
}

void openxr_chains_gone(struct openxr_session *session)
{
    while (session->chains) {
        struct openxr_chain *chain = session->chains;
        session->chains = chain->next;
        free_chain(chain);
    }
}

static bool can_foveate(const struct openxr_session *session, const XrSwapchainCreateInfo *info)
{
    if (!(info->usageFlags & XR_SWAPCHAIN_USAGE_COLOR_ATTACHMENT_BIT)) {
        return false; /* depth, or a picture that nobody draws */
    }
    const char *why = NULL;
    if (fovea_vk_raw_format((VkFormat)info->format) == VK_FORMAT_UNDEFINED) {
        why = "has a format that Fovea does not know";
    } else if (info->sampleCount != 1 || info->faceCount != 1 || info->mipCount != 1) {
        why = "has samples, faces or mip levels";
    } else if (info->createFlags) {
        why = "is static or protected";
    } else if (session->old) {
        return false; /* said when the session was made */
    } else if (!session->has_settings || !session->queue) {
        why = "belongs to a session without settings or queue";
    }
    if (why) {
        openxr_say(FOVEA_LOG_WARNING, "a swapchain of %ux%u (format %d) %s: it is shown as drawn",
                   info->width, info->height, (int)info->format, why);
    }
    return !why;
}

/* 0: they cannot be had. */
static uint32_t images_of(XrSwapchain handle, VkImage *images)
{
    XrSwapchainImageVulkanKHR found[OPENXR_IMAGES];
    uint32_t count = 0;
    if (XR_FAILED(openxr.below.EnumerateSwapchainImages(handle, 0, &count, NULL)) ||
        count > OPENXR_IMAGES) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        found[i] = (XrSwapchainImageVulkanKHR){.type = XR_TYPE_SWAPCHAIN_IMAGE_VULKAN_KHR};
    }
    if (XR_FAILED(openxr.below.EnumerateSwapchainImages(handle, count, &count,
                                                        (XrSwapchainImageBaseHeader *)found))) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        images[i] = found[i].image;
    }
    return count;
}

static void put_in(struct openxr_chain *chain)
{
    pthread_mutex_lock(&chain->session->lock);
    pthread_mutex_lock(&openxr.lock);
    chain->next = chain->session->chains;
    chain->session->chains = chain;
    pthread_mutex_unlock(&openxr.lock);
    pthread_mutex_unlock(&chain->session->lock);
}

XrResult openxr_create_chain(XrSession handle, const XrSwapchainCreateInfo *info, XrSwapchain *out)
{
    struct openxr_session *session = openxr_session_of(handle);
    struct openxr_chain *chain =
        session && can_foveate(session, info) ? calloc(1, sizeof *chain) : NULL;
    XrSwapchainCreateInfo more = *info;
    more.usageFlags |= chain ? XR_SWAPCHAIN_USAGE_TRANSFER_SRC_BIT : 0;
    XrResult result =
        chain ? openxr_direct_create(session, &more, out) : XR_ERROR_FEATURE_UNSUPPORTED;
    const bool direct = XR_SUCCEEDED(result);
    if (!direct) {
        result = openxr.below.CreateSwapchain(handle, &more, out);
    }
    if (chain && XR_FAILED(result)) {
        openxr_say(FOVEA_LOG_WARNING, "the runtime refuses images that can be read: not foveated");
        free(chain);
        chain = NULL;
        result = openxr.below.CreateSwapchain(handle, info, out);
    }
    if (chain) {
        chain->session = session;
        chain->program = *out;
        chain->info = more;
        chain->info.next = NULL;
        chain->direct = direct;
        chain->image_count = images_of(*out, chain->program_images);
        chain->can = chain->image_count > 0;
        if (!chain->can) {
            openxr_say(FOVEA_LOG_WARNING,
                       "a swapchain of %ux%u has more than %d images, or the runtime does not name "
                       "them: it is shown as drawn",
                       info->width, info->height, OPENXR_IMAGES);
        }
        put_in(chain);
    }
    return result;
}

XrResult openxr_destroy_chain(XrSwapchain handle)
{
    struct openxr_chain *chain = openxr_chain_lock(handle);
    if (chain) {
        const XrSwapchain own = chain->own;
        take_out(chain);
        openxr_chain_unlock(chain);
        free_chain(chain);
        if (own) {
            openxr.below.DestroySwapchain(own);
        }
    }
    return openxr.below.DestroySwapchain(handle);
}

/* ---- Foveation ---- */

static void give_up(struct openxr_chain *chain, const char *why)
{
    openxr_say(FOVEA_LOG_WARNING, "%s: the swapchain of %ux%u is shown as drawn from now on", why,
               chain->info.width, chain->info.height);
    chain->can = false;
    chain->shown = false;
}

static bool make_own(struct openxr_chain *chain)
{
    const struct openxr_session *session = chain->session;
    if (XR_FAILED(openxr_direct_create_own(chain))) {
        return false;
    }
    chain->own_count = images_of(chain->own, chain->own_images);
    if (chain->own_count == 0) {
        return false;
    }
    openxr_direct_open(chain);
    struct fovea_vk_desc desc;
    fovea_vk_desc_init(&desc);
    desc.instance = session->binding.instance;
    desc.physical_device = session->binding.physicalDevice;
    desc.device = session->binding.device;
    desc.get_instance_proc_addr = openxr_instance_get();
    desc.queue = session->queue;
    desc.queue_family = session->binding.queueFamilyIndex;
    desc.frames_in_flight = OPENXR_IMAGES;
    desc.settings = session->settings;
    desc.log = openxr_log();
    chain->settings_serial = session->settings_serial;
    return fovea_vk_create(&desc, &chain->fovea) == FOVEA_OK;
}

static bool same_size(const struct openxr_view *a, const struct openxr_view *b)
{
    return a->rect.extent.width == b->rect.extent.width &&
           a->rect.extent.height == b->rect.extent.height;
}

/* The newest of its own is made of the oldest that the program holds. */
static struct fovea_vk_view view_of(const struct openxr_chain *chain,
                                    const struct openxr_view *view)
{
    const uint32_t drawn = chain->acquired[chain->acquired_first];
    struct fovea_vk_view out;
    fovea_vk_view_init(&out);
    out.x_px = (uint32_t)view->rect.offset.x;
    out.y_px = (uint32_t)view->rect.offset.y;
    out.width_px = (uint32_t)view->rect.extent.width;
    out.height_px = (uint32_t)view->rect.extent.height;
    out.layer = view->layer;
    out.eye = view->index % 2 == 0 ? FOVEA_MAP_EYE_LEFT : FOVEA_MAP_EYE_RIGHT;
    out.gaze = view->gaze;
    out.geometry = &view->geometry;
    if (chain->direct) {
        out.src_raw_view = chain->program_views[drawn][view->layer];
        out.dst_raw_view = chain->own_views[chain->own_index][view->layer];
    }
    return out;
}

static struct fovea_vk_frame_target target_of(const struct openxr_chain *chain, VkImage image)
{
    return (struct fovea_vk_frame_target){.image = image,
                                          .format = (VkFormat)chain->info.format,
                                          .width_px = chain->info.width,
                                          .height_px = chain->info.height,
                                          .layout_before = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                          .layout_after = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                          .layer_count = chain->info.arraySize};
}

/* Views of one size are one frame; those of four views are two. */
static enum fovea_result fill(struct openxr_chain *chain, VkImage src, VkImage dst)
{
    bool done[OPENXR_VIEWS] = {false};
    enum fovea_result result = FOVEA_OK;
    for (uint32_t first = 0; first < chain->view_count && result >= 0; first++) {
        struct fovea_vk_view views[FOVEA_VK_MAX_VIEWS];
        struct fovea_vk_frame frame;
        fovea_vk_frame_init(&frame);
        for (uint32_t i = first; i < chain->view_count && frame.view_count < FOVEA_VK_MAX_VIEWS;
             i++) {
            if (!done[i] && same_size(&chain->views[first], &chain->views[i])) {
                done[i] = true;
                views[frame.view_count++] = view_of(chain, &chain->views[i]);
            }
        }
        frame.src = target_of(chain, src);
        frame.dst = target_of(chain, dst);
        frame.views = views;
        if (frame.view_count > 0) {
            result = fovea_vk_foveate(chain->fovea, &frame);
        }
        if (result == FOVEA_NOT_READY) {
            return result;
        }
    }
    return result;
}

/* Settings that a context refuses leave the ones it has in force; it has said why. */
static void update(struct openxr_chain *chain)
{
    const struct openxr_session *session = chain->session;
    if (chain->own_failed || chain->settings_serial == session->settings_serial) {
        return;
    }
    chain->settings_serial = session->settings_serial;
    const enum fovea_result result = fovea_vk_set_settings(chain->fovea, session->settings);
    if (result < 0) {
        openxr_say(FOVEA_LOG_WARNING, "the new settings are not taken: %s",
                   fovea_result_name(result));
    }
}

void openxr_chain_wait(struct openxr_chain *chain)
{
    const XrSwapchainImageAcquireInfo acquire = {.type = XR_TYPE_SWAPCHAIN_IMAGE_ACQUIRE_INFO};
    const XrSwapchainImageWaitInfo wait = {.type = XR_TYPE_SWAPCHAIN_IMAGE_WAIT_INFO,
                                           .timeout = WAIT_NS};
    if (!chain->own && !make_own(chain)) {
        chain->own_failed = true;
        return;
    }
    update(chain);
    if (!chain->own_acquired) {
        chain->own_acquired = XR_SUCCEEDED(
            openxr.below.AcquireSwapchainImage(chain->own, &acquire, &chain->own_index));
    }
    if (chain->own_acquired && !chain->own_waited) {
        chain->own_waited = openxr_waited(openxr.below.WaitSwapchainImage(chain->own, &wait));
    }
}

void openxr_chain_foveate(struct openxr_chain *chain)
{
    const XrSwapchainImageReleaseInfo release = {.type = XR_TYPE_SWAPCHAIN_IMAGE_RELEASE_INFO};
    chain->shown = false;
    if (chain->own_failed) {
        give_up(chain, "no swapchain or context of the layer's own");
        return;
    }
    if (!chain->own_waited || !chain->held) {
        return; /* the runtime is slow, or the program has gone on */
    }
    const enum fovea_result result =
        fill(chain, chain->program_images[chain->acquired[chain->acquired_first]],
             chain->own_images[chain->own_index]);
    chain->own_acquired = false;
    chain->own_waited = false;
    chain->shown = XR_SUCCEEDED(openxr.below.ReleaseSwapchainImage(chain->own, &release)) &&
                   (result == FOVEA_OK || result == FOVEA_PASSED_THROUGH);
    if (result < 0) {
        give_up(chain, fovea_result_name(result));
    }
    chain->made_count = chain->view_count;
    memcpy(chain->made, chain->views, sizeof chain->made);
}
