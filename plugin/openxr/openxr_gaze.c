/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Finds where each view's eye looks. While the runtime tells no gaze, the last one holds and then
 * gives way to the fallback, as the settings have it; in the middle a view's eye looks straight
 * ahead. */

#include "plugin/openxr/xr_layer.h"

#include "plugin/gaze/gaze_hold.h"

#include <math.h>

#define LEAST_TANGENT 1e-9 /* a geometry takes 0 for forgotten */
#define MOST_TANGENT 100.0 /* this and the next as a setting of foveation.geometry */
#define LEAST_EXTENT_TAN 0.001
#define RAD_PER_DEG (3.14159265358979323846 / 180.0)

static struct openxr_vector cross(struct openxr_vector a, struct openxr_vector b)
{
    return (struct openxr_vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
                                  a.x * b.y - a.y * b.x};
}

/* A unit quaternion. */
struct rotation {
    struct openxr_vector axis;
    double w;
};

/* Orientations may be 1 % longer or shorter than 1, and gazes would be up to a degree off with
 * those. False: it is of no length or not finite, and the rotation is none. */
static bool rotation_of(const XrQuaternionf *orientation, struct rotation *out)
{
    const double x = (double)orientation->x;
    const double y = (double)orientation->y;
    const double z = (double)orientation->z;
    const double w = (double)orientation->w;
    const double length = sqrt(x * x + y * y + z * z + w * w);
    const bool is = isfinite(length) && length > 0;
    *out = is ? (struct rotation){{x / length, y / length, z / length}, w / length}
              : (struct rotation){{0, 0, 0}, 1};
    return is;
}

static struct openxr_vector rotated(const struct rotation *by, struct openxr_vector v)
{
    const struct openxr_vector twice = cross(by->axis, v);
    const struct openxr_vector t = {2 * twice.x, 2 * twice.y, 2 * twice.z};
    const struct openxr_vector more = cross(by->axis, t);
    return (struct openxr_vector){v.x + by->w * t.x + more.x, v.y + by->w * t.y + more.y,
                                  v.z + by->w * t.z + more.z};
}

static struct openxr_vector rotated_back(const struct rotation *by, struct openxr_vector v)
{
    const struct rotation back = {{-by->axis.x, -by->axis.y, -by->axis.z}, by->w};
    return rotated(&back, v);
}

bool openxr_turned(const XrQuaternionf *orientation, struct openxr_vector to,
                   struct openxr_vector *out)
{
    struct rotation rotation;
    const bool is = rotation_of(orientation, &rotation);
    *out = rotated(&rotation, to);
    return is;
}

bool openxr_direction(const XrQuaternionf *orientation, struct openxr_vector *out)
{
    return openxr_turned(orientation, (struct openxr_vector){0, 0, -1}, out);
}

static bool looks_along(XrSpace gaze, XrSpace space, XrTime time, struct openxr_vector *out)
{
    XrSpaceLocation at = {.type = XR_TYPE_SPACE_LOCATION};
    return gaze && XR_SUCCEEDED(openxr.below.LocateSpace(gaze, space, time, &at)) &&
           at.locationFlags & XR_SPACE_LOCATION_ORIENTATION_VALID_BIT &&
           openxr_direction(&at.pose.orientation, out);
}

static bool both_look(const struct openxr_session *session, XrSpace space, XrTime time,
                      struct openxr_vector *out)
{
    return looks_along(openxr_actions_gaze(session), space, time, out) ||
           looks_along(openxr_actions_program_gaze(session), space, time, out);
}

#define LASTS_NS 1000000000

/* Each is said at once the first time, and then when it has lasted: blinks are no news. */
static bool is_news(struct openxr_session *session, enum openxr_told what)
{
    const int64_t now_ns = fovea_time_ns();
    if (what == session->told_gaze) {
        session->next_gaze = what;
        return false;
    }
    if (what != session->next_gaze) {
        session->next_gaze = what;
        session->next_gaze_ns = now_ns;
    }
    return !(session->told_before & 1u << what) || now_ns - session->next_gaze_ns >= LASTS_NS;
}

void openxr_gaze_tell(struct openxr_session *session)
{
    static const char *const instead[] = {
        [FOVEA_GAZE_FALLBACK_CENTER] = "; each view's is straight ahead",
        [FOVEA_GAZE_FALLBACK_LAST] = "; each view's stays where it was",
        [FOVEA_GAZE_FALLBACK_NONE] = "; views are shown as drawn",
        [FOVEA_GAZE_FALLBACK_SALIENCY] = "; each view's is straight ahead",
    };
    static const char *const lines[] = {
        [OPENXR_TOLD_NONE] = "the runtime tells no gaze",
        [OPENXR_TOLD_UNATTACHED] = "the program has attached no actions: no gaze",
        [OPENXR_TOLD_BOTH] = "the gaze is the runtime's, one of both eyes",
        [OPENXR_TOLD_EACH] = "the gaze is the runtime's, one of each eye",
        [OPENXR_TOLD_CENTERS] = "the gaze is the runtime's, the centre of each eye's foveation",
    };
    const enum openxr_told what = session->found_gaze;
    session->found_gaze = OPENXR_TOLD_NOTHING;
    if (what != OPENXR_TOLD_NOTHING && is_news(session, what)) {
        openxr_say(FOVEA_LOG_INFO, "%s%s", lines[what],
                   what < OPENXR_TOLD_BOTH ? instead[session->settings->gaze.fallback] : "");
        session->told_gaze = what;
        session->told_before |= 1u << what;
    }
}

static void note_found(struct openxr_session *session, enum openxr_told found)
{
    session->found_gaze = found > session->found_gaze ? found : session->found_gaze;
}

/* An eye that is not seen well looks where both do together, or else where the other one does. */
static void read_eyes(struct openxr_session *session, XrSpace space, XrTime time)
{
    struct openxr_look *looks = session->looks;
    struct openxr_look both = {.known = false};
    const bool some = openxr_eyes_read(session, space, time, looks);
    const struct openxr_look one = looks[looks[0].known ? 0 : 1];
    session->sees_both = looks[0].known && looks[1].known;
    if (!looks[0].known || !looks[1].known) {
        both.known = both_look(session, space, time, &both.to);
    }
    for (uint32_t i = 0; i < XR_EYES; i++) {
        if (!looks[i].known) {
            looks[i] = both.known ? both : one;
        }
    }
    const enum openxr_told none =
        session->instance->gaze_action && !openxr_actions_attached(session) ? OPENXR_TOLD_UNATTACHED
                                                                            : OPENXR_TOLD_NONE;
    note_found(session, some ? OPENXR_TOLD_EACH : both.known ? OPENXR_TOLD_BOTH : none);
}

/* The centres of the runtime's foveation come before its gazes for pointing, which may be smoothed;
 * no blink moves the gaze from the one to the other. */
static void read_runtime(struct openxr_session *session, XrSpace space, XrTime time)
{
    bool blink = false;
    session->sees_both = false;
    if (openxr_foveation_read(session, space, time, session->looks, &blink)) {
        openxr_tracker_end(session);
        note_found(session, OPENXR_TOLD_CENTERS);
    } else if (blink) {
        session->looks[0].known = session->looks[1].known = false;
        note_found(session, OPENXR_TOLD_NONE);
    } else {
        read_eyes(session, space, time);
    }
}

static struct rotation view_rotation(const XrCompositionLayerProjectionView *view)
{
    struct rotation rotation;
    (void)rotation_of(&view->pose.orientation, &rotation); /* runtimes refuse a pose that is none */
    return rotation;
}

static struct rotation eye_of(const XrCompositionLayerProjection *layer, uint32_t eye)
{
    return view_rotation(&layer->views[eye < layer->viewCount ? eye : 0]);
}

/* Remembers what an eye was told to look at: in its own frame, since the eye goes along with the
 * head while it is not seen. */
static void remember(struct openxr_held *held, const struct rotation *eye,
                     const struct openxr_vector *to, XrTime time)
{
    const struct openxr_vector ahead = rotated_back(eye, *to);
    if (ahead.z < 0) {
        held->any = true;
        held->told_at = time;
        held->last = (struct fovea_point_uv){0.5 + ahead.x / -ahead.z, 0.5 + ahead.y / -ahead.z};
    }
}

/* Has an eye that is not known look where the settings say. */
static void hold(struct openxr_session *session, const XrCompositionLayerProjection *layer,
                 XrTime time)
{
    for (uint32_t i = 0; i < XR_EYES; i++) {
        struct openxr_held *held = &session->held[i];
        struct openxr_look *look = &session->looks[i];
        const struct rotation eye = eye_of(layer, i);
        if (look->known) {
            remember(held, &eye, &look->to, time);
        }
        const struct gaze_observation seen = {.any = held->any,
                                              .missing = !look->known,
                                              .valid_t_ns = held->told_at,
                                              .missing_since_ns = held->told_at};
        held->gaze = gaze_hold_apply(&session->settings->gaze, &seen, held->last, time);
        if (!look->known) {
            const struct fovea_point_uv at = held->gaze.point;
            look->to = rotated(&eye, (struct openxr_vector){at.x_uv - 0.5, at.y_uv - 0.5, -1});
        }
    }
}

/* Operators that need depths focus where the eyes look, unless the focus is fixed. */
static bool is_focused_by_gaze(const struct fovea_settings *settings)
{
    char focus[16];
    return openxr_depth_needed(settings) &&
           fovea_settings_get(settings, "dof.focus", focus, sizeof focus) == FOVEA_OK &&
           !strstr(focus, "fixed");
}

/* Foveation draws what the overlay has. */
static bool is_seen_by_gaze(const struct fovea_settings *settings)
{
    const struct fovea_overlay *overlay = &settings->overlay;
    return config_operators_foveate(&settings->operators) &&
           (settings->foveation.strength > 0 || overlay->marker || overlay->rings ||
            overlay->heatmap || overlay->hud || overlay->patch == FOVEA_PATCH_GAZE);
}

bool openxr_gaze_needed(const struct fovea_settings *settings)
{
    return is_seen_by_gaze(settings) || is_focused_by_gaze(settings) || settings->record.file[0];
}

/* Nothing depends on it; without one frames would say that there is none. */
static void look_ahead(struct openxr_session *session, const XrCompositionLayerProjection *layer)
{
    const struct fovea_gaze ahead = {.point = {0.5, 0.5}, .usable = true};
    session->source_gaze = ahead;
    session->vergence_m = 0;
    for (uint32_t i = 0; i < XR_EYES; i++) {
        const struct rotation eye = eye_of(layer, i);
        session->held[i].gaze = ahead;
        session->looks[i].to = rotated(&eye, (struct openxr_vector){0, 0, -1});
    }
}

/* Halfway; q and -q are one orientation. */
static struct rotation between(const struct rotation *a, const struct rotation *b)
{
    const double dot =
        a->axis.x * b->axis.x + a->axis.y * b->axis.y + a->axis.z * b->axis.z + a->w * b->w;
    const double same = dot < 0 ? -1 : 1;
    const struct openxr_vector sum = {a->axis.x + same * b->axis.x, a->axis.y + same * b->axis.y,
                                      a->axis.z + same * b->axis.z};
    const double w = a->w + same * b->w;
    const double length = sqrt(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z + w * w);
    return (struct rotation){{sum.x / length, sum.y / length, sum.z / length}, w / length};
}

static void put(double out[3], struct openxr_vector v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = -v.z; /* ahead */
}

/* Eyes are where their views are, and far is what is far along the middle of both. */
static void find_vergence(struct openxr_session *session, const XrCompositionLayerProjection *layer,
                          XrTime time)
{
    const struct fovea_gaze_settings *settings = &session->settings->gaze;
    const struct rotation left = eye_of(layer, 0);
    const struct rotation right = eye_of(layer, 1);
    const struct rotation middle = between(&left, &right);
    struct gaze_sight eyes[XR_EYES];
    for (uint32_t i = 0; i < XR_EYES && layer->viewCount > 1; i++) {
        const XrVector3f at = layer->views[i].pose.position;
        put(eyes[i].eye_m, rotated_back(&middle, (struct openxr_vector){(double)at.x, (double)at.y,
                                                                        (double)at.z}));
        put(eyes[i].way, rotated_back(&middle, session->looks[i].to));
    }
    if (session->sees_both && layer->viewCount > 1) {
        (void)gaze_vergence_pass(&session->vergence, settings, eyes, time);
    }
    session->vergence_m = gaze_vergence_m(&session->vergence, settings, time);
}

void openxr_gaze_read(struct openxr_session *session, const XrCompositionLayerProjection *layer,
                      XrTime time)
{
    const bool needed = openxr_gaze_needed(session->settings);
    if (!needed || session->gaze_switch.source) {
        openxr_eyes_end(session);
    }
    if (!needed) {
        look_ahead(session, layer);
    } else if (session->gaze_switch.source) {
        openxr_source_read(session, &layer->views[0].subImage.imageRect.extent);
    } else {
        read_runtime(session, layer->space, time);
        find_vergence(session, layer, time);
        hold(session, layer, time);
    }
}

struct frustum {
    double left;
    double right;
    double up;
    double down;
};

static struct frustum frustum_of(const XrFovf *fov)
{
    return (struct frustum){.left = tan((double)fov->angleLeft),
                            .right = tan((double)fov->angleRight),
                            .up = tan((double)fov->angleUp),
                            .down = tan((double)fov->angleDown)};
}

static struct frustum mean_of(const XrFovf *a, const XrFovf *b)
{
    const struct frustum one = frustum_of(a);
    const struct frustum other = frustum_of(b);
    return (struct frustum){.left = (one.left + other.left) / 2,
                            .right = (one.right + other.right) / 2,
                            .up = (one.up + other.up) / 2,
                            .down = (one.down + other.down) / 2};
}

static struct frustum screen_of(const double screen_deg[2])
{
    const double right = tan(screen_deg[0] / 2 * RAD_PER_DEG);
    const double up = tan(screen_deg[1] / 2 * RAD_PER_DEG);
    return (struct frustum){.left = -right, .right = right, .up = up, .down = -up};
}

/* These sources count over a picture, whatever gaze.space is. */
static bool is_in_degrees(const struct fovea_gaze_settings *settings)
{
    return settings->space == FOVEA_GAZE_SPACE_DEGREES && settings->kind != FOVEA_GAZE_SACCADES &&
           settings->kind != FOVEA_GAZE_SALIENCY;
}

struct openxr_vector openxr_gaze_between(const XrQuaternionf *left_eye, const XrFovf *left_fov,
                                         const XrQuaternionf *right_eye, const XrFovf *right_fov,
                                         const struct fovea_gaze_settings *settings,
                                         struct fovea_point_uv point)
{
    const struct frustum f =
        is_in_degrees(settings) ? screen_of(settings->screen_deg) : mean_of(left_fov, right_fov);
    struct rotation a;
    struct rotation b;
    (void)rotation_of(left_eye, &a); /* runtimes refuse a pose that is none */
    (void)rotation_of(right_eye, &b);
    const struct rotation middle = between(&a, &b);
    return rotated(&middle, (struct openxr_vector){f.left + point.x_uv * (f.right - f.left),
                                                   f.up - point.y_uv * (f.up - f.down), -1});
}

/* The direction in which the source looks. One that has seen the first view looks from there. */
static struct openxr_vector source_looks(const struct openxr_session *session,
                                         const struct fovea_gaze *gaze,
                                         const XrCompositionLayerProjection *layer)
{
    const bool of_two = layer->viewCount > 1 && !openxr_source_saw(session);
    const XrCompositionLayerProjectionView *a = &layer->views[0];
    const XrCompositionLayerProjectionView *b = &layer->views[of_two ? 1 : 0];
    return openxr_gaze_between(&a->pose.orientation, &a->fov, &b->pose.orientation, &b->fov,
                               &session->gaze_switch.used, gaze->point);
}

/* The gaze with its direction in the view's own frame; straight ahead where that is beside or
 * behind the view. Views of the left eye and of the right one take turns. */
static struct fovea_gaze look(const struct openxr_session *session,
                              const XrCompositionLayerProjection *layer, uint32_t index,
                              struct openxr_vector *out)
{
    struct fovea_gaze gaze = session->held[index % XR_EYES].gaze;
    struct openxr_vector to = session->looks[index % XR_EYES].to;
    if (session->gaze_switch.source) {
        gaze = session->source_gaze;
        to = source_looks(session, &gaze, layer);
    }
    const struct rotation eye = view_rotation(&layer->views[index]);
    *out = rotated_back(&eye, to);
    if (!(out->z < 0)) {
        *out = (struct openxr_vector){0, 0, -1};
        gaze.state = FOVEA_GAZE_LOST;
    }
    return gaze;
}

static double away_from_0(double tangent)
{
    return fabs(tangent) < LEAST_TANGENT ? LEAST_TANGENT : tangent;
}

/* False for what is not finite, too. By the angle: beyond a right one tangents come again. */
static bool is_before_the_eye(float angle)
{
    return fabs((double)angle) <= atan(MOST_TANGENT);
}

static bool is_sound(const XrFovf *fov, const struct fovea_geometry *geometry)
{
    return is_before_the_eye(fov->angleLeft) && is_before_the_eye(fov->angleRight) &&
           is_before_the_eye(fov->angleUp) && is_before_the_eye(fov->angleDown) &&
           geometry->tan_left + geometry->tan_right >= LEAST_EXTENT_TAN &&
           geometry->tan_up + geometry->tan_down >= LEAST_EXTENT_TAN;
}

bool openxr_gaze_view(const struct openxr_session *session,
                      const XrCompositionLayerProjection *layer, struct openxr_view *view)
{
    const struct frustum f = frustum_of(&layer->views[view->index].fov);
    /* A picture that is upside down or mirrored is one of a mirrored scene. */
    const double across = f.right < f.left ? -1 : 1;
    const double along = f.up < f.down ? -1 : 1;
    struct openxr_vector to;
    view->gaze = look(session, layer, view->index, &to);
    view->geometry = (struct fovea_geometry){.tan_left = away_from_0(-across * f.left),
                                             .tan_right = away_from_0(across * f.right),
                                             .tan_up = away_from_0(along * f.up),
                                             .tan_down = away_from_0(-along * f.down)};
    view->gaze.point = (struct fovea_point_uv){(to.x / -to.z - f.left) / (f.right - f.left),
                                               (f.up - to.y / -to.z) / (f.up - f.down)};
    return is_sound(&layer->views[view->index].fov, &view->geometry);
}
