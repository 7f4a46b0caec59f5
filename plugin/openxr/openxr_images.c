/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The images of a program's swapchain: which ones it has, and the release that is held back. */

#include "plugin/openxr/xr_layer.h"

static void forget_oldest(struct openxr_swapchain *swapchain, XrResult released)
{
    if (swapchain && XR_SUCCEEDED(released) && swapchain->acquired_count > 0) {
        swapchain->acquired_first = (swapchain->acquired_first + 1) % OPENXR_IMAGES;
        swapchain->acquired_count--;
        swapchain->waited = false;
    }
}

XrResult openxr_swapchain_let_go(struct openxr_swapchain *swapchain)
{
    const XrSwapchainImageReleaseInfo info = {.type = XR_TYPE_SWAPCHAIN_IMAGE_RELEASE_INFO};
    if (!swapchain->held) {
        return XR_SUCCESS;
    }
    const bool again = swapchain->owed;
    const XrResult result = openxr.below.ReleaseSwapchainImage(swapchain->program, &info);
    swapchain->owed = XR_FAILED(result) && !again;
    swapchain->held = swapchain->owed;
    forget_oldest(swapchain, result);
    return result;
}

/* The program was told that its release has been done: where the runtime has refused it, it is done
 * before the program's next image. */
static void pay(struct openxr_swapchain *swapchain)
{
    if (swapchain && swapchain->owed) {
        (void)openxr_swapchain_let_go(swapchain);
    }
}

/* The fate of an image that is released before its frame ends. */
static const char *unseen(const struct openxr_swapchain *swapchain)
{
    return swapchain->depths ? "no depths to Fovea" : "shown as drawn";
}

/* A program that needs its next image before xrEndFrame has the former one shown as drawn: the
 * runtime takes no wait for the next one while the former one is held back, and neither what the
 * views are nor, in a wait, the queue is the layer's yet. */
static XrResult let_go_as_drawn(struct openxr_swapchain *swapchain)
{
    swapchain->shown = false;
    const XrResult result = openxr_swapchain_let_go(swapchain);
    if (!swapchain->warned_going_on) {
        swapchain->warned_going_on = true;
        openxr_say(
            FOVEA_LOG_WARNING,
            "the program goes on with a swapchain of %ux%u before xrEndFrame: images that it "
            "does so with are %s",
            swapchain->info.width, swapchain->info.height, unseen(swapchain));
    }
    return result;
}

/* The next image may be had while the former one is held back, unless that is the last one. Of a
 * program that would wait for it the former one is released here, where the runtime may use the
 * queue: in a wait another thread of the program's may be using it. */
XrResult openxr_acquire(XrSwapchain handle, const XrSwapchainImageAcquireInfo *info,
                        uint32_t *index)
{
    struct openxr_swapchain *swapchain = openxr_swapchain_lock(handle);
    pay(swapchain);
    if (swapchain && swapchain->held &&
        (swapchain->waits_early || swapchain->acquired_count >= swapchain->image_count)) {
        (void)let_go_as_drawn(swapchain);
    }
    XrResult result = openxr.below.AcquireSwapchainImage(handle, info, index);
    if (result == XR_ERROR_CALL_ORDER_INVALID && swapchain && swapchain->held) {
        (void)let_go_as_drawn(swapchain);
        result = openxr.below.AcquireSwapchainImage(handle, info, index);
    }
    if (swapchain && XR_SUCCEEDED(result) && *index >= swapchain->image_count &&
        swapchain->can_foveate) {
        openxr_swapchain_give_up(swapchain, "the runtime names an image that it has not");
    }
    if (swapchain && XR_SUCCEEDED(result) && swapchain->acquired_count < OPENXR_IMAGES) {
        swapchain
            ->acquired[(swapchain->acquired_first + swapchain->acquired_count++) % OPENXR_IMAGES] =
            *index;
    }
    openxr_swapchain_unlock(swapchain);
    return result;
}

XrResult openxr_wait(XrSwapchain handle, const XrSwapchainImageWaitInfo *info)
{
    struct openxr_swapchain *swapchain = openxr_swapchain_lock(handle);
    pay(swapchain);
    if (swapchain && swapchain->held) {
        swapchain->waits_early = true;
        (void)let_go_as_drawn(swapchain); /* which nobody knew before */
    }
    openxr_swapchain_unlock(swapchain);
    const XrResult result = openxr.below.WaitSwapchainImage(handle, info);
    swapchain = openxr_swapchain_lock(handle);
    if (swapchain && openxr_waited(result)) {
        swapchain->waited = true;
    }
    openxr_swapchain_unlock(swapchain);
    return result;
}

/* An extension's words on a release count at its time, not at the end of the frame. */
static bool is_plain(struct openxr_swapchain *swapchain, const XrSwapchainImageReleaseInfo *info)
{
    const bool plain = !(info && info->next);
    if (!plain && !swapchain->warned_chain) {
        swapchain->warned_chain = true;
        openxr_say(FOVEA_LOG_WARNING,
                   "the program releases images of a swapchain of %ux%u with a structure of an "
                   "extension: such images are %s",
                   swapchain->info.width, swapchain->info.height, unseen(swapchain));
    }
    return plain;
}

XrResult openxr_release(XrSwapchain handle, const XrSwapchainImageReleaseInfo *info)
{
    struct openxr_swapchain *swapchain = openxr_swapchain_lock(handle);
    const bool holds = swapchain && (swapchain->can_foveate || openxr_depth_holds(swapchain)) &&
                       swapchain->waited && swapchain->acquired_count > 0 &&
                       is_plain(swapchain, info);
    XrResult result = XR_SUCCESS;
    if (swapchain && swapchain->held) {
        result = XR_ERROR_CALL_ORDER_INVALID; /* as of any image that was not waited for */
    } else if (holds) {
        swapchain->held = true;
        swapchain->waited = false;
        if (swapchain->waits_early && swapchain->acquired_count > 1) {
            result = let_go_as_drawn(swapchain); /* the next one is acquired: a wait may follow */
            swapchain->held = swapchain->owed = false; /* the program is told of the result */
        }
    } else {
        result = openxr.below.ReleaseSwapchainImage(handle, info);
        forget_oldest(swapchain, result);
    }
    if (swapchain) {
        swapchain->unread = !holds && !openxr_depth_needed(swapchain->session->settings);
    }
    openxr_swapchain_unlock(swapchain);
    return result;
}
