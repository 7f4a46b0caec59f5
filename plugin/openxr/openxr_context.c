/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The contexts of swapchains. A program makes its swapchains while it loads: kernels are compiled
 * there, and not in the frame that first shows one. Nobody knows then which of them projection
 * layers will show: much smaller ones than an eye's view are left for that frame, and the context
 * of one that another layer shows first goes again. A VkPipelineCache for all of a session's
 * contexts was tried, and NVIDIA's driver was no faster with it. */

#include "plugin/openxr/xr_layer.h"

/* Each frame takes one for each size of its views, and nothing bounds by the images how many frames
 * the GPU is behind. A view that finds none is shown as drawn, or, on llvmpipe, its caller waits:
 * for 3 ms of a frame with 4 of them, where 8 and 16 take 0.06. 16 make a session no longer. */
#define UNFINISHED 16

static _Thread_local bool hushed; /* the backend is said, */
static _Thread_local bool tries_again; /* and so is what there is no memory for */

static void write_line(void *user, enum fovea_log_level level, const char *message)
{
    const struct fovea_log log = openxr_log();
    (void)user;
    if (!(level == FOVEA_LOG_INFO && hushed) && !(level == FOVEA_LOG_ERROR && tries_again)) {
        log.fn(log.user, level, message);
    }
}

static bool has_told_backend(struct openxr_session *session)
{
    pthread_mutex_lock(&session->lock);
    const bool told = session->told_backend;
    pthread_mutex_unlock(&session->lock);
    return told;
}

/* While it is made a context says which backend it has, and all of a session have the same: the
 * first one says so. */
static enum fovea_result create(struct openxr_session *session, const struct fovea_vk_desc *desc,
                                struct fovea_vk **out_fovea)
{
    hushed = has_told_backend(session);
    const enum fovea_result result = fovea_vk_create(desc, out_fovea);
    hushed = false;
    pthread_mutex_lock(&session->lock);
    session->told_backend = session->told_backend || result == FOVEA_OK;
    pthread_mutex_unlock(&session->lock);
    return result;
}

enum fovea_result openxr_context_make(struct openxr_swapchain *swapchain,
                                      const struct fovea_settings *settings)
{
    struct openxr_session *session = swapchain->session;
    struct fovea_vk_desc desc;
    fovea_vk_desc_init(&desc);
    desc.instance = session->binding.instance;
    desc.physical_device = session->binding.physicalDevice;
    desc.device = session->binding.device;
    desc.get_instance_proc_addr = openxr_instance_get();
    desc.queue = session->queue;
    desc.queue_family = session->binding.queueFamilyIndex;
    desc.frames_in_flight = UNFINISHED;
    desc.settings = settings;
    desc.log = openxr_log();
    desc.log.fn = write_line;
    tries_again = swapchain->again_ns != 0;
    const enum fovea_result result = create(session, &desc, &swapchain->fovea);
    tries_again = false;
    return result;
}

/* Only frames say how the image is divided and how wide its frusta are. One of 90 degrees needs the
 * same kernels, and the views of an array are as large as it is. */
static enum fovea_result prepare(const struct openxr_swapchain *swapchain)
{
    const struct fovea_geometry frustum = {
        .tan_left = 1, .tan_right = 1, .tan_up = 1, .tan_down = 1};
    struct fovea_vk_view views[FOVEA_VK_MAX_VIEWS];
    struct fovea_vk_frame frame;
    struct fovea_depth depths;
    fovea_vk_frame_init(&frame);
    fovea_depth_init(&depths);
    frame.src = openxr_target(swapchain, VK_NULL_HANDLE);
    frame.dst = openxr_target(swapchain, VK_NULL_HANDLE);
    frame.views = views;
    while (frame.view_count < swapchain->info.arraySize && frame.view_count < FOVEA_VK_MAX_VIEWS) {
        struct fovea_vk_view *view = &views[frame.view_count];
        fovea_vk_view_init(view);
        view->width_px = swapchain->info.width;
        view->height_px = swapchain->info.height;
        view->layer = frame.view_count;
        view->eye = openxr_eye(frame.view_count);
        view->geometry = &frustum;
        if (swapchain->direct) { /* that there are any says that kernels see the images */
            view->src_raw_view = view->dst_raw_view = swapchain->program_views[0][view->layer];
        }
        if (!swapchain->depthless) {
            view->depth = openxr_depth_any(&swapchain->info, &depths);
        }
        frame.view_count++;
    }
    return fovea_vk_prepare(swapchain->fovea, &frame);
}

/* Half of an eye's width and height, as the inner views of four and pictures of half the resolution
 * have. */
static bool may_be_an_eyes(const struct openxr_swapchain *swapchain)
{
    const XrExtent2Di *eye = &swapchain->session->eye_px;
    return 2 * (int64_t)swapchain->info.width >= eye->width &&
           2 * (int64_t)swapchain->info.height >= eye->height;
}

void openxr_context_prepare(struct openxr_swapchain *swapchain)
{
    struct openxr_session *session = swapchain->session;
    struct fovea_settings *settings = NULL;
    if (!may_be_an_eyes(swapchain)) {
        return;
    }
    pthread_mutex_lock(&session->lock);
    const enum fovea_result copied = fovea_settings_copy(session->settings, &settings);
    swapchain->settings_serial = session->settings_serial;
    pthread_mutex_unlock(&session->lock);
    swapchain->depthless = copied == FOVEA_OK && openxr_depth_needed(settings) &&
                           !(session->instance->extensions & OPENXR_DEPTHS) &&
                           openxr_depth_leave_out(settings) == FOVEA_OK;
    if (copied == FOVEA_OK && openxr_context_make(swapchain, settings) == FOVEA_OK) {
        (void)prepare(swapchain);
    }
    fovea_settings_destroy(&settings);
}
