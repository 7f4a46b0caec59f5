/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Spaces of actions that are bound to the eyes. Each is one of the runtime's, for the same action,
 * which the runtime locates nowhere, unless something else is bound to the action and active: then
 * that counts. */

#include "plugin/openxr/openxr_provide.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_S 1000000000
#define ALL_VALID                                                                                  \
    ((XrSpaceLocationFlags)XR_SPACE_LOCATION_ORIENTATION_VALID_BIT |                               \
     XR_SPACE_LOCATION_POSITION_VALID_BIT)
#define ALL_TRACKED                                                                                \
    ((XrSpaceLocationFlags)XR_SPACE_LOCATION_ORIENTATION_TRACKED_BIT |                             \
     XR_SPACE_LOCATION_POSITION_TRACKED_BIT)

static struct provided_space *spaces; /* openxr.lock guards it; records do not change */

/* A pose, and what is known of it. */
struct located {
    XrSpaceLocationFlags flags;
    XrPosef pose;
};

/* The state of one call that locates spaces; all spaces in it share it. */
struct call {
    struct openxr_session *session;
    XrSpace view; /* the head's */
    XrTime time;
    struct located eyes; /* in it */
    XrTime sampled; /* 0: not told */
    bool read; /* the gaze was; else no eyes are in it */
};

static const struct provided_space *space_of(XrSpace handle)
{
    pthread_mutex_lock(&openxr.lock);
    const struct provided_space *found = spaces;
    while (found && found->handle != handle) {
        found = found->next;
    }
    pthread_mutex_unlock(&openxr.lock);
    return found;
}

static XrSpace read_view_space(const struct openxr_session *session)
{
    pthread_mutex_lock(&openxr.lock);
    const XrSpace view = session->view_space;
    pthread_mutex_unlock(&openxr.lock);
    return view;
}

/* The first space of a session brings that of the head along. */
static bool need_view_space(struct openxr_session *session)
{
    const XrReferenceSpaceCreateInfo info = {.type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO,
                                             .referenceSpaceType = XR_REFERENCE_SPACE_TYPE_VIEW,
                                             .poseInReferenceSpace = {.orientation = {0, 0, 0, 1}}};
    XrSpace made = XR_NULL_HANDLE;
    if (read_view_space(session)) {
        return true;
    }
    if (XR_FAILED(openxr.below.CreateReferenceSpace(session->handle, &info, &made))) {
        return false;
    }
    pthread_mutex_lock(&openxr.lock);
    const XrSpace spare = session->view_space ? made : XR_NULL_HANDLE;
    session->view_space = spare ? session->view_space : made;
    pthread_mutex_unlock(&openxr.lock);
    if (spare) {
        (void)openxr.below.DestroySpace(spare);
    }
    return true;
}

static void remember(struct openxr_session *session, struct provided_action *action,
                     const XrActionSpaceCreateInfo *info, XrSpace handle)
{
    struct provided_space *space = need_view_space(session) ? calloc(1, sizeof *space) : NULL;
    if (!space) {
        openxr_say(FOVEA_LOG_ERROR, "a space of the eyes cannot be followed: it is lost");
        return;
    }
    space->session = session;
    space->action = action;
    space->handle = handle;
    space->only_eyes = info->subactionPath != XR_NULL_PATH;
    space->pose = info->poseInActionSpace;
    pthread_mutex_lock(&openxr.lock);
    action->space_count++;
    space->next = spaces;
    spaces = space;
    pthread_mutex_unlock(&openxr.lock);
}

XrResult provided_create_space(XrSession handle, const XrActionSpaceCreateInfo *info, XrSpace *out)
{
    struct openxr_session *session = openxr_session_of(handle);
    struct provided_action *action = info ? provided_action_of(info->action) : NULL;
    const bool any = info && info->subactionPath == XR_NULL_PATH;
    const bool eyes =
        action && session && !any && info->subactionPath == session->instance->eyes_path;
    if (!session || !action || action->type != XR_ACTION_TYPE_POSE_INPUT ||
        !(any || (eyes && action->has_eyes))) {
        return openxr.below.CreateActionSpace(handle, info, out);
    }
    XrActionSpaceCreateInfo runtimes = *info;
    runtimes.subactionPath = XR_NULL_PATH;
    const XrResult result = openxr.below.CreateActionSpace(handle, &runtimes, out);
    if (XR_SUCCEEDED(result)) {
        remember(session, action, info, *out);
    }
    return result;
}

/* Forgets that space, or all of that session's. */
static void forget(XrSpace handle, const struct openxr_session *session)
{
    pthread_mutex_lock(&openxr.lock);
    for (struct provided_space **at = &spaces; *at;) {
        struct provided_space *space = *at;
        if (space->handle == handle || space->session == session) {
            *at = space->next;
            space->action->space_count--;
            free(space);
        } else {
            at = &space->next;
        }
    }
    provided_actions_sweep();
    pthread_mutex_unlock(&openxr.lock);
}

/* The runtime may give the handle to another space as soon as it is free. */
XrResult provided_destroy_space(XrSpace handle)
{
    forget(handle, NULL);
    return openxr.below.DestroySpace(handle);
}

void provided_spaces_gone(const struct openxr_session *session)
{
    forget(XR_NULL_HANDLE, session);
}

bool provided_gaze_read(struct openxr_session *session, struct provided_gaze *out)
{
    const XrExtent2Di *px = &session->eye_px;
    struct fovea_gaze gaze = {.state = FOVEA_GAZE_LOST};
    pthread_mutex_lock(&session->gaze_lock);
    struct fovea_gaze_source *source = session->gaze_switch.source;
    const int64_t now_ns = fovea_time_ns();
    const bool read = source && fovea_gaze_source_read(
                                    source, now_ns, px->width > 0 ? (uint32_t)px->width : 1,
                                    px->height > 0 ? (uint32_t)px->height : 1, &gaze) == FOVEA_OK;
    out->settings = session->gaze_switch.used;
    pthread_mutex_unlock(&session->gaze_lock);
    out->state = gaze.state;
    out->age_ns = gaze.age_ns;
    out->now_ns = now_ns;
    out->point = gaze.point;
    return read && gaze.usable && gaze.state != FOVEA_GAZE_LOST;
}

/* Finds the direction of the gaze from the head. False: the runtime does not tell the views'
 * frusta. */
static bool find_direction(const struct call *call, const struct provided_gaze *gaze,
                           struct openxr_vector *out)
{
    const struct openxr_session *session = call->session;
    const XrViewLocateInfo info = {
        .type = XR_TYPE_VIEW_LOCATE_INFO,
        .viewConfigurationType =
            session->views_type ? session->views_type : XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO,
        .displayTime = call->time,
        .space = call->view};
    XrViewState state = {.type = XR_TYPE_VIEW_STATE};
    XrView views[OPENXR_VIEWS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < OPENXR_VIEWS; i++) {
        views[i] = (XrView){.type = XR_TYPE_VIEW};
    }
    if (XR_FAILED(openxr.below.LocateViews(session->handle, &info, &state, OPENXR_VIEWS, &count,
                                           views)) ||
        count == 0 || !(state.viewStateFlags & XR_VIEW_STATE_ORIENTATION_VALID_BIT)) {
        return false;
    }
    const bool over_first = gaze->settings.kind == FOVEA_GAZE_SALIENCY; /* which it was shown */
    const XrView *a = &views[0];
    const XrView *b = &views[count > 1 && !over_first ? 1 : 0];
    *out = openxr_gaze_between(&a->pose.orientation, &a->fov, &b->pose.orientation, &b->fov,
                               &gaze->settings, gaze->point);
    return isfinite(out->x) && isfinite(out->y) && isfinite(out->z);
}

static XrTime sample_time(const struct openxr_instance *instance, const struct provided_gaze *gaze)
{
    const int64_t t_ns = gaze->now_ns - gaze->age_ns;
    const struct timespec at = {.tv_sec = t_ns / NS_PER_S, .tv_nsec = t_ns % NS_PER_S};
    XrTime time = 0;
    return instance->to_xr_time && t_ns > 0 &&
                   XR_SUCCEEDED(instance->to_xr_time(instance->handle, &at, &time))
               ? time
               : 0;
}

static bool is_active(const struct provided_space *space)
{
    return space && provided_is_active(space->session, space->action);
}

/* A gaze that is held is somewhere, but nobody has seen it there. It is not read where `active`
 * says that nothing is bound to it. */
static struct call begin(struct openxr_session *session, XrTime time, bool active)
{
    struct call call = {.session = session,
                        .view = read_view_space(session),
                        .time = time,
                        .read = active,
                        .eyes = {0, {.orientation = {0, 0, 0, 1}}}};
    struct provided_gaze gaze;
    struct openxr_vector to;
    if (active && provided_gaze_read(session, &gaze) && find_direction(&call, &gaze, &to)) {
        call.eyes.pose.orientation = provided_turn(to);
        call.eyes.flags = ALL_VALID | (fovea_gaze_is_tracked(gaze.state) ? ALL_TRACKED : 0);
        call.sampled = sample_time(session->instance, &gaze);
    }
    return call;
}

/* Locates it from the head. */
static struct located locate_in_head(const struct call *call, XrSpace handle,
                                     const struct provided_space *space)
{
    if (space) {
        return (struct located){is_active(space) ? call->eyes.flags : 0,
                                provided_placed(&call->eyes.pose, &space->pose)};
    }
    XrSpaceLocation at = {.type = XR_TYPE_SPACE_LOCATION};
    const XrResult result = openxr.below.LocateSpace(handle, call->view, call->time, &at);
    return (struct located){XR_SUCCEEDED(result) ? at.locationFlags : 0, at.pose};
}

/* The head's own place in a space; turned round where that is the eyes'. */
static struct located locate_head(const struct call *call, XrSpace base,
                                  const struct provided_space *eyes)
{
    const XrPosef here = {.orientation = {0, 0, 0, 1}};
    if (eyes) {
        const struct located seen = locate_in_head(call, base, eyes);
        return (struct located){seen.flags, provided_seen_from(&seen.pose, &here)};
    }
    XrSpaceLocation at = {.type = XR_TYPE_SPACE_LOCATION};
    const XrResult result = openxr.below.LocateSpace(call->view, base, call->time, &at);
    return (struct located){XR_SUCCEEDED(result) ? at.locationFlags : 0, at.pose};
}

/* A gaze is tracked as a whole or not at all. */
static struct located join(const struct located *head, const struct located *in_head)
{
    const XrSpaceLocationFlags both = head->flags & in_head->flags;
    const bool tracked = (both & ALL_TRACKED) == ALL_TRACKED;
    if (!(both & XR_SPACE_LOCATION_ORIENTATION_VALID_BIT)) {
        return (struct located){0, {.orientation = {0, 0, 0, 1}}};
    }
    return (struct located){(both & ALL_VALID) | (tracked ? ALL_TRACKED : 0),
                            provided_placed(&head->pose, &in_head->pose)};
}

/* Says whether the space is the runtime's to locate: the eyes are not bound to it, or the runtime
 * has found something else that is bound. */
static bool is_the_runtimes(const struct provided_space *space, const struct provided_space *base,
                            XrSpaceLocationFlags flags)
{
    return (!space || !space->only_eyes) && (!base || !base->only_eyes) &&
           (flags & XR_SPACE_LOCATION_ORIENTATION_VALID_BIT ||
            !(is_active(space) || is_active(base)));
}

static void answer(const struct call *call, const struct provided_space *space, XrSpace handle,
                   const struct provided_space *base_space, XrSpace base,
                   XrSpaceLocationFlags *flags, XrPosef *pose)
{
    const struct located head = locate_head(call, base, base_space);
    const struct located in_head = locate_in_head(call, handle, space);
    const struct located found = join(&head, &in_head);
    *flags = found.flags;
    *pose = found.flags ? found.pose : *pose;
}

/* Forgets the runtime's velocity, which is another thing's: an eye's is not known. */
static void forget_velocity(void *next)
{
    for (XrBaseOutStructure *one = next; one; one = one->next) {
        if (one->type == XR_TYPE_SPACE_VELOCITY) {
            ((XrSpaceVelocity *)one)->velocityFlags = 0;
        }
    }
}

XrResult provided_locate(XrSpace handle, XrSpace base, XrTime time, XrSpaceLocation *location)
{
    const struct provided_space *space = space_of(handle);
    const struct provided_space *base_space = space_of(base);
    const struct provided_space *either = space ? space : base_space;
    const struct provided_unlinked sample =
        provided_take_out(location, XR_TYPE_EYE_GAZE_SAMPLE_TIME_EXT);
    const XrResult result = openxr.below.LocateSpace(handle, base, time, location);
    provided_put_back(&sample);
    XrTime sampled = 0;
    if (XR_SUCCEEDED(result) && either &&
        !is_the_runtimes(space, base_space, location->locationFlags)) {
        const struct call call =
            begin(either->session, time, is_active(space) || is_active(base_space));
        answer(&call, space, handle, base_space, base, &location->locationFlags, &location->pose);
        sampled = location->locationFlags ? call.sampled : 0;
        forget_velocity(location->next);
    }
    if (XR_SUCCEEDED(result) && sample.taken) {
        ((XrEyeGazeSampleTimeEXT *)sample.taken)->time = sampled;
    }
    return result;
}

/* They are OpenXR 1.1's, which is younger than Debian 12's headers. */
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

#define TYPE_SPACE_VELOCITIES 1000471002

struct velocities {
    XrStructureType type;
    void *next;
    uint32_t count;
    struct {
        XrSpaceVelocityFlags flags;
        XrVector3f linear;
        XrVector3f angular;
    } * each;
};

static void forget_velocity_of(void *next, uint32_t index)
{
    for (XrBaseOutStructure *one = next; one; one = one->next) {
        struct velocities *all = (struct velocities *)one;
        if ((int)one->type == TYPE_SPACE_VELOCITIES && all->each && index < all->count) {
            all->each[index].flags = 0;
        }
    }
}

typedef XrResult(XRAPI_PTR *locate_spaces)(XrSession session, const struct locate_info *info,
                                           struct locations *locations);

static XrResult locate_all(const char *name, XrSession handle, const struct locate_info *info,
                           struct locations *locations)
{
    struct openxr_session *session = openxr_session_of(handle);
    locate_spaces below =
        session ? (locate_spaces)openxr_find(session->instance->handle, name) : NULL;
    const XrResult result = below ? below(handle, info, locations) : XR_ERROR_FUNCTION_UNSUPPORTED;
    const struct provided_space *base = XR_SUCCEEDED(result) ? space_of(info->base) : NULL;
    struct call call = {.session = NULL};
    for (uint32_t i = 0; XR_SUCCEEDED(result) && i < info->count; i++) {
        const struct provided_space *space = space_of(info->spaces[i]);
        if ((space || base) && !is_the_runtimes(space, base, locations->each[i].flags)) {
            if (!call.session || (!call.read && is_active(space))) {
                call = begin(session, info->time, is_active(space) || is_active(base));
            }
            answer(&call, space, info->spaces[i], base, info->base, &locations->each[i].flags,
                   &locations->each[i].pose);
            forget_velocity_of(locations->next, i);
        }
    }
    return result;
}

XrResult provided_locate_all(XrSession handle, const struct locate_info *info,
                             struct locations *locations)
{
    return locate_all("xrLocateSpaces", handle, info, locations);
}

XrResult provided_locate_all_khr(XrSession handle, const struct locate_info *info,
                                 struct locations *locations)
{
    return locate_all("xrLocateSpacesKHR", handle, info, locations);
}

/* Something else than the eyes is bound to it, and the runtime has found that. */
static bool is_found_below(const struct provided_space *space, const XrViewLocateInfo *info)
{
    XrSpaceLocation at = {.type = XR_TYPE_SPACE_LOCATION};
    return !space->only_eyes &&
           XR_SUCCEEDED(openxr.below.LocateSpace(info->space, read_view_space(space->session),
                                                 info->displayTime, &at)) &&
           is_the_runtimes(space, NULL, at.locationFlags);
}

/* The eyes' space sees them where they are from the head, turned back. */
XrResult provided_locate_views(XrSession handle, const XrViewLocateInfo *info, XrViewState *state,
                               uint32_t capacity, uint32_t *count, XrView *views)
{
    const struct provided_space *space = info ? space_of(info->space) : NULL;
    if (!space || is_found_below(space, info)) {
        return openxr.below.LocateViews(handle, info, state, capacity, count, views);
    }
    const struct call call = begin(space->session, info->displayTime, is_active(space));
    XrViewLocateInfo from_head = *info;
    from_head.space = call.view;
    const XrResult result =
        openxr.below.LocateViews(handle, &from_head, state, capacity, count, views);
    const struct located eyes = locate_in_head(&call, info->space, space);
    for (uint32_t i = 0; XR_SUCCEEDED(result) && eyes.flags && i < *count && i < capacity; i++) {
        views[i].pose = provided_seen_from(&eyes.pose, &views[i].pose);
    }
    if (XR_SUCCEEDED(result)) {
        state->viewStateFlags &= eyes.flags; /* the bits are the same */
    }
    return result;
}
