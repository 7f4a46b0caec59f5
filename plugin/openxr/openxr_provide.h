/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The layer as a source: programs of a runtime without a gaze get the configured source's, by
 * XR_EXT_eye_gaze_interaction. The runtime hears nothing of the extension: bindings for the eyes
 * and the path /user/eyes_ext end here, and the locations of spaces of actions that are bound so
 * are the layer's own answers. Whatever the layer cannot answer is the runtime's answer. */
#pragma once

#include "plugin/openxr/xr_layer.h"

/* Records outlive their handles: an action's stays while there are spaces of it, or its attached
 * set is there, and a set's while there are actions of it. openxr.lock guards all but what never
 * changes. */
struct provided_set {
    struct provided_set *next;
    struct openxr_instance *instance;
    XrActionSet handle; /* XR_NULL_HANDLE: it is destroyed */
    bool attached;
};

struct provided_action {
    struct provided_action *next;
    struct provided_set *set;
    XrAction handle; /* XR_NULL_HANDLE: it is destroyed */
    XrActionType type;
    uint32_t space_count;
    bool has_eyes; /* /user/eyes_ext is among its subaction paths */
    bool bound; /* to the eyes */
};

struct provided_space {
    struct provided_space *next;
    struct openxr_session *session;
    struct provided_action *action;
    XrSpace handle;
    bool only_eyes; /* made with that subaction path */
    XrPosef pose; /* in the action's */
};

/* The source's gaze at this moment. */
struct provided_gaze {
    enum fovea_gaze_state state;
    int64_t age_ns; /* of the sample, at now_ns */
    int64_t now_ns;
    struct fovea_point_uv point;
    struct fovea_gaze_settings settings; /* the source's */
};

/* ---- openxr_provide_actions.c ---- */
/* NULL: it is no action of such an instance, or destroyed. */
struct provided_action *provided_action_of(XrAction handle);
/* The action is bound to the eyes, and its set was active in the session's last
 * synchronization. */
bool provided_is_active(const struct openxr_session *session, const struct provided_action *action);
void provided_actions_gone(const struct openxr_instance *instance);
/* Frees the records that nothing needs any more. openxr.lock is held. */
void provided_actions_sweep(void);
/* These stand in place of xrCreateActionSet, xrEnumerateBoundSourcesForAction. */
XrResult provided_create_set(XrInstance handle, const XrActionSetCreateInfo *info,
                             XrActionSet *out);
XrResult provided_sources(XrSession handle, const XrBoundSourcesForActionEnumerateInfo *info,
                          uint32_t capacity, uint32_t *count, XrPath *out);

/* ---- openxr_provide_state.c ---- */
/* In place of xrGetActionStatePose, and of the other types' functions where the eyes are asked for:
 * nothing of theirs is bound to those actions. */
XrResult provided_state(XrSession handle, const XrActionStateGetInfo *info,
                        XrActionStatePose *state);
XrResult provided_state_boolean(XrSession handle, const XrActionStateGetInfo *info,
                                XrActionStateBoolean *state);
XrResult provided_state_float(XrSession handle, const XrActionStateGetInfo *info,
                              XrActionStateFloat *state);
XrResult provided_state_vector(XrSession handle, const XrActionStateGetInfo *info,
                               XrActionStateVector2f *state);
XrResult provided_apply_haptic(XrSession handle, const XrHapticActionInfo *info,
                               const XrHapticBaseHeader *feedback);
XrResult provided_stop_haptic(XrSession handle, const XrHapticActionInfo *info);

/* ---- openxr_provide_space.c ---- */
void provided_spaces_gone(const struct openxr_session *session);
/* False: there is no source, or it has lost the eyes. */
bool provided_gaze_read(struct openxr_session *session, struct provided_gaze *out);
/* These stand in place of xrCreateActionSpace, xrDestroySpace, xrLocateSpace, xrLocateSpaces and
 * its older name, xrLocateViews. */
XrResult provided_create_space(XrSession handle, const XrActionSpaceCreateInfo *info, XrSpace *out);
XrResult provided_destroy_space(XrSpace handle);
XrResult provided_locate(XrSpace handle, XrSpace base, XrTime time, XrSpaceLocation *location);
struct locate_info;
struct locations;
XrResult provided_locate_all(XrSession handle, const struct locate_info *info,
                             struct locations *locations);
XrResult provided_locate_all_khr(XrSession handle, const struct locate_info *info,
                                 struct locations *locations);
XrResult provided_locate_views(XrSession handle, const XrViewLocateInfo *info, XrViewState *state,
                               uint32_t capacity, uint32_t *count, XrView *views);

/* ---- openxr_provide_pose.c ---- */
XrPosef provided_seen_from(const XrPosef *space, const XrPosef *pose);
XrPosef provided_placed(const XrPosef *space, const XrPosef *in_space);
/* The rotation without roll that turns straight ahead into that direction. */
XrQuaternionf provided_turn(struct openxr_vector to);

/* A structure of the extension, which a runtime without it is not shown. */
struct provided_unlinked {
    XrBaseOutStructure *before; /* NULL: there is none */
    XrBaseOutStructure *taken;
};
struct provided_unlinked provided_take_out(void *chain, XrStructureType type);
void provided_put_back(const struct provided_unlinked *unlinked);
