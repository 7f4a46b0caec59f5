/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How the loader finds the layer, and the instance. */

#include "plugin/openxr/xr_layer.h"

#include <stdarg.h>
#include <stdio.h>

struct openxr openxr = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void write_line(void *user, enum fovea_log_level level, const char *message)
{
    (void)user;
    (void)level;
    fprintf(stderr, "fovea: openxr: %s\n", message);
}

struct fovea_log openxr_log(void)
{
    return (struct fovea_log){.fn = write_line, .min_level = FOVEA_LOG_INFO};
}

void openxr_say(enum fovea_log_level level, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_line(NULL, level, text);
}

struct openxr_instance *openxr_instance_of(XrInstance handle)
{
    struct openxr_instance *found = NULL;
    pthread_mutex_lock(&openxr.lock);
    for (size_t i = 0; handle && i < OPENXR_INSTANCES; i++) {
        found = openxr.instances[i].handle == handle ? &openxr.instances[i] : found;
    }
    pthread_mutex_unlock(&openxr.lock);
    return found;
}

/* NULL: there is no room. */
static struct openxr_instance *add_instance(const struct openxr_instance *made,
                                            const struct openxr_below *below)
{
    struct openxr_instance *free_one = NULL;
    bool first = true;
    pthread_mutex_lock(&openxr.lock);
    for (size_t i = 0; i < OPENXR_INSTANCES; i++) {
        free_one = free_one || openxr.instances[i].handle ? free_one : &openxr.instances[i];
        first = first && !openxr.instances[i].handle;
    }
    if (first) {
        openxr.below = *below;
    }
    if (free_one) {
        *free_one = *made;
    }
    pthread_mutex_unlock(&openxr.lock);
    return free_one;
}

/* True: it was the last one. */
static bool take_instance(struct openxr_instance *instance)
{
    bool last = true;
    pthread_mutex_lock(&openxr.lock);
    *instance = (struct openxr_instance){.handle = XR_NULL_HANDLE};
    for (size_t i = 0; i < OPENXR_INSTANCES; i++) {
        last = last && !openxr.instances[i].handle;
    }
    pthread_mutex_unlock(&openxr.lock);
    return last;
}

/* Forgets this instance's state and no other's. */
static void forget_instance(struct openxr_instance *instance)
{
    openxr_sessions_gone(instance);
    openxr_provide_end(instance);
    if (take_instance(instance)) {
        openxr_actions_stop();
        openxr_versions_gone();
    }
}

static XrResult destroy_instance(XrInstance handle)
{
    struct openxr_instance *instance = openxr_instance_of(handle);
    if (instance) {
        forget_instance(instance);
    }
    return openxr.below.DestroyInstance(handle);
}

static const struct {
    const char *name;
    PFN_xrVoidFunction function;
} hooks[] = {
    {"xrDestroyInstance", (PFN_xrVoidFunction)destroy_instance},
    {"xrCreateSession", (PFN_xrVoidFunction)openxr_create_session},
    {"xrBeginSession", (PFN_xrVoidFunction)openxr_begin_session},
    {"xrDestroySession", (PFN_xrVoidFunction)openxr_destroy_session},
    {"xrCreateSwapchain", (PFN_xrVoidFunction)openxr_create_swapchain},
    {"xrDestroySwapchain", (PFN_xrVoidFunction)openxr_destroy_swapchain},
    {"xrAcquireSwapchainImage", (PFN_xrVoidFunction)openxr_acquire},
    {"xrWaitSwapchainImage", (PFN_xrVoidFunction)openxr_wait},
    {"xrReleaseSwapchainImage", (PFN_xrVoidFunction)openxr_release},
    {"xrEndFrame", (PFN_xrVoidFunction)openxr_end_frame},
    {"xrSuggestInteractionProfileBindings", (PFN_xrVoidFunction)openxr_suggest},
    {"xrCreateAction", (PFN_xrVoidFunction)openxr_create_action},
    {"xrDestroyAction", (PFN_xrVoidFunction)openxr_destroy_action},
    {"xrDestroyActionSet", (PFN_xrVoidFunction)openxr_destroy_action_set},
    {"xrAttachSessionActionSets", (PFN_xrVoidFunction)openxr_attach},
    {"xrSyncActions", (PFN_xrVoidFunction)openxr_sync},
    {"xrGetVulkanGraphicsRequirementsKHR", (PFN_xrVoidFunction)openxr_requirements},
    {"xrGetVulkanGraphicsRequirements2KHR", (PFN_xrVoidFunction)openxr_requirements2},
    {"xrCreateVulkanInstanceKHR", (PFN_xrVoidFunction)openxr_create_vulkan},
};

/* NULL: the function is the runtime's alone. */
static PFN_xrVoidFunction hook_of(XrInstance handle, const char *name)
{
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++) {
        if (strcmp(name, hooks[i].name) == 0) {
            return hooks[i].function;
        }
    }
    const struct openxr_instance *instance = openxr_instance_of(handle);
    return instance && instance->provides ? openxr_provide_function(name) : NULL;
}

static XrResult get_proc(XrInstance instance, const char *name, PFN_xrVoidFunction *function)
{
    PFN_xrVoidFunction hook = hook_of(instance, name);
    if (hook) {
        const XrResult result =
            openxr.below.get ? openxr.below.get(instance, name, function) : XR_ERROR_HANDLE_INVALID;
        *function = result == XR_SUCCESS && *function ? hook : NULL;
        return result;
    }
    if (strcmp(name, "xrGetInstanceProcAddr") == 0) {
        *function = (PFN_xrVoidFunction)get_proc;
        return XR_SUCCESS;
    }
    return openxr.below.get ? openxr.below.get(instance, name, function) : XR_ERROR_HANDLE_INVALID;
}

static PFN_xrVoidFunction find_below(const struct openxr_below *below, XrInstance instance,
                                     const char *name)
{
    PFN_xrVoidFunction function = NULL;
    return below->get(instance, name, &function) == XR_SUCCESS ? function : NULL;
}

PFN_xrVoidFunction openxr_find(XrInstance instance, const char *name)
{
    return find_below(&openxr.below, instance, name);
}

static bool look_up(XrInstance instance, struct openxr_below *below)
{
    bool all = true;
#define LOOK_UP(name)                                                                              \
    below->name = (PFN_xr##name)find_below(below, instance, "xr" #name);                           \
    all &= below->name != NULL;
    OPENXR_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return all;
}

/* Manifests that give this library several names give it as many places in the loader's chain, and
 * one set of functions, which would call itself. The upper place takes the lower ones out: a link
 * has the functions of the layer behind it, but the name of the layer that it is for. */
static void leave_out_twins(struct xr_layer_next_info *link)
{
    for (; link; link = link->next) {
        while (link->next && link->get_instance_proc_addr == get_proc) {
            const struct xr_layer_next_info *twin = link->next;
            link->get_instance_proc_addr = twin->get_instance_proc_addr;
            link->create_instance = twin->create_instance;
            link->next = twin->next;
        }
    }
}

static XrResult create_instance(const XrInstanceCreateInfo *info,
                                const struct xr_layer_create_info *layer, XrInstance *out)
{
    if (!info || !layer || !layer->next || !out) {
        return XR_ERROR_INITIALIZATION_FAILED;
    }
    leave_out_twins(layer->next);
    struct openxr_below below = {.get = layer->next->get_instance_proc_addr};
    struct openxr_instance made = {.handle = XR_NULL_HANDLE};
    bool source = false;
    bool withheld = false;
    const enum fovea_provide_gaze wanted =
        openxr_extensions_ask_gaze(info) ? openxr_provide_wanted(&source) : FOVEA_PROVIDE_GAZE_NO;
    const XrResult result = openxr_extensions_create(
        info, layer, wanted == FOVEA_PROVIDE_GAZE_ALWAYS, out, &made.extensions, &withheld);
    if (result != XR_SUCCESS) {
        return result;
    }
    if (!look_up(*out, &below)) {
        openxr_say(FOVEA_LOG_ERROR, "the runtime lacks a function of OpenXR 1.0: no instance");
        if (below.DestroyInstance) {
            below.DestroyInstance(*out);
        }
        *out = XR_NULL_HANDLE;
        return XR_ERROR_INITIALIZATION_FAILED;
    }
    made.handle = *out;
    struct openxr_instance *instance = add_instance(&made, &below);
    if (!instance) {
        openxr_say(FOVEA_LOG_ERROR, "more than %d instances: no further one", OPENXR_INSTANCES);
        below.DestroyInstance(*out);
        *out = XR_NULL_HANDLE;
        return XR_ERROR_LIMIT_REACHED;
    }
    if (openxr_extensions_ask_gaze(info)) {
        openxr_provide_start(instance, withheld, wanted, source);
    }
    openxr_actions_start(instance);
    openxr_eyes_start(instance);
    openxr_foveation_start(instance);
    return XR_SUCCESS;
}

__attribute__((visibility("default"))) XrResult xrNegotiateLoaderApiLayerInterface(
    const struct xr_loader_info *loader, const char *name, struct xr_layer_request *request);

XrResult xrNegotiateLoaderApiLayerInterface(const struct xr_loader_info *loader, const char *name,
                                            struct xr_layer_request *request)
{
    (void)name;
    if (!loader || loader->type != XR_LOADER_INFO || loader->bytes != sizeof *loader || !request ||
        request->type != XR_LOADER_LAYER_REQUEST || request->bytes != sizeof *request ||
        loader->least_interface > XR_LOADER_INTERFACE ||
        loader->most_interface < XR_LOADER_INTERFACE) {
        return XR_ERROR_INITIALIZATION_FAILED;
    }
    request->interface_version = XR_LOADER_INTERFACE;
    request->api_version = XR_CURRENT_API_VERSION;
    request->get_instance_proc_addr = get_proc;
    request->create_instance = create_instance;
    return XR_SUCCESS;
}
