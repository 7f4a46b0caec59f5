/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A swapchain of the program's and the one of the layer's that stands for it. */

#include "plugin/openxr/xr_layer.h"

#include <stdlib.h>

#define WAIT_NS 100000000 /* for an image of the layer's own */
/* Pipelines may be made in vain by then, which takes some frames' time. */
#define RETRY_NS INT64_C(2000000000)
#define OPENXR_MOST_PX 16384 /* fovea_vulkan.h takes no more */

struct openxr_swapchain *openxr_swapchain_of(const struct openxr_session *session,
                                             XrSwapchain handle)
{
    struct openxr_swapchain *found = session->swapchains;
    while (found && found->program != handle) {
        found = found->next;
    }
    return found;
}

struct openxr_swapchain *openxr_swapchain_lock(XrSwapchain handle)
{
    struct openxr_swapchain *found = NULL;
    pthread_mutex_lock(&openxr.lock);
    for (const struct openxr_session *at = openxr.sessions; at && !found; at = at->next) {
        found = openxr_swapchain_of(at, handle);
    }
    pthread_mutex_unlock(&openxr.lock);
    if (found) {
        pthread_mutex_lock(&found->session->lock);
    }
    return found;
}

void openxr_swapchain_unlock(const struct openxr_swapchain *swapchain)
{
    if (swapchain) {
        pthread_mutex_unlock(&swapchain->session->lock);
    }
}

bool openxr_swapchain_has(const struct openxr_swapchain *swapchain,
                          const XrSwapchainSubImage *image)
{
    const XrRect2Di *rect = &image->imageRect;
    return rect->offset.x >= 0 && rect->offset.y >= 0 && rect->extent.width > 0 &&
           rect->extent.height > 0 && image->imageArrayIndex < swapchain->info.arraySize &&
           (int64_t)rect->offset.x + rect->extent.width <= swapchain->info.width &&
           (int64_t)rect->offset.y + rect->extent.height <= swapchain->info.height;
}

static void free_swapchain(struct openxr_swapchain *swapchain)
{
    fovea_vk_destroy(&swapchain->fovea);
    openxr_direct_close(swapchain);
    free(swapchain);
}

/* The runtime's own goes with the program's, or with the session. */
static void take_out(struct openxr_swapchain *swapchain)
{
    pthread_mutex_lock(&openxr.lock);
    for (struct openxr_swapchain **at = &swapchain->session->swapchains; *at; at = &(*at)->next) {
        if (*at == swapchain) {
            *at = swapchain->next;
            break;
        }
    }
    pthread_mutex_unlock(&openxr.lock);
}

/* Contexts wait for their frames, which may read other swapchains' depths. */
void openxr_swapchains_gone(struct openxr_session *session)
{
    for (struct openxr_swapchain *at = session->swapchains; at; at = at->next) {
        fovea_vk_destroy(&at->fovea);
    }
    while (session->swapchains) {
        struct openxr_swapchain *swapchain = session->swapchains;
        session->swapchains = swapchain->next;
        free_swapchain(swapchain);
    }
}

static bool can_foveate(const struct openxr_session *session, const XrSwapchainCreateInfo *info)
{
    const char *why = NULL;
    if (!(info->usageFlags & XR_SWAPCHAIN_USAGE_COLOR_ATTACHMENT_BIT)) {
        why = "is no colour attachment";
    } else if (fovea_vk_raw_format((VkFormat)info->format) == VK_FORMAT_UNDEFINED) {
        why = "has a format that Fovea does not know";
    } else if (info->width > OPENXR_MOST_PX || info->height > OPENXR_MOST_PX) {
        why = "is wider or higher than 16384 px";
    } else if (info->sampleCount != 1 || info->faceCount != 1 || info->mipCount != 1) {
        why = "has samples, faces or mip levels";
    } else if (info->createFlags) {
        why = "is static or protected";
    } else if (session->is_vulkan_1_0) {
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

/* 0: they cannot be had. Nobody has checked what the runtime or a layer below answers. */
static uint32_t images_of(XrSwapchain handle, VkImage *images)
{
    XrSwapchainImageVulkanKHR found[OPENXR_IMAGES];
    uint32_t room = 0;
    uint32_t count = 0;
    if (XR_FAILED(openxr.below.EnumerateSwapchainImages(handle, 0, &room, NULL)) ||
        room > OPENXR_IMAGES) {
        return 0;
    }
    for (uint32_t i = 0; i < room; i++) {
        found[i] = (XrSwapchainImageVulkanKHR){.type = XR_TYPE_SWAPCHAIN_IMAGE_VULKAN_KHR};
    }
    if (XR_FAILED(openxr.below.EnumerateSwapchainImages(handle, room, &count,
                                                        (XrSwapchainImageBaseHeader *)found)) ||
        count > room) {
        return 0;
    }
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        images[i] = found[i].image;
        all = all && images[i];
    }
    return all ? count : 0;
}

static void put_in(struct openxr_swapchain *swapchain)
{
    pthread_mutex_lock(&swapchain->session->lock);
    pthread_mutex_lock(&openxr.lock);
    swapchain->next = swapchain->session->swapchains;
    swapchain->session->swapchains = swapchain;
    if (!swapchain->depths) {
        swapchain->session->format = swapchain->info.format;
    }
    pthread_mutex_unlock(&openxr.lock);
    pthread_mutex_unlock(&swapchain->session->lock);
}

/* The program's, with images that kernels see where they are, or else that can be copied. */
static XrResult create_readable(struct openxr_swapchain *swapchain, XrSwapchain *out)
{
    struct openxr_session *session = swapchain->session;
    if (swapchain->depths) {
        return openxr_direct_create_watched(session, &swapchain->info, out);
    }
    XrResult result = openxr_direct_create(session, &swapchain->info, out);
    swapchain->direct = XR_SUCCEEDED(result);
    if (!swapchain->direct) {
        result = openxr.below.CreateSwapchain(session->handle, &swapchain->info, out);
    }
    return result;
}

/* Nobody else knows it yet. */
static void begin(struct openxr_swapchain *swapchain)
{
    swapchain->info.next = NULL; /* the program's, and read */
    swapchain->image_count = images_of(swapchain->program, swapchain->program_images);
    swapchain->can_foveate = swapchain->image_count > 0 && !swapchain->depths;
    if (swapchain->depths) {
        openxr_depth_open(swapchain);
    } else if (swapchain->can_foveate) {
        openxr_direct_open(swapchain);
        openxr_context_prepare(swapchain);
    } else {
        openxr_say(FOVEA_LOG_WARNING,
                   "a swapchain of %ux%u has more than %d images, or the runtime does not name "
                   "them: it is shown as drawn",
                   swapchain->info.width, swapchain->info.height, OPENXR_IMAGES);
    }
    put_in(swapchain);
}

/* NULL: it is the program's alone. */
static struct openxr_swapchain *new_of(struct openxr_session *session,
                                       const XrSwapchainCreateInfo *info)
{
    const bool depths = info->usageFlags & XR_SWAPCHAIN_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    if (!session || !(depths ? openxr_depth_can_read(session, info) : can_foveate(session, info))) {
        return NULL;
    }
    struct openxr_swapchain *swapchain = calloc(1, sizeof *swapchain);
    if (!swapchain) {
        openxr_say(FOVEA_LOG_ERROR, "no memory; a swapchain is shown as drawn");
        return NULL;
    }
    swapchain->session = session;
    swapchain->info = *info;
    swapchain->depths = depths;
    swapchain->info.usageFlags |=
        depths ? XR_SWAPCHAIN_USAGE_SAMPLED_BIT : XR_SWAPCHAIN_USAGE_TRANSFER_SRC_BIT;
    return swapchain;
}

XrResult openxr_create_swapchain(XrSession handle, const XrSwapchainCreateInfo *info,
                                 XrSwapchain *out)
{
    struct openxr_swapchain *swapchain =
        info ? new_of(openxr_session_foveated(handle), info) : NULL;
    if (!swapchain) {
        return openxr.below.CreateSwapchain(handle, info, out);
    }
    const XrResult result = create_readable(swapchain, out);
    if (XR_SUCCEEDED(result)) {
        swapchain->program = *out;
        begin(swapchain);
        return result;
    }
    openxr_say(FOVEA_LOG_WARNING,
               swapchain->depths
                   ? "the runtime makes no depths that can be read (XrResult %d): they are not read"
                   : "the runtime makes no images that can be read (XrResult %d): not foveated",
               result);
    free(swapchain);
    return openxr.below.CreateSwapchain(handle, info, out);
}

XrResult openxr_destroy_swapchain(XrSwapchain handle)
{
    struct openxr_swapchain *swapchain = openxr_swapchain_lock(handle);
    if (swapchain) {
        const XrSwapchain own = swapchain->layer_swapchain.handle;
        take_out(swapchain);
        openxr_swapchain_unlock(swapchain);
        if (swapchain->depths) {
            openxr_depth_wait(swapchain->session);
        }
        free_swapchain(swapchain);
        if (own) {
            openxr.below.DestroySwapchain(own);
        }
    }
    return openxr.below.DestroySwapchain(handle);
}

/* ---- Foveation ---- */

void openxr_swapchain_give_up(struct openxr_swapchain *swapchain, const char *why)
{
    openxr_say(FOVEA_LOG_WARNING, "%s: the swapchain of %ux%u is shown as drawn from now on", why,
               swapchain->info.width, swapchain->info.height);
    swapchain->can_foveate = false;
    swapchain->shown = false;
}

static bool make_own(struct openxr_swapchain *swapchain)
{
    if (XR_FAILED(openxr_direct_create_own(swapchain))) {
        return false;
    }
    swapchain->layer_swapchain.count =
        images_of(swapchain->layer_swapchain.handle, swapchain->layer_swapchain.images);
    if (swapchain->layer_swapchain.count == 0) {
        return false;
    }
    openxr_direct_open_own(swapchain);
    return true;
}

/* That memory lacks is said once for the same settings. */
static void note_lack(struct openxr_swapchain *swapchain, enum fovea_result result)
{
    const bool is_memory = result == FOVEA_ERROR_OUT_OF_MEMORY;
    if (!is_memory || swapchain->again_ns == 0) {
        openxr_say(FOVEA_LOG_WARNING,
                   "no context of Fovea's: the swapchain of %ux%u is shown as drawn until %s",
                   swapchain->info.width, swapchain->info.height,
                   is_memory ? "there is memory" : "the settings change");
    }
    swapchain->again_ns = is_memory ? fovea_time_ns() + RETRY_NS : 0;
}

static bool is_time_to_try(const struct openxr_swapchain *swapchain)
{
    return !swapchain->contextless ||
           swapchain->settings_serial != swapchain->session->settings_serial ||
           (swapchain->again_ns != 0 && fovea_time_ns() >= swapchain->again_ns);
}

/* One that cannot be made is tried again with the next settings; without memory every two seconds,
 * too. */
static bool has_context(struct openxr_swapchain *swapchain)
{
    const struct openxr_session *session = swapchain->session;
    if (swapchain->fovea || !is_time_to_try(swapchain)) {
        return swapchain->fovea;
    }
    if (!swapchain->contextless || swapchain->settings_serial != session->settings_serial) {
        swapchain->again_ns = 0; /* another lack than the one that was told */
    }
    swapchain->settings_serial = session->settings_serial;
    swapchain->blended = swapchain->depthless = false;
    const enum fovea_result result = openxr_context_make(swapchain, session->settings);
    swapchain->contextless = result < 0;
    if (swapchain->contextless) {
        note_lack(swapchain, result);
    }
    return !swapchain->contextless;
}

static bool same_size(const struct openxr_view *a, const struct openxr_view *b)
{
    return a->rect.extent.width == b->rect.extent.width &&
           a->rect.extent.height == b->rect.extent.height;
}

/* The newest of its own is made of the oldest that the program holds. */
static struct fovea_vk_view view_of(const struct openxr_swapchain *swapchain,
                                    const struct openxr_view *view)
{
    const uint32_t drawn = swapchain->acquired[swapchain->acquired_first];
    struct fovea_vk_view out;
    fovea_vk_view_init(&out);
    out.x_px = (uint32_t)view->rect.offset.x;
    out.y_px = (uint32_t)view->rect.offset.y;
    out.width_px = (uint32_t)view->rect.extent.width;
    out.height_px = (uint32_t)view->rect.extent.height;
    out.layer = view->layer;
    out.eye = openxr_eye(view->index);
    out.gaze = view->gaze;
    out.geometry = &view->geometry;
    if (swapchain->direct) {
        out.src_raw_view = swapchain->program_views[drawn][view->layer];
        out.dst_raw_view =
            swapchain->layer_swapchain.views[swapchain->layer_swapchain.index][view->layer];
    }
    if (view->depth.view) {
        out.depth = view->depth;
        out.depth.values = &view->depth_values;
    }
    return out;
}

struct fovea_vk_frame_target openxr_target(const struct openxr_swapchain *swapchain, VkImage image)
{
    return (struct fovea_vk_frame_target){.image = image,
                                          .format = (VkFormat)swapchain->info.format,
                                          .width_px = swapchain->info.width,
                                          .height_px = swapchain->info.height,
                                          .layout_before = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                          .layout_after = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                          .layer_count = swapchain->info.arraySize};
}

/* Views of one size are one frame, or two where they are more than a frame takes. */
static enum fovea_result fill(struct openxr_swapchain *swapchain, VkImage src, VkImage dst)
{
    bool done[OPENXR_VIEWS] = {false};
    enum fovea_result result = FOVEA_OK;
    for (uint32_t first = 0; first < swapchain->view_count && result >= 0; first++) {
        struct fovea_vk_view views[FOVEA_VK_MAX_VIEWS];
        struct fovea_vk_frame frame;
        fovea_vk_frame_init(&frame);
        for (uint32_t i = first; i < swapchain->view_count && frame.view_count < FOVEA_VK_MAX_VIEWS;
             i++) {
            if (!done[i] && same_size(&swapchain->views[first], &swapchain->views[i])) {
                done[i] = true;
                views[frame.view_count++] = view_of(swapchain, &swapchain->views[i]);
            }
        }
        frame.src = openxr_target(swapchain, src);
        frame.dst = openxr_target(swapchain, dst);
        frame.views = views;
        frame.vergence_m = swapchain->session->vergence_m;
        if (frame.view_count > 0) {
            result = fovea_vk_foveate(swapchain->fovea, &frame);
        }
        if (result == FOVEA_NOT_READY) {
            return result;
        }
    }
    return result;
}

static bool any_is_blended(const struct openxr_swapchain *swapchain)
{
    bool any = false;
    for (uint32_t i = 0; i < swapchain->view_count; i++) {
        any = any || swapchain->views[i].blended;
    }
    return any;
}

/* A view lacks the depths that an operator needs. */
static bool lacks_depths(const struct openxr_swapchain *swapchain)
{
    bool any = false;
    for (uint32_t i = 0; i < swapchain->view_count; i++) {
        any = any || !swapchain->views[i].depth.view;
    }
    return any && openxr_depth_needed(swapchain->session->settings);
}

/* Colours that are multiplied with their alpha are blurred with it, whatever the settings say: else
 * what lies behind would be seen through them by another picture's alpha. */
static enum fovea_result take(const struct openxr_swapchain *swapchain,
                              const struct fovea_settings *settings, bool blended, bool depthless)
{
    if (!blended && !depthless) {
        return fovea_vk_set_settings(swapchain->fovea, settings);
    }
    struct fovea_settings *own = NULL;
    enum fovea_result result = fovea_settings_copy(settings, &own);
    if (result == FOVEA_OK && blended) {
        result = fovea_settings_set(own, "foveation.alpha", "premultiplied", openxr_log());
    }
    if (result == FOVEA_OK && depthless) {
        result = openxr_depth_leave_out(own);
    }
    if (result == FOVEA_OK) {
        result = fovea_vk_set_settings(swapchain->fovea, own);
    }
    fovea_settings_destroy(&own);
    return result;
}

/* Settings that a context refuses leave the ones it has in force; it has said why. Where memory is
 * short, the next frame asks again. */
static void update(struct openxr_swapchain *swapchain)
{
    const struct openxr_session *session = swapchain->session;
    const bool blended = any_is_blended(swapchain);
    const bool depthless = lacks_depths(swapchain);
    if (swapchain->layer_swapchain.failed ||
        (swapchain->settings_serial == session->settings_serial && swapchain->blended == blended &&
         swapchain->depthless == depthless)) {
        return;
    }
    const enum fovea_result result = take(swapchain, session->settings, blended, depthless);
    if (result == FOVEA_ERROR_OUT_OF_MEMORY) {
        return;
    }
    swapchain->settings_serial = session->settings_serial;
    swapchain->blended = blended;
    swapchain->depthless = depthless;
    if (result < 0) {
        openxr_say(FOVEA_LOG_WARNING, "the new settings are not taken: %s",
                   fovea_result_name(result));
    }
}

void openxr_swapchain_wait(struct openxr_swapchain *swapchain)
{
    const XrSwapchainImageAcquireInfo acquire = {.type = XR_TYPE_SWAPCHAIN_IMAGE_ACQUIRE_INFO};
    const XrSwapchainImageWaitInfo wait = {.type = XR_TYPE_SWAPCHAIN_IMAGE_WAIT_INFO,
                                           .timeout = WAIT_NS};
    if (!swapchain->layer_swapchain.handle && !make_own(swapchain)) {
        swapchain->layer_swapchain.failed = true;
        return;
    }
    if (!has_context(swapchain)) {
        return;
    }
    update(swapchain);
    struct openxr_layer_swapchain *own = &swapchain->layer_swapchain;
    if (!own->acquired) {
        own->acquired =
            XR_SUCCEEDED(openxr.below.AcquireSwapchainImage(own->handle, &acquire, &own->index));
        own->failed = own->acquired && own->index >= own->count;
    }
    if (own->acquired && !own->failed && !own->waited) {
        own->waited = openxr_waited(openxr.below.WaitSwapchainImage(own->handle, &wait));
    }
}

void openxr_swapchain_foveate(struct openxr_swapchain *swapchain)
{
    const XrSwapchainImageReleaseInfo release = {.type = XR_TYPE_SWAPCHAIN_IMAGE_RELEASE_INFO};
    swapchain->shown = false;
    if (swapchain->layer_swapchain.failed) {
        openxr_swapchain_give_up(swapchain, "no image of the layer's own");
        return;
    }
    if (!swapchain->layer_swapchain.waited || !swapchain->held ||
        (lacks_depths(swapchain) && !swapchain->depthless)) {
        return; /* no context or memory, the runtime is slow, or the program has gone on */
    }
    openxr_source_show(swapchain);
    const enum fovea_result result =
        fill(swapchain, swapchain->program_images[swapchain->acquired[swapchain->acquired_first]],
             swapchain->layer_swapchain.images[swapchain->layer_swapchain.index]);
    swapchain->layer_swapchain.acquired = false;
    swapchain->layer_swapchain.waited = false;
    const XrResult released =
        openxr.below.ReleaseSwapchainImage(swapchain->layer_swapchain.handle, &release);
    swapchain->shown =
        XR_SUCCEEDED(released) && (result == FOVEA_OK || result == FOVEA_PASSED_THROUGH);
    if (result < 0) {
        openxr_swapchain_give_up(swapchain, fovea_result_name(result));
    } else if (XR_FAILED(released)) {
        openxr_swapchain_give_up(swapchain,
                                 "the runtime refuses the release of an image of the layer's own");
    }
    swapchain->made_count = swapchain->view_count;
    memcpy(swapchain->made, swapchain->views, sizeof swapchain->made);
}
