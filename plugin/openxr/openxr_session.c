/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/openxr/openxr_provide.h"

#include "plugin/context/settings_take.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct openxr_session *openxr_session_of(XrSession handle)
{
    pthread_mutex_lock(&openxr.lock);
    struct openxr_session *found = openxr.sessions;
    while (found && found->handle != handle) {
        found = found->next;
    }
    pthread_mutex_unlock(&openxr.lock);
    return found;
}

struct openxr_session *openxr_session_foveated(XrSession handle)
{
    struct openxr_session *session = openxr_session_of(handle);
    return session && session->foveates ? session : NULL;
}

/* The operators but for lens, with commas between; false: lens is none of them. */
static bool without_lens(const struct fovea_settings *settings, char *out_names, size_t size)
{
    char names[512];
    bool found = false;
    char *rest = NULL;
    out_names[0] = '\0';
    if (fovea_settings_get(settings, "operators", names, sizeof names) != FOVEA_OK) {
        return false;
    }
    for (char *name = strtok_r(names, "[]\", ", &rest); name;
         name = strtok_r(NULL, "[]\", ", &rest)) {
        const size_t length = strlen(out_names);
        if (strcmp(name, "lens") == 0) {
            found = true;
        } else {
            snprintf(out_names + length, size - length, "%s%s", length ? "," : "", name);
        }
    }
    return found;
}

/* Runtimes undo the lenses of their headsets: done here, too, pictures would be warped twice. There
 * is no empty list; with no strength the standard one leaves pictures as drawn. */
static enum fovea_result leave_lens_out(struct openxr_session *session,
                                        struct fovea_settings *settings)
{
    char others[512];
    if (!without_lens(settings, others, sizeof others)) {
        return FOVEA_OK;
    }
    if (!session->warned_lens) {
        session->warned_lens = true;
        openxr_say(FOVEA_LOG_WARNING,
                   "lens is among the operators, and runtimes undo the lenses of their headsets: "
                   "it is left out%s",
                   others[0] ? "" : ", and nothing else is left: pictures are shown as drawn");
    }
    if (others[0] == '\0') {
        settings->operators = config_settings_standard()->operators;
        return fovea_settings_set_double(settings, "foveation.strength", 0, openxr_log());
    }
    return fovea_settings_set(settings, "operators", others, openxr_log());
}

/* NULL: programs of OpenXR have a device for it. */
static const char *obstacle_to(enum fovea_backend backend)
{
    switch (backend) {
    case FOVEA_BACKEND_CUDA:
        return "needs a device that programs of OpenXR do not make";
    case FOVEA_BACKEND_CPU:
        return "needs timeline semaphores, and nobody tells whether the program's device has them";
    default:
        return NULL;
    }
}

/* The other backends need a device with what fovea_vk_query lists, and the program has made it:
 * contexts are told of no extension and no feature of it, so that auto is shaders, too. */
static void use_vulkan(struct openxr_session *session, struct fovea_settings *settings)
{
    const char *obstacle = obstacle_to(settings->backend);
    if (obstacle && !session->warned_backend) {
        session->warned_backend = true;
        openxr_say(FOVEA_LOG_WARNING, "backend %s %s: vulkan is used",
                   fovea_backend_name(settings->backend), obstacle);
    }
    if (obstacle) {
        settings->backend = FOVEA_BACKEND_AUTO;
    }
}

/* The session's, made of those of the files. NULL: there is no memory. */
static struct fovea_settings *settings_of(struct openxr_session *session,
                                          const struct fovea_settings *files)
{
    struct fovea_settings *settings = NULL;
    if (fovea_settings_copy(files, &settings) == FOVEA_OK) {
        use_vulkan(session, settings);
    }
    if (settings && leave_lens_out(session, settings) != FOVEA_OK) {
        fovea_settings_destroy(&settings);
    }
    return settings;
}

/* The runtime knows where the eyes look, unless a source is named. The blur is what the eye itself
 * takes away, so that menus and texts can be read, as in the layer for Vulkan. */
struct fovea_settings *openxr_session_defaults(void)
{
    struct fovea_settings *settings = NULL;
    if (fovea_settings_create(&settings) == FOVEA_OK) {
        settings->gaze.kind = FOVEA_GAZE_OPENXR;
        settings->foveation.model = FOVEA_MODEL_PHYSICAL;
    }
    return settings;
}

/* A map whose picture cannot be read, and the like, are met here and not in the context of each
 * swapchain: the log says so once, and the defaults count until the files are right, as for a file
 * that cannot be read itself. */
static struct fovea_settings *first_settings(struct openxr_session *session,
                                             const struct fovea_settings *standard)
{
    struct fovea_settings *settings = settings_of(session, fovea_config_settings(session->config));
    if (settings && settings_prepare(settings, openxr_log()) < 0) {
        openxr_say(FOVEA_LOG_WARNING, "the settings cannot be taken; the defaults are in force");
        fovea_settings_destroy(&settings);
        settings = settings_of(session, standard);
    }
    return settings;
}

static void read_files(struct openxr_session *session)
{
    struct fovea_settings *standard = openxr_session_defaults();
    if (!standard) {
        openxr_source_begin(session, &config_settings_standard()->gaze);
        return;
    }
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    desc.defaults_if_wrong = true;
    desc.defaults = standard;
    desc.log = openxr_log();
    if (fovea_config_create(&desc, &session->config) == FOVEA_OK) {
        session->settings = first_settings(session, standard);
    }
    double direct = 0;
    session->has_settings = session->settings;
    session->direct =
        session->settings &&
        fovea_settings_get_double(session->settings, "layer.direct", &direct) == FOVEA_OK &&
        direct != 0;
    if (session->foveates) {
        openxr_direct_begin(session);
    }
    openxr_source_begin(session, &standard->gaze);
    fovea_settings_destroy(&standard);
    if (session->has_settings) {
        openxr_source_take(session);
        gaze_switch_wait(&session->gaze_switch);
    }
}

static void poll_files(struct openxr_session *session)
{
    if (!session->has_settings || session->settings->layer.frozen ||
        fovea_config_poll(session->config) != FOVEA_OK) {
        return;
    }
    struct fovea_settings *settings = settings_of(session, fovea_config_settings(session->config));
    if (!settings || settings_try(settings, openxr_log()) < 0) {
        openxr_say(FOVEA_LOG_WARNING, settings
                                          ? "the new settings are not taken; the old ones stay"
                                          : "no memory for the new settings; the old ones stay");
        fovea_settings_destroy(&settings);
        return;
    }
    struct fovea_settings *old = session->settings;
    pthread_mutex_lock(&session->lock);
    session->settings = settings;
    session->settings_serial++;
    pthread_mutex_unlock(&session->lock);
    fovea_settings_destroy(&old);
    openxr_source_take(session);
}

void openxr_session_poll(struct openxr_session *session)
{
    poll_files(session);
    openxr_source_poll(session);
}

static VkQueue queue_of(const XrGraphicsBindingVulkanKHR *binding)
{
    VkQueue queue = VK_NULL_HANDLE;
    PFN_vkGetDeviceQueue get_queue =
        (PFN_vkGetDeviceQueue)openxr_of_device(binding, "vkGetDeviceQueue");
    if (get_queue) {
        get_queue(binding->device, binding->queueFamilyIndex, binding->queueIndex, &queue);
    }
    return queue;
}

/* ---- Vulkan 1.1, which Fovea needs ---- */

static bool was_raised(VkInstance instance)
{
    bool found = false;
    pthread_mutex_lock(&openxr.lock);
    for (uint32_t i = 0; i < OPENXR_RAISED; i++) {
        found |= openxr.raised[i] == instance;
    }
    pthread_mutex_unlock(&openxr.lock);
    return found;
}

static bool is_a_layers(PFN_vkVoidFunction function)
{
    Dl_info from;
    union {
        PFN_vkVoidFunction function;
        void *address;
    } at = {.function = function};
    void *library = dladdr(at.address, &from) && from.dli_fname
                        ? dlopen(from.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                        : NULL;
    const bool layer = library && dlsym(library, "vkNegotiateLoaderLayerInterfaceVersion");
    if (library) {
        dlclose(library);
    }
    return layer;
}

/* Vulkan does not tell which version a program has asked for. Fovea's layer for Vulkan does, where
 * it is there, and has raised it (layer_entry.c). A driver has no functions of later versions;
 * another layer, as for validation, has them whatever the version is, and its answer says
 * nothing. */
static bool is_of_1_1(const XrGraphicsBindingVulkanKHR *binding)
{
    PFN_vkVoidFunction trim = openxr_of_device(binding, "vkTrimCommandPool");
    uint32_t(VKAPI_PTR * version_of)(VkDevice device) =
        (uint32_t(VKAPI_PTR *)(VkDevice))openxr_of_device(binding, "vkFoveaInstanceVersion");
    const uint32_t version = version_of ? version_of(binding->device) : 0;
    if (!trim || was_raised(binding->instance)) {
        return trim;
    }
    return version ? version >= VK_API_VERSION_1_1 : !is_a_layers(trim);
}

#define CONFIGURATIONS 16

/* Runtimes log questions for a configuration that they do not have. */
static bool has_configuration(XrInstance instance, XrSystemId system, XrViewConfigurationType type)
{
    XrViewConfigurationType types[CONFIGURATIONS];
    uint32_t count = 0;
    if (XR_FAILED(openxr.below.EnumerateViewConfigurations(instance, system, CONFIGURATIONS, &count,
                                                           types))) {
        return false;
    }
    bool has = false;
    for (uint32_t i = 0; i < count && i < CONFIGURATIONS; i++) {
        has = has || types[i] == type;
    }
    return has;
}

/* The smaller one of those that the session may have. */
static XrExtent2Di eye_of(XrInstance instance, XrSystemId system)
{
    static const XrViewConfigurationType types[] = {XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO,
                                                    XR_VIEW_CONFIGURATION_TYPE_PRIMARY_MONO};
    XrViewConfigurationView views[2] = {{.type = XR_TYPE_VIEW_CONFIGURATION_VIEW},
                                        {.type = XR_TYPE_VIEW_CONFIGURATION_VIEW}};
    XrExtent2Di eye_px = {0, 0};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        uint32_t count = 0;
        if (!has_configuration(instance, system, types[i])) {
            continue;
        }
        const XrResult result = openxr.below.EnumerateViewConfigurationViews(
            instance, system, types[i], 2, &count, views);
        const XrExtent2Di px = {(int32_t)views[0].recommendedImageRectWidth,
                                (int32_t)views[0].recommendedImageRectHeight};
        if (result == XR_SUCCESS && (eye_px.width == 0 || px.width < eye_px.width)) {
            eye_px = px;
        }
    }
    return eye_px;
}

static void find_vulkan(struct openxr_session *session, const XrGraphicsBindingVulkanKHR *binding)
{
    session->binding = *binding;
    session->queue = queue_of(binding);
    session->is_vulkan_1_0 = !is_of_1_1(binding);
    if (session->is_vulkan_1_0) {
        openxr_say(FOVEA_LOG_WARNING, "the program's Vulkan is 1.0, or nobody tells that it is "
                                      "not; Fovea needs 1.1: the session is shown as drawn. "
                                      "Started with fovea-run, the program has 1.2");
    }
}

/* binding NULL: it is not of Vulkan. */
static void remember(struct openxr_instance *instance, XrSession handle, XrSystemId system,
                     const XrGraphicsBindingVulkanKHR *binding)
{
    struct openxr_session *session = calloc(1, sizeof *session);
    if (!session) {
        openxr_say(FOVEA_LOG_ERROR, "no memory; the session is not foveated");
        return;
    }
    session->instance = instance;
    session->handle = handle;
    session->foveates = binding;
    if (binding) {
        find_vulkan(session, binding);
    }
    session->eye_px = eye_of(instance->handle, system);
    pthread_mutex_init(&session->frame_lock, NULL);
    pthread_mutex_init(&session->lock, NULL);
    pthread_mutex_init(&session->gaze_lock, NULL);
    read_files(session);
    pthread_mutex_lock(&openxr.lock);
    session->next = openxr.sessions;
    openxr.sessions = session;
    pthread_mutex_unlock(&openxr.lock);
}

XrResult openxr_create_session(XrInstance handle, const XrSessionCreateInfo *info, XrSession *out)
{
    struct openxr_instance *instance = openxr_instance_of(handle);
    const XrResult result = openxr.below.CreateSession(handle, info, out);
    if (XR_FAILED(result) || !instance) {
        return result;
    }
    const XrBaseInStructure *next = info->next;
    while (next && next->type != XR_TYPE_GRAPHICS_BINDING_VULKAN_KHR) {
        next = next->next;
    }
    if (next || instance->provides) {
        remember(instance, *out, info->systemId, (const XrGraphicsBindingVulkanKHR *)next);
    }
    if (!next) {
        openxr_say(FOVEA_LOG_WARNING, "the session is not of Vulkan and is not foveated");
    }
    return result;
}

XrResult openxr_begin_session(XrSession handle, const XrSessionBeginInfo *info)
{
    struct openxr_session *session = openxr_session_of(handle);
    const XrResult result = openxr.below.BeginSession(handle, info);
    if (session && info && XR_SUCCEEDED(result)) {
        session->views_type = info->primaryViewConfigurationType;
    }
    return result;
}

/* Nobody finds it any more. */
static void free_session(struct openxr_session *session)
{
    provided_spaces_gone(session);
    if (session->foveates) {
        openxr_swapchains_gone(session);
        openxr_depth_end(session);
    }
    gaze_switch_end(&session->gaze_switch);
    fovea_settings_destroy(&session->settings);
    fovea_config_destroy(&session->config);
    pthread_mutex_destroy(&session->frame_lock);
    pthread_mutex_destroy(&session->lock);
    pthread_mutex_destroy(&session->gaze_lock);
    free(session);
}

/* Takes it out of the list; NULL: there is none like that. */
static struct openxr_session *take_session(XrSession handle, const struct openxr_instance *instance)
{
    struct openxr_session *found = NULL;
    pthread_mutex_lock(&openxr.lock);
    for (struct openxr_session **at = &openxr.sessions; *at && !found;) {
        if ((*at)->handle == handle || (*at)->instance == instance) {
            found = *at;
            *at = found->next;
        } else {
            at = &(*at)->next;
        }
    }
    pthread_mutex_unlock(&openxr.lock);
    return found;
}

XrResult openxr_destroy_session(XrSession handle)
{
    struct openxr_session *session = take_session(handle, NULL);
    if (session) {
        free_session(session);
    }
    return openxr.below.DestroySession(handle);
}

void openxr_sessions_gone(const struct openxr_instance *instance)
{
    struct openxr_session *session;
    while ((session = take_session(XR_NULL_HANDLE, instance)) != NULL) {
        free_session(session);
    }
}

void openxr_versions_gone(void)
{
    pthread_mutex_lock(&openxr.lock);
    memset(openxr.raised, 0, sizeof openxr.raised);
    pthread_mutex_unlock(&openxr.lock);
}

static void raise_least(XrGraphicsRequirementsVulkanKHR *requirements)
{
    const XrVersion wanted = XR_MAKE_VERSION(1, 1, 0);
    if (requirements->minApiVersionSupported < wanted &&
        requirements->maxApiVersionSupported >= wanted) {
        requirements->minApiVersionSupported = wanted;
    }
}

static XrResult requirements_of(const char *name, XrInstance instance, XrSystemId system,
                                XrGraphicsRequirementsVulkanKHR *requirements)
{
    PFN_xrGetVulkanGraphicsRequirementsKHR below =
        (PFN_xrGetVulkanGraphicsRequirementsKHR)openxr_find(instance, name);
    const XrResult result =
        below ? below(instance, system, requirements) : XR_ERROR_FUNCTION_UNSUPPORTED;
    if (result == XR_SUCCESS) {
        raise_least(requirements);
    }
    return result;
}

XrResult openxr_requirements(XrInstance instance, XrSystemId system,
                             XrGraphicsRequirementsVulkanKHR *requirements)
{
    return requirements_of("xrGetVulkanGraphicsRequirementsKHR", instance, system, requirements);
}

XrResult openxr_requirements2(XrInstance instance, XrSystemId system,
                              XrGraphicsRequirementsVulkanKHR *requirements)
{
    return requirements_of("xrGetVulkanGraphicsRequirements2KHR", instance, system, requirements);
}

/* The driver may use the handle of an instance that is gone for another one. */
static void note_version(VkInstance instance, bool is_1_1)
{
    pthread_mutex_lock(&openxr.lock);
    for (uint32_t i = 0; i < OPENXR_RAISED; i++) {
        if (openxr.raised[i] == instance) {
            openxr.raised[i] = VK_NULL_HANDLE;
        }
    }
    if (is_1_1) {
        openxr.raised[openxr.raised_count++ % OPENXR_RAISED] = instance;
    }
    pthread_mutex_unlock(&openxr.lock);
}

static XrResult create_raised(PFN_xrCreateVulkanInstanceKHR below, XrInstance instance,
                              const XrVulkanInstanceCreateInfoKHR *info, VkInstance *vulkan,
                              VkResult *out_result)
{
    VkApplicationInfo program = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
    VkInstanceCreateInfo create = *info->vulkanCreateInfo;
    XrVulkanInstanceCreateInfoKHR more = *info;
    if (create.pApplicationInfo) {
        program = *create.pApplicationInfo;
    }
    program.apiVersion = VK_API_VERSION_1_1;
    create.pApplicationInfo = &program;
    more.vulkanCreateInfo = &create;
    return below(instance, &more, vulkan, out_result);
}

/* The program has its own version if the runtime or the driver takes no later one, and its sessions
 * are shown as drawn. */
XrResult openxr_create_vulkan(XrInstance instance, const XrVulkanInstanceCreateInfoKHR *info,
                              VkInstance *vulkan, VkResult *out_result)
{
    PFN_xrCreateVulkanInstanceKHR below =
        (PFN_xrCreateVulkanInstanceKHR)openxr_find(instance, "xrCreateVulkanInstanceKHR");
    XrResult result = XR_ERROR_FUNCTION_UNSUPPORTED;
    if (!below) {
        return result;
    }
    if (!info || !info->vulkanCreateInfo || !vulkan || !out_result) {
        return below(instance, info, vulkan, out_result);
    }
    const VkApplicationInfo *program = info->vulkanCreateInfo->pApplicationInfo;
    const bool own_1_1 = program && program->apiVersion >= VK_API_VERSION_1_1;
    bool made = false;
    if (!own_1_1) {
        result = create_raised(below, instance, info, vulkan, out_result);
        made = XR_SUCCEEDED(result) && *out_result == VK_SUCCESS;
    }
    const bool is_1_1 = own_1_1 || made;
    if (!made) {
        result = below(instance, info, vulkan, out_result);
        made = XR_SUCCEEDED(result) && *out_result == VK_SUCCESS;
    }
    if (made) {
        note_version(*vulkan, is_1_1);
    }
    return result;
}
