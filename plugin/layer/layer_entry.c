/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer.h"

#include <string.h>

#define INTERFACE_VERSION 2

/* ---- Enumerations: what the loader asks a layer about itself --------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL
layer_EnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties)
{
    static const VkLayerProperties own = {LAYER_NAME, VK_HEADER_VERSION_COMPLETE,
                                          FOVEA_VERSION_MAJOR * 1000000 +
                                              FOVEA_VERSION_MINOR * 1000 + FOVEA_VERSION_PATCH,
                                          "Gaze-contingent foveation of what is presented"};
    if (!properties) {
        *count = 1;
        return VK_SUCCESS;
    }
    if (*count < 1) {
        return VK_INCOMPLETE;
    }
    *count = 1;
    properties[0] = own;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_EnumerateDeviceLayerProperties(
    VkPhysicalDevice physical, uint32_t *count, VkLayerProperties *properties)
{
    (void)physical;
    return layer_EnumerateInstanceLayerProperties(count, properties);
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_EnumerateInstanceExtensionProperties(
    const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
    (void)properties;
    if (!layer || strcmp(layer, LAYER_NAME) != 0) {
        return VK_ERROR_LAYER_NOT_PRESENT;
    }
    *count = 0;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
layer_EnumerateDeviceExtensionProperties(VkPhysicalDevice physical, const char *layer,
                                         uint32_t *count, VkExtensionProperties *properties)
{
    if (layer && strcmp(layer, LAYER_NAME) == 0) {
        *count = 0;
        return VK_SUCCESS;
    }
    const struct layer_instance *instance = layer_registry_instance(physical);
    return instance
               ? instance->vk.EnumerateDeviceExtensionProperties(physical, layer, count, properties)
               : VK_ERROR_INITIALIZATION_FAILED;
}

/* ---- Which functions are ours ---------------------------------------------------------------- */

#define HOOK_OF(name, function)                                                                    \
    {                                                                                              \
        "vk" #name, (PFN_vkVoidFunction)layer_##function                                           \
    }
#define HOOK(name) HOOK_OF(name, name)

struct hook {
    const char *name;
    PFN_vkVoidFunction function;
};

/* These are answered for every instance, and where there is none yet. */
static const struct hook global_hooks[] = {HOOK(GetInstanceProcAddr), HOOK(CreateInstance),
                                           HOOK(EnumerateInstanceLayerProperties),
                                           HOOK(EnumerateInstanceExtensionProperties)};

static const struct hook instance_hooks[] = {
    HOOK(DestroyInstance),
    HOOK(CreateDevice),
    HOOK(EnumerateDeviceLayerProperties),
    HOOK(EnumerateDeviceExtensionProperties),
    HOOK(CreateXcbSurfaceKHR),
    HOOK(CreateXlibSurfaceKHR),
    HOOK(DestroySurfaceKHR),
};

static const struct hook device_hooks[] = {
    HOOK(GetDeviceProcAddr),
    HOOK(DestroyDevice),
    HOOK(GetDeviceQueue),
    HOOK(GetDeviceQueue2),
    HOOK(CreateSwapchainKHR),
    HOOK(DestroySwapchainKHR),
    HOOK(QueuePresentKHR),
    HOOK(CreateImageView),
    HOOK(CreateImage),
    HOOK(DestroyImage),
#ifdef VK_EXT_swapchain_maintenance1
    HOOK_OF(ReleaseSwapchainImagesEXT, ReleaseSwapchainImages),
    HOOK_OF(ReleaseSwapchainImagesKHR, ReleaseSwapchainImages),
#endif
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static PFN_vkVoidFunction find(const struct hook *hooks, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(hooks[i].name, name) == 0) {
            return hooks[i].function;
        }
    }
    return NULL;
}

/* No name of Vulkan's. Fovea's layer for OpenXR asks for it where a session begins on that device
 * (openxr_session.c): nobody else tells which version an instance was made for. 0: the device is
 * not known. */
static VKAPI_ATTR uint32_t VKAPI_CALL layer_FoveaInstanceVersion(VkDevice handle)
{
    struct layer_device *device = layer_registry_device(handle);
    if (device) {
        layer_registry_bind_openxr(device);
    }
    return device ? device->instance->version : 0;
}

static const struct hook private_names[] = {
    {"vkFoveaInstanceVersion", (PFN_vkVoidFunction)layer_FoveaInstanceVersion},
    {"vkFoveaWatchImages", (PFN_vkVoidFunction)layer_FoveaWatchImages},
    {"vkFoveaViewUsage", (PFN_vkVoidFunction)layer_FoveaViewUsage},
};

/* A function that the next layer does not have is not ours either: its extension is off. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_GetDeviceProcAddr(VkDevice device, const char *name)
{
    const struct layer_device *known = layer_registry_device(device);
    if (!known) {
        return NULL;
    }
    const PFN_vkVoidFunction private = find(private_names, COUNT(private_names), name);
    if (private) {
        return private;
    }
    if (layer_timing_hides(known, name)) {
        return NULL;
    }
    const PFN_vkVoidFunction below = known->vk.GetDeviceProcAddr(device, name);
    const PFN_vkVoidFunction own = find(device_hooks, COUNT(device_hooks), name);
    return below && own ? own : below;
}

/* Device functions too: programs may use nothing but vkGetInstanceProcAddr. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_GetInstanceProcAddr(VkInstance instance,
                                                                   const char *name)
{
    const PFN_vkVoidFunction global = find(global_hooks, COUNT(global_hooks), name);
    if (global) {
        return global;
    }
    PFN_vkVoidFunction own = find(instance_hooks, COUNT(instance_hooks), name);
    own = own ? own : find(device_hooks, COUNT(device_hooks), name);
    if (!instance) {
        /* Against the rules, but vkBasalt and MangoHud ask for vkCreateDevice so, and call what
         * they get. */
        return own;
    }
    const struct layer_instance *known = layer_registry_instance(instance);
    if (!known) {
        return NULL;
    }
    const PFN_vkVoidFunction below = known->vk.GetInstanceProcAddr(instance, name);
    return below && own ? own : below;
}

/* The loader's name for its argument, in vk_layer.h. */
__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
{
    VkNegotiateLayerInterface *negotiation = pVersionStruct;
    if (!negotiation || negotiation->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
        negotiation->loaderLayerInterfaceVersion < INTERFACE_VERSION) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    negotiation->loaderLayerInterfaceVersion = INTERFACE_VERSION;
    negotiation->pfnGetInstanceProcAddr = layer_GetInstanceProcAddr;
    negotiation->pfnGetDeviceProcAddr = layer_GetDeviceProcAddr;
    negotiation->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
