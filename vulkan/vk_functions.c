/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "vk_functions.h"

#include "core/log.h"

#include <string.h>

/* Headers that are older than VK_KHR_calibrated_timestamps know the EXT only; the two are the
 * same. */
#define CALIBRATED_DOMAINS_KHR "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR"
#define CALIBRATED_TIMESTAMPS_KHR "vkGetCalibratedTimestampsKHR"

enum fovea_result vk_functions_load_instance(struct vk_functions *functions, VkInstance instance,
                                             PFN_vkGetInstanceProcAddr get, struct fovea_log log)
{
#define VK_LOAD(name)                                                                              \
    functions->name = (PFN_vk##name)get(instance, "vk" #name);                                     \
    if (!functions->name) {                                                                        \
        log_error(log, "vulkan: vk" #name " is missing: the instance must be of Vulkan 1.1");      \
        return FOVEA_ERROR_UNSUPPORTED;                                                            \
    }
    VK_INSTANCE_FUNCTIONS(VK_LOAD)
#undef VK_LOAD
#define VK_LOAD(name) functions->name = (PFN_vk##name)get(instance, "vk" #name);
    VK_OPTIONAL_INSTANCE_FUNCTIONS(VK_LOAD)
#undef VK_LOAD
    if (!functions->GetPhysicalDeviceCalibrateableTimeDomainsEXT) {
        functions->GetPhysicalDeviceCalibrateableTimeDomainsEXT =
            (PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT)get(instance,
                                                                    CALIBRATED_DOMAINS_KHR);
    }
    return FOVEA_OK;
}

static PFN_vkVoidFunction find_optional(const struct vk_functions *functions, VkDevice device,
                                        const char *name)
{
    PFN_vkVoidFunction function = functions->GetDeviceProcAddr(device, name);
    if (function || strstr(name, "KHR") || strstr(name, "EXT")) {
        return function;
    }
    char khr[64];
    snprintf(khr, sizeof khr, "%sKHR", name);
    return functions->GetDeviceProcAddr(device, khr);
}

enum fovea_result vk_functions_load_device(struct vk_functions *functions, VkDevice device,
                                           struct fovea_log log)
{
#define VK_LOAD(name)                                                                              \
    functions->name = (PFN_vk##name)functions->GetDeviceProcAddr(device, "vk" #name);              \
    if (!functions->name) {                                                                        \
        log_error(log, "vulkan: vk" #name " is missing in the device");                            \
        return FOVEA_ERROR_UNSUPPORTED;                                                            \
    }
    VK_DEVICE_FUNCTIONS(VK_LOAD)
#undef VK_LOAD
#define VK_LOAD(name) functions->name = (PFN_vk##name)find_optional(functions, device, "vk" #name);
    VK_OPTIONAL_DEVICE_FUNCTIONS(VK_LOAD)
#undef VK_LOAD
    if (!functions->GetCalibratedTimestampsEXT) {
        functions->GetCalibratedTimestampsEXT =
            (PFN_vkGetCalibratedTimestampsEXT)functions->GetDeviceProcAddr(
                device, CALIBRATED_TIMESTAMPS_KHR);
    }
    return FOVEA_OK;
}
