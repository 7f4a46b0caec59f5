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

/* Finds where the eyes look, in the layer's space. */
static bool runtime_looks(struct openxr_session *session, XrSpace space, XrTime time,
                          struct vector *out)
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
    *out = turned(at.pose.orientation, (struct vector){0, 0, -1});
    return tracked;
}

struct frustum {
    double left;
    double right;
    double up;
    double down;
};

static struct frustum frustum_of(const XrCompositionLayerProjectionView *view)
{
    return (struct frustum){.left = tan((double)view->fov.angleLeft),
                            .right = tan((double)view->fov.angleRight),
                            .up = tan((double)view->fov.angleUp),
                            .down = tan((double)view->fov.angleDown)};
}

/* Halfway; q and -q are one orientation. */
static XrQuaternionf between(XrQuaternionf a, XrQuaternionf b)
{
    const float same = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1.0f : 1.0f;
    const XrQuaternionf sum = {a.x + same * b.x, a.y + same * b.y, a.z + same * b.z,
                               a.w + same * b.w};
    const float length = sqrtf(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z + sum.w * sum.w);
    return (XrQuaternionf){sum.x / length, sum.y / length, sum.z / length, sum.w / length};
}

/* Likewise, of a source whose numbers count over a picture in the middle between the first two
 * views, with the mean of their frusta: both eyes look at one place, far away. */
static struct vector source_looks(const struct fovea_gaze *gaze,
                                  const XrCompositionLayerProjection *layer)
{
    const XrCompositionLayerProjectionView *a = &layer->views[0];
    const XrCompositionLayerProjectionView *b = &layer->views[layer->viewCount > 1 ? 1 : 0];
    const struct frustum one = frustum_of(a);
    const struct frustum other = frustum_of(b);
    const double left = (one.left + other.left) / 2;
    const double right = (one.right + other.right) / 2;
    const double up = (one.up + other.up) / 2;
    const double down = (one.down + other.down) / 2;
    return turned(between(a->pose.orientation, b->pose.orientation),
                  (struct vector){left + gaze->point.x_uv * (right - left),
                                  up - gaze->point.y_uv * (up - down), -1});
}

/* The gaze with its direction in the view's own frame; straight ahead where there is none. */
static struct fovea_gaze look(struct openxr_session *session,
                              const XrCompositionLayerProjection *layer, XrTime time,
                              uint32_t index, struct vector *out)
{
    const XrQuaternionf view = layer->views[index].pose.orientation;
    const XrQuaternionf back = {-view.x, -view.y, -view.z, view.w};
    struct fovea_gaze gaze = {.state = FOVEA_GAZE_TRACKED, .usable = true};
    bool known = true;
    if (session->gaze_switch.source) {
        gaze = session->source_gaze;
        *out = source_looks(&gaze, layer);
    } else {
        known = runtime_looks(session, layer->space, time, out);
    }
    *out = turned(back, *out);
    if (!known || !(out->z < 0)) {
        *out = (struct vector){0, 0, -1};
        gaze.state = FOVEA_GAZE_LOST;
    }
    return gaze;
}

static double away_from_0(double tangent)
{
    return fabs(tangent) < LEAST_TANGENT ? LEAST_TANGENT : tangent;
}

static bool is_sound(const struct frustum *f)
{
    return isfinite(f->left) && isfinite(f->right) && isfinite(f->up) && isfinite(f->down) &&
           fabs(f->right - f->left) >= 0.001 && fabs(f->up - f->down) >= 0.001;
}

void openxr_gaze_view(struct openxr_session *session, const XrCompositionLayerProjection *layer,
                      XrTime time, struct openxr_view *view)
{
    const struct frustum f = frustum_of(&layer->views[view->index]);
    /* A picture that is upside down or mirrored is one of a mirrored scene. */
    const double across = f.right < f.left ? -1 : 1;
    const double along = f.up < f.down ? -1 : 1;
    struct vector to;
    view->gaze = look(session, layer, time, view->index, &to);
    view->geometry = (struct fovea_geometry){.tan_left = away_from_0(-across * f.left),
                                             .tan_right = away_from_0(across * f.right),
                                             .tan_up = away_from_0(along * f.up),
                                             .tan_down = away_from_0(-along * f.down)};
    view->gaze.point = (struct fovea_point_uv){(to.x / -to.z - f.left) / (f.right - f.left),
                                               (f.up - to.y / -to.z) / (f.up - f.down)};
    view->gaze.usable = view->gaze.usable && is_sound(&f);
}
