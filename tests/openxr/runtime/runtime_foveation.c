/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* XR_META_foveation_eye_tracked with what it needs: the centres of each eye's foveation are told in
 * frames in which a swapchain that is made for it was given a profile that follows the eyes. */

#include <stdbool.h>

static bool enabled;
#define RUNTIME_WHEN (&enabled)

#include "runtime.h"

#include <stdlib.h>
#include <string.h>

#define PROFILES 8

static struct {
    bool made;
    XrSession session;
} profiles[PROFILES];

bool runtime_has_foveation(void)
{
    return getenv("FOVEA_TEST_XR_CENTERS");
}

void runtime_foveation_enable(bool on)
{
    enabled = on;
    memset(profiles, 0, sizeof profiles);
}

static const void *find(const void *next, XrStructureType type)
{
    const XrBaseInStructure *at = next;
    while (at && at->type != type) {
        at = at->next;
    }
    return at;
}

RUNTIME_CALL(xrCreateFoveationProfileFB, XrSession session,
             const XrFoveationProfileCreateInfoFB *info, XrFoveationProfileFB *out)
{
    RUNTIME_LOCKED;
    const XrFoveationLevelProfileCreateInfoFB *level =
        find(info->next, XR_TYPE_FOVEATION_LEVEL_PROFILE_CREATE_INFO_FB);
    RUNTIME_REFUSE_IF(!runtime_is_session(session), XR_ERROR_HANDLE_INVALID, "no session");
    RUNTIME_REFUSE_IF(!level || !find(level->next, XR_TYPE_FOVEATION_EYE_TRACKED_PROFILE),
                      XR_ERROR_VALIDATION_FAILURE, "it follows no eyes");
    for (size_t i = 0; i < PROFILES; i++) {
        if (!profiles[i].made || !runtime_is_session(profiles[i].session)) {
            profiles[i].made = true;
            profiles[i].session = session;
            *out = (XrFoveationProfileFB)&profiles[i];
            runtime_say("foveation");
            return XR_SUCCESS;
        }
    }
    return XR_ERROR_OUT_OF_MEMORY;
}

/* PROFILES: there is none like that. */
static size_t index_of(XrFoveationProfileFB profile)
{
    size_t i = 0;
    while (i < PROFILES && !((XrFoveationProfileFB)&profiles[i] == profile && profiles[i].made)) {
        i++;
    }
    return i;
}

RUNTIME_CALL(xrDestroyFoveationProfileFB, XrFoveationProfileFB profile)
{
    RUNTIME_LOCKED;
    const size_t i = index_of(profile);
    RUNTIME_REFUSE_IF(i == PROFILES, XR_ERROR_HANDLE_INVALID, "no profile");
    profiles[i].made = false;
    runtime_say("foveation gone");
    return XR_SUCCESS;
}

RUNTIME_CALL(xrUpdateSwapchainFB, XrSwapchain handle, const XrSwapchainStateBaseHeaderFB *state)
{
    RUNTIME_LOCKED;
    const struct swapchain *chain = runtime_swapchain_of(handle);
    const XrSwapchainStateFoveationFB *foveation = (const XrSwapchainStateFoveationFB *)state;
    RUNTIME_REFUSE_IF(!chain || !chain->foveated, XR_ERROR_HANDLE_INVALID, "no swapchain for it");
    RUNTIME_REFUSE_IF(state->type != XR_TYPE_SWAPCHAIN_STATE_FOVEATION_FB ||
                          index_of(foveation->profile) == PROFILES,
                      XR_ERROR_VALIDATION_FAILURE, "no profile");
    chain->session->looked_in = chain->session->frames;
    chain->session->looks = true;
    return XR_SUCCESS;
}

/* False: in that frame no eye is seen. */
static bool eyes_of(uint32_t frame, double deg[XR_EYES][2])
{
    const char *text = getenv("FOVEA_TEST_XR_CENTERS");
    for (const char *next; text && frame > 0 && (next = strchr(text, ';')); frame--) {
        text = next + 1;
    }
    for (uint32_t i = 0; i < XR_EYES; i++) {
        char *at = NULL;
        deg[i][0] = strtod(text, &at);
        if (at == text || *at != ',') {
            return false;
        }
        deg[i][1] = strtod(at + 1, &at);
        text = *at == '/' ? at + 1 : text;
    }
    return true;
}

RUNTIME_CALL(xrGetFoveationEyeTrackedStateMETA, XrSession handle,
             struct xr_foveation_eye_tracked_state *state)
{
    RUNTIME_LOCKED;
    const struct session *session = (const struct session *)handle;
    double deg[XR_EYES][2];
    RUNTIME_REFUSE_IF(!runtime_is_session(handle), XR_ERROR_HANDLE_INVALID, "no session");
    RUNTIME_REFUSE_IF(state->type != XR_TYPE_FOVEATION_EYE_TRACKED_STATE,
                      XR_ERROR_VALIDATION_FAILURE, "type");
    if (strcmp(getenv("FOVEA_TEST_XR_CENTERS"), "refused") == 0) {
        return XR_ERROR_FEATURE_UNSUPPORTED; /* which a program may find out so */
    }
    const bool seen = session->looks && session->looked_in == session->frames &&
                      session->state == XR_SESSION_STATE_FOCUSED && eyes_of(session->frames, deg);
    state->flags = seen ? XR_FOVEATION_STATE_VALID : 0;
    for (uint32_t i = 0; i < XR_EYES; i++) {
        state->centers[i] =
            seen ? runtime_center(session->views, i, deg[i][0], deg[i][1]) : (XrVector2f){0, 0};
    }
    return XR_SUCCESS;
}
