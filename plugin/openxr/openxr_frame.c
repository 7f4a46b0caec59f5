/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* xrEndFrame: which view is in which swapchain, and what the runtime is handed instead. */

#include "plugin/openxr/xr_layer.h"

static bool same_place(const struct openxr_view *view, const XrSwapchainSubImage *image)
{
    return view->layer == image->imageArrayIndex &&
           memcmp(&view->rect, &image->imageRect, sizeof view->rect) == 0;
}

/* NULL: it is none of them. */
static struct openxr_view *find_in(struct openxr_view *views, uint32_t count,
                                   const XrSwapchainSubImage *image)
{
    for (uint32_t i = 0; i < count; i++) {
        if (same_place(&views[i], image)) {
            return &views[i];
        }
    }
    return NULL;
}

static void tell_of_frustum(struct openxr_session *session, const XrFovf *fov)
{
    if (!session->warned_frustum) {
        session->warned_frustum = true;
        openxr_say(FOVEA_LOG_WARNING,
                   "a view's edges are at %g, %g, %g and %g rad (left, right, up, down), which is "
                   "no frustum: such views are shown as drawn",
                   (double)fov->angleLeft, (double)fov->angleRight, (double)fov->angleUp,
                   (double)fov->angleDown);
    }
}

static bool spans_overlap(int32_t a, int32_t a_length, int32_t b, int32_t b_length)
{
    return (int64_t)a < (int64_t)b + b_length && (int64_t)b < (int64_t)a + a_length;
}

static bool overlap(const struct openxr_view *view, const XrSwapchainSubImage *image)
{
    const XrRect2Di *a = &view->rect;
    const XrRect2Di *b = &image->imageRect;
    return view->layer == image->imageArrayIndex &&
           spans_overlap(a->offset.x, a->extent.width, b->offset.x, b->extent.width) &&
           spans_overlap(a->offset.y, a->extent.height, b->offset.y, b->extent.height);
}

/* A part of the image has one gaze, the first view's. */
static bool has_room(struct openxr_session *session, const struct openxr_swapchain *swapchain,
                     const XrSwapchainSubImage *image)
{
    bool room = swapchain->view_count < OPENXR_VIEWS;
    for (uint32_t i = 0; i < swapchain->view_count; i++) {
        room = room && !overlap(&swapchain->views[i], image);
    }
    if (!room && !session->warned_views) {
        session->warned_views = true;
        openxr_say(FOVEA_LOG_WARNING,
                   "views overlap in their image, or a swapchain has more than %d: those that come "
                   "later are shown as drawn",
                   OPENXR_VIEWS);
    }
    return room;
}

static bool is_blended(const XrCompositionLayerProjection *layer)
{
    return layer->layerFlags & XR_COMPOSITION_LAYER_BLEND_TEXTURE_SOURCE_ALPHA_BIT &&
           !(layer->layerFlags & XR_COMPOSITION_LAYER_UNPREMULTIPLIED_ALPHA_BIT);
}

/* A layer of a frame, and whether the gaze was read for it, and its depths were looked at: only
 * where one of its views is going to be foveated. */
struct noted {
    const XrCompositionLayerProjection *layer;
    XrTime time;
    bool has_gaze;
    bool has_depths;
};

static void need_gaze(struct openxr_session *session, struct noted *noted)
{
    if (!noted->has_gaze) {
        noted->has_gaze = true;
        openxr_gaze_read(session, noted->layer, noted->time);
        noted->has_depths =
            openxr_depth_needed(session->settings) && openxr_depth_all(session, noted->layer);
    }
}

/* Notes which part of its swapchain a view is. */
static void note(struct openxr_session *session, struct noted *noted, uint32_t index)
{
    const XrCompositionLayerProjection *layer = noted->layer;
    const XrCompositionLayerProjectionView *seen = &layer->views[index];
    struct openxr_swapchain *swapchain = openxr_swapchain_of(session, seen->subImage.swapchain);
    if (!swapchain || !swapchain->can_foveate || !swapchain->held ||
        !openxr_swapchain_has(swapchain, &seen->subImage)) {
        return;
    }
    struct openxr_view *known = find_in(swapchain->views, swapchain->view_count, &seen->subImage);
    if (known) {
        known->blended = known->blended || is_blended(layer);
        return;
    }
    if (!has_room(session, swapchain, &seen->subImage)) {
        return;
    }
    struct openxr_view *view = &swapchain->views[swapchain->view_count];
    view->rect = seen->subImage.imageRect;
    view->layer = seen->subImage.imageArrayIndex;
    view->index = index;
    view->blended = is_blended(layer);
    view->depth.view = VK_NULL_HANDLE;
    need_gaze(session, noted);
    if (openxr_gaze_view(session, layer, view)) {
        swapchain->view_count++;
        if (noted->has_depths) {
            openxr_depth_take(session, swapchain, seen, view);
        }
    } else {
        tell_of_frustum(session, &seen->fov);
    }
}

/* NULL: the layer is another kind. */
static const XrCompositionLayerProjection *projection_of(const XrCompositionLayerBaseHeader *layer)
{
    return layer && layer->type == XR_TYPE_COMPOSITION_LAYER_PROJECTION
               ? (const XrCompositionLayerProjection *)layer
               : NULL;
}

/* XR_NULL_HANDLE: the layer shows no part of an image. */
static XrSwapchain swapchain_of(const XrCompositionLayerBaseHeader *layer)
{
    switch (layer ? layer->type : XR_TYPE_UNKNOWN) {
    case XR_TYPE_COMPOSITION_LAYER_QUAD:
        return ((const XrCompositionLayerQuad *)layer)->subImage.swapchain;
    case XR_TYPE_COMPOSITION_LAYER_CYLINDER_KHR:
        return ((const XrCompositionLayerCylinderKHR *)layer)->subImage.swapchain;
    case XR_TYPE_COMPOSITION_LAYER_EQUIRECT_KHR:
        return ((const XrCompositionLayerEquirectKHR *)layer)->subImage.swapchain;
    case XR_TYPE_COMPOSITION_LAYER_EQUIRECT2_KHR:
        return ((const XrCompositionLayerEquirect2KHR *)layer)->subImage.swapchain;
    default:
        return XR_NULL_HANDLE;
    }
}

static void note_other(const struct openxr_session *session,
                       const XrCompositionLayerBaseHeader *layer)
{
    struct openxr_swapchain *swapchain = openxr_swapchain_of(session, swapchain_of(layer));
    if (swapchain) {
        swapchain->elsewhere = true;
    }
}

static bool fits(struct openxr_session *session, const XrFrameEndInfo *info)
{
    uint32_t projections = 0;
    bool room = info->layerCount <= OPENXR_LAYERS && (info->layerCount == 0 || info->layers);
    for (uint32_t i = 0; room && i < info->layerCount; i++) {
        const XrCompositionLayerProjection *projection = projection_of(info->layers[i]);
        if (projection) {
            room = ++projections <= OPENXR_PROJECTIONS &&
                   projection->viewCount <= FOVEA_VK_MAX_VIEWS && projection->views;
        }
    }
    if (!room && !session->warned_layers) {
        session->warned_layers = true;
        openxr_say(FOVEA_LOG_WARNING, "a frame has more layers or views than Fovea takes: such "
                                      "frames are shown as drawn");
    }
    return room;
}

/* Its layers are handed on as they are. */
static void tell_of_secondary(struct openxr_session *session, const XrFrameEndInfo *info)
{
    const XrBaseInStructure *next = info->next;
    while (next && next->type != XR_TYPE_SECONDARY_VIEW_CONFIGURATION_FRAME_END_INFO_MSFT) {
        next = next->next;
    }
    if (next && !session->warned_secondary) {
        session->warned_secondary = true;
        openxr_say(FOVEA_LOG_WARNING, "the program shows layers of a secondary view configuration: "
                                      "they are shown as drawn");
    }
}

/* Swapchains of a frame stay until its end: a program destroys none that it has handed over. */
static void wait_for_own(struct openxr_session *session)
{
    pthread_mutex_lock(&session->lock);
    for (struct openxr_swapchain *swapchain = session->swapchains; swapchain;
         swapchain = swapchain->next) {
        if (swapchain->view_count > 0) {
            pthread_mutex_unlock(&session->lock);
            openxr_swapchain_wait(swapchain);
            pthread_mutex_lock(&session->lock);
        }
    }
    pthread_mutex_unlock(&session->lock);
}

/* The standard operators leave pictures as drawn where they have no strength and mark nothing: then
 * nothing is read, made or submitted, but for a record. NULL: there was no memory for settings, and
 * no swapchain is foveated. */
static bool is_anything_to_do(const struct fovea_settings *settings)
{
    if (!settings) {
        return false;
    }
    return openxr_gaze_needed(settings) || settings->overlay.patch != FOVEA_PATCH_OFF ||
           !config_operators_are_standard(&settings->operators);
}

static void note_all(struct openxr_session *session, const XrFrameEndInfo *info)
{
    pthread_mutex_lock(&session->lock);
    const bool anything = is_anything_to_do(session->settings);
    if (!anything) {
        openxr_eyes_end(session);
    }
    openxr_depth_begin(session, info->displayTime);
    for (uint32_t i = 0; i < info->layerCount; i++) {
        const XrCompositionLayerProjection *layer = projection_of(info->layers[i]);
        if (layer) {
            struct noted noted = {.layer = layer, .time = info->displayTime};
            for (uint32_t v = 0; anything && v < layer->viewCount; v++) {
                note(session, &noted, v);
            }
        } else {
            note_other(session, info->layers[i]);
        }
    }
    pthread_mutex_unlock(&session->lock);
    openxr_gaze_tell(session);
}

/* The runtime has refused the release of that image, and may have none to show in its place. */
static bool is_unreleased(const struct openxr_session *session, XrSwapchain handle)
{
    const struct openxr_swapchain *swapchain = openxr_swapchain_of(session, handle);
    return swapchain && swapchain->unreleased;
}

/* Fills the views of a layer, the same but for the swapchains of those that are foveated. False:
 * the runtime may have nothing to show of one. */
static bool exchange_views(const struct openxr_session *session,
                           const XrCompositionLayerProjection *layer,
                           XrCompositionLayerProjectionView *out_views)
{
    bool all = true;
    for (uint32_t v = 0; v < layer->viewCount; v++) {
        XrSwapchainSubImage *image = &out_views[v].subImage;
        out_views[v] = layer->views[v];
        struct openxr_swapchain *swapchain = openxr_swapchain_of(session, image->swapchain);
        if (swapchain && swapchain->shown &&
            find_in(swapchain->made, swapchain->made_count, image)) {
            image->swapchain = swapchain->layer_swapchain.handle;
        }
        const XrCompositionLayerDepthInfoKHR *depths = openxr_depth_info(&layer->views[v]);
        all = all && !is_unreleased(session, image->swapchain) &&
              !(depths && is_unreleased(session, depths->subImage.swapchain));
    }
    return all;
}

/* The layers as the runtime gets them, without those that it may have nothing to show of. Returns
 * how many there are. */
static uint32_t exchange(struct openxr_session *session, const XrFrameEndInfo *info)
{
    uint32_t count = 0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < info->layerCount; i++) {
        const XrCompositionLayerProjection *layer = projection_of(info->layers[i]);
        if (!layer && !is_unreleased(session, swapchain_of(info->layers[i]))) {
            session->layers[count++] = info->layers[i];
        } else if (layer && exchange_views(session, layer, session->views[used])) {
            session->projections[used] = *layer;
            session->projections[used].views = session->views[used];
            session->layers[count++] =
                (const XrCompositionLayerBaseHeader *)&session->projections[used++];
        }
    }
    return count;
}

static void tell_of_release(struct openxr_session *session, XrResult result)
{
    if (XR_FAILED(result) && !session->warned_release) {
        session->warned_release = true;
        openxr_say(FOVEA_LOG_WARNING,
                   "the runtime refuses the release of an image (XrResult %d): such frames are "
                   "ended without the layers that show it",
                   (int)result);
    }
}

static XrResult hand_on_one(struct openxr_swapchain *swapchain)
{
    if (swapchain->view_count > 0) {
        openxr_swapchain_foveate(swapchain);
    } else if (swapchain->elsewhere && !swapchain->layer_swapchain.handle) {
        fovea_vk_destroy(&swapchain->fovea); /* it is a menu, or the like */
    }
    swapchain->elsewhere = false;
    swapchain->shown = swapchain->shown && (!swapchain->held || swapchain->view_count > 0);
    swapchain->view_count = 0;
    const XrResult released = openxr_swapchain_let_go(swapchain);
    swapchain->unreleased = XR_FAILED(released);
    return released;
}

/* The view that moves the focus comes first, and depths go when all have read them. */
static int turn_of(const struct openxr_session *session, const struct openxr_swapchain *swapchain)
{
    return swapchain == session->leader ? 0 : swapchain->depths ? 2 : 1;
}

/* Foveates what is held and tells the runtime of all releases; those that nothing was made of are
 * of images that it shows as they are. */
static XrResult hand_on(struct openxr_session *session)
{
    XrResult result = XR_SUCCESS;
    for (int turn = 0; turn < 3; turn++) {
        for (struct openxr_swapchain *swapchain = session->swapchains; swapchain;
             swapchain = swapchain->next) {
            if (turn_of(session, swapchain) == turn) {
                const XrResult released = hand_on_one(swapchain);
                result = released == XR_SUCCESS || XR_FAILED(result) ? result : released;
            }
        }
    }
    tell_of_release(session, result);
    return result;
}

/* A frame is ended whatever became of its releases, as the program has begun it. Then the program
 * is told of the one that has failed: its own call was long before. A session that is about to be
 * lost has its frame ended like any other. */
static XrResult end(struct openxr_session *session, const XrFrameEndInfo *info)
{
    XrFrameEndInfo changed = *info;
    const bool room = fits(session, info);
    openxr_session_poll(session);
    tell_of_secondary(session, info);
    if (room) {
        note_all(session, info);
        wait_for_own(session);
    }
    pthread_mutex_lock(&session->lock);
    const XrResult released = hand_on(session);
    if (room) {
        changed.layerCount = exchange(session, info);
        changed.layers = session->layers;
    } else if (XR_FAILED(released)) {
        changed.layerCount = 0;
    }
    pthread_mutex_unlock(&session->lock);
    const XrResult result = openxr.below.EndFrame(session->handle, &changed);
    return XR_FAILED(result) || released == XR_SUCCESS ? result : released;
}

XrResult openxr_end_frame(XrSession handle, const XrFrameEndInfo *info)
{
    struct openxr_session *session = openxr_session_foveated(handle);
    if (!session || !info) {
        return openxr.below.EndFrame(handle, info);
    }
    pthread_mutex_lock(&session->frame_lock);
    const XrResult result = end(session, info);
    pthread_mutex_unlock(&session->frame_lock);
    return result;
}
