/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool instances[RUNTIME_INSTANCES]; /* that are made */
static bool quad_views; /* the extension is enabled */
static bool headless; /* likewise */

#define EXTENSIONS 16
#define MOST_PX 8192 /* of a view, each way */

/* Those that the environment leaves. */
static uint32_t find_extensions(const char *out_names[EXTENSIONS])
{
    static const char *const always[] = {
        XR_KHR_VULKAN_ENABLE_EXTENSION_NAME, XR_KHR_VULKAN_ENABLE2_EXTENSION_NAME,
        XR_VARJO_QUAD_VIEWS_EXTENSION_NAME,  XR_KHR_COMPOSITION_LAYER_DEPTH_EXTENSION_NAME,
        XR_MND_HEADLESS_EXTENSION_NAME,      "XR_KHR_convert_timespec_time"};
    uint32_t count = 0;
    for (; count < sizeof always / sizeof always[0]; count++) {
        out_names[count] = always[count];
    }
    if (!runtime_gaze_is("none")) {
        out_names[count++] = XR_EXT_EYE_GAZE_INTERACTION_EXTENSION_NAME;
    }
    if (runtime_has_eyes()) {
        out_names[count++] = XR_EYE_TRACKING_EXTENSION;
    }
    if (runtime_has_foveation()) {
        out_names[count++] = XR_FOVEATION_EXTENSION;
        out_names[count++] = XR_FB_FOVEATION_EXTENSION_NAME;
        out_names[count++] = XR_FB_FOVEATION_CONFIGURATION_EXTENSION_NAME;
        out_names[count++] = XR_FB_FOVEATION_VULKAN_EXTENSION_NAME;
        out_names[count++] = XR_FB_SWAPCHAIN_UPDATE_STATE_EXTENSION_NAME;
    }
    return count;
}

static bool is_enabled(const XrInstanceCreateInfo *info, const char *name)
{
    bool found = false;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        found |= strcmp(info->enabledExtensionNames[i], name) == 0;
    }
    return found;
}

RUNTIME_CALL(xrEnumerateInstanceExtensionProperties, const char *layer, uint32_t capacity,
             uint32_t *count, XrExtensionProperties *properties)
{
    RUNTIME_REFUSE_IF(layer, XR_ERROR_API_LAYER_NOT_PRESENT, layer);
    const char *extensions[EXTENSIONS];
    *count = find_extensions(extensions);
    if (capacity == 0) {
        return XR_SUCCESS;
    }
    if (capacity < *count) {
        return XR_ERROR_SIZE_INSUFFICIENT;
    }
    for (uint32_t i = 0; i < *count; i++) {
        snprintf(properties[i].extensionName, sizeof properties[i].extensionName, "%s",
                 extensions[i]);
        properties[i].extensionVersion = 1;
    }
    return XR_SUCCESS;
}

RUNTIME_CALL(xrEnumerateApiLayerProperties, uint32_t capacity, uint32_t *count,
             XrApiLayerProperties *properties)
{
    *count = 0;
    return XR_SUCCESS;
}

/* Somebody has typed it. */
static bool environment_is_sound(void)
{
    uint32_t width_px = 0;
    uint32_t height_px = 0;
    runtime_size(&width_px, &height_px);
    if (width_px == 0 || height_px == 0 || width_px > MOST_PX || height_px > MOST_PX) {
        fprintf(stderr, "the tests' runtime: FOVEA_TEST_XR_SIZE is WIDTHxHEIGHT, each 1 to %d\n",
                MOST_PX);
        return false;
    }
    if (runtime_out() && access(runtime_out(), W_OK | X_OK) != 0) {
        fprintf(stderr, "the tests' runtime: FOVEA_TEST_XR_OUT: %s is no folder to write to\n",
                runtime_out());
        return false;
    }
    return true;
}

RUNTIME_CALL(xrCreateInstance, const XrInstanceCreateInfo *info, XrInstance *instance)
{
    if (!environment_is_sound()) {
        return XR_ERROR_RUNTIME_FAILURE;
    }
    const uint32_t most = runtime_number("FOVEA_TEST_XR_INSTANCES", 1);
    uint32_t own = 0;
    while (own < most && own < RUNTIME_INSTANCES && instances[own]) {
        own++;
    }
    RUNTIME_REFUSE_IF(own == most || own == RUNTIME_INSTANCES, XR_ERROR_LIMIT_REACHED,
                      "there is an instance");
    const char *extensions[EXTENSIONS];
    const uint32_t extension_count = find_extensions(extensions);
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        bool known = false;
        for (uint32_t e = 0; e < extension_count; e++) {
            known |= strcmp(extensions[e], info->enabledExtensionNames[i]) == 0;
        }
        if (!known) {
            runtime_say("no extension %s", info->enabledExtensionNames[i]);
            return XR_ERROR_EXTENSION_NOT_PRESENT;
        }
        runtime_say("extension %s", info->enabledExtensionNames[i]);
    }
    headless |= is_enabled(info, XR_MND_HEADLESS_EXTENSION_NAME);
    quad_views |= is_enabled(info, XR_VARJO_QUAD_VIEWS_EXTENSION_NAME);
    if (is_enabled(info, XR_EYE_TRACKING_EXTENSION)) {
        runtime_eyes_enable(true);
    }
    if (is_enabled(info, XR_FOVEATION_EXTENSION)) {
        runtime_foveation_enable(true);
    }
    instances[own] = true;
    runtime_say("instance");
    *instance = (XrInstance)&instances[own];
    return XR_SUCCESS;
}

uint32_t runtime_instance_index(XrInstance instance)
{
    return (uint32_t)((const bool *)instance - instances);
}

bool runtime_chains(const void *chain, XrStructureType type)
{
    const XrBaseInStructure *next = chain;
    while (next && next->type != type) {
        next = next->next;
    }
    return next;
}

bool runtime_headless(void)
{
    return headless;
}

RUNTIME_CALL(xrDestroyInstance, XrInstance instance)
{
    const uint32_t own = runtime_instance_index(instance);
    instances[own] = false;
    runtime_say("instance gone");
    const bool last = !instances[0] && !instances[1];
    runtime_input_gone(own, last);
    if (last) {
        headless = quad_views = false;
        runtime_vulkan_gone();
        runtime_eyes_enable(false);
        runtime_foveation_enable(false);
    }
    return XR_SUCCESS;
}

RUNTIME_CALL(xrGetInstanceProperties, XrInstance instance, XrInstanceProperties *properties)
{
    properties->runtimeVersion = 1;
    snprintf(properties->runtimeName, sizeof properties->runtimeName, "Fovea test runtime");
    return XR_SUCCESS;
}

RUNTIME_CALL(xrPollEvent, XrInstance instance, XrEventDataBuffer *event)
{
    RUNTIME_LOCKED;
    return runtime_poll(event);
}

RUNTIME_CALL(xrResultToString, XrInstance instance, XrResult value, char *text)
{
    snprintf(text, XR_MAX_RESULT_STRING_SIZE, "XrResult %d", value);
    return XR_SUCCESS;
}

RUNTIME_CALL(xrStructureTypeToString, XrInstance instance, XrStructureType value, char *text)
{
    snprintf(text, XR_MAX_STRUCTURE_NAME_SIZE, "XrStructureType %d", (int)value);
    return XR_SUCCESS;
}

RUNTIME_CALL(xrGetSystem, XrInstance instance, const XrSystemGetInfo *info, XrSystemId *system)
{
    if (info->formFactor != XR_FORM_FACTOR_HEAD_MOUNTED_DISPLAY) {
        return XR_ERROR_FORM_FACTOR_UNSUPPORTED;
    }
    *system = 1;
    return XR_SUCCESS;
}

RUNTIME_CALL(xrGetSystemProperties, XrInstance instance, XrSystemId system,
             XrSystemProperties *properties)
{
    properties->systemId = system;
    properties->vendorId = 1;
    snprintf(properties->systemName, sizeof properties->systemName, "No headset");
    properties->graphicsProperties = (XrSystemGraphicsProperties){MOST_PX, MOST_PX, 16};
    properties->trackingProperties = (XrSystemTrackingProperties){XR_TRUE, XR_FALSE};
    RUNTIME_REFUSE_IF(
        runtime_gaze_is("none") &&
            runtime_chains(properties->next, XR_TYPE_SYSTEM_EYE_GAZE_INTERACTION_PROPERTIES_EXT),
        XR_ERROR_VALIDATION_FAILURE, "no such extension");
    for (XrBaseOutStructure *next = properties->next; next; next = next->next) {
        if (next->type == XR_TYPE_SYSTEM_EYE_GAZE_INTERACTION_PROPERTIES_EXT) {
            ((XrSystemEyeGazeInteractionPropertiesEXT *)next)->supportsEyeGazeInteraction =
                !runtime_gaze_is("refused") && !runtime_gaze_is("none");
        }
    }
    return XR_SUCCESS;
}

#define CLOCK_AHEAD_NS 7000000000

/* The runtime's clock is not the system's. */
RUNTIME_CALL(xrConvertTimespecTimeToTimeKHR, XrInstance instance, const struct timespec *at,
             XrTime *out)
{
    *out = at->tv_sec * 1000000000 + at->tv_nsec + CLOCK_AHEAD_NS;
    return XR_SUCCESS;
}

RUNTIME_CALL(xrEnumerateEnvironmentBlendModes, XrInstance instance, XrSystemId system,
             XrViewConfigurationType type, uint32_t capacity, uint32_t *count,
             XrEnvironmentBlendMode *modes)
{
    *count = 1;
    if (capacity > 0) {
        modes[0] = XR_ENVIRONMENT_BLEND_MODE_OPAQUE;
    }
    return XR_SUCCESS;
}

RUNTIME_CALL(xrEnumerateViewConfigurations, XrInstance instance, XrSystemId system,
             uint32_t capacity, uint32_t *count, XrViewConfigurationType *types)
{
    static const XrViewConfigurationType all[] = {XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO,
                                                  XR_VIEW_CONFIGURATION_TYPE_PRIMARY_QUAD_VARJO};
    *count = quad_views ? 2 : 1;
    for (uint32_t i = 0; i < *count && capacity >= *count; i++) {
        types[i] = all[i];
    }
    return capacity == 0 || capacity >= *count ? XR_SUCCESS : XR_ERROR_SIZE_INSUFFICIENT;
}

RUNTIME_CALL(xrGetViewConfigurationProperties, XrInstance instance, XrSystemId system,
             XrViewConfigurationType type, XrViewConfigurationProperties *properties)
{
    properties->viewConfigurationType = type;
    properties->fovMutable = XR_TRUE;
    return runtime_view_count(type) ? XR_SUCCESS : XR_ERROR_VIEW_CONFIGURATION_TYPE_UNSUPPORTED;
}

RUNTIME_CALL(xrEnumerateViewConfigurationViews, XrInstance instance, XrSystemId system,
             XrViewConfigurationType type, uint32_t capacity, uint32_t *count,
             XrViewConfigurationView *views)
{
    *count = runtime_view_count(type);
    RUNTIME_REFUSE_IF(*count == 0, XR_ERROR_VIEW_CONFIGURATION_TYPE_UNSUPPORTED, "views");
    for (uint32_t i = 0; i < *count && capacity >= *count; i++) {
        XrViewConfigurationView *view = &views[i];
        runtime_view_size(i, &view->recommendedImageRectWidth, &view->recommendedImageRectHeight);
        view->maxImageRectWidth = MOST_PX;
        view->maxImageRectHeight = MOST_PX;
        view->recommendedSwapchainSampleCount = 1;
        view->maxSwapchainSampleCount = 1;
    }
    return capacity == 0 || capacity >= *count ? XR_SUCCESS : XR_ERROR_SIZE_INSUFFICIENT;
}

static XrResult get_proc(XrInstance instance, const char *name, PFN_xrVoidFunction *function);

RUNTIME_CALL(xrGetInstanceProcAddr, XrInstance instance, const char *name,
             PFN_xrVoidFunction *function)
{
    return get_proc(instance, name, function);
}

static XrResult get_proc(XrInstance instance, const char *name, PFN_xrVoidFunction *function)
{
    const char *lacking = getenv("FOVEA_TEST_XR_LACKS");
    *function = NULL;
    if (lacking && strcmp(lacking, name) == 0) {
        return XR_ERROR_FUNCTION_UNSUPPORTED;
    }
    *function = runtime_find(name);
    return *function ? XR_SUCCESS : XR_ERROR_FUNCTION_UNSUPPORTED;
}

__attribute__((visibility("default"))) XrResult xrNegotiateLoaderRuntimeInterface(
    const struct xr_loader_info *loader, struct xr_runtime_request *request);

XrResult xrNegotiateLoaderRuntimeInterface(const struct xr_loader_info *loader,
                                           struct xr_runtime_request *request)
{
    if (!loader || loader->type != XR_LOADER_INFO || !request ||
        request->type != XR_LOADER_RUNTIME_REQUEST) {
        return XR_ERROR_INITIALIZATION_FAILED;
    }
    request->interface_version = XR_LOADER_INTERFACE;
    request->api_version = XR_CURRENT_API_VERSION;
    request->get_instance_proc_addr = get_proc;
    return XR_SUCCESS;
}
