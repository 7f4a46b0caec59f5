/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The images of a program's swapchain: which ones it has, and the release that is held back. */

#include "plugin/openxr/xr_layer.h"

static void forget_oldest(struct openxr_chain *chain, XrResult released)
{
    if (chain && XR_SUCCEEDED(released) && chain->acquired_count > 0) {
        chain->acquired_first = (chain->acquired_first + 1) % OPENXR_IMAGES;
        chain->acquired_count--;
        chain->waited = false;
    }
}

XrResult openxr_chain_let_go(struct openxr_chain *chain)
{
    const XrSwapchainImageReleaseInfo info = {.type = XR_TYPE_SWAPCHAIN_IMAGE_RELEASE_INFO};
    if (!chain->held) {
        return XR_SUCCESS;
    }
    const XrResult result = openxr.below.ReleaseSwapchainImage(chain->program, &info);
    chain->held = false;
    forget_oldest(chain, result);
    return result;
}

/* A program that needs its next image before xrEndFrame has the former one shown as drawn: the
 * runtime takes no wait for the next one while the former one is held back, and neither what the
 * views are nor, in a wait, the queue is the layer's yet. */
static void go_on(struct openxr_chain *chain)
{
    if (!chain || !chain->held) {
        return;
    }
    chain->shown = false;
    (void)openxr_chain_let_go(chain);
    if (!chain->told) {
        chain->told = true;
        openxr_say(
            FOVEA_LOG_WARNING,
            "the program goes on with a swapchain of %ux%u before xrEndFrame: images that it "
            "does so with are shown as drawn",
            chain->info.width, chain->info.height);
    }
}

/* The next image may be had while the former one is held back, unless that is the last one. */
XrResult openxr_acquire(XrSwapchain handle, const XrSwapchainImageAcquireInfo *info,
                        uint32_t *index)
{
    struct openxr_chain *chain = openxr_chain_lock(handle);
    if (chain && chain->acquired_count >= chain->image_count) {
        go_on(chain);
    }
    XrResult result = openxr.below.AcquireSwapchainImage(handle, info, index);
    if (result == XR_ERROR_CALL_ORDER_INVALID && chain && chain->held) {
        go_on(chain);
        result = openxr.below.AcquireSwapchainImage(handle, info, index);
    }
    if (chain && XR_SUCCEEDED(result) && chain->acquired_count < OPENXR_IMAGES) {
        chain->acquired[(chain->acquired_first + chain->acquired_count++) % OPENXR_IMAGES] = *index;
    }
    openxr_chain_unlock(chain);
    return result;
}

XrResult openxr_wait(XrSwapchain handle, const XrSwapchainImageWaitInfo *info)
{
    struct openxr_chain *chain = openxr_chain_lock(handle);
    go_on(chain);
    openxr_chain_unlock(chain);
    const XrResult result = openxr.below.WaitSwapchainImage(handle, info);
    chain = openxr_chain_lock(handle);
    if (chain && openxr_waited(result)) {
        chain->waited = true;
    }
    openxr_chain_unlock(chain);
    return result;
}

XrResult openxr_release(XrSwapchain handle, const XrSwapchainImageReleaseInfo *info)
{
    struct openxr_chain *chain = openxr_chain_lock(handle);
    const bool holds = chain && chain->can && chain->waited && !chain->held &&
                       chain->acquired_count > 0 && !(info && info->next);
    XrResult result = XR_SUCCESS;
    if (holds) {
        chain->held = true;
        chain->waited = false;
    } else {
        result = openxr.below.ReleaseSwapchainImage(handle, info);
        forget_oldest(chain, result);
    }
    openxr_chain_unlock(chain);
    return result;
}
