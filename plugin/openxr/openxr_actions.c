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

void openxr_actions_start(struct openxr_instance *instance)
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
        instance->extensions & OPENXR_GAZE &&
        below->StringToPath(instance->handle, "/interaction_profiles/ext/eye_gaze_interaction",
                            &instance->gaze_profile) == XR_SUCCESS &&
        below->StringToPath(instance->handle, "/user/eyes_ext/input/gaze_ext/pose",
                            &instance->gaze_path) == XR_SUCCESS &&
        below->CreateActionSet(instance->handle, &set, &instance->gaze_set) == XR_SUCCESS;
    if (good &&
        below->CreateAction(instance->gaze_set, &action, &instance->gaze_action) == XR_SUCCESS) {
        const XrActionSuggestedBinding binding = {instance->gaze_action, instance->gaze_path};
        const XrInteractionProfileSuggestedBinding suggested = {
            .type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING,
            .interactionProfile = instance->gaze_profile,
            .countSuggestedBindings = 1,
            .suggestedBindings = &binding};
        if (below->SuggestInteractionProfileBindings(instance->handle, &suggested) != XR_SUCCESS) {
            openxr_say(FOVEA_LOG_WARNING, "the runtime takes no binding for the eyes");
        }
    }
}

void openxr_actions_stop(void)
{
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

static void set_program_gaze(struct openxr_instance *instance, XrAction action)
{
    pthread_mutex_lock(&openxr.lock);
    instance->program_gaze = action;
    pthread_mutex_unlock(&openxr.lock);
}

static XrAction program_gaze(const struct openxr_instance *instance)
{
    pthread_mutex_lock(&openxr.lock);
    const XrAction action = instance->program_gaze;
    pthread_mutex_unlock(&openxr.lock);
    return action;
}

/* Forgets the poses that are that action, or in that set, and the one for the eyes with them. One
 * that is not known goes with any set. openxr.lock is held. */
static void forget_poses(XrAction action, XrActionSet set)
{
    for (size_t i = 0; i < OPENXR_INSTANCES; i++) {
        XrAction *gaze = &openxr.instances[i].program_gaze;
        const XrActionSet eyes = set_of(*gaze);
        if (*gaze == action || (set && (!eyes || eyes == set))) {
            *gaze = XR_NULL_HANDLE;
        }
    }
    for (size_t i = 0; i < POSES; i++) {
        if (poses[i].action == action || poses[i].set == set) {
            poses[i] = (struct pose){XR_NULL_HANDLE, XR_NULL_HANDLE};
        }
    }
}

XrResult openxr_create_action(XrActionSet set, const XrActionCreateInfo *info, XrAction *out)
{
    if (openxr_provide_has_set(set)) {
        return openxr_provide_create_action(set, info, out);
    }
    const XrResult result = openxr.below.CreateAction(set, info, out);
    if (XR_SUCCEEDED(result) && info->actionType == XR_ACTION_TYPE_POSE_INPUT) {
        pthread_mutex_lock(&openxr.lock);
        forget_poses(*out, XR_NULL_HANDLE); /* one of an instance that is gone */
        poses[pose_count++ % POSES] = (struct pose){*out, set};
        pthread_mutex_unlock(&openxr.lock);
    }
    return result;
}

/* The runtime may give the handle to another one as soon as it is free. */
static void forget(XrAction action, XrActionSet set)
{
    openxr_provide_forget(action, set);
    pthread_mutex_lock(&openxr.lock);
    forget_poses(action, set);
    pthread_mutex_unlock(&openxr.lock);
}

XrResult openxr_destroy_action(XrAction action)
{
    forget(action, XR_NULL_HANDLE);
    return openxr.below.DestroyAction(action);
}

XrResult openxr_destroy_action_set(XrActionSet set)
{
    forget(XR_NULL_HANDLE, set);
    return openxr.below.DestroyActionSet(set);
}

/* Says once that the runtime takes the program's own alone. */
static void tell_of_refusal(struct openxr_instance *instance, const char *what, XrResult result)
{
    pthread_mutex_lock(&openxr.lock);
    const bool warned = instance->warned_actions;
    instance->warned_actions = true;
    pthread_mutex_unlock(&openxr.lock);
    if (!warned) {
        openxr_say(FOVEA_LOG_WARNING,
                   "the runtime refuses the layer's %s beside the program's own (XrResult %d): it "
                   "tells no gaze of both eyes, unless by an action of the program's",
                   what, (int)result);
    }
}

static XrResult suggest_with_own(const struct openxr_instance *instance,
                                 const XrInteractionProfileSuggestedBinding *info)
{
    XrActionSuggestedBinding bindings[BINDINGS];
    XrInteractionProfileSuggestedBinding more = *info;
    if (info->countSuggestedBindings > 0) {
        memcpy(bindings, info->suggestedBindings,
               info->countSuggestedBindings * sizeof bindings[0]);
    }
    bindings[more.countSuggestedBindings++] =
        (XrActionSuggestedBinding){instance->gaze_action, instance->gaze_path};
    more.suggestedBindings = bindings;
    return openxr.below.SuggestInteractionProfileBindings(instance->handle, &more);
}

/* Returns the program's action for the eyes; XR_NULL_HANDLE: it has none, or none any more. */
static XrAction eyes_action(const struct openxr_instance *instance,
                            const XrInteractionProfileSuggestedBinding *info)
{
    XrAction action = XR_NULL_HANDLE;
    for (uint32_t i = 0; i < info->countSuggestedBindings; i++) {
        const XrActionSuggestedBinding *binding = &info->suggestedBindings[i];
        action = binding->binding == instance->gaze_path ? binding->action : action;
    }
    return action;
}

/* False: the layer's own binding does not go with them. */
static bool are_for_the_eyes(const struct openxr_instance *instance,
                             const XrInteractionProfileSuggestedBinding *info)
{
    return instance && instance->gaze_action && info &&
           info->interactionProfile == instance->gaze_profile &&
           info->countSuggestedBindings < BINDINGS &&
           (info->countSuggestedBindings == 0 || info->suggestedBindings);
}

/* A program's bindings for the eyes would take the place of the layer's; and where its action set
 * has a higher priority, they do so while it is active: its action tells the gaze then. */
XrResult openxr_suggest(XrInstance handle, const XrInteractionProfileSuggestedBinding *info)
{
    struct openxr_instance *instance = openxr_instance_of(handle);
    if (instance && instance->provides) {
        return openxr_provide_suggest(instance, info);
    }
    if (!are_for_the_eyes(instance, info)) {
        return openxr.below.SuggestInteractionProfileBindings(handle, info);
    }
    const XrResult with_own = suggest_with_own(instance, info);
    XrResult result = with_own;
    if (XR_FAILED(with_own)) {
        result = openxr.below.SuggestInteractionProfileBindings(handle, info);
    }
    if (XR_FAILED(with_own) && XR_SUCCEEDED(result)) {
        tell_of_refusal(instance, "binding", with_own);
    }
    if (XR_SUCCEEDED(result)) {
        set_program_gaze(instance, eyes_action(instance, info));
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

static XrResult attach_with_own(const struct openxr_session *session,
                                const XrSessionActionSetsAttachInfo *info)
{
    XrActionSet sets[SETS];
    XrSessionActionSetsAttachInfo more = *info;
    if (info->countActionSets > 0) {
        memcpy(sets, info->actionSets, info->countActionSets * sizeof sets[0]);
    }
    sets[more.countActionSets++] = session->instance->gaze_set;
    more.actionSets = sets;
    return openxr.below.AttachSessionActionSets(session->handle, &more);
}

static void note_attached(struct openxr_session *session, bool with_own)
{
    const struct openxr_instance *instance = session->instance;
    const XrSpace space =
        with_own ? space_of(session->handle, instance->gaze_action) : XR_NULL_HANDLE;
    const XrAction program = program_gaze(instance);
    const XrSpace of_program = program ? space_of(session->handle, program) : XR_NULL_HANDLE;
    pthread_mutex_lock(&openxr.lock);
    session->attached = true;
    session->gaze = space;
    session->program_gaze = of_program;
    pthread_mutex_unlock(&openxr.lock);
}

XrResult openxr_attach(XrSession handle, const XrSessionActionSetsAttachInfo *info)
{
    struct openxr_session *session = openxr_session_of(handle);
    const bool room = session && session->instance->gaze_action && info &&
                      info->countActionSets < SETS &&
                      (info->countActionSets == 0 || info->actionSets);
    const XrResult with_own = room ? attach_with_own(session, info) : XR_ERROR_LIMIT_REACHED;
    XrResult result = with_own;
    if (XR_FAILED(with_own)) {
        result = openxr.below.AttachSessionActionSets(handle, info);
    }
    if (room && XR_FAILED(with_own) && XR_SUCCEEDED(result)) {
        tell_of_refusal(session->instance, "action set", with_own);
    }
    if (session && XR_SUCCEEDED(result)) {
        note_attached(session, XR_SUCCEEDED(with_own));
        openxr_provide_attached(session, info);
    }
    return result;
}

static XrResult sync_with_own(const struct openxr_session *session, const XrActionsSyncInfo *info)
{
    XrActiveActionSet sets[SETS];
    XrActionsSyncInfo more = *info;
    if (info->countActiveActionSets > 0) {
        memcpy(sets, info->activeActionSets, info->countActiveActionSets * sizeof sets[0]);
    }
    sets[more.countActiveActionSets++] =
        (XrActiveActionSet){.actionSet = session->instance->gaze_set};
    more.activeActionSets = sets;
    return openxr.below.SyncActions(session->handle, &more);
}

XrResult openxr_sync(XrSession handle, const XrActionsSyncInfo *info)
{
    struct openxr_session *session = openxr_session_of(handle);
    if (session && session->instance->provides) {
        return openxr_provide_sync(session, info);
    }
    if (!session || !openxr_actions_gaze(session) || !info || info->countActiveActionSets >= SETS ||
        (info->countActiveActionSets > 0 && !info->activeActionSets)) {
        return openxr.below.SyncActions(handle, info);
    }
    const XrResult with_own = sync_with_own(session, info);
    if (XR_SUCCEEDED(with_own)) {
        return with_own;
    }
    const XrResult result = openxr.below.SyncActions(handle, info);
    if (XR_SUCCEEDED(result)) {
        tell_of_refusal(session->instance, "active action set", with_own);
    }
    return result;
}
