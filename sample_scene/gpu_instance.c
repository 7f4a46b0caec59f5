/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "gpu.h"

#include <string.h>

#define MAX_INSTANCE_EXTENSIONS 16

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

const char *gpu_result_name(VkResult result)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED:
        return "initialization failed";
    case VK_ERROR_DEVICE_LOST:
        return "device lost";
    case VK_ERROR_LAYER_NOT_PRESENT:
        return "layer not present";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
        return "extension not present";
    case VK_ERROR_FEATURE_NOT_PRESENT:
        return "feature not present";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return "no usable driver";
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
        return "format not supported";
    case VK_ERROR_SURFACE_LOST_KHR:
        return "surface lost";
    case VK_ERROR_OUT_OF_DATE_KHR:
        return "out of date";
    default:
        return result < 0 ? "an error of Vulkan" : "not an error";
    }
}

static VkBool32 VKAPI_PTR on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                     VkDebugUtilsMessageTypeFlagsEXT types,
                                     const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct gpu *gpu = user;
    (void)types;
    const char *name = data->pMessageIdName ? data->pMessageIdName : "";
    /* The loader reports drivers that it could not load; that is nobody's mistake. Of the best
     * practices, errors count; the rest is advice, much of it against small allocations. */
    bool advice = strstr(name, "BestPractices") &&
                  !(severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
    /* 1.3.239 loses its own count of a timeline that the host signals while the queue waits. */
    bool own_fault = strstr(data->pMessage, "a validation bug");
    if (advice || own_fault || strcmp(name, "Loader Message") == 0) {
        return VK_FALSE;
    }
    atomic_fetch_add(&gpu->validation_messages, 1u);
    say_error("validation: %s", data->pMessage);
    return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(struct gpu *gpu)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = gpu,
    };
}

static bool open_messenger(struct gpu *gpu)
{
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(gpu->instance,
                                                                  "vkCreateDebugUtilsMessengerEXT");
    if (!create) {
        say_error("the validation layer has no VK_EXT_debug_utils");
        return false;
    }
    VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(gpu);
    VK_TRY(create(gpu->instance, &info, NULL, &gpu->messenger));
    return true;
}

/* 1.2 has timeline semaphores without an extension; 1.1 is the least that Fovea takes. */
static uint32_t api_version(void)
{
    uint32_t version = VK_API_VERSION_1_0;
    if (vkEnumerateInstanceVersion(&version) < 0) {
        return VK_API_VERSION_1_1;
    }
    return version >= VK_API_VERSION_1_2 ? VK_API_VERSION_1_2 : VK_API_VERSION_1_1;
}

static uint32_t collect_extensions(const struct gpu_instance_desc *desc, const char **names)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < desc->extension_count && count < MAX_INSTANCE_EXTENSIONS - 1; i++) {
        names[count++] = desc->extensions[i];
    }
    if (desc->validate) {
        names[count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    }
    return count;
}

bool gpu_open_instance(struct gpu *gpu, const struct gpu_instance_desc *desc)
{
    static const VkValidationFeatureEnableEXT checks[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
        VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT};
    const char *layers[] = {validation_layer};
    const char *extensions[MAX_INSTANCE_EXTENSIONS];
    VkDebugUtilsMessengerCreateInfoEXT messages = messenger_info(gpu);
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                        .pNext = &messages,
                                        .enabledValidationFeatureCount = 2,
                                        .pEnabledValidationFeatures = checks};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "fovea_demo",
                                     .apiVersion = api_version()};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = desc->validate ? &features : NULL,
                                 .pApplicationInfo = &application,
                                 .enabledLayerCount = desc->validate ? 1 : 0,
                                 .ppEnabledLayerNames = layers,
                                 .enabledExtensionCount = collect_extensions(desc, extensions),
                                 .ppEnabledExtensionNames = extensions};
    VK_TRY(vkCreateInstance(&info, NULL, &gpu->instance));
    return !desc->validate || open_messenger(gpu);
}

void gpu_close(struct gpu *gpu)
{
    if (gpu->device) {
        vkDestroyDevice(gpu->device, NULL);
    }
    if (gpu->messenger) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy =
            (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
                gpu->instance, "vkDestroyDebugUtilsMessengerEXT");
        destroy(gpu->instance, gpu->messenger, NULL);
    }
    if (gpu->instance) {
        vkDestroyInstance(gpu->instance, NULL);
    }
    gpu->device = VK_NULL_HANDLE;
    gpu->messenger = VK_NULL_HANDLE;
    gpu->instance = VK_NULL_HANDLE;
}
