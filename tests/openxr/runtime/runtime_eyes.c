/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* XR_FB_eye_tracking_social: where each eye looks, told to a session that has the focus. */

#include <stdbool.h>

static bool enabled;
#define RUNTIME_WHEN (&enabled)

#include "runtime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRACKERS 8

static struct {
    bool made;
    XrSession session;
} trackers[TRACKERS];

bool runtime_has_eyes(void)
{
    return getenv("FOVEA_TEST_XR_EYES");
}

static bool has_tracker(void)
{
    const char *text = getenv("FOVEA_TEST_XR_EYES");
    return text && strcmp(text, "refused") != 0;
}

void runtime_eyes_enable(bool on)
{
    enabled = on;
    memset(trackers, 0, sizeof trackers);
}

RUNTIME_CALL(xrCreateEyeTrackerFB, XrSession session, const struct xr_eye_tracker_create_info *info,
             xr_eye_tracker *out)
{
    RUNTIME_LOCKED;
    const XrResult scripted = runtime_scripted(__func__);
    RUNTIME_TRY(scripted);
    RUNTIME_REFUSE_IF(!runtime_is_session(session), XR_ERROR_HANDLE_INVALID, "no session");
    RUNTIME_REFUSE_IF(info->type != XR_TYPE_EYE_TRACKING_CREATE_INFO, XR_ERROR_VALIDATION_FAILURE,
                      "type");
    if (!has_tracker()) {
        runtime_say("no eye tracker");
        return XR_ERROR_FEATURE_UNSUPPORTED; /* which a program may find out so */
    }
    for (size_t i = 0; i < TRACKERS; i++) {
        if (!trackers[i].made || !runtime_is_session(trackers[i].session)) {
            trackers[i].made = true;
            trackers[i].session = session;
            *out = (xr_eye_tracker)&trackers[i];
            runtime_say("eye tracker");
            return scripted;
        }
    }
    return XR_ERROR_OUT_OF_MEMORY;
}

/* A tracker goes with its session. */
static struct session *session_of(xr_eye_tracker tracker)
{
    for (size_t i = 0; i < TRACKERS; i++) {
        if ((xr_eye_tracker)&trackers[i] == tracker && trackers[i].made &&
            runtime_is_session(trackers[i].session)) {
            return (struct session *)trackers[i].session;
        }
    }
    return NULL;
}

RUNTIME_CALL(xrDestroyEyeTrackerFB, xr_eye_tracker tracker)
{
    RUNTIME_LOCKED;
    RUNTIME_REFUSE_IF(!session_of(tracker), XR_ERROR_HANDLE_INVALID, "no tracker");
    for (size_t i = 0; i < TRACKERS; i++) {
        trackers[i].made &= (xr_eye_tracker)&trackers[i] != tracker;
    }
    runtime_say("eye tracker gone");
    return XR_SUCCESS;
}

/* "yaw,pitch" in degrees, with a confidence behind it or 1; "nan": a pose that is none, said to be
 * valid; what is neither was not seen. Returns where the next eye's begins. */
static const char *read_eye(const char *text, struct xr_eye_gaze *out)
{
    char *at = NULL;
    const double yaw_deg = strtod(text, &at);
    *out = (struct xr_eye_gaze){.pose = {.orientation = {0, 0, 0, 1}}};
    out->valid = at != text;
    if (out->valid && isnan(yaw_deg)) {
        out->pose.orientation = (XrQuaternionf){NAN, 0, 0, 1};
        out->confidence = 1;
    } else if (out->valid) {
        const double pitch_deg = *at == ',' ? strtod(at + 1, &at) : 0;
        out->pose.orientation = runtime_turn(yaw_deg, pitch_deg);
        out->confidence = *at == ',' ? strtof(at + 1, &at) : 1;
    }
    at += strcspn(at, "/;");
    return at + (*at == '/');
}

static void read_eyes(uint32_t frame, struct xr_eye_gaze *out_eyes)
{
    const char *text = getenv("FOVEA_TEST_XR_EYES");
    for (const char *next; text && frame > 0 && (next = strchr(text, ';')); frame--) {
        text = next + 1;
    }
    for (uint32_t i = 0; text && i < XR_EYES; i++) {
        text = read_eye(text, &out_eyes[i]);
    }
}

static XrResult look_at(const struct session *session, const struct xr_eye_gazes_info *info,
                        const struct xr_eye_gazes *gazes, XrPosef *out_from)
{
    if (!session) {
        return runtime_refuse(XR_ERROR_HANDLE_INVALID, "xrGetEyeGazesFB", "no tracker");
    }
    if (info->type != XR_TYPE_EYE_TRACKING_GAZES_INFO ||
        gazes->type != XR_TYPE_EYE_TRACKING_GAZES) {
        return runtime_refuse(XR_ERROR_VALIDATION_FAILURE, "xrGetEyeGazesFB", "type");
    }
    if (info->time != session->display_time) {
        return runtime_refuse(XR_ERROR_TIME_INVALID, "xrGetEyeGazesFB", "not the frame's time");
    }
    if (!runtime_space_from(info->base, session, out_from)) {
        return runtime_refuse(XR_ERROR_HANDLE_INVALID, "xrGetEyeGazesFB", "no space of its");
    }
    return XR_SUCCESS;
}

RUNTIME_CALL(xrGetEyeGazesFB, xr_eye_tracker tracker, const struct xr_eye_gazes_info *info,
             struct xr_eye_gazes *gazes)
{
    RUNTIME_LOCKED;
    const XrResult scripted = runtime_scripted(__func__);
    const struct session *session = session_of(tracker);
    XrPosef from = {.orientation = {0, 0, 0, 1}};
    if (scripted < 0) {
        return scripted;
    }
    RUNTIME_TRY(look_at(session, info, gazes, &from));
    gazes->time = info->time;
    read_eyes(session->frames, gazes->eyes);
    for (uint32_t i = 0; i < XR_EYES; i++) {
        struct xr_eye_gaze *eye = &gazes->eyes[i];
        eye->valid = eye->valid && session->state == XR_SESSION_STATE_FOCUSED;
        eye->pose.orientation = runtime_with_head(session->frames, eye->pose.orientation);
        eye->pose.position = (XrVector3f){i == 0 ? -0.032f : 0.032f, 0, 0};
        eye->pose = runtime_seen_from(&from, &eye->pose);
    }
    return scripted;
}
