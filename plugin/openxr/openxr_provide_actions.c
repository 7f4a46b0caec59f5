/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Actions of programs that are provided with a gaze: which of them are bound to the eyes, and
 * active. Calls for the subaction path /user/eyes_ext reach the runtime without it. */

#include "plugin/openxr/openxr_provide.h"

#include <stdlib.h>

#define PATHS 32
#define SETS 64

static struct provided_set *sets;
static struct provided_action *actions;

/* openxr.lock is held for these two. */
static struct provided_set *find_set(XrActionSet handle)
{
    struct provided_set *found = sets;
    while (found && (!handle || found->handle != handle)) {
        found = found->next;
    }
    return found;
}

static struct provided_action *find_action(XrAction handle)
{
    struct provided_action *found = actions;
    while (found && (!handle || found->handle != handle)) {
        found = found->next;
    }
    return found;
}

bool openxr_provide_has_set(XrActionSet handle)
{
    pthread_mutex_lock(&openxr.lock);
    const bool has = find_set(handle);
    pthread_mutex_unlock(&openxr.lock);
    return has;
}

struct provided_action *provided_action_of(XrAction handle)
{
    pthread_mutex_lock(&openxr.lock);
    struct provided_action *found = find_action(handle);
    pthread_mutex_unlock(&openxr.lock);
    return found;
}

/* Any action may be the program's from now on: what it says of those is taken, and does nothing. */
static void forget_one(struct openxr_instance *instance)
{
    openxr_say(FOVEA_LOG_ERROR, "no memory; an action is told of no gaze");
    pthread_mutex_lock(&openxr.lock);
    instance->forgetful = true;
    pthread_mutex_unlock(&openxr.lock);
}

XrResult provided_create_set(XrInstance handle, const XrActionSetCreateInfo *info, XrActionSet *out)
{
    const XrResult result = openxr.below.CreateActionSet(handle, info, out);
    struct openxr_instance *instance = openxr_instance_of(handle);
    struct provided_set *set = XR_SUCCEEDED(result) ? calloc(1, sizeof *set) : NULL;
    if (XR_SUCCEEDED(result) && !set) {
        forget_one(instance);
    }
    if (set) {
        set->instance = instance;
        set->handle = *out;
        pthread_mutex_lock(&openxr.lock);
        set->next = sets;
        sets = set;
        pthread_mutex_unlock(&openxr.lock);
    }
    return result;
}

/* Fills the action's description for the runtime; true: it differs. */
static bool without_eyes(XrPath eyes, const XrActionCreateInfo *info, XrPath paths[PATHS],
                         XrActionCreateInfo *out)
{
    *out = *info;
    if (info->countSubactionPaths > PATHS || !info->subactionPaths || !eyes) {
        return false;
    }
    out->countSubactionPaths = 0;
    for (uint32_t i = 0; i < info->countSubactionPaths; i++) {
        if (info->subactionPaths[i] != eyes) {
            paths[out->countSubactionPaths++] = info->subactionPaths[i];
        }
    }
    out->subactionPaths = out->countSubactionPaths ? paths : NULL;
    return out->countSubactionPaths < info->countSubactionPaths;
}

XrResult openxr_provide_create_action(XrActionSet handle, const XrActionCreateInfo *info,
                                      XrAction *out)
{
    XrPath paths[PATHS];
    XrActionCreateInfo runtimes;
    pthread_mutex_lock(&openxr.lock);
    struct provided_set *set = find_set(handle);
    pthread_mutex_unlock(&openxr.lock);
    if (!set || !info) {
        return openxr.below.CreateAction(handle, info, out);
    }
    const bool eyes = without_eyes(set->instance->eyes_path, info, paths, &runtimes);
    const XrResult result = openxr.below.CreateAction(handle, &runtimes, out);
    struct provided_action *action = XR_SUCCEEDED(result) ? calloc(1, sizeof *action) : NULL;
    if (XR_SUCCEEDED(result) && !action) {
        forget_one(set->instance);
    }
    if (action) {
        action->set = set;
        action->handle = *out;
        action->type = info->actionType;
        action->has_eyes = eyes;
        pthread_mutex_lock(&openxr.lock);
        action->next = actions;
        actions = action;
        pthread_mutex_unlock(&openxr.lock);
    }
    return result;
}

static bool has_actions(const struct provided_set *set)
{
    const struct provided_action *at = actions;
    while (at && at->set != set) {
        at = at->next;
    }
    return at;
}

/* A later set may be where this one was. */
static void leave_sessions(const struct provided_set *set)
{
    for (struct openxr_session *session = openxr.sessions; session; session = session->next) {
        for (uint32_t i = session->eyes_set_count; i-- > 0;) {
            if (session->eyes_sets[i] == set) {
                session->eyes_sets[i] = session->eyes_sets[--session->eyes_set_count];
            }
        }
    }
}

/* An attached set still has the actions whose handles are gone. */
void provided_actions_sweep(void)
{
    for (struct provided_action **at = &actions; *at;) {
        struct provided_action *action = *at;
        if (!action->handle && action->space_count == 0 &&
            !(action->set->handle && action->set->attached)) {
            *at = action->next;
            free(action);
        } else {
            at = &action->next;
        }
    }
    for (struct provided_set **at = &sets; *at;) {
        struct provided_set *set = *at;
        if (!set->handle && !has_actions(set)) {
            *at = set->next;
            leave_sessions(set);
            free(set);
        } else {
            at = &set->next;
        }
    }
}

/* Before the runtime may give the handle to another one. */
void openxr_provide_forget(XrAction action, XrActionSet set)
{
    pthread_mutex_lock(&openxr.lock);
    struct provided_set *gone = find_set(set);
    for (struct provided_action *at = actions; at; at = at->next) {
        at->handle = (action && at->handle == action) || (gone && at->set == gone) ? XR_NULL_HANDLE
                                                                                   : at->handle;
    }
    if (gone) {
        gone->handle = XR_NULL_HANDLE;
    }
    provided_actions_sweep();
    pthread_mutex_unlock(&openxr.lock);
}

void provided_actions_gone(const struct openxr_instance *instance)
{
    pthread_mutex_lock(&openxr.lock);
    for (struct provided_action **at = &actions; *at;) {
        struct provided_action *action = *at;
        if (action->set->instance == instance) {
            *at = action->next;
            free(action);
        } else {
            at = &action->next;
        }
    }
    for (struct provided_set **at = &sets; *at;) {
        struct provided_set *set = *at;
        if (set->instance == instance) {
            *at = set->next;
            free(set);
        } else {
            at = &set->next;
        }
    }
    pthread_mutex_unlock(&openxr.lock);
}

/* Whether the runtime's own profiles would take such a binding. openxr.lock is held. */
static XrResult judge(const struct openxr_instance *instance,
                      const XrActionSuggestedBinding *binding)
{
    const struct provided_action *action = find_action(binding->action);
    const bool known = action && action->set->instance == instance;
    if (!known && !(instance->forgetful && binding->action)) {
        return XR_ERROR_HANDLE_INVALID;
    }
    if (binding->binding == XR_NULL_PATH) {
        return XR_ERROR_PATH_INVALID;
    }
    if (binding->binding != instance->gaze_path) {
        return XR_ERROR_PATH_UNSUPPORTED;
    }
    return known && action->set->attached ? XR_ERROR_ACTIONSETS_ALREADY_ATTACHED : XR_SUCCESS;
}

static XrResult judge_all(const struct openxr_instance *instance,
                          const XrInteractionProfileSuggestedBinding *info)
{
    XrResult result = info->countSuggestedBindings > 0 && info->suggestedBindings
                          ? XR_SUCCESS
                          : XR_ERROR_VALIDATION_FAILURE;
    for (uint32_t i = 0; result == XR_SUCCESS && i < info->countSuggestedBindings; i++) {
        result = judge(instance, &info->suggestedBindings[i]);
    }
    return result;
}

/* Those of a later call take the place of the former ones. openxr.lock is held. */
static void bind_all(const struct openxr_instance *instance,
                     const XrInteractionProfileSuggestedBinding *info)
{
    for (struct provided_action *at = actions; at; at = at->next) {
        at->bound = at->bound && (at->set->instance != instance || at->set->attached);
    }
    for (uint32_t i = 0; i < info->countSuggestedBindings; i++) {
        struct provided_action *action = find_action(info->suggestedBindings[i].action);
        if (action) {
            action->bound = action->type == XR_ACTION_TYPE_POSE_INPUT;
        }
    }
}

XrResult openxr_provide_suggest(struct openxr_instance *instance,
                                const XrInteractionProfileSuggestedBinding *info)
{
    if (!info || info->interactionProfile == XR_NULL_PATH ||
        info->interactionProfile != instance->gaze_profile) {
        return openxr.below.SuggestInteractionProfileBindings(instance->handle, info);
    }
    pthread_mutex_lock(&openxr.lock);
    const XrResult result = judge_all(instance, info);
    if (result == XR_SUCCESS) {
        bind_all(instance, info);
    }
    pthread_mutex_unlock(&openxr.lock);
    return result;
}

/* openxr.lock is held for this and the next one. */
static bool is_bound(const struct provided_set *set)
{
    bool bound = false;
    for (const struct provided_action *at = actions; at; at = at->next) {
        bound = bound || (at->set == set && at->bound);
    }
    return bound;
}

static bool has_eyes(const struct provided_set *set)
{
    bool has = false;
    for (const struct provided_action *at = actions; at; at = at->next) {
        has = has || (at->set == set && at->has_eyes);
    }
    return has;
}

void openxr_provide_attached(struct openxr_session *session,
                             const XrSessionActionSetsAttachInfo *info)
{
    pthread_mutex_lock(&openxr.lock);
    for (uint32_t i = 0; session->instance->provides && info && i < info->countActionSets; i++) {
        struct provided_set *set = find_set(info->actionSets[i]);
        if (set) {
            set->attached = true;
        }
        if (set && is_bound(set) && session->instance->offers) {
            session->profile = OPENXR_PROFILE_ATTACHED;
        }
    }
    pthread_mutex_unlock(&openxr.lock);
}

/* Fills what the runtime is to synchronize: all but the eyes alone. */
static XrResult synced_below(const struct openxr_session *session, const XrActionsSyncInfo *info,
                             XrActiveActionSet rest[SETS], uint32_t *out_count)
{
    const XrPath eyes = session->instance->eyes_path;
    XrResult result = XR_SUCCESS;
    *out_count = 0;
    pthread_mutex_lock(&openxr.lock);
    for (uint32_t i = 0; i < info->countActiveActionSets; i++) {
        const XrActiveActionSet *active = &info->activeActionSets[i];
        const struct provided_set *set = find_set(active->actionSet);
        if (!eyes || active->subactionPath != eyes || !set || !has_eyes(set)) {
            rest[(*out_count)++] = *active;
        } else if (!set->attached) {
            result = XR_ERROR_ACTIONSET_NOT_ATTACHED;
        }
    }
    pthread_mutex_unlock(&openxr.lock);
    return result;
}

static void note_active(struct openxr_session *session, const XrActionsSyncInfo *info, bool focused)
{
    const XrPath eyes = session->instance->eyes_path;
    pthread_mutex_lock(&openxr.lock);
    session->eyes_set_count = 0;
    for (uint32_t i = 0; focused && i < info->countActiveActionSets; i++) {
        const XrActiveActionSet *active = &info->activeActionSets[i];
        const struct provided_set *set = find_set(active->actionSet);
        if (set && is_bound(set) && session->eyes_set_count < OPENXR_EYES_SETS &&
            (active->subactionPath == XR_NULL_PATH || active->subactionPath == eyes)) {
            session->eyes_sets[session->eyes_set_count++] = set;
        }
    }
    if (focused && session->profile == OPENXR_PROFILE_ATTACHED) {
        session->profile = OPENXR_PROFILE_CHANGED;
    }
    pthread_mutex_unlock(&openxr.lock);
}

/* Frames of sessions that are not foveated do not look at the files. */
static void poll_files(struct openxr_session *session)
{
    if (!session->foveates) {
        pthread_mutex_lock(&session->frame_lock);
        openxr_session_poll(session);
        pthread_mutex_unlock(&session->frame_lock);
    }
}

XrResult openxr_provide_sync(struct openxr_session *session, const XrActionsSyncInfo *info)
{
    XrActiveActionSet rest[SETS];
    if (!info || info->countActiveActionSets > SETS ||
        (info->countActiveActionSets > 0 && !info->activeActionSets)) {
        return openxr.below.SyncActions(session->handle, info);
    }
    XrActionsSyncInfo runtimes = *info;
    runtimes.activeActionSets = rest;
    const XrResult eyes = synced_below(session, info, rest, &runtimes.countActiveActionSets);
    if (XR_FAILED(eyes)) {
        return eyes;
    }
    const XrResult result = openxr.below.SyncActions(session->handle, &runtimes);
    if (XR_SUCCEEDED(result)) {
        note_active(session, info, result != XR_SESSION_NOT_FOCUSED);
        poll_files(session);
    }
    return result;
}

bool provided_is_active(const struct openxr_session *session, const struct provided_action *action)
{
    bool active = false;
    pthread_mutex_lock(&openxr.lock);
    for (uint32_t i = 0; i < session->eyes_set_count; i++) {
        active = active || session->eyes_sets[i] == action->set;
    }
    active = active && action->bound && session->instance->offers;
    pthread_mutex_unlock(&openxr.lock);
    return active;
}

/* It is bound to the eyes, and its set attached. */
static bool is_source_of(const struct openxr_session *session, const struct provided_action *action)
{
    pthread_mutex_lock(&openxr.lock);
    const bool is = action->bound && action->set->attached && session->instance->offers;
    pthread_mutex_unlock(&openxr.lock);
    return is;
}

XrResult provided_sources(XrSession handle, const XrBoundSourcesForActionEnumerateInfo *info,
                          uint32_t capacity, uint32_t *count, XrPath *out)
{
    const struct openxr_session *session = openxr_session_of(handle);
    const struct provided_action *action = info ? provided_action_of(info->action) : NULL;
    uint32_t others = 0;
    if (!session || !action || !count || (capacity > 0 && !out) || !is_source_of(session, action)) {
        return openxr.below.EnumerateBoundSourcesForAction(handle, info, capacity, count, out);
    }
    XrResult result = openxr.below.EnumerateBoundSourcesForAction(handle, info, 0, &others, NULL);
    if (XR_FAILED(result)) {
        return result;
    }
    *count = others + 1;
    if (capacity == 0 || capacity < *count) {
        return capacity == 0 ? result : XR_ERROR_SIZE_INSUFFICIENT;
    }
    if (others > 0) {
        result = openxr.below.EnumerateBoundSourcesForAction(handle, info, others, &others, out);
    }
    if (XR_FAILED(result) || others >= capacity) {
        *count = others + 1; /* another thread has added some meanwhile */
        return XR_FAILED(result) ? result : XR_ERROR_SIZE_INSUFFICIENT;
    }
    out[others] = session->instance->gaze_path;
    *count = others + 1;
    return result;
}
