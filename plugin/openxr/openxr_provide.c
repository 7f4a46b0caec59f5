/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether an instance is provided with a gaze, and what it is told of that. */

#include "plugin/openxr/openxr_provide.h"

#include <stdio.h>

enum fovea_provide_gaze openxr_provide_wanted(bool *out_source)
{
    struct fovea_settings *standard = openxr_session_defaults();
    struct fovea_config *config = NULL;
    struct fovea_config_desc desc;
    enum fovea_provide_gaze wanted = FOVEA_PROVIDE_GAZE_NO;
    fovea_config_desc_init(&desc);
    desc.defaults_if_wrong = true;
    desc.defaults = standard;
    desc.log = openxr_log();
    *out_source = false;
    if (standard && fovea_config_create(&desc, &config) == FOVEA_OK) {
        const struct fovea_settings *settings = fovea_config_settings(config);
        wanted = settings->layer.provide_gaze;
        *out_source =
            settings->gaze.kind != FOVEA_GAZE_OPENXR && settings->gaze.kind != FOVEA_GAZE_MOUSE;
    }
    fovea_config_destroy(&config);
    fovea_settings_destroy(&standard);
    return wanted;
}

/* True where the runtime does not tell: then it has the extension and the word. */
static bool runtime_tracks(XrInstance instance)
{
    const XrSystemGetInfo info = {.type = XR_TYPE_SYSTEM_GET_INFO,
                                  .formFactor = XR_FORM_FACTOR_HEAD_MOUNTED_DISPLAY};
    XrSystemEyeGazeInteractionPropertiesEXT eyes = {
        .type = XR_TYPE_SYSTEM_EYE_GAZE_INTERACTION_PROPERTIES_EXT};
    XrSystemProperties properties = {.type = XR_TYPE_SYSTEM_PROPERTIES, .next = &eyes};
    XrSystemId system = XR_NULL_SYSTEM_ID;
    return XR_FAILED(openxr.below.GetSystem(instance, &info, &system)) ||
           XR_FAILED(openxr.below.GetSystemProperties(instance, system, &properties)) ||
           eyes.supportsEyeGazeInteraction;
}

static bool find_paths(struct openxr_instance *instance)
{
    const struct {
        const char *text;
        XrPath *path;
    } paths[] = {{"/user/eyes_ext", &instance->eyes_path},
                 {"/user/eyes_ext/input/gaze_ext/pose", &instance->gaze_path},
                 {"/interaction_profiles/ext/eye_gaze_interaction", &instance->gaze_profile}};
    bool all = true;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        all = openxr.below.StringToPath(instance->handle, paths[i].text, paths[i].path) ==
                  XR_SUCCESS &&
              all;
    }
    return all;
}

static void tell(const struct openxr_instance *instance, enum fovea_provide_gaze wanted)
{
    if (instance->offers) {
        openxr_say(FOVEA_LOG_INFO, "the program has its gaze from gaze.source, by "
                                   "XR_EXT_eye_gaze_interaction");
    } else if (wanted != FOVEA_PROVIDE_GAZE_NO) {
        openxr_say(FOVEA_LOG_WARNING, "layer.provide_gaze is set, and gaze.source names none that "
                                      "a gaze could come from: the program is told of none");
    } else {
        openxr_say(FOVEA_LOG_INFO, "the program asks for a gaze that the runtime does not have; "
                                   "layer.provide_gaze gives it that of gaze.source");
    }
}

void openxr_provide_start(struct openxr_instance *instance, bool withheld,
                          enum fovea_provide_gaze wanted, bool source)
{
    instance->offers = wanted != FOVEA_PROVIDE_GAZE_NO && source;
    instance->provides = withheld || (instance->offers && !runtime_tracks(instance->handle));
    if (!instance->provides) {
        return;
    }
    instance->offers = find_paths(instance) && instance->offers;
    instance->extensions &= ~(uint32_t)OPENXR_GAZE;
    if (instance->extensions & OPENXR_TIMESPEC) {
        instance->to_xr_time =
            (openxr_to_xr_time)openxr_find(instance->handle, "xrConvertTimespecTimeToTimeKHR");
    }
    tell(instance, wanted);
}

void openxr_provide_end(const struct openxr_instance *instance)
{
    if (instance->provides) {
        provided_actions_gone(instance);
    }
}

static XrResult provided_system_properties(XrInstance handle, XrSystemId system,
                                           XrSystemProperties *properties)
{
    const struct openxr_instance *instance = openxr_instance_of(handle);
    const struct provided_unlinked eyes =
        provided_take_out(properties, XR_TYPE_SYSTEM_EYE_GAZE_INTERACTION_PROPERTIES_EXT);
    const XrResult result = openxr.below.GetSystemProperties(handle, system, properties);
    provided_put_back(&eyes);
    if (XR_SUCCEEDED(result) && eyes.taken && instance) {
        ((XrSystemEyeGazeInteractionPropertiesEXT *)eyes.taken)->supportsEyeGazeInteraction =
            instance->offers;
    }
    return result;
}

/* A session whose program has not been told yet that the eyes have their profile now. */
static XrSession take_changed(const struct openxr_instance *instance)
{
    XrSession changed = XR_NULL_HANDLE;
    pthread_mutex_lock(&openxr.lock);
    for (struct openxr_session *at = openxr.sessions; at && !changed; at = at->next) {
        if (at->instance == instance && at->profile == OPENXR_PROFILE_CHANGED) {
            at->profile = OPENXR_PROFILE_TOLD;
            changed = at->handle;
        }
    }
    pthread_mutex_unlock(&openxr.lock);
    return changed;
}

static XrResult provided_poll_event(XrInstance handle, XrEventDataBuffer *event)
{
    const struct openxr_instance *instance = openxr_instance_of(handle);
    const XrResult result = openxr.below.PollEvent(handle, event);
    const XrSession changed = result == XR_EVENT_UNAVAILABLE && instance && event
                                  ? take_changed(instance)
                                  : XR_NULL_HANDLE;
    if (!changed) {
        return result;
    }
    const XrEventDataInteractionProfileChanged told = {
        .type = XR_TYPE_EVENT_DATA_INTERACTION_PROFILE_CHANGED, .session = changed};
    memcpy(event, &told, sizeof told);
    return XR_SUCCESS;
}

static XrResult provided_profile(XrSession handle, XrPath user, XrInteractionProfileState *state)
{
    const struct openxr_session *session = openxr_session_of(handle);
    if (!session || !state || user == XR_NULL_PATH || user != session->instance->eyes_path) {
        return openxr.below.GetCurrentInteractionProfile(handle, user, state);
    }
    pthread_mutex_lock(&openxr.lock);
    const bool attached = session->attached;
    const bool has = session->profile >= OPENXR_PROFILE_CHANGED;
    pthread_mutex_unlock(&openxr.lock);
    if (!attached) {
        return XR_ERROR_ACTIONSET_NOT_ATTACHED;
    }
    state->interactionProfile = has ? session->instance->gaze_profile : XR_NULL_PATH;
    return XR_SUCCESS;
}

static void name(XrInputSourceLocalizedNameFlags which, char *out, size_t size)
{
    static const struct {
        XrInputSourceLocalizedNameFlags bit;
        const char *word;
    } words[] = {{XR_INPUT_SOURCE_LOCALIZED_NAME_USER_PATH_BIT, "Eyes"},
                 {XR_INPUT_SOURCE_LOCALIZED_NAME_INTERACTION_PROFILE_BIT, "Fovea"},
                 {XR_INPUT_SOURCE_LOCALIZED_NAME_COMPONENT_BIT, "Gaze"}};
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (which & words[i].bit) {
            length += (size_t)snprintf(out + length, size - length, "%s%s", length ? " " : "",
                                       words[i].word);
        }
    }
}

static XrResult provided_source_name(XrSession handle,
                                     const XrInputSourceLocalizedNameGetInfo *info,
                                     uint32_t capacity, uint32_t *count, char *out)
{
    const struct openxr_session *session = openxr_session_of(handle);
    if (!session || !info || !count || info->sourcePath == XR_NULL_PATH ||
        info->sourcePath != session->instance->gaze_path) {
        return openxr.below.GetInputSourceLocalizedName(handle, info, capacity, count, out);
    }
    char text[32];
    if (!openxr_actions_attached(session)) {
        return XR_ERROR_ACTIONSET_NOT_ATTACHED;
    }
    name(info->whichComponents, text, sizeof text);
    if (!text[0] || (capacity > 0 && !out)) {
        return XR_ERROR_VALIDATION_FAILURE;
    }
    *count = (uint32_t)strlen(text) + 1;
    if (capacity > 0 && capacity < *count) {
        return XR_ERROR_SIZE_INSUFFICIENT;
    }
    if (capacity > 0) {
        memcpy(out, text, *count);
    }
    return XR_SUCCESS;
}

PFN_xrVoidFunction openxr_provide_function(const char *wanted)
{
    static const struct {
        const char *name;
        PFN_xrVoidFunction function;
    } functions[] = {
        {"xrGetSystemProperties", (PFN_xrVoidFunction)provided_system_properties},
        {"xrPollEvent", (PFN_xrVoidFunction)provided_poll_event},
        {"xrCreateActionSet", (PFN_xrVoidFunction)provided_create_set},
        {"xrGetActionStatePose", (PFN_xrVoidFunction)provided_state},
        {"xrGetActionStateBoolean", (PFN_xrVoidFunction)provided_state_boolean},
        {"xrGetActionStateFloat", (PFN_xrVoidFunction)provided_state_float},
        {"xrGetActionStateVector2f", (PFN_xrVoidFunction)provided_state_vector},
        {"xrApplyHapticFeedback", (PFN_xrVoidFunction)provided_apply_haptic},
        {"xrStopHapticFeedback", (PFN_xrVoidFunction)provided_stop_haptic},
        {"xrGetCurrentInteractionProfile", (PFN_xrVoidFunction)provided_profile},
        {"xrEnumerateBoundSourcesForAction", (PFN_xrVoidFunction)provided_sources},
        {"xrGetInputSourceLocalizedName", (PFN_xrVoidFunction)provided_source_name},
        {"xrCreateActionSpace", (PFN_xrVoidFunction)provided_create_space},
        {"xrDestroySpace", (PFN_xrVoidFunction)provided_destroy_space},
        {"xrLocateSpace", (PFN_xrVoidFunction)provided_locate},
        {"xrLocateSpaces", (PFN_xrVoidFunction)provided_locate_all},
        {"xrLocateSpacesKHR", (PFN_xrVoidFunction)provided_locate_all_khr},
        {"xrLocateViews", (PFN_xrVoidFunction)provided_locate_views},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(wanted, functions[i].name) == 0) {
            return functions[i].function;
        }
    }
    return NULL;
}
