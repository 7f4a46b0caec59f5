/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze of each eye, by XR_FB_eye_tracking_social. It needs no action of the program's. */

#include "plugin/openxr/xr_layer.h"

void openxr_eyes_start(struct openxr_instance *instance)
{
    if (instance->extensions & OPENXR_EYES) {
        instance->get_eye_gazes =
            (xr_get_eye_gazes)openxr_find(instance->handle, "xrGetEyeGazesFB");
        instance->destroy_eye_tracker =
            (xr_destroy_eye_tracker)openxr_find(instance->handle, "xrDestroyEyeTrackerFB");
        instance->create_eye_tracker =
            (xr_create_eye_tracker)openxr_find(instance->handle, "xrCreateEyeTrackerFB");
    }
    if (!instance->get_eye_gazes || !instance->destroy_eye_tracker) {
        instance->create_eye_tracker = NULL;
    }
}

/* It goes with its session, or before. XR_NULL_HANDLE: there is none. A system without eye tracking
 * refuses it, as its properties would say; asking for those breaks the rules of validation that
 * does not know the extension. */
static xr_eye_tracker tracker_of(const struct openxr_session *session)
{
    const struct xr_eye_tracker_create_info info = {.type = XR_TYPE_EYE_TRACKING_CREATE_INFO};
    xr_eye_tracker tracker = XR_NULL_HANDLE;
    if (!session->instance->create_eye_tracker) {
        return XR_NULL_HANDLE;
    }
    const XrResult result = session->instance->create_eye_tracker(session->handle, &info, &tracker);
    if (XR_FAILED(result)) {
        openxr_say(FOVEA_LOG_INFO, "the runtime gives no gaze of each eye (%d)", (int)result);
        return XR_NULL_HANDLE;
    }
    return tracker;
}

bool openxr_eyes_read(struct openxr_session *session, XrSpace space, XrTime time,
                      struct openxr_look *out_eyes)
{
    if (!session->eyes_asked) {
        session->eyes_asked = true;
        session->eyes = tracker_of(session);
    }
    const struct xr_eye_gazes_info info = {
        .type = XR_TYPE_EYE_TRACKING_GAZES_INFO, .base = space, .time = time};
    struct xr_eye_gazes gazes = {.type = XR_TYPE_EYE_TRACKING_GAZES};
    bool some = false;
    const bool told = session->eyes &&
                      XR_SUCCEEDED(session->instance->get_eye_gazes(session->eyes, &info, &gazes));
    for (uint32_t i = 0; i < XR_EYES; i++) {
        const struct xr_eye_gaze *eye = &gazes.eyes[i];
        out_eyes[i].known = told && eye->valid &&
                            (double)eye->confidence >= session->settings->gaze.min_confidence &&
                            openxr_direction(&eye->pose.orientation, &out_eyes[i].to);
        some |= out_eyes[i].known;
    }
    return some;
}

void openxr_eyes_end(struct openxr_session *session)
{
    openxr_tracker_end(session);
    openxr_foveation_end(session);
}

void openxr_tracker_end(struct openxr_session *session)
{
    if (session->eyes) {
        (void)session->instance->destroy_eye_tracker(
            session->eyes); /* fails where the session is lost */
    }
    session->eyes = XR_NULL_HANDLE;
    session->eyes_asked = false;
}
