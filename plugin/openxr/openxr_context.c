/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The contexts of swapchains. A program makes its swapchains while it loads: kernels are compiled
 * there, and not in the frame that first shows one. Nobody knows then which of them projection
 * layers will show: a context goes again whose swapchain's first image is shown by none. */

#include "plugin/openxr/xr_layer.h"

bool openxr_context_make(struct openxr_swapchain *swapchain, const struct fovea_settings *settings)
{
    const struct openxr_session *session = swapchain->session;
    struct fovea_vk_desc desc;
    fovea_vk_desc_init(&desc);
    desc.instance = session->binding.instance;
    desc.physical_device = session->binding.physicalDevice;
    desc.device = session->binding.device;
    desc.get_instance_proc_addr = openxr_instance_get();
    desc.queue = session->queue;
    desc.queue_family = session->binding.queueFamilyIndex;
    desc.frames_in_flight = OPENXR_IMAGES;
    desc.settings = settings;
    desc.log = openxr_log();
    return fovea_vk_create(&desc, &swapchain->fovea) == FOVEA_OK;
}

/* How the image is divided into views, and their frusta, only frames tell. Kernels are the same for
 * about as wide ones. */
static enum fovea_result prepare(const struct openxr_swapchain *swapchain)
{
    const XrSwapchainCreateInfo *info = &swapchain->info;
    const struct fovea_geometry frustum = {
        .tan_left = 1, .tan_right = 1, .tan_up = 1, .tan_down = 1};
    struct fovea_vk_view view;
    struct fovea_vk_frame frame;
    fovea_vk_view_init(&view);
    fovea_vk_frame_init(&frame);
    view.width_px = info->width;
    view.height_px = info->height;
    view.geometry = &frustum;
    /* Any view tells that kernels will see the images. */
    view.src_raw_view = view.dst_raw_view = swapchain->program_views[0][0];
    frame.views = &view;
    frame.view_count = 1;
    frame.src = openxr_target(swapchain, VK_NULL_HANDLE);
    frame.dst = openxr_target(swapchain, VK_NULL_HANDLE);
    return fovea_vk_prepare(swapchain->fovea, &frame);
}

/* Of a swapchain that nobody else knows yet. */
void openxr_context_prepare(struct openxr_swapchain *swapchain)
{
    struct openxr_session *session = swapchain->session;
    struct fovea_settings *settings = NULL;
    pthread_mutex_lock(&session->frame_lock);
    const enum fovea_result copied = fovea_settings_copy(session->settings, &settings);
    swapchain->settings_serial = session->settings_serial;
    pthread_mutex_unlock(&session->frame_lock);
    if (copied == FOVEA_OK && openxr_context_make(swapchain, settings)) {
        /* What fails here the first frame tries again. */
        (void)prepare(swapchain);
    }
    fovea_settings_destroy(&settings);
}
