/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Sessions, their states and the order of their frames. */

#include "runtime.h"

#include <math.h>
#include <stdlib.h>

#define EVENTS 64
#define PERIOD_NS 11111111

static struct session *sessions;
static struct {
    XrSession session;
    XrSessionState state;
} events[EVENTS];
static uint32_t event_first;
static uint32_t event_count;

bool runtime_is_session(XrSession handle)
{
    const struct session *found = sessions;
    while (found && found != (const struct session *)handle) {
        found = found->next;
    }
    return found;
}

static void add_event(XrSession session, XrSessionState state)
{
    ((struct session *)session)->state = state;
    if (event_count < EVENTS) {
        const uint32_t at = (event_first + event_count++) % EVENTS;
        events[at].session = session;
        events[at].state = state;
    }
}

XrResult runtime_poll(XrEventDataBuffer *event)
{
    if (event_count == 0) {
        return XR_EVENT_UNAVAILABLE;
    }
    *(XrEventDataSessionStateChanged *)event =
        (XrEventDataSessionStateChanged){.type = XR_TYPE_EVENT_DATA_SESSION_STATE_CHANGED,
                                         .session = events[event_first].session,
                                         .state = events[event_first].state};
    event_first = (event_first + 1) % EVENTS;
    event_count--;
    return XR_SUCCESS;
}

static bool lost(const struct session *session)
{
    const uint32_t frame = runtime_number("FOVEA_TEST_XR_LOST", UINT32_MAX);
    return session->frames >= frame;
}

/* The checks that all calls of a session share. */
static XrResult look_at(XrSession handle, const char *function)
{
    if (!runtime_is_session(handle)) {
        return runtime_refuse(XR_ERROR_HANDLE_INVALID, function, "no session");
    }
    return lost((struct session *)handle) ? XR_ERROR_SESSION_LOST : XR_SUCCESS;
}

static bool take(struct session *session, const XrGraphicsBindingVulkanKHR *binding)
{
    session->instance = binding->instance;
    session->physical_device = binding->physicalDevice;
    session->device = binding->device;
    session->family = binding->queueFamilyIndex;
    vkGetDeviceQueue(session->device, session->family, binding->queueIndex, &session->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = session->family};
    return vkCreateCommandPool(session->device, &pool, NULL, &session->pool) == VK_SUCCESS;
}

RUNTIME_CALL(xrCreateSession, XrInstance instance, const XrSessionCreateInfo *info, XrSession *out)
{
    RUNTIME_LOCKED;
    const XrResult scripted = runtime_scripted(__func__);
    RUNTIME_TRY(scripted);
    const XrGraphicsBindingVulkanKHR *binding = info->next;
    const bool none = !binding && runtime_headless();
    RUNTIME_REFUSE_IF(!none && !runtime_vulkan_asked(), XR_ERROR_GRAPHICS_REQUIREMENTS_CALL_MISSING,
                      "no call of xrGetVulkanGraphicsRequirements");
    RUNTIME_REFUSE_IF(!none && (!binding || binding->type != XR_TYPE_GRAPHICS_BINDING_VULKAN_KHR),
                      XR_ERROR_GRAPHICS_DEVICE_INVALID, "no Vulkan binding");
    struct session *session = calloc(1, sizeof *session);
    if (!session) {
        return XR_ERROR_OUT_OF_MEMORY;
    }
    if (!none && !take(session, binding)) {
        free(session);
        return XR_ERROR_RUNTIME_FAILURE;
    }
    session->of = runtime_instance_index(instance);
    session->next = sessions;
    sessions = session;
    *out = (XrSession)session;
    add_event(*out, XR_SESSION_STATE_IDLE);
    add_event(*out, XR_SESSION_STATE_READY);
    return scripted;
}

RUNTIME_CALL(xrDestroySession, XrSession handle)
{
    RUNTIME_LOCKED;
    struct session *session = (struct session *)handle;
    RUNTIME_REFUSE_IF(!runtime_is_session(handle), XR_ERROR_HANDLE_INVALID, "no session");
    for (struct session **at = &sessions; *at; at = &(*at)->next) {
        if (*at == session) {
            *at = session->next;
            break;
        }
    }
    runtime_swapchains_gone(session);
    if (session->device) {
        vkDestroyCommandPool(session->device, session->pool, NULL);
    }
    free(session);
    return XR_SUCCESS;
}

RUNTIME_CALL(xrBeginSession, XrSession handle, const XrSessionBeginInfo *info)
{
    RUNTIME_LOCKED;
    struct session *session = (struct session *)handle;
    RUNTIME_TRY(look_at(handle, __func__));
    RUNTIME_REFUSE_IF(session->running, XR_ERROR_SESSION_RUNNING, "runs");
    RUNTIME_REFUSE_IF(session->state != XR_SESSION_STATE_READY, XR_ERROR_SESSION_NOT_READY,
                      "not ready");
    RUNTIME_REFUSE_IF(runtime_view_count(info->primaryViewConfigurationType) == 0,
                      XR_ERROR_VIEW_CONFIGURATION_TYPE_UNSUPPORTED, "views");
    session->running = true;
    session->views = info->primaryViewConfigurationType;
    session->display_time = 1000000000;
    add_event(handle, XR_SESSION_STATE_SYNCHRONIZED);
    add_event(handle, XR_SESSION_STATE_VISIBLE);
    add_event(handle, XR_SESSION_STATE_FOCUSED);
    return XR_SUCCESS;
}

static void stop(XrSession handle)
{
    add_event(handle, XR_SESSION_STATE_VISIBLE);
    add_event(handle, XR_SESSION_STATE_SYNCHRONIZED);
    add_event(handle, XR_SESSION_STATE_STOPPING);
}

RUNTIME_CALL(xrRequestExitSession, XrSession handle)
{
    RUNTIME_LOCKED;
    const XrResult result = look_at(handle, __func__);
    RUNTIME_REFUSE_IF(result == XR_SUCCESS && !((struct session *)handle)->running,
                      XR_ERROR_SESSION_NOT_RUNNING, "does not run");
    if (result == XR_SUCCESS) {
        stop(handle);
    }
    return result;
}

RUNTIME_CALL(xrEndSession, XrSession handle)
{
    RUNTIME_LOCKED;
    struct session *session = (struct session *)handle;
    RUNTIME_TRY(look_at(handle, __func__));
    RUNTIME_REFUSE_IF(!session->running || session->state != XR_SESSION_STATE_STOPPING,
                      session->running ? XR_ERROR_SESSION_NOT_STOPPING
                                       : XR_ERROR_SESSION_NOT_RUNNING,
                      "not stopping");
    session->running = false;
    add_event(handle, XR_SESSION_STATE_IDLE);
    add_event(handle, XR_SESSION_STATE_EXITING);
    return XR_SUCCESS;
}

RUNTIME_CALL(xrWaitFrame, XrSession handle, const XrFrameWaitInfo *info, XrFrameState *state)
{
    RUNTIME_LOCKED;
    struct session *session = (struct session *)handle;
    RUNTIME_TRY(look_at(handle, __func__));
    RUNTIME_REFUSE_IF(!session->running, XR_ERROR_SESSION_NOT_RUNNING, "does not run");
    RUNTIME_REFUSE_IF(session->waited, XR_ERROR_CALL_ORDER_INVALID, "twice");
    session->waited = true;
    session->display_time += PERIOD_NS;
    state->predictedDisplayTime = session->display_time;
    state->predictedDisplayPeriod = PERIOD_NS;
    state->shouldRender = session->device ? XR_TRUE : XR_FALSE;
    return XR_SUCCESS;
}

RUNTIME_CALL(xrBeginFrame, XrSession handle, const XrFrameBeginInfo *info)
{
    RUNTIME_LOCKED;
    struct session *session = (struct session *)handle;
    RUNTIME_TRY(look_at(handle, __func__));
    RUNTIME_REFUSE_IF(!session->waited, XR_ERROR_CALL_ORDER_INVALID, "without xrWaitFrame");
    const bool again = session->begun;
    session->waited = false;
    session->begun = true;
    return again ? XR_FRAME_DISCARDED : XR_SUCCESS;
}

static XrResult look_at_image(const struct session *session, const XrSwapchainSubImage *image)
{
    const struct swapchain *chain = runtime_swapchain_of(image->swapchain);
    const XrRect2Di *rect = &image->imageRect;
    if (!chain || chain->session != session) {
        return runtime_refuse(XR_ERROR_HANDLE_INVALID, "xrEndFrame", "no swapchain of its");
    }
    if (chain->released < 0) {
        return runtime_refuse(XR_ERROR_LAYER_INVALID, "xrEndFrame", "nothing was released");
    }
    if (image->imageArrayIndex >= chain->info.arraySize) {
        return runtime_refuse(XR_ERROR_VALIDATION_FAILURE, "xrEndFrame", "imageArrayIndex");
    }
    if (rect->offset.x < 0 || rect->offset.y < 0 || rect->extent.width <= 0 ||
        rect->extent.height <= 0 ||
        (uint32_t)(rect->offset.x + rect->extent.width) > chain->info.width ||
        (uint32_t)(rect->offset.y + rect->extent.height) > chain->info.height) {
        return runtime_refuse(XR_ERROR_SWAPCHAIN_RECT_INVALID, "xrEndFrame", "imageRect");
    }
    return XR_SUCCESS;
}

static XrResult look_at_space(const struct session *session, XrSpace space)
{
    XrPosef pose;
    return runtime_space_from(space, session, &pose)
               ? XR_SUCCESS
               : runtime_refuse(XR_ERROR_HANDLE_INVALID, "xrEndFrame", "no space of its");
}

static XrResult look_at_pose(const XrPosef *pose)
{
    const XrQuaternionf *q = &pose->orientation;
    const float length = sqrtf(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w);
    return fabsf(length - 1) < 0.01f
               ? XR_SUCCESS
               : runtime_refuse(XR_ERROR_POSE_INVALID, "xrEndFrame", "orientation");
}

static const XrCompositionLayerDepthInfoKHR *depth_of(const XrCompositionLayerProjectionView *view)
{
    const XrCompositionLayerDepthInfoKHR *depth = view->next;
    return depth && depth->type == XR_TYPE_COMPOSITION_LAYER_DEPTH_INFO_KHR ? depth : NULL;
}

/* The specification forbids these. */
static XrResult look_at_depth(const struct session *session, uint32_t view,
                              const XrCompositionLayerDepthInfoKHR *depth)
{
    runtime_say("depth frame %u view %u swapchain %p from %g to %g, %g m to %g m", session->frames,
                view, (void *)depth->subImage.swapchain, (double)depth->minDepth,
                (double)depth->maxDepth, (double)depth->nearZ, (double)depth->farZ);
    if (getenv("FOVEA_TEST_XR_UNCHECKED")) {
        return XR_SUCCESS;
    }
    if (!(depth->minDepth >= 0) || !(depth->minDepth < depth->maxDepth) ||
        !(depth->maxDepth <= 1) || depth->nearZ == depth->farZ || depth->nearZ < 0 ||
        depth->farZ < 0) {
        return runtime_refuse(XR_ERROR_VALIDATION_FAILURE, "xrEndFrame", "range of depths");
    }
    const XrResult result = look_at_image(session, &depth->subImage);
    return result != XR_SUCCESS || runtime_has_depths(&depth->subImage)
               ? result
               : runtime_refuse(XR_ERROR_VALIDATION_FAILURE, "xrEndFrame", "no depths");
}

static XrResult look_at_projection(const struct session *session,
                                   const XrCompositionLayerProjection *layer)
{
    if (layer->viewCount != runtime_view_count(session->views)) {
        return runtime_refuse(XR_ERROR_VALIDATION_FAILURE, "xrEndFrame", "viewCount");
    }
    XrResult result = look_at_space(session, layer->space);
    for (uint32_t i = 0; i < layer->viewCount && result == XR_SUCCESS; i++) {
        const XrCompositionLayerProjectionView *view = &layer->views[i];
        const XrCompositionLayerDepthInfoKHR *depth = depth_of(view);
        result = look_at_pose(&view->pose);
        result = result == XR_SUCCESS ? look_at_image(session, &view->subImage) : result;
        if (result == XR_SUCCESS && depth) {
            result = look_at_depth(session, i, depth);
        }
    }
    return result;
}

static XrResult look_at_layers(const struct session *session, const XrFrameEndInfo *info)
{
    XrResult result = XR_SUCCESS;
    for (uint32_t i = 0; i < info->layerCount && result == XR_SUCCESS; i++) {
        const XrCompositionLayerBaseHeader *layer = info->layers[i];
        if (!layer) {
            result = runtime_refuse(XR_ERROR_LAYER_INVALID, "xrEndFrame", "no layer");
        } else if (layer->type == XR_TYPE_COMPOSITION_LAYER_PROJECTION) {
            result = look_at_projection(session, (const XrCompositionLayerProjection *)layer);
        } else if (layer->type == XR_TYPE_COMPOSITION_LAYER_QUAD) {
            const XrCompositionLayerQuad *quad = (const XrCompositionLayerQuad *)layer;
            result = look_at_space(session, quad->space);
            result = result == XR_SUCCESS ? look_at_pose(&quad->pose) : result;
            result = result == XR_SUCCESS ? look_at_image(session, &quad->subImage) : result;
        } else {
            result = runtime_refuse(XR_ERROR_LAYER_INVALID, "xrEndFrame", "type of a layer");
        }
    }
    return result;
}

static void write_layers(struct session *session, const XrFrameEndInfo *info)
{
    for (uint32_t i = 0; i < info->layerCount && runtime_out(); i++) {
        const XrCompositionLayerBaseHeader *layer = info->layers[i];
        if (layer->type == XR_TYPE_COMPOSITION_LAYER_PROJECTION) {
            const XrCompositionLayerProjection *projection =
                (const XrCompositionLayerProjection *)layer;
            for (uint32_t v = 0; v < projection->viewCount; v++) {
                const XrView view = {.pose = projection->views[v].pose,
                                     .fov = projection->views[v].fov};
                const XrCompositionLayerDepthInfoKHR *depth = depth_of(&projection->views[v]);
                runtime_write(session, &projection->views[v].subImage, &view, i, v);
                if (depth && !getenv("FOVEA_TEST_XR_UNCHECKED")) {
                    runtime_write(session, &depth->subImage, NULL, i, v);
                }
            }
        } else {
            const XrView none = {.type = XR_TYPE_VIEW};
            runtime_write(session, &((const XrCompositionLayerQuad *)layer)->subImage, &none, i, 0);
        }
    }
}

RUNTIME_CALL(xrEndFrame, XrSession handle, const XrFrameEndInfo *info)
{
    RUNTIME_LOCKED;
    const XrResult scripted = runtime_scripted(__func__);
    RUNTIME_TRY(scripted);
    struct session *session = (struct session *)handle;
    XrResult result = look_at(handle, __func__);
    if (result != XR_SUCCESS) {
        return result;
    }
    RUNTIME_REFUSE_IF(!info || (info->layerCount > 0 && !info->layers), XR_ERROR_VALIDATION_FAILURE,
                      "nothing");
    RUNTIME_REFUSE_IF(!session->begun, XR_ERROR_CALL_ORDER_INVALID, "without xrBeginFrame");
    RUNTIME_REFUSE_IF(info->displayTime <= 0, XR_ERROR_TIME_INVALID, "displayTime");
    RUNTIME_REFUSE_IF(info->environmentBlendMode != XR_ENVIRONMENT_BLEND_MODE_OPAQUE,
                      XR_ERROR_ENVIRONMENT_BLEND_MODE_UNSUPPORTED, "blend mode");
    result = look_at_layers(session, info);
    if (result != XR_SUCCESS) {
        return result;
    }
    session->begun = false;
    if (!getenv("FOVEA_TEST_XR_BLIND")) {
        write_layers(session, info);
    }
    session->frames++;
    if (session->frames == runtime_number("FOVEA_TEST_XR_FRAMES", 0)) {
        stop(handle);
    }
    return scripted;
}

RUNTIME_CALL(xrLocateViews, XrSession handle, const XrViewLocateInfo *info, XrViewState *state,
             uint32_t capacity, uint32_t *count, XrView *views)
{
    RUNTIME_LOCKED;
    RUNTIME_TRY(look_at(handle, __func__));
    XrPosef space;
    RUNTIME_REFUSE_IF(!runtime_space_from(info->space, (const struct session *)handle, &space),
                      XR_ERROR_HANDLE_INVALID, "no space of its");
    RUNTIME_REFUSE_IF(info->displayTime <= 0, XR_ERROR_TIME_INVALID, "displayTime");
    *count = runtime_view_count(info->viewConfigurationType);
    RUNTIME_REFUSE_IF(*count == 0, XR_ERROR_VIEW_CONFIGURATION_TYPE_UNSUPPORTED, "views");
    for (uint32_t i = 0; i < *count && capacity >= *count; i++) {
        views[i] = runtime_view(info->viewConfigurationType, i);
        views[i].pose.orientation =
            runtime_with_head(((const struct session *)handle)->frames, views[i].pose.orientation);
        views[i].pose = runtime_seen_from(&space, &views[i].pose);
    }
    if (capacity > 0) {
        runtime_change_fov(((const struct session *)handle)->frames, &views[0].fov);
    }
    state->viewStateFlags = XR_VIEW_STATE_ORIENTATION_VALID_BIT | XR_VIEW_STATE_POSITION_VALID_BIT |
                            XR_VIEW_STATE_ORIENTATION_TRACKED_BIT |
                            XR_VIEW_STATE_POSITION_TRACKED_BIT;
    return capacity == 0 || capacity >= *count ? XR_SUCCESS : XR_ERROR_SIZE_INSUFFICIENT;
}
