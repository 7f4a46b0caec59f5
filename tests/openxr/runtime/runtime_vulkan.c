/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* XR_KHR_vulkan_enable and XR_KHR_vulkan_enable2. */

#include "runtime.h"

#include <stdlib.h>

static bool asked;

bool runtime_vulkan_asked(void)
{
    return asked;
}

void runtime_vulkan_gone(void)
{
    asked = false;
}

static XrResult none(uint32_t capacity, uint32_t *count, char *text)
{
    *count = 1;
    if (capacity > 0) {
        text[0] = '\0';
    }
    return XR_SUCCESS;
}

RUNTIME_CALL(xrGetVulkanInstanceExtensionsKHR, XrInstance instance, XrSystemId system,
             uint32_t capacity, uint32_t *count, char *text)
{
    return none(capacity, count, text);
}

RUNTIME_CALL(xrGetVulkanDeviceExtensionsKHR, XrInstance instance, XrSystemId system,
             uint32_t capacity, uint32_t *count, char *text)
{
    return none(capacity, count, text);
}

static XrResult device_of(VkInstance vulkan, VkPhysicalDevice *device)
{
    uint32_t count = 1;
    const VkResult result = vkEnumeratePhysicalDevices(vulkan, &count, device);
    return result >= VK_SUCCESS && count == 1 ? XR_SUCCESS : XR_ERROR_RUNTIME_FAILURE;
}

RUNTIME_CALL(xrGetVulkanGraphicsDeviceKHR, XrInstance instance, XrSystemId system,
             VkInstance vulkan, VkPhysicalDevice *device)
{
    return device_of(vulkan, device);
}

RUNTIME_CALL(xrGetVulkanGraphicsDevice2KHR, XrInstance instance,
             const XrVulkanGraphicsDeviceGetInfoKHR *info, VkPhysicalDevice *device)
{
    return device_of(info->vulkanInstance, device);
}

RUNTIME_CALL(xrGetVulkanGraphicsRequirementsKHR, XrInstance instance, XrSystemId system,
             XrGraphicsRequirementsVulkanKHR *requirements)
{
    asked = true;
    requirements->minApiVersionSupported = XR_MAKE_VERSION(1, 0, 0);
    requirements->maxApiVersionSupported =
        XR_MAKE_VERSION(1, runtime_number("FOVEA_TEST_XR_VULKAN_MINOR", 3), 0);
    return XR_SUCCESS;
}

RUNTIME_CALL(xrGetVulkanGraphicsRequirements2KHR, XrInstance instance, XrSystemId system,
             XrGraphicsRequirementsVulkanKHR *requirements)
{
    return xrGetVulkanGraphicsRequirementsKHR_(instance, system, requirements);
}

RUNTIME_CALL(xrCreateVulkanInstanceKHR, XrInstance instance,
             const XrVulkanInstanceCreateInfoKHR *info, VkInstance *vulkan, VkResult *result)
{
    RUNTIME_LOCKED;
    RUNTIME_TRY(runtime_scripted(__func__));
    RUNTIME_REFUSE_IF(!info || !info->vulkanCreateInfo, XR_ERROR_VALIDATION_FAILURE, "nothing");
    const VkApplicationInfo *program = info->vulkanCreateInfo->pApplicationInfo;
    if (getenv("FOVEA_TEST_XR_VULKAN_1_0") && program && program->apiVersion > VK_API_VERSION_1_0) {
        runtime_say("no Vulkan 1.1");
        *result = VK_ERROR_INCOMPATIBLE_DRIVER;
        return XR_SUCCESS;
    }
    PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)info->pfnGetInstanceProcAddr(VK_NULL_HANDLE, "vkCreateInstance");
    *result = create(info->vulkanCreateInfo, info->vulkanAllocator, vulkan);
    return XR_SUCCESS;
}

RUNTIME_CALL(xrCreateVulkanDeviceKHR, XrInstance instance, const XrVulkanDeviceCreateInfoKHR *info,
             VkDevice *device, VkResult *result)
{
    *result = vkCreateDevice(info->vulkanPhysicalDevice, info->vulkanCreateInfo,
                             info->vulkanAllocator, device);
    return XR_SUCCESS;
}
