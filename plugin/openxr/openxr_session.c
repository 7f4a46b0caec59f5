/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/openxr/xr_layer.h"

#include <dlfcn.h>
#include <stdlib.h>

struct openxr_session *openxr_session_of(XrSession handle)
{
    struct openxr_session *found = openxr.sessions;
    while (found && found->handle != handle) {
        found = found->next;
    }
    return found;
}

/* The settings that the files say. CUDA would need a device made for it, which the program has
 * made: shaders do the work unless another backend is named. */
static struct fovea_settings *settings_of_files(void)
{
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    desc.ignore_changes = true;
    desc.defaults_if_wrong = true;
    desc.log = openxr_log();
    struct fovea_config *config = NULL;
    struct fovea_settings *settings = NULL;
    char backend[32];
    if (fovea_config_create(&desc, &config) == FOVEA_OK &&
        fovea_settings_copy(fovea_config_settings(config), &settings) == FOVEA_OK &&
        fovea_settings_get(settings, "backend", backend, sizeof backend) == FOVEA_OK &&
        strcmp(backend, "auto") == 0 &&
        fovea_settings_set(settings, "backend", "vulkan", openxr_log()) != FOVEA_OK) {
        fovea_settings_destroy(&settings);
    }
    fovea_config_destroy(&config);
    return settings;
}

static VkQueue queue_of(const XrGraphicsBindingVulkanKHR *binding)
{
    VkQueue queue = VK_NULL_HANDLE;
    void *loader = dlopen("libvulkan.so.1", RTLD_NOW);
    PFN_vkGetInstanceProcAddr get =
        loader ? (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr") : NULL;
    PFN_vkGetDeviceQueue get_queue =
        get ? (PFN_vkGetDeviceQueue)get(binding->instance, "vkGetDeviceQueue") : NULL;
    if (get_queue) {
        get_queue(binding->device, binding->queueFamilyIndex, binding->queueIndex, &queue);
    }
    return queue;
}

static void remember(XrSession handle, const XrGraphicsBindingVulkanKHR *binding)
{
    struct openxr_session *session = calloc(1, sizeof *session);
    if (!session) {
        openxr_say(FOVEA_LOG_ERROR, "no memory; the session is not foveated");
        return;
    }
    session->handle = handle;
    session->binding = *binding;
    session->tracked = -1;
    session->queue = queue_of(binding);
    session->settings = settings_of_files();
    pthread_mutex_lock(&openxr.lock);
    session->next = openxr.sessions;
    openxr.sessions = session;
    pthread_mutex_unlock(&openxr.lock);
}

XrResult openxr_create_session(XrInstance instance, const XrSessionCreateInfo *info, XrSession *out)
{
    const XrResult result = openxr.below.CreateSession(instance, info, out);
    if (result != XR_SUCCESS) {
        return result;
    }
    const XrBaseInStructure *next = info->next;
    while (next && next->type != XR_TYPE_GRAPHICS_BINDING_VULKAN_KHR) {
        next = next->next;
    }
    if (next) {
        remember(*out, (const XrGraphicsBindingVulkanKHR *)next);
    } else {
        openxr_say(FOVEA_LOG_WARNING, "the session is not of Vulkan and is not foveated");
    }
    return result;
}

static void drop(struct openxr_session *session)
{
    openxr_chains_gone(session);
    for (struct openxr_session **at = &openxr.sessions; *at; at = &(*at)->next) {
        if (*at == session) {
            *at = session->next;
            break;
        }
    }
    fovea_settings_destroy(&session->settings);
    free(session);
}

XrResult openxr_destroy_session(XrSession handle)
{
    pthread_mutex_lock(&openxr.lock);
    struct openxr_session *session = openxr_session_of(handle);
    if (session) {
        drop(session);
    }
    pthread_mutex_unlock(&openxr.lock);
    return openxr.below.DestroySession(handle);
}

void openxr_sessions_gone(void)
{
    while (openxr.sessions) {
        drop(openxr.sessions);
    }
}

/* ---- Vulkan 1.1, which Fovea needs ---- */

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
    PFN_xrGetVulkanGraphicsRequirementsKHR below = NULL;
    XrResult result = openxr.below.get(instance, name, (PFN_xrVoidFunction *)&below);
    result = result == XR_SUCCESS ? below(instance, system, requirements) : result;
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

XrResult openxr_create_vulkan(XrInstance instance, const XrVulkanInstanceCreateInfoKHR *info,
                              VkInstance *vulkan, VkResult *out_result)
{
    PFN_xrCreateVulkanInstanceKHR below = NULL;
    VkApplicationInfo program = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
    VkInstanceCreateInfo create = *info->vulkanCreateInfo;
    XrVulkanInstanceCreateInfoKHR more = *info;
    const XrResult result =
        openxr.below.get(instance, "xrCreateVulkanInstanceKHR", (PFN_xrVoidFunction *)&below);
    if (result != XR_SUCCESS) {
        return result;
    }
    if (create.pApplicationInfo) {
        program = *create.pApplicationInfo;
    }
    if (program.apiVersion < VK_API_VERSION_1_1) {
        program.apiVersion = VK_API_VERSION_1_1;
        create.pApplicationInfo = &program;
        more.vulkanCreateInfo = &create;
    }
    return below(instance, &more, vulkan, out_result);
}
