/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The runtime's gaze of both eyes, by XR_EXT_eye_gaze_interaction: an action of the layer's own
 * that travels with the program's. Where the runtime refuses both together, the program's go
 * alone. */

#include "plugin/openxr/xr_layer.h"

#include <stdio.h>

#define BINDINGS 64
#define SETS 64
#define POSES 64

/* The program's newest actions that are poses, one of which may be for the eyes; openxr.lock guards
 * them. */
static struct pose {
    XrAction action; /* XR_NULL_HANDLE: none */
    XrActionSet set;
} poses[POSES];
static uint32_t pose_count;

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
    openxr.warned_actions = false;
    memset(poses, 0, sizeof poses);
}

/* XR_NULL_HANDLE: it is not known. openxr.lock is held. */
static XrActionSet set_of(XrAction action)
{
    XrActionSet set = XR_NULL_HANDLE;
    for (size_t i = 0; i < POSES; i++) {
        set = poses[i].action == action ? poses[i].set : set;
    }
    return set;
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

/* Forgets the poses that are that action, or in that set, and the one for the eyes with them. One
 * that is not known goes with any set. openxr.lock is held. */
static void forget_poses(XrAction action, XrActionSet set)
{
    const XrActionSet eyes = set_of(openxr.program_gaze);
    if (openxr.program_gaze == action || (set && (!eyes || eyes == set))) {
        openxr.program_gaze = XR_NULL_HANDLE;
    }
    for (size_t i = 0; i < POSES; i++) {
        if (poses[i].action == action || poses[i].set == set) {
            poses[i] = (struct pose){XR_NULL_HANDLE, XR_NULL_HANDLE};
        }
    }
}

XrResult openxr_create_action(XrActionSet set, const XrActionCreateInfo *info, XrAction *out)
{
    const XrResult result = openxr.below.CreateAction(set, info, out);
    if (XR_SUCCEEDED(result) && info->actionType == XR_ACTION_TYPE_POSE_INPUT) {
        pthread_mutex_lock(&openxr.lock);
        poses[pose_count++ % POSES] = (struct pose){*out, set};
        pthread_mutex_unlock(&openxr.lock);
    }
    return result;
}

/* Forgets what the runtime has destroyed, and returns its result. */
static XrResult forget_destroyed(XrResult result, XrAction action, XrActionSet set)
{
    if (XR_SUCCEEDED(result)) {
        pthread_mutex_lock(&openxr.lock);
        forget_poses(action, set);
        pthread_mutex_unlock(&openxr.lock);
    }
    return result;
}

XrResult openxr_destroy_action(XrAction action)
{
    return forget_destroyed(openxr.below.DestroyAction(action), action, XR_NULL_HANDLE);
}

XrResult openxr_destroy_action_set(XrActionSet set)
{
    return forget_destroyed(openxr.below.DestroyActionSet(set), XR_NULL_HANDLE, set);
}

/* Says once that the runtime takes the program's own alone. */
static void tell_of_refusal(const char *what, XrResult result)
{
    pthread_mutex_lock(&openxr.lock);
    const bool warned = openxr.warned_actions;
    openxr.warned_actions = true;
    pthread_mutex_unlock(&openxr.lock);
    if (!warned) {
        openxr_say(FOVEA_LOG_WARNING,
                   "the runtime refuses the layer's %s beside the program's own (XrResult %d): it "
                   "tells no gaze of both eyes, unless by an action of the program's",
                   what, (int)result);
    }
}

static XrResult suggest_with_own(XrInstance instance,
                                 const XrInteractionProfileSuggestedBinding *info)
{
    XrActionSuggestedBinding bindings[BINDINGS];
    XrInteractionProfileSuggestedBinding more = *info;
    memcpy(bindings, info->suggestedBindings, info->countSuggestedBindings * sizeof bindings[0]);
    bindings[more.countSuggestedBindings++] =
        (XrActionSuggestedBinding){openxr.gaze_action, openxr.gaze_path};
    more.suggestedBindings = bindings;
    return openxr.below.SuggestInteractionProfileBindings(instance, &more);
}

/* Returns the program's action for the eyes; XR_NULL_HANDLE: it has none, or none any more. */
static XrAction eyes_action(const XrInteractionProfileSuggestedBinding *info)
{
    XrAction action = XR_NULL_HANDLE;
    for (uint32_t i = 0; i < info->countSuggestedBindings; i++) {
        const XrActionSuggestedBinding *binding = &info->suggestedBindings[i];
        action = binding->binding == openxr.gaze_path ? binding->action : action;
    }
    return action;
}

/* A program's bindings for the eyes would take the place of the layer's; and where its action set
 * has a higher priority, they do so while it is active: its action tells the gaze then. */
XrResult openxr_suggest(XrInstance instance, const XrInteractionProfileSuggestedBinding *info)
{
    if (!openxr.gaze_action || info->interactionProfile != openxr.gaze_profile ||
        info->countSuggestedBindings >= BINDINGS) {
        return openxr.below.SuggestInteractionProfileBindings(instance, info);
    }
    const XrResult with_own = suggest_with_own(instance, info);
    XrResult result = with_own;
    if (XR_FAILED(with_own)) {
        result = openxr.below.SuggestInteractionProfileBindings(instance, info);
    }
    if (XR_FAILED(with_own) && XR_SUCCEEDED(result)) {
        tell_of_refusal("binding", with_own);
    }
    if (XR_SUCCEEDED(result)) {
        set_program_gaze(eyes_action(info));
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

bool openxr_actions_attached(const struct openxr_session *session)
{
    pthread_mutex_lock(&openxr.lock);
    const bool attached = session->attached;
    pthread_mutex_unlock(&openxr.lock);
    return attached;
}

static XrResult attach_with_own(XrSession handle, const XrSessionActionSetsAttachInfo *info)
{
    XrActionSet sets[SETS];
    XrSessionActionSetsAttachInfo more = *info;
    memcpy(sets, info->actionSets, info->countActionSets * sizeof sets[0]);
    sets[more.countActionSets++] = openxr.gaze_set;
    more.actionSets = sets;
    return openxr.below.AttachSessionActionSets(handle, &more);
}

static void note_attached(struct openxr_session *session, bool with_own)
{
    const XrSpace space = with_own ? space_of(session->handle, openxr.gaze_action) : XR_NULL_HANDLE;
    const XrAction program = program_gaze();
    const XrSpace of_program = program ? space_of(session->handle, program) : XR_NULL_HANDLE;
    pthread_mutex_lock(&openxr.lock);
    session->attached = true;
    session->gaze = space;
    session->program_gaze = of_program;
    pthread_mutex_unlock(&openxr.lock);
}

XrResult openxr_attach(XrSession handle, const XrSessionActionSetsAttachInfo *info)
{
    const bool room = openxr.gaze_action && info->countActionSets < SETS;
    const XrResult with_own = room ? attach_with_own(handle, info) : XR_ERROR_LIMIT_REACHED;
    XrResult result = with_own;
    if (XR_FAILED(with_own)) {
        result = openxr.below.AttachSessionActionSets(handle, info);
    }
    if (room && XR_FAILED(with_own) && XR_SUCCEEDED(result)) {
        tell_of_refusal("action set", with_own);
    }
    struct openxr_session *session = openxr_session_of(handle);
    if (session && XR_SUCCEEDED(result)) {
        note_attached(session, XR_SUCCEEDED(with_own));
    }
    return result;
}

static XrResult sync_with_own(XrSession handle, const XrActionsSyncInfo *info)
{
    XrActiveActionSet sets[SETS];
    XrActionsSyncInfo more = *info;
    if (info->countActiveActionSets > 0) {
        memcpy(sets, info->activeActionSets, info->countActiveActionSets * sizeof sets[0]);
    }
    sets[more.countActiveActionSets++] = (XrActiveActionSet){.actionSet = openxr.gaze_set};
    more.activeActionSets = sets;
    return openxr.below.SyncActions(handle, &more);
}

XrResult openxr_sync(XrSession handle, const XrActionsSyncInfo *info)
{
    const struct openxr_session *session = openxr_session_of(handle);
    if (!session || !openxr_actions_gaze(session) || info->countActiveActionSets >= SETS) {
        return openxr.below.SyncActions(handle, info);
    }
    const XrResult with_own = sync_with_own(handle, info);
    if (XR_SUCCEEDED(with_own)) {
        return with_own;
    }
    const XrResult result = openxr.below.SyncActions(handle, info);
    if (XR_SUCCEEDED(result)) {
        tell_of_refusal("active action set", with_own);
    }
    return result;
}
