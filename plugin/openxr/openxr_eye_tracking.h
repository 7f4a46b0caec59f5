/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* XR_FB_eye_tracking_social: a pose and a confidence of each eye; XR_META_foveation_eye_tracked:
 * the centre of the picture's sharp part for each eye (the specification of OpenXR, their revisions
 * 1). The headers of Debian 12 are older; names of our own stand beside later ones. */
#pragma once

#include <assert.h>
#include <openxr/openxr.h>
#include <stddef.h>

#define XR_EYE_TRACKING_EXTENSION "XR_FB_eye_tracking_social"
#define XR_TYPE_EYE_TRACKING_CREATE_INFO ((XrStructureType)1000202001)
#define XR_TYPE_EYE_TRACKING_GAZES_INFO ((XrStructureType)1000202002)
#define XR_TYPE_EYE_TRACKING_GAZES ((XrStructureType)1000202003)
#define XR_EYES 2 /* the left one is the first */

XR_DEFINE_HANDLE(xr_eye_tracker)

struct xr_eye_tracker_create_info {
    XrStructureType type;
    const void *next;
};

struct xr_eye_gazes_info {
    XrStructureType type;
    const void *next;
    XrSpace base;
    XrTime time;
};

struct xr_eye_gaze {
    XrBool32 valid;
    XrPosef pose; /* in `base`; the eye looks along -z */
    float confidence; /* 0 to 1 */
};

struct xr_eye_gazes {
    XrStructureType type;
    void *next;
    struct xr_eye_gaze eyes[XR_EYES];
    XrTime time; /* that the runtime tells the gazes of */
};

static_assert(sizeof(struct xr_eye_tracker_create_info) == 2 * sizeof(void *), "as specified");
static_assert(sizeof(struct xr_eye_gaze) == 36, "as specified");
static_assert(offsetof(struct xr_eye_gaze, confidence) == 32, "as specified");
static_assert(sizeof(void *) != 8 ||
                  (sizeof(struct xr_eye_gazes_info) == 32 &&
                   offsetof(struct xr_eye_gazes, time) == 88 && sizeof(struct xr_eye_gazes) == 96),
              "as specified");

#define XR_FOVEATION_EXTENSION "XR_META_foveation_eye_tracked"
#define XR_TYPE_FOVEATION_EYE_TRACKED_PROFILE ((XrStructureType)1000200000)
#define XR_TYPE_FOVEATION_EYE_TRACKED_STATE ((XrStructureType)1000200001)
#define XR_FOVEATION_STATE_VALID 1u

/* Chained to XrFoveationLevelProfileCreateInfoFB. */
struct xr_foveation_eye_tracked_profile {
    XrStructureType type;
    const void *next;
    XrFlags64 flags; /* 0 */
};

struct xr_foveation_eye_tracked_state {
    XrStructureType type;
    void *next;
    XrVector2f centers[XR_EYES]; /* of the view, each way from -1 to 1 */
    XrFlags64 flags;
};

static_assert(sizeof(void *) != 8 || (sizeof(struct xr_foveation_eye_tracked_profile) == 24 &&
                                      sizeof(struct xr_foveation_eye_tracked_state) == 40),
              "as specified");

typedef XrResult(XRAPI_PTR *xr_get_foveation_state)(XrSession session,
                                                    struct xr_foveation_eye_tracked_state *state);

typedef XrResult(XRAPI_PTR *xr_create_eye_tracker)(XrSession session,
                                                   const struct xr_eye_tracker_create_info *info,
                                                   xr_eye_tracker *out_tracker);
typedef XrResult(XRAPI_PTR *xr_destroy_eye_tracker)(xr_eye_tracker tracker);
typedef XrResult(XRAPI_PTR *xr_get_eye_gazes)(xr_eye_tracker tracker,
                                              const struct xr_eye_gazes_info *info,
                                              struct xr_eye_gazes *gazes);
