/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* States of actions of programs that are provided with a gaze. */

#include "plugin/openxr/openxr_provide.h"

XrResult provided_state(XrSession handle, const XrActionStateGetInfo *info,
                        XrActionStatePose *state)
{
    struct openxr_session *session = openxr_session_of(handle);
    const struct provided_action *action = info ? provided_action_of(info->action) : NULL;
    const bool eyes = action && session && info->subactionPath != XR_NULL_PATH &&
                      info->subactionPath == session->instance->eyes_path;
    if (!session || !action || !state || (eyes && !action->has_eyes)) {
        return openxr.below.GetActionStatePose(handle, info, state);
    }
    XrActionStateGetInfo runtimes = *info;
    struct provided_gaze gaze;
    runtimes.subactionPath = eyes ? XR_NULL_PATH : info->subactionPath;
    const XrResult result = openxr.below.GetActionStatePose(handle, &runtimes, state);
    if (XR_SUCCEEDED(result) && runtimes.subactionPath == XR_NULL_PATH) {
        state->isActive = (!eyes && state->isActive) || (provided_is_active(session, action) &&
                                                         provided_gaze_read(session, &gaze));
    }
    return result;
}

/* ---- Actions that are no poses: nothing of the eyes is bound to them. */

/* True: the action may be asked for the eyes, of which the runtime does not know; *out asks it for
 * any. */
static bool asks_for_eyes(XrSession handle, const XrActionStateGetInfo *info,
                          XrActionStateGetInfo *out)
{
    const struct openxr_session *session = openxr_session_of(handle);
    const struct provided_action *action =
        session && info ? provided_action_of(info->action) : NULL;
    if (!action || !action->has_eyes || info->subactionPath == XR_NULL_PATH ||
        info->subactionPath != session->instance->eyes_path) {
        return false;
    }
    *out = *info;
    out->subactionPath = XR_NULL_PATH;
    return true;
}

/* The state of an action of the eyes is not active. */
#define PROVIDED_STATE(name, Function, Type)                                                       \
    XrResult provided_state_##name(XrSession handle, const XrActionStateGetInfo *info,             \
                                   Type *state)                                                    \
    {                                                                                              \
        XrActionStateGetInfo any;                                                                  \
        const bool eyes = asks_for_eyes(handle, info, &any);                                       \
        const XrResult result = openxr.below.Function(handle, eyes ? &any : info, state);          \
        if (eyes && XR_SUCCEEDED(result)) {                                                        \
            *state = (Type){.type = state->type, .next = state->next};                             \
        }                                                                                          \
        return result;                                                                             \
    }
PROVIDED_STATE(boolean, GetActionStateBoolean, XrActionStateBoolean)
PROVIDED_STATE(float, GetActionStateFloat, XrActionStateFloat)
PROVIDED_STATE(vector, GetActionStateVector2f, XrActionStateVector2f)

static bool shakes_eyes(XrSession handle, const XrHapticActionInfo *info)
{
    XrActionStateGetInfo any;
    return info && asks_for_eyes(handle,
                                 &(XrActionStateGetInfo){.action = info->action,
                                                         .subactionPath = info->subactionPath},
                                 &any);
}

XrResult provided_apply_haptic(XrSession handle, const XrHapticActionInfo *info,
                               const XrHapticBaseHeader *feedback)
{
    return shakes_eyes(handle, info) ? XR_SUCCESS
                                     : openxr.below.ApplyHapticFeedback(handle, info, feedback);
}

XrResult provided_stop_haptic(XrSession handle, const XrHapticActionInfo *info)
{
    return shakes_eyes(handle, info) ? XR_SUCCESS : openxr.below.StopHapticFeedback(handle, info);
}
