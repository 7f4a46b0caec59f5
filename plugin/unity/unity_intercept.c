/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How Unity makes its Vulkan instance and device: with what CUDA shares images and semaphores by
 * added to the device, as far as it has it. Whatever fails, Unity gets what it asked for. */

#include "unity.h"

#include <stdlib.h>
#include <string.h>

#define PHYSICAL_MAX 32

/* Unity makes one device, at its start, on one thread. It may have made other instances before, to
 * look at what there is, and they may be gone: an instance is used only if it has told the physical
 * device that the device is to be of, or if it is the only one that there was. */
static struct {
    PFN_vkGetInstanceProcAddr next;
    PFN_vkCreateDevice create_device; /* the next one's */
    VkInstance only; /* NULL: there were none or several */
    uint32_t instance_count;
    struct told {
        VkPhysicalDevice physical;
        VkInstance by;
    } told[PHYSICAL_MAX];
    uint32_t told_count;
    VkDevice device;
    struct fovea_vk_requirements needs; /* what the device was made with */
} seen;

/* ---- The instance ---- */

static VkResult create_instance_by(const VkInstanceCreateInfo *info,
                                   const VkAllocationCallbacks *allocator, VkInstance *out_instance)
{
    PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)seen.next(VK_NULL_HANDLE, "vkCreateInstance");
    return create ? create(info, allocator, out_instance) : VK_ERROR_INITIALIZATION_FAILED;
}

static bool loader_has_1_1(void)
{
    uint32_t version = 0;
    PFN_vkEnumerateInstanceVersion enumerate =
        (PFN_vkEnumerateInstanceVersion)seen.next(VK_NULL_HANDLE, "vkEnumerateInstanceVersion");
    return enumerate && enumerate(&version) == VK_SUCCESS && version >= VK_API_VERSION_1_1;
}

/* Fovea needs an instance of Vulkan 1.1, which has all that one of 1.0 has. */
static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *out_instance)
{
    VkInstanceCreateInfo raised = *info;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
    if (info->pApplicationInfo) {
        application = *info->pApplicationInfo;
    }
    VkResult result = VK_ERROR_INITIALIZATION_FAILED;
    if (application.apiVersion < VK_API_VERSION_1_1 && loader_has_1_1()) {
        application.apiVersion = VK_API_VERSION_1_1;
        raised.pApplicationInfo = &application;
        result = create_instance_by(&raised, allocator, out_instance);
    }
    if (result != VK_SUCCESS) {
        result = create_instance_by(info, allocator, out_instance);
    }
    if (result == VK_SUCCESS) {
        seen.only = seen.instance_count++ == 0 ? *out_instance : VK_NULL_HANDLE;
    }
    return result;
}

/* ---- Whose a physical device is: another instance may get the handle of one that has gone */

static void tell(VkPhysicalDevice physical, VkInstance by)
{
    uint32_t at = 0;
    while (at < seen.told_count && seen.told[at].physical != physical) {
        at++;
    }
    if (at < PHYSICAL_MAX) {
        seen.told[at] = (struct told){physical, by};
        seen.told_count += at == seen.told_count;
    }
}

static VkInstance instance_of(VkPhysicalDevice physical)
{
    for (uint32_t i = 0; i < seen.told_count; i++) {
        if (seen.told[i].physical == physical) {
            return seen.told[i].by;
        }
    }
    return seen.only;
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_physical(VkInstance instance, uint32_t *count,
                                                         VkPhysicalDevice *out_devices)
{
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)seen.next(instance, "vkEnumeratePhysicalDevices");
    const VkResult result =
        enumerate ? enumerate(instance, count, out_devices) : VK_ERROR_INITIALIZATION_FAILED;
    for (uint32_t i = 0; result >= 0 && out_devices && i < *count; i++) {
        tell(out_devices[i], instance);
    }
    return result;
}

static VkResult enumerate_groups_by(const char *name, VkInstance instance, uint32_t *count,
                                    VkPhysicalDeviceGroupProperties *out_groups)
{
    PFN_vkEnumeratePhysicalDeviceGroups enumerate =
        (PFN_vkEnumeratePhysicalDeviceGroups)seen.next(instance, name);
    const VkResult result =
        enumerate ? enumerate(instance, count, out_groups) : VK_ERROR_INITIALIZATION_FAILED;
    for (uint32_t i = 0; result >= 0 && out_groups && i < *count; i++) {
        for (uint32_t k = 0; k < out_groups[i].physicalDeviceCount; k++) {
            tell(out_groups[i].physicalDevices[k], instance);
        }
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_groups(VkInstance instance, uint32_t *count,
                                                       VkPhysicalDeviceGroupProperties *out_groups)
{
    return enumerate_groups_by("vkEnumeratePhysicalDeviceGroups", instance, count, out_groups);
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_groups_khr(
    VkInstance instance, uint32_t *count, VkPhysicalDeviceGroupProperties *out_groups)
{
    return enumerate_groups_by("vkEnumeratePhysicalDeviceGroupsKHR", instance, count, out_groups);
}

/* ---- The device ---- */

static bool names(const VkDeviceCreateInfo *info, const char *extension)
{
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        if (strcmp(info->ppEnabledExtensionNames[i], extension) == 0) {
            return true;
        }
    }
    return false;
}

enum asks { ASKS_NOT, ASKS_WITHOUT, ASKS_WITH };

/* Whether what Unity asks for says something of timeline semaphores. */
static enum asks asks_for_timeline(const VkDeviceCreateInfo *info)
{
    for (const VkBaseInStructure *link = info->pNext; link; link = link->pNext) {
        VkBool32 with = VK_FALSE;
        if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            with = ((const VkPhysicalDeviceVulkan12Features *)link)->timelineSemaphore;
        } else if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES) {
            with = ((const VkPhysicalDeviceTimelineSemaphoreFeatures *)link)->timelineSemaphore;
        } else {
            continue;
        }
        return with ? ASKS_WITH : ASKS_WITHOUT;
    }
    return ASKS_NOT;
}

static VkResult create_device_by(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                 const VkAllocationCallbacks *allocator, VkDevice *out_device)
{
    return seen.create_device ? seen.create_device(physical, info, allocator, out_device)
                              : VK_ERROR_INITIALIZATION_FAILED;
}

/* Unity's device with more; what it then has is in seen.needs. */
static VkResult create_with_needs(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                  const VkAllocationCallbacks *allocator, VkDevice *out_device)
{
    struct fovea_vk_requirements *needs = &seen.needs;
    const char **extensions =
        malloc((info->enabledExtensionCount + FOVEA_VK_MAX_EXTENSIONS) * sizeof *extensions);
    if (!extensions) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    VkDeviceCreateInfo more = *info;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        extensions[i] = info->ppEnabledExtensionNames[i];
    }
    for (uint32_t i = 0; i < needs->device_extension_count; i++) {
        if (!names(info, needs->device_extensions[i])) {
            extensions[more.enabledExtensionCount++] = needs->device_extensions[i];
        }
    }
    more.ppEnabledExtensionNames = extensions;
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .pNext = (void *)info->pNext,
        .timelineSemaphore = VK_TRUE};
    const enum asks asks = asks_for_timeline(info);
    if (asks == ASKS_NOT && needs->timeline_semaphore) {
        more.pNext = &timeline;
    }
    needs->timeline_semaphore = needs->timeline_semaphore && asks != ASKS_WITHOUT;
    const VkResult result = create_device_by(physical, &more, allocator, out_device);
    free(extensions);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkDevice *out_device)
{
    VkResult result = VK_ERROR_INITIALIZATION_FAILED;
    const VkInstance instance = instance_of(physical);
    seen.device = VK_NULL_HANDLE;
    fovea_vk_requirements_init(&seen.needs);
    if (instance && fovea_vk_query_vulkan(instance, physical, seen.next, &seen.needs) == FOVEA_OK) {
        result = create_with_needs(physical, info, allocator, out_device);
    }
    if (result == VK_SUCCESS) {
        seen.device = *out_device;
        return result;
    }
    return create_device_by(physical, info, allocator, out_device);
}

/* ---- The chain of plugins ---- */

/* Requests for other functions go to the next layer: some programs ask for anything. A device is
 * made by the function of the instance that Unity last asked for it. */
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance,
                                                                       const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } own[] = {{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_instance_proc_addr},
               {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
               {"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate_physical},
               {"vkEnumeratePhysicalDeviceGroups", (PFN_vkVoidFunction)enumerate_groups},
               {"vkEnumeratePhysicalDeviceGroupsKHR", (PFN_vkVoidFunction)enumerate_groups_khr},
               {"vkCreateDevice", (PFN_vkVoidFunction)create_device}};
    if (strcmp(name, "vkCreateDevice") == 0) {
        seen.create_device = (PFN_vkCreateDevice)seen.next(instance, name);
    }
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (strcmp(name, own[i].name) == 0) {
            return own[i].function;
        }
    }
    return seen.next(instance, name);
}

static PFN_vkGetInstanceProcAddr on_init(PFN_vkGetInstanceProcAddr next, void *user)
{
    (void)user;
    seen.next = next;
    seen.create_device = NULL;
    seen.only = VK_NULL_HANDLE;
    seen.instance_count = seen.told_count = 0;
    return get_instance_proc_addr;
}

bool unity_intercept_start(const struct unity_vulkan *vulkan, bool second_version)
{
    return second_version ? vulkan->add_intercept_initialization(on_init, NULL, 0)
                          : vulkan->intercept_initialization(on_init, NULL);
}

void unity_intercept_stop(const struct unity_vulkan *vulkan, bool second_version)
{
    if (second_version) {
        (void)vulkan->remove_intercept_initialization(on_init);
    }
}

bool unity_intercept_saw(VkDevice device)
{
    return device && device == seen.device;
}

void unity_intercept_forget(VkDevice device)
{
    if (seen.device == device) {
        seen.device = VK_NULL_HANDLE;
    }
}

bool unity_intercept_describe(VkDevice device, struct fovea_vk_desc *out_desc)
{
    if (!unity_intercept_saw(device)) {
        return false;
    }
    fovea_vk_desc_use(out_desc, &seen.needs);
    return true;
}
