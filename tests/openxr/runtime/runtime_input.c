/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Paths, actions and spaces. The head turns, and the eyes in it, and are told to whoever has
 * suggested a binding, attached its action set and synchronised it. */

#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATHS 256
#define KEPT 256 /* sets, actions and spaces */
#define GAZE_PROFILE "/interaction_profiles/ext/eye_gaze_interaction"
#define GAZE_PATH "/user/eyes_ext/input/gaze_ext/pose"
#define EYES "/user/eyes_ext"
#define HAND_PATH "/user/hand/left/input/aim/pose"

static char paths[PATHS][XR_MAX_PATH_LENGTH];
static uint32_t path_count;

#define EYES_ACTIONS 4

struct action_set {
    uint32_t of; /* its instance */
    uint32_t priority;
    bool attached;
    bool synced;
};

struct action {
    struct action_set *set;
    XrActionType type;
    bool held; /* it is bound to a hand's pose, too */
};

struct space {
    struct session *session;
    const struct action *action; /* NULL: it stays at `pose` */
    bool head; /* and goes along with the head */
    XrPosef pose;
};

/* Each instance keeps the actions that were bound to the eyes' profile last. */
static struct bound {
    const struct action *actions[EYES_ACTIONS];
    uint32_t count;
    bool attached;
} bound[RUNTIME_INSTANCES];

/* Everything that was made goes with the last instance. */
static void *kept[KEPT];
static uint32_t kept_count;

static void *keep(size_t bytes)
{
    void *made = kept_count < KEPT ? calloc(1, bytes) : NULL;
    if (made) {
        kept[kept_count++] = made;
    }
    return made;
}

void runtime_input_gone(uint32_t instance, bool last)
{
    while (last && kept_count > 0) {
        free(kept[--kept_count]);
    }
    bound[instance] = (struct bound){.count = 0};
}

/* A path of an extension that is not there. */
static bool is_unknown(XrPath path)
{
    return path && runtime_gaze_is("none") && strcmp(paths[path - 1], EYES) == 0;
}

RUNTIME_CALL(xrStringToPath, XrInstance instance, const char *text, XrPath *path)
{
    RUNTIME_LOCKED;
    for (uint32_t i = 0; i < path_count; i++) {
        if (strcmp(paths[i], text) == 0) {
            *path = i + 1;
            return XR_SUCCESS;
        }
    }
    RUNTIME_REFUSE_IF(text[0] != '/' || path_count == PATHS, XR_ERROR_PATH_FORMAT_INVALID, text);
    snprintf(paths[path_count++], sizeof paths[0], "%s", text);
    *path = path_count;
    return XR_SUCCESS;
}

RUNTIME_CALL(xrPathToString, XrInstance instance, XrPath path, uint32_t capacity, uint32_t *count,
             char *text)
{
    RUNTIME_LOCKED;
    RUNTIME_REFUSE_IF(path == 0 || path > path_count, XR_ERROR_PATH_INVALID, "path");
    *count = (uint32_t)strlen(paths[path - 1]) + 1;
    if (capacity >= *count) {
        memcpy(text, paths[path - 1], *count);
    }
    return capacity == 0 || capacity >= *count ? XR_SUCCESS : XR_ERROR_SIZE_INSUFFICIENT;
}

RUNTIME_CALL(xrCreateActionSet, XrInstance instance, const XrActionSetCreateInfo *info,
             XrActionSet *out)
{
    RUNTIME_LOCKED;
    struct action_set *set = keep(sizeof *set);
    if (!set) {
        return XR_ERROR_OUT_OF_MEMORY;
    }
    set->of = runtime_instance_index(instance);
    set->priority = info->priority;
    *out = (XrActionSet)set;
    return XR_SUCCESS;
}

RUNTIME_CALL(xrDestroyActionSet, XrActionSet set)
{
    RUNTIME_LOCKED;
    (void)set; /* its actions may still be asked for it */
    return XR_SUCCESS;
}

RUNTIME_CALL(xrCreateAction, XrActionSet set, const XrActionCreateInfo *info, XrAction *out)
{
    RUNTIME_LOCKED;
    struct action *action = keep(sizeof *action);
    if (!action) {
        return XR_ERROR_OUT_OF_MEMORY;
    }
    RUNTIME_REFUSE_IF(((struct action_set *)set)->attached, XR_ERROR_ACTIONSETS_ALREADY_ATTACHED,
                      "set is attached");
    for (uint32_t i = 0; i < info->countSubactionPaths; i++) {
        RUNTIME_REFUSE_IF(is_unknown(info->subactionPaths[i]), XR_ERROR_PATH_UNSUPPORTED, EYES);
    }
    action->set = (struct action_set *)set;
    action->type = info->actionType;
    *out = (XrAction)action;
    return XR_SUCCESS;
}

RUNTIME_CALL(xrDestroyAction, XrAction action)
{
    RUNTIME_LOCKED;
    (void)action; /* spaces may still refer to it */
    return XR_SUCCESS;
}

RUNTIME_CALL(xrSuggestInteractionProfileBindings, XrInstance instance,
             const XrInteractionProfileSuggestedBinding *info)
{
    RUNTIME_LOCKED;
    struct bound *own = &bound[runtime_instance_index(instance)];
    RUNTIME_TRY(runtime_scripted(__func__));
    RUNTIME_REFUSE_IF(!info || (info->countSuggestedBindings > 0 && !info->suggestedBindings),
                      XR_ERROR_VALIDATION_FAILURE, "nothing");
    RUNTIME_REFUSE_IF(own->attached, XR_ERROR_ACTIONSETS_ALREADY_ATTACHED, "attached");
    const bool of_eyes = strcmp(paths[info->interactionProfile - 1], GAZE_PROFILE) == 0;
    for (uint32_t i = 0; i < info->countSuggestedBindings; i++) {
        const XrActionSuggestedBinding *binding = &info->suggestedBindings[i];
        RUNTIME_REFUSE_IF(!binding->action || binding->binding == XR_NULL_PATH,
                          binding->action ? XR_ERROR_PATH_INVALID : XR_ERROR_HANDLE_INVALID,
                          "nothing is bound");
        ((struct action *)binding->action)->held |=
            !of_eyes && strcmp(paths[binding->binding - 1], HAND_PATH) == 0;
    }
    if (!of_eyes) {
        return XR_SUCCESS;
    }
    RUNTIME_REFUSE_IF(runtime_gaze_is("none"), XR_ERROR_PATH_UNSUPPORTED, GAZE_PROFILE);
    if (info->countSuggestedBindings > EYES_ACTIONS) {
        return XR_ERROR_OUT_OF_MEMORY;
    }
    own->count = 0;
    for (uint32_t i = 0; i < info->countSuggestedBindings; i++) {
        const XrActionSuggestedBinding *binding = &info->suggestedBindings[i];
        RUNTIME_REFUSE_IF(strcmp(paths[binding->binding - 1], GAZE_PATH) != 0,
                          XR_ERROR_PATH_UNSUPPORTED, paths[binding->binding - 1]);
        own->actions[own->count++] = (const struct action *)binding->action;
    }
    return XR_SUCCESS;
}

RUNTIME_CALL(xrAttachSessionActionSets, XrSession handle, const XrSessionActionSetsAttachInfo *info)
{
    RUNTIME_LOCKED;
    struct session *session = (struct session *)handle;
    RUNTIME_TRY(runtime_scripted(__func__));
    RUNTIME_REFUSE_IF(!info || (info->countActionSets > 0 && !info->actionSets),
                      XR_ERROR_VALIDATION_FAILURE, "nothing");
    RUNTIME_REFUSE_IF(session->attached, XR_ERROR_ACTIONSETS_ALREADY_ATTACHED, "twice");
    session->attached = true;
    bound[session->of].attached = true;
    for (uint32_t i = 0; i < info->countActionSets; i++) {
        ((struct action_set *)info->actionSets[i])->attached = true;
    }
    return XR_SUCCESS;
}

RUNTIME_CALL(xrSyncActions, XrSession handle, const XrActionsSyncInfo *info)
{
    RUNTIME_LOCKED;
    const struct session *session = (const struct session *)handle;
    RUNTIME_TRY(runtime_scripted(__func__));
    RUNTIME_REFUSE_IF(!info || (info->countActiveActionSets > 0 && !info->activeActionSets),
                      XR_ERROR_VALIDATION_FAILURE, "nothing");
    for (uint32_t i = 0; i < bound[session->of].count; i++) {
        bound[session->of].actions[i]->set->synced = false;
    }
    for (uint32_t i = 0; i < info->countActiveActionSets; i++) {
        struct action_set *set = (struct action_set *)info->activeActionSets[i].actionSet;
        RUNTIME_REFUSE_IF(!set->attached, XR_ERROR_ACTIONSET_NOT_ATTACHED, "set");
        RUNTIME_REFUSE_IF(is_unknown(info->activeActionSets[i].subactionPath),
                          XR_ERROR_PATH_UNSUPPORTED, EYES);
        set->synced = true;
    }
    return session->state == XR_SESSION_STATE_FOCUSED ? XR_SUCCESS : XR_SESSION_NOT_FOCUSED;
}

RUNTIME_CALL(xrGetCurrentInteractionProfile, XrSession session, XrPath path,
             XrInteractionProfileState *state)
{
    RUNTIME_LOCKED;
    RUNTIME_REFUSE_IF(is_unknown(path), XR_ERROR_PATH_UNSUPPORTED, EYES);
    state->interactionProfile = XR_NULL_PATH;
    return XR_SUCCESS;
}

/* Nobody has buttons and triggers. */
#define RUNTIME_NO_STATE(name, type)                                                               \
    RUNTIME_CALL(name, XrSession session, const XrActionStateGetInfo *info, type *state)           \
    {                                                                                              \
        RUNTIME_LOCKED;                                                                            \
        RUNTIME_REFUSE_IF(is_unknown(info->subactionPath), XR_ERROR_PATH_UNSUPPORTED, EYES);       \
        state->currentState = 0;                                                                   \
        state->changedSinceLastSync = XR_FALSE;                                                    \
        state->lastChangeTime = 0;                                                                 \
        state->isActive = XR_FALSE;                                                                \
        return XR_SUCCESS;                                                                         \
    }
RUNTIME_NO_STATE(xrGetActionStateBoolean, XrActionStateBoolean)
RUNTIME_NO_STATE(xrGetActionStateFloat, XrActionStateFloat)

RUNTIME_CALL(xrGetActionStateVector2f, XrSession session, const XrActionStateGetInfo *info,
             XrActionStateVector2f *state)
{
    RUNTIME_LOCKED;
    state->isActive = XR_FALSE;
    return XR_SUCCESS;
}

/* Several active sets may be bound to the eyes: the one of the highest priority alone is told. */
static bool is_told(const struct action *action)
{
    const struct bound *own = &bound[action->set->of];
    bool is_bound = false;
    uint32_t highest = 0;
    for (uint32_t i = 0; i < own->count; i++) {
        const struct action_set *set = own->actions[i]->set;
        is_bound |= own->actions[i] == action;
        highest = set->attached && set->synced && set->priority > highest ? set->priority : highest;
    }
    return is_bound && action->set->attached && action->set->synced &&
           action->set->priority == highest;
}

static bool is_in_hand(const struct action *action)
{
    return action && action->held && action->set->attached && action->set->synced &&
           !getenv("FOVEA_TEST_XR_EMPTY_HAND");
}

static bool eyes(const struct session *session, const struct action *action, double *yaw_deg,
                 double *pitch_deg)
{
    return action && is_told(action) && !runtime_gaze_is("refused") &&
           runtime_gaze(session->frames, yaw_deg, pitch_deg);
}

RUNTIME_CALL(xrGetActionStatePose, XrSession session, const XrActionStateGetInfo *info,
             XrActionStatePose *state)
{
    RUNTIME_LOCKED;
    double yaw_deg = 0;
    double pitch_deg = 0;
    const struct action *action = (const struct action *)info->action;
    RUNTIME_REFUSE_IF(is_unknown(info->subactionPath), XR_ERROR_PATH_UNSUPPORTED, EYES);
    state->isActive =
        eyes((const struct session *)session, action, &yaw_deg, &pitch_deg) || is_in_hand(action);
    return XR_SUCCESS;
}

RUNTIME_CALL(xrApplyHapticFeedback, XrSession session, const XrHapticActionInfo *info,
             const XrHapticBaseHeader *feedback)
{
    RUNTIME_LOCKED;
    return XR_SUCCESS;
}

RUNTIME_CALL(xrStopHapticFeedback, XrSession session, const XrHapticActionInfo *info)
{
    RUNTIME_LOCKED;
    return XR_SUCCESS;
}

RUNTIME_CALL(xrEnumerateBoundSourcesForAction, XrSession session,
             const XrBoundSourcesForActionEnumerateInfo *info, uint32_t capacity, uint32_t *count,
             XrPath *sources)
{
    RUNTIME_LOCKED;
    const bool held = ((const struct action *)info->action)->held;
    *count = held ? 1 : 0;
    if (held && capacity > 0) {
        sources[0] = 1;
    }
    return XR_SUCCESS;
}

RUNTIME_CALL(xrGetInputSourceLocalizedName, XrSession session,
             const XrInputSourceLocalizedNameGetInfo *info, uint32_t capacity, uint32_t *count,
             char *text)
{
    RUNTIME_LOCKED;
    return runtime_refuse(XR_ERROR_PATH_UNSUPPORTED, __func__, "no source");
}

RUNTIME_CALL(xrEnumerateReferenceSpaces, XrSession session, uint32_t capacity, uint32_t *count,
             XrReferenceSpaceType *types)
{
    RUNTIME_LOCKED;
    *count = 3;
    for (uint32_t i = 0; i < 3 && capacity >= 3; i++) {
        types[i] = (XrReferenceSpaceType)(XR_REFERENCE_SPACE_TYPE_VIEW + (int)i);
    }
    return capacity == 0 || capacity >= 3 ? XR_SUCCESS : XR_ERROR_SIZE_INSUFFICIENT;
}

static XrResult make_space(XrSession session, const struct action *action, XrPosef pose,
                           XrSpace *out)
{
    struct space *space = keep(sizeof *space);
    RUNTIME_REFUSE_IF(!runtime_is_session(session) || !space, XR_ERROR_HANDLE_INVALID,
                      "no session");
    space->session = (struct session *)session;
    space->action = action;
    space->pose = pose;
    *out = (XrSpace)space;
    return XR_SUCCESS;
}

RUNTIME_CALL(xrCreateReferenceSpace, XrSession session, const XrReferenceSpaceCreateInfo *info,
             XrSpace *out)
{
    RUNTIME_LOCKED;
    const XrResult result = make_space(session, NULL, info->poseInReferenceSpace, out);
    if (result == XR_SUCCESS) {
        ((struct space *)*out)->head = info->referenceSpaceType == XR_REFERENCE_SPACE_TYPE_VIEW;
    }
    return result;
}

RUNTIME_CALL(xrCreateActionSpace, XrSession session, const XrActionSpaceCreateInfo *info,
             XrSpace *out)
{
    RUNTIME_LOCKED;
    const struct action *action = (const struct action *)info->action;
    RUNTIME_REFUSE_IF(action->type != XR_ACTION_TYPE_POSE_INPUT, XR_ERROR_ACTION_TYPE_MISMATCH,
                      "not a pose");
    RUNTIME_REFUSE_IF(is_unknown(info->subactionPath), XR_ERROR_PATH_UNSUPPORTED, EYES);
    return make_space(session, action, info->poseInActionSpace, out);
}

RUNTIME_CALL(xrDestroySpace, XrSpace space)
{
    RUNTIME_LOCKED;
    return XR_SUCCESS;
}

static XrPosef place_of(const struct space *space)
{
    XrPosef pose = space->pose;
    if (space->head) {
        pose.orientation = runtime_with_head(space->session->frames, pose.orientation);
    }
    return pose;
}

bool runtime_space_from(XrSpace handle, const struct session *session, XrPosef *out_pose)
{
    for (uint32_t i = 0; i < kept_count; i++) {
        const struct space *space = kept[i];
        if ((XrSpace)kept[i] == handle && space->session == session && !space->action) {
            *out_pose = place_of(space);
            return true;
        }
    }
    return false;
}

static XrResult locate(XrSpace handle, XrSpace base, XrTime time, XrSpaceLocation *location)
{
    const struct space *space = (const struct space *)handle;
    const struct space *base_space = (const struct space *)base;
    const XrPosef from = place_of(base_space);
    double yaw_deg = 0;
    double pitch_deg = 0;
    RUNTIME_REFUSE_IF(time <= 0, XR_ERROR_TIME_INVALID, "time");
    RUNTIME_REFUSE_IF(runtime_gaze_is("none") &&
                          runtime_chains(location->next, XR_TYPE_EYE_GAZE_SAMPLE_TIME_EXT),
                      XR_ERROR_VALIDATION_FAILURE, "no such extension");
    location->locationFlags = 0;
    location->pose = place_of(space);
    const bool in_hand = is_in_hand(space->action);
    if (base_space->action ||
        (space->action && !in_hand && !eyes(space->session, space->action, &yaw_deg, &pitch_deg))) {
        return XR_SUCCESS;
    }
    if (in_hand) {
        location->pose = (XrPosef){{0, 0, 0, 1}, {-0.25f, -0.5f, -0.125f}};
    } else if (space->action) {
        location->pose.orientation =
            runtime_with_head(space->session->frames, runtime_turn(yaw_deg, pitch_deg));
    }
    location->pose = runtime_seen_from(&from, &location->pose);
    location->locationFlags =
        XR_SPACE_LOCATION_ORIENTATION_VALID_BIT | XR_SPACE_LOCATION_POSITION_VALID_BIT |
        XR_SPACE_LOCATION_ORIENTATION_TRACKED_BIT | XR_SPACE_LOCATION_POSITION_TRACKED_BIT;
    return XR_SUCCESS;
}

RUNTIME_CALL(xrLocateSpace, XrSpace handle, XrSpace base, XrTime time, XrSpaceLocation *location)
{
    RUNTIME_LOCKED;
    const XrResult scripted = runtime_scripted(__func__);
    const XrResult result = scripted < 0 ? scripted : locate(handle, base, time, location);
    return result == XR_SUCCESS ? scripted : result;
}

/* OpenXR 1.1 has it. */
struct locate_info {
    XrStructureType type;
    const void *next;
    XrSpace base;
    XrTime time;
    uint32_t count;
    const XrSpace *spaces;
};

struct locations {
    XrStructureType type;
    void *next;
    uint32_t count;
    struct {
        XrSpaceLocationFlags flags;
        XrPosef pose;
    } * each;
};

RUNTIME_CALL(xrLocateSpaces, XrSession session, const struct locate_info *info,
             struct locations *locations)
{
    RUNTIME_LOCKED;
    XrResult result = info->count == locations->count ? XR_SUCCESS : XR_ERROR_VALIDATION_FAILURE;
    for (uint32_t i = 0; result == XR_SUCCESS && i < info->count; i++) {
        XrSpaceLocation at = {.type = XR_TYPE_SPACE_LOCATION};
        result = locate(info->spaces[i], info->base, info->time, &at);
        locations->each[i].flags = at.locationFlags;
        locations->each[i].pose = at.pose;
    }
    return result;
}

RUNTIME_ADD(xrLocateSpacesKHR, xrLocateSpaces_)
