/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The runtime's gaze of both eyes, by XR_EXT_eye_gaze_interaction: an action of the layer's own
 * that travels with the program's. */

#include "plugin/openxr/xr_layer.h"

#include <stdio.h>

#define BINDINGS 64
#define SETS 64

void openxr_actions_start(void)
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

void openxr_actions_stop(void)
{
    openxr.gaze_set = XR_NULL_HANDLE; /* it goes with the instance */
    openxr.gaze_action = XR_NULL_HANDLE;
    openxr.program_gaze = XR_NULL_HANDLE;
}

static void set_program_gaze(XrAction action)
{
    pthread_mutex_lock(&openxr.lock);
    openxr.program_gaze = action;
    pthread_mutex_unlock(&openxr.lock);
}

static XrAction program_gaze(void)
{
    pthread_mutex_lock(&openxr.lock);
    const XrAction action = openxr.program_gaze;
    pthread_mutex_unlock(&openxr.lock);
    return action;
}

XrResult openxr_destroy_action(XrAction action)
{
    if (action == program_gaze()) {
        set_program_gaze(XR_NULL_HANDLE);
    }
    return openxr.below.DestroyAction(action);
}

/* The layer does not know which set the action is in. */
XrResult openxr_destroy_action_set(XrActionSet set)
{
    set_program_gaze(XR_NULL_HANDLE);
    return openxr.below.DestroyActionSet(set);
}

/* A program's bindings for the eyes would take the place of the layer's; and where its action set
 * has a higher priority, they do so while it is active: its action tells the gaze then. */
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
    const XrResult result = openxr.below.SuggestInteractionProfileBindings(instance, &more);
    for (uint32_t i = 0; i < info->countSuggestedBindings && XR_SUCCEEDED(result); i++) {
        if (info->suggestedBindings[i].binding == openxr.gaze_path) {
            set_program_gaze(info->suggestedBindings[i].action);
        }
    }
    return result;
}

static XrSpace space_of(XrSession session, XrAction action)
{
    XrSpace space = XR_NULL_HANDLE;
    const XrActionSpaceCreateInfo info = {.type = XR_TYPE_ACTION_SPACE_CREATE_INFO,
                                          .action = action,
                                          .poseInActionSpace = {.orientation = {0, 0, 0, 1}}};
    return XR_SUCCEEDED(openxr.below.CreateActionSpace(session, &info, &space)) ? space
                                                                                : XR_NULL_HANDLE;
}

/* Reads a session's gaze or program_gaze. */
static XrSpace read_space(const XrSpace *space)
{
    pthread_mutex_lock(&openxr.lock);
    const XrSpace now = *space;
    pthread_mutex_unlock(&openxr.lock);
    return now;
}

XrSpace openxr_actions_gaze(const struct openxr_session *session)
{
    return read_space(&session->gaze);
}

XrSpace openxr_actions_program_gaze(const struct openxr_session *session)
{
    return read_space(&session->program_gaze);
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
        const XrSpace space = space_of(handle, openxr.gaze_action);
        const XrAction program = program_gaze();
        const XrSpace of_program = program ? space_of(handle, program) : XR_NULL_HANDLE;
        pthread_mutex_lock(&openxr.lock);
        session->gaze = space;
        session->program_gaze = of_program;
        pthread_mutex_unlock(&openxr.lock);
    }
    return result;
}

XrResult openxr_sync(XrSession handle, const XrActionsSyncInfo *info)
{
    XrActiveActionSet sets[SETS];
    XrActionsSyncInfo more = *info;
    const struct openxr_session *session = openxr_session_of(handle);
    if (!session || !openxr_actions_gaze(session) || info->countActiveActionSets >= SETS) {
        return openxr.below.SyncActions(handle, info);
    }
    if (info->countActiveActionSets > 0) {
        memcpy(sets, info->activeActionSets, info->countActiveActionSets * sizeof sets[0]);
    }
    sets[more.countActiveActionSets++] = (XrActiveActionSet){.actionSet = openxr.gaze_set};
    more.activeActionSets = sets;
    return openxr.below.SyncActions(handle, &more);
}
