/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze of each eye, by XR_META_foveation_eye_tracked: the centre of what a headset would draw
 * sharply itself. It is not smoothed, as a gaze for pointing may be. A runtime tells it to sessions
 * that have such a foveation on a swapchain: the layer has a small one for that, which is shown
 * nowhere, so that the program's pictures stay as they are. */

#include "plugin/openxr/xr_layer.h"

#include <math.h>

#define SIDE_PX 64
#define VIEWS 4

void openxr_foveation_start(struct openxr_instance *instance)
{
    const XrInstance handle = instance->handle;
    if (instance->extensions & OPENXR_FOVEATION) {
        instance->get_foveation_state =
            (xr_get_foveation_state)openxr_find(handle, "xrGetFoveationEyeTrackedStateMETA");
        instance->create_profile =
            (PFN_xrCreateFoveationProfileFB)openxr_find(handle, "xrCreateFoveationProfileFB");
        instance->destroy_profile =
            (PFN_xrDestroyFoveationProfileFB)openxr_find(handle, "xrDestroyFoveationProfileFB");
        instance->update_swapchain =
            (PFN_xrUpdateSwapchainFB)openxr_find(handle, "xrUpdateSwapchainFB");
    }
}

static XrSwapchain make_swapchain(const struct openxr_session *session)
{
    const XrSwapchainCreateInfoFoveationFB foveated = {
        .type = XR_TYPE_SWAPCHAIN_CREATE_INFO_FOVEATION_FB,
        .flags = XR_SWAPCHAIN_CREATE_FOVEATION_FRAGMENT_DENSITY_MAP_BIT_FB};
    const XrSwapchainCreateInfo info = {.type = XR_TYPE_SWAPCHAIN_CREATE_INFO,
                                        .next = &foveated,
                                        .usageFlags = XR_SWAPCHAIN_USAGE_COLOR_ATTACHMENT_BIT,
                                        .format = session->format,
                                        .sampleCount = 1,
                                        .width = SIDE_PX,
                                        .height = SIDE_PX,
                                        .faceCount = 1,
                                        .arraySize = 1,
                                        .mipCount = 1};
    XrSwapchain made = XR_NULL_HANDLE;
    return XR_SUCCEEDED(openxr.below.CreateSwapchain(session->handle, &info, &made))
               ? made
               : XR_NULL_HANDLE;
}

static XrFoveationProfileFB make_profile(const struct openxr_session *session)
{
    struct xr_foveation_eye_tracked_profile tracked = {.type =
                                                           XR_TYPE_FOVEATION_EYE_TRACKED_PROFILE};
    XrFoveationLevelProfileCreateInfoFB level = {.type =
                                                     XR_TYPE_FOVEATION_LEVEL_PROFILE_CREATE_INFO_FB,
                                                 .next = &tracked,
                                                 .level = XR_FOVEATION_LEVEL_LOW_FB,
                                                 .dynamic = XR_FOVEATION_DYNAMIC_DISABLED_FB};
    const XrFoveationProfileCreateInfoFB info = {.type = XR_TYPE_FOVEATION_PROFILE_CREATE_INFO_FB,
                                                 .next = &level};
    XrFoveationProfileFB made = XR_NULL_HANDLE;
    return XR_SUCCEEDED(session->instance->create_profile(session->handle, &info, &made))
               ? made
               : XR_NULL_HANDLE;
}

/* Some runtimes tell centres without a profile, too: what is refused here is no obstacle. */
static void ask(struct openxr_session *session)
{
    const struct openxr_instance *instance = session->instance;
    session->foveation.asked = true;
    if (instance->create_profile && instance->destroy_profile && instance->update_swapchain) {
        session->foveation.profile = make_profile(session);
        session->foveation.swapchain =
            session->foveation.profile ? make_swapchain(session) : XR_NULL_HANDLE;
    }
}

/* Asks the runtime to look at the eyes anew. */
static void update(const struct openxr_session *session)
{
    const XrSwapchainStateFoveationFB state = {.type = XR_TYPE_SWAPCHAIN_STATE_FOVEATION_FB,
                                               .profile = session->foveation.profile};
    if (session->foveation.swapchain) {
        (void)session->instance->update_swapchain(session->foveation.swapchain,
                                                  (const XrSwapchainStateBaseHeaderFB *)&state);
    }
}

static bool read_centers(struct openxr_session *session, XrVector2f *out_centers)
{
    struct xr_foveation_eye_tracked_state state = {.type = XR_TYPE_FOVEATION_EYE_TRACKED_STATE};
    const XrResult result = session->instance->get_foveation_state(session->handle, &state);
    if (XR_FAILED(result)) {
        session->foveation.refused = true;
        openxr_say(FOVEA_LOG_INFO, "the runtime gives no centre of its foveation (%d)",
                   (int)result);
        return false;
    }
    memcpy(out_centers, state.centers, sizeof state.centers);
    return state.flags & XR_FOVEATION_STATE_VALID;
}

/* The runtime counts over the views that it recommends, and the program may draw others. */
static bool locate(const struct openxr_session *session, XrSpace space, XrTime time,
                   XrView *out_views)
{
    const XrViewLocateInfo info = {.type = XR_TYPE_VIEW_LOCATE_INFO,
                                   .viewConfigurationType = session->views_type,
                                   .displayTime = time,
                                   .space = space};
    XrViewState state = {.type = XR_TYPE_VIEW_STATE};
    uint32_t count = 0;
    for (uint32_t i = 0; i < VIEWS; i++) {
        out_views[i] = (XrView){.type = XR_TYPE_VIEW};
    }
    return session->views_type &&
           XR_SUCCEEDED(openxr.below.LocateViews(session->handle, &info, &state, VIEWS, &count,
                                                 out_views)) &&
           count >= XR_EYES && state.viewStateFlags & XR_VIEW_STATE_ORIENTATION_VALID_BIT;
}

/* Downwards counts as in Vulkan's pictures, which the specification leaves open. */
static struct openxr_look look_at(const XrView *view, const XrVector2f *center)
{
    const double left = tan((double)view->fov.angleLeft);
    const double right = tan((double)view->fov.angleRight);
    const double up = tan((double)view->fov.angleUp);
    const double down = tan((double)view->fov.angleDown);
    const struct openxr_vector to = {left + (1 + (double)center->x) / 2 * (right - left),
                                     up + (1 + (double)center->y) / 2 * (down - up), -1};
    struct openxr_look look = {.known = isfinite(to.x) && isfinite(to.y)};
    look.known = look.known && openxr_turned(&view->pose.orientation, to, &look.to);
    return look;
}

bool openxr_foveation_read(struct openxr_session *session, XrSpace space, XrTime time,
                           struct openxr_look *out_eyes, bool *out_blink)
{
    struct openxr_foveation *foveation = &session->foveation;
    XrVector2f centers[XR_EYES];
    XrView views[VIEWS];
    *out_blink = false;
    if (!session->instance->get_foveation_state || foveation->refused) {
        return false;
    }
    if (!foveation->asked) {
        ask(session);
    }
    update(session);
    bool all = read_centers(session, centers) && locate(session, space, time, views);
    for (uint32_t i = 0; all && i < XR_EYES; i++) {
        out_eyes[i] = look_at(&views[i], &centers[i]);
        all = out_eyes[i].known;
    }
    foveation->told = foveation->told || all;
    *out_blink = foveation->told && !all;
    return all;
}

void openxr_foveation_end(struct openxr_session *session)
{
    struct openxr_foveation *foveation = &session->foveation;
    if (foveation->swapchain) {
        (void)openxr.below.DestroySwapchain(foveation->swapchain);
    }
    if (foveation->profile) {
        (void)session->instance->destroy_profile(foveation->profile);
    }
    *foveation = (struct openxr_foveation){.refused = foveation->refused};
}
