/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The runtime's gaze, by XR_EXT_eye_gaze_interaction: an action of the layer's own travels with the
 * program's, and its direction is a place in each view. Without it a view's gaze is where its eye
 * looks straight ahead. */

#include "plugin/openxr/xr_layer.h"

#include <math.h>
#include <stdio.h>

#define BINDINGS 64
#define SETS 64
#define LEAST_TANGENT 1e-9 /* a geometry takes 0 for forgotten */

void openxr_gaze_start(void)
{
    const struct openxr_below *below = &openxr.below;
    XrActionSetCreateInfo set = {.type = XR_TYPE_ACTION_SET_CREATE_INFO};
    XrActionCreateInfo action = {.type = XR_TYPE_ACTION_CREATE_INFO,
                                 .actionType = XR_ACTION_TYPE_POSE_INPUT};
    snprintf(set.actionSetName, sizeof set.actionSetName, "fovea_gaze");
    snprintf(set.localizedActionSetName, sizeof set.localizedActionSetName, "Fovea: gaze");
    snprintf(action.actionName, sizeof action.actionName, "fovea_eyes");
    snprintf(action.localizedActionName, sizeof action.localizedActionName, "Fovea: eyes");
    bool good =
        openxr.gaze_extension &&
        below->StringToPath(openxr.instance, "/interaction_profiles/ext/eye_gaze_interaction",
                            &openxr.gaze_profile) == XR_SUCCESS &&
        below->StringToPath(openxr.instance, "/user/eyes_ext/input/gaze_ext/pose",
                            &openxr.gaze_path) == XR_SUCCESS &&
        below->CreateActionSet(openxr.instance, &set, &openxr.gaze_set) == XR_SUCCESS;
    if (good && below->CreateAction(openxr.gaze_set, &action, &openxr.gaze_action) == XR_SUCCESS) {
        const XrActionSuggestedBinding binding = {openxr.gaze_action, openxr.gaze_path};
        const XrInteractionProfileSuggestedBinding suggested = {
            .type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING,
            .interactionProfile = openxr.gaze_profile,
            .countSuggestedBindings = 1,
            .suggestedBindings = &binding};
        if (below->SuggestInteractionProfileBindings(openxr.instance, &suggested) != XR_SUCCESS) {
            openxr_say(FOVEA_LOG_WARNING, "the runtime takes no binding for the eyes");
        }
    }
}

void openxr_gaze_stop(void)
{
    openxr.gaze_set = XR_NULL_HANDLE; /* it goes with the instance */
    openxr.gaze_action = XR_NULL_HANDLE;
}

/* A program's bindings for the eyes would take the place of the layer's. */
XrResult openxr_suggest(XrInstance instance, const XrInteractionProfileSuggestedBinding *info)
{
    XrActionSuggestedBinding bindings[BINDINGS];
    XrInteractionProfileSuggestedBinding more = *info;
    if (!openxr.gaze_action || info->interactionProfile != openxr.gaze_profile ||
        info->countSuggestedBindings >= BINDINGS) {
        return openxr.below.SuggestInteractionProfileBindings(instance, info);
    }
    memcpy(bindings, info->suggestedBindings, info->countSuggestedBindings * sizeof bindings[0]);
    bindings[more.countSuggestedBindings++] =
        (XrActionSuggestedBinding){openxr.gaze_action, openxr.gaze_path};
    more.suggestedBindings = bindings;
    return openxr.below.SuggestInteractionProfileBindings(instance, &more);
}

static XrSpace space_of(XrSession session)
{
    XrSpace space = XR_NULL_HANDLE;
    const XrActionSpaceCreateInfo info = {.type = XR_TYPE_ACTION_SPACE_CREATE_INFO,
                                          .action = openxr.gaze_action,
                                          .poseInActionSpace = {.orientation = {0, 0, 0, 1}}};
    return XR_SUCCEEDED(openxr.below.CreateActionSpace(session, &info, &space)) ? space
                                                                                : XR_NULL_HANDLE;
}

static XrSpace gaze_of(const struct openxr_session *session)
{
    pthread_mutex_lock(&openxr.lock);
    const XrSpace gaze = session ? session->gaze : XR_NULL_HANDLE;
    pthread_mutex_unlock(&openxr.lock);
    return gaze;
}

XrResult openxr_attach(XrSession handle, const XrSessionActionSetsAttachInfo *info)
{
    XrActionSet sets[SETS];
    XrSessionActionSetsAttachInfo more = *info;
    if (!openxr.gaze_action || info->countActionSets >= SETS) {
        return openxr.below.AttachSessionActionSets(handle, info);
    }
    memcpy(sets, info->actionSets, info->countActionSets * sizeof sets[0]);
    sets[more.countActionSets++] = openxr.gaze_set;
    more.actionSets = sets;
    const XrResult result = openxr.below.AttachSessionActionSets(handle, &more);
    struct openxr_session *session = openxr_session_of(handle);
    if (session && XR_SUCCEEDED(result)) {
        const XrSpace space = space_of(handle);
        pthread_mutex_lock(&openxr.lock);
        session->gaze = space;
        pthread_mutex_unlock(&openxr.lock);
    }
    return result;
}

XrResult openxr_sync(XrSession handle, const XrActionsSyncInfo *info)
{
    XrActiveActionSet sets[SETS];
    XrActionsSyncInfo more = *info;
    if (!gaze_of(openxr_session_of(handle)) || info->countActiveActionSets >= SETS) {
        return openxr.below.SyncActions(handle, info);
    }
    memcpy(sets, info->activeActionSets, info->countActiveActionSets * sizeof sets[0]);
    sets[more.countActiveActionSets++] = (XrActiveActionSet){.actionSet = openxr.gaze_set};
    more.activeActionSets = sets;
    return openxr.below.SyncActions(handle, &more);
}

struct vector {
    double x;
    double y;
    double z;
};

static struct vector cross(struct vector a, struct vector b)
{
    return (struct vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static struct vector turned(XrQuaternionf by, struct vector v)
{
    const struct vector axis = {(double)by.x, (double)by.y, (double)by.z};
    const double w = (double)by.w;
    const struct vector twice = cross(axis, v);
    const struct vector t = {2 * twice.x, 2 * twice.y, 2 * twice.z};
    const struct vector more = cross(axis, t);
    return (struct vector){v.x + w * t.x + more.x, v.y + w * t.y + more.y, v.z + w * t.z + more.z};
}

/* Where the eyes look, in the view's own frame. */
static bool direction(struct openxr_session *session, XrSpace space, XrTime time,
                      XrQuaternionf view, struct vector *out)
{
    XrSpaceLocation at = {.type = XR_TYPE_SPACE_LOCATION};
    const XrSpace gaze = gaze_of(session);
    const bool tracked = gaze && XR_SUCCEEDED(openxr.below.LocateSpace(gaze, space, time, &at)) &&
                         at.locationFlags & XR_SPACE_LOCATION_ORIENTATION_VALID_BIT;
    if (tracked != session->tracked) {
        openxr_say(FOVEA_LOG_INFO, "%s",
                   tracked ? "the gaze is the runtime's"
                           : "the runtime tells no gaze; each view's is straight ahead");
        session->tracked = tracked;
    }
    if (!tracked) {
        return false;
    }
    const XrQuaternionf back = {-view.x, -view.y, -view.z, view.w};
    *out = turned(back, turned(at.pose.orientation, (struct vector){0, 0, -1}));
    return out->z < 0;
}

static double away_from_0(double tangent)
{
    return fabs(tangent) < LEAST_TANGENT ? LEAST_TANGENT : tangent;
}

void openxr_gaze_view(struct openxr_session *session, XrSpace space, XrTime time,
                      const XrCompositionLayerProjectionView *seen, struct openxr_view *view)
{
    const double left = tan((double)seen->fov.angleLeft);
    const double right = tan((double)seen->fov.angleRight);
    const double up = tan((double)seen->fov.angleUp);
    const double down = tan((double)seen->fov.angleDown);
    /* A picture that is upside down or mirrored is one of a mirrored scene. */
    const double across = right < left ? -1 : 1;
    const double along = up < down ? -1 : 1;
    struct vector gaze = {0, 0, -1};
    const bool tracked = direction(session, space, time, seen->pose.orientation, &gaze);
    const double x = tracked ? gaze.x / -gaze.z : 0;
    const double y = tracked ? gaze.y / -gaze.z : 0;
    view->geometry = (struct fovea_geometry){.tan_left = away_from_0(-across * left),
                                             .tan_right = away_from_0(across * right),
                                             .tan_up = away_from_0(along * up),
                                             .tan_down = away_from_0(-along * down)};
    view->gaze = (struct fovea_gaze){.point = {(x - left) / (right - left), (up - y) / (up - down)},
                                     .state = tracked ? FOVEA_GAZE_TRACKED : FOVEA_GAZE_LOST,
                                     .usable = isfinite(left) && isfinite(right) && isfinite(up) &&
                                               isfinite(down) && fabs(right - left) >= 0.001 &&
                                               fabs(up - down) >= 0.001};
}
