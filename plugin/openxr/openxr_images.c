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
static XrResult let_go_as_drawn(struct openxr_chain *chain)
{
    chain->shown = false;
    const XrResult result = openxr_chain_let_go(chain);
    if (!chain->told) {
        chain->told = true;
        openxr_say(
            FOVEA_LOG_WARNING,
            "the program goes on with a swapchain of %ux%u before xrEndFrame: images that it "
            "does so with are shown as drawn",
            chain->info.width, chain->info.height);
    }
    return result;
}

/* The next image may be had while the former one is held back, unless that is the last one. Of a
 * program that would wait for it the former one is released here, where the runtime may use the
 * queue: in a wait another thread of the program's may be using it. */
XrResult openxr_acquire(XrSwapchain handle, const XrSwapchainImageAcquireInfo *info,
                        uint32_t *index)
{
    struct openxr_chain *chain = openxr_chain_lock(handle);
    if (chain && chain->held &&
        (chain->waits_early || chain->acquired_count >= chain->image_count)) {
        (void)let_go_as_drawn(chain);
    }
    XrResult result = openxr.below.AcquireSwapchainImage(handle, info, index);
    if (result == XR_ERROR_CALL_ORDER_INVALID && chain && chain->held) {
        (void)let_go_as_drawn(chain);
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
    if (chain && chain->held) {
        chain->waits_early = true;
        (void)let_go_as_drawn(chain); /* which nobody knew before */
    }
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
        if (chain->waits_early && chain->acquired_count > 1) {
            result = let_go_as_drawn(chain); /* the next one is acquired: a wait may follow */
        }
    } else {
        result = openxr.below.ReleaseSwapchainImage(handle, info);
        forget_oldest(chain, result);
    }
    openxr_chain_unlock(chain);
    return result;
}
