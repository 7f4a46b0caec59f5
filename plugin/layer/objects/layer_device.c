/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/layer/layer.h"
#include "plugin/layer/present/layer_reserve.h"
#include "plugin/layer/session/layer_session.h"

#include "core/log.h"

#include <stdlib.h>
#include <string.h>

/* ---- The loader's part of the chain ---------------------------------------------------------- */

static VkLayerDeviceCreateInfo *find_node(const VkDeviceCreateInfo *info, VkLayerFunction function)
{
    const VkLayerDeviceCreateInfo *node = info->pNext;
    while (node && !(node->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
                     node->function == function)) {
        node = node->pNext;
    }
    return (VkLayerDeviceCreateInfo *)node;
}

/* ---- What Fovea looks up --------------------------------------------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL allocate_command_buffers(
    VkDevice handle, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *commands)
{
    const struct layer_device *device = layer_registry_device(handle);
    VkResult result = device->vk.AllocateCommandBuffers(handle, info, commands);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; i++) {
        result = device->set_loader_data(handle, commands[i]);
    }
    return result;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc_addr(VkDevice handle, const char *name)
{
    const struct layer_device *device = layer_registry_device(handle);
    if (!device) {
        return NULL;
    }
    return strcmp(name, "vkAllocateCommandBuffers") == 0
               ? (PFN_vkVoidFunction)allocate_command_buffers
               : device->vk.GetDeviceProcAddr(handle, name);
}

PFN_vkVoidFunction VKAPI_CALL layer_proc_addr_for_fovea(VkInstance handle, const char *name)
{
    const struct layer_instance *instance = layer_registry_instance(handle);
    if (!instance) {
        return NULL;
    }
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)device_proc_addr;
    }
#define FIND(function)                                                                             \
    if (strcmp(name, "vk" #function) == 0) {                                                       \
        return (PFN_vkVoidFunction)instance->vk.function;                                          \
    }
    LAYER_INSTANCE_FUNCTIONS(FIND)
#undef FIND
    return NULL;
}

/* ---- The program's wishes and ours ----------------------------------------------------------- */

struct wishes {
    VkDeviceCreateInfo info; /* a shallow copy */
    const char **names; /* the program's extensions and ours */
    uint32_t count;
    bool timeline;
    struct layer_timing timing;
    struct layer_feature features[3];
    uint32_t feature_count;
};

/* Says whether kernels can see a swapchain's images. Vulkan 1.1 has all that this needs but the
 * list of formats. */
static bool offers_mutable_swapchains(const struct layer_instance *instance,
                                      VkPhysicalDevice physical)
{
    uint32_t count = 0;
    if (instance->vk.EnumerateDeviceExtensionProperties(physical, NULL, &count, NULL) < 0) {
        return false;
    }
    VkExtensionProperties *all = calloc(count + 1, sizeof *all);
    bool mutable_format = false;
    bool list = false;
    if (all && instance->vk.EnumerateDeviceExtensionProperties(physical, NULL, &count, all) >= 0) {
        for (uint32_t i = 0; i < count; i++) {
            const char *name = all[i].extensionName;
            mutable_format =
                mutable_format || strcmp(name, VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME) == 0;
            list = list || strcmp(name, VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME) == 0;
        }
    }
    free(all);
    return mutable_format && list;
}

static void add_name(struct wishes *wishes, const char *name)
{
    if (!layer_lists(wishes->names, wishes->count, name)) {
        wishes->names[wishes->count++] = name;
    }
}

static struct layer_feature *add_feature(struct wishes *wishes, VkStructureType type)
{
    struct layer_feature *feature = &wishes->features[wishes->feature_count++];
    layer_feature_apply(feature, type, &wishes->info);
    return feature;
}

/* A bit of the program's that cannot be set leaves the frames unwatched. */
static void add_timing(struct wishes *wishes)
{
    const char *names[LAYER_MAX_TIMING_NAMES];
    const uint32_t count = layer_timing_names(&wishes->timing, names);
    if (wishes->timing.way == FOVEA_PRESENT_WAIT &&
        (!add_feature(wishes, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR)->on ||
         !add_feature(wishes, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR)->on)) {
        wishes->timing.way = FOVEA_PRESENT_UNKNOWN;
    }
    for (uint32_t i = 0; i < count; i++) {
        add_name(wishes, names[i]);
    }
}

/* False: without Fovea; there is too little memory, or the device has too little of Vulkan. */
static bool make_wishes(const struct layer_instance *instance, VkPhysicalDevice physical,
                        const VkDeviceCreateInfo *info, struct wishes *out)
{
    struct fovea_vk_requirements needs = {.struct_bytes = sizeof needs};
    if (fovea_vk_query_vulkan(instance->handle, physical, layer_proc_addr_for_fovea, &needs) < 0) {
        log_info(layer_log(), "the device is not for Fovea: it needs Vulkan 1.1");
        return false;
    }
    const uint32_t own = info->enabledExtensionCount;
    out->names =
        calloc(own + needs.device_extension_count + 2 + LAYER_MAX_TIMING_NAMES, sizeof *out->names);
    if (!out->names) {
        return false;
    }
    for (uint32_t i = 0; i < own; i++) {
        out->names[out->count++] = info->ppEnabledExtensionNames[i];
    }
    for (uint32_t i = 0; i < needs.device_extension_count; i++) {
        add_name(out, needs.device_extensions[i]);
    }
    if (offers_mutable_swapchains(instance, physical)) {
        add_name(out, VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME);
    }
    out->info = *info;
    if (needs.timeline_semaphore) {
        out->timeline =
            add_feature(out, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)->on;
    }
    layer_timing_choose(instance, physical, info, &out->timing);
    add_timing(out);
    out->info.ppEnabledExtensionNames = out->names;
    out->info.enabledExtensionCount = out->count;
    return true;
}

/* Devices of several GPUs are left alone, and so are those that show nothing. */
static const char *obstacle(const VkDeviceCreateInfo *info)
{
    const VkDeviceGroupDeviceCreateInfo *group =
        layer_find(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
    if (group && group->physicalDeviceCount > 1) {
        return "it is a group of GPUs";
    }
    return layer_lists(info->ppEnabledExtensionNames, info->enabledExtensionCount,
                       VK_KHR_SWAPCHAIN_EXTENSION_NAME)
               ? NULL
               : "it presents nothing";
}

/* ---- The device ------------------------------------------------------------------------------ */

static void load(struct layer_device *device, PFN_vkGetDeviceProcAddr next)
{
    device->vk.GetDeviceProcAddr = next;
#define LOAD(name) device->vk.name = (PFN_vk##name)next(device->handle, "vk" #name);
    LAYER_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
#ifdef VK_EXT_swapchain_maintenance1
    const PFN_vkVoidFunction khr = next(device->handle, "vkReleaseSwapchainImagesKHR");
    device->vk.ReleaseSwapchainImages =
        (PFN_vkReleaseSwapchainImagesEXT)(khr ? khr
                                              : next(device->handle,
                                                     "vkReleaseSwapchainImagesEXT"));
#endif
}

static void free_device(struct layer_device *device)
{
    for (uint32_t i = 0; i < device->extension_count; i++) {
        free((char *)device->extensions[i]);
    }
    free(device->extensions);
    layer_reserve_free_device(device);
}

/* The names are the program's, and may be gone after the call. */
static bool keep_extensions(struct layer_device *device, const struct wishes *wishes)
{
    device->extensions = calloc(wishes->count + 1, sizeof *device->extensions);
    for (uint32_t i = 0; device->extensions && i < wishes->count; i++) {
        device->extensions[i] = strdup(wishes->names[i]);
        if (!device->extensions[i]) {
            return false;
        }
        device->extension_count++;
    }
    return device->extensions != NULL;
}

struct links {
    VkLayerDeviceCreateInfo *link;
    VkLayerDeviceLink *next; /* what the next layer shall find in `link` */
    PFN_vkCreateDevice create;
    PFN_vkGetDeviceProcAddr get;
};

static VkResult create_with(const struct links *links, VkPhysicalDevice physical,
                            const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
                            VkDevice *out_device)
{
    /* Layers below have moved it on where a first try failed. */
    links->link->u.pLayerInfo = links->next;
    return links->create(physical, info, allocator, out_device);
}

/* First with what Fovea needs; if that fails as the program asked. */
static VkResult create_below(struct layer_device *device, const struct links *links,
                             const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
                             VkDevice *out_device)
{
    struct wishes wishes = {0};
    const char *reason = device->inert ? NULL : obstacle(info);
    VkResult result = VK_ERROR_UNKNOWN;
    if (reason) {
        log_info(layer_log(), "a device is left alone: %s", reason);
    } else if (!device->inert && make_wishes(device->instance, device->physical, info, &wishes)) {
        result = create_with(links, device->physical, &wishes.info, allocator, out_device);
        for (uint32_t i = 0; i < wishes.feature_count; i++) {
            layer_feature_restore(&wishes.features[i]);
        }
        if (result != VK_SUCCESS) {
            log_warning(layer_log(),
                        "the device cannot be made with what Fovea needs (VkResult "
                        "%d); it is left alone",
                        (int)result);
        }
    }
    device->timeline = wishes.timeline;
    device->timing = wishes.timing;
    device->inert = result != VK_SUCCESS || !keep_extensions(device, &wishes);
    free(wishes.names);
    return result == VK_SUCCESS ? result
                                : create_with(links, device->physical, info, allocator, out_device);
}

VKAPI_ATTR VkResult VKAPI_CALL layer_CreateDevice(VkPhysicalDevice physical,
                                                  const VkDeviceCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator,
                                                  VkDevice *out_device)
{
    struct layer_instance *instance = layer_registry_instance(physical);
    const VkLayerDeviceCreateInfo *callback = find_node(info, VK_LOADER_DATA_CALLBACK);
    struct links links = {.link = find_node(info, VK_LAYER_LINK_INFO)};
    if (!instance || !links.link || !links.link->u.pLayerInfo) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    layer_leave_out_device_twins(links.link->u.pLayerInfo);
    links.get = links.link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    links.create = (PFN_vkCreateDevice)links.link->u.pLayerInfo->pfnNextGetInstanceProcAddr(
        instance->handle, "vkCreateDevice");
    links.next = links.link->u.pLayerInfo->pNext;
    if (!links.create) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    struct layer_device *device = layer_reserve_device();
    if (!device) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    device->instance = instance;
    device->physical = physical;
    device->inert |= instance->inert || !callback;
    layer_direct_note(device, info, links.link->u.pLayerInfo);
    const VkResult result = create_below(device, &links, info, allocator, out_device);
    if (result != VK_SUCCESS) {
        free_device(device);
        return result;
    }
    device->handle = *out_device;
    device->key = layer_key(*out_device);
    device->set_loader_data = callback ? callback->u.pfnSetDeviceLoaderData : NULL;
    load(device, links.get);
    layer_registry_add_device(device);
    return VK_SUCCESS;
}

/* All that is Fovea's goes; the device's queues end what it has given them. */
static void leave(struct layer_device *device)
{
    while (device->swapchains) { /* of a program that has forgotten them */
        struct layer_swapchain *swapchain = device->swapchains;
        (void)layer_registry_take_swapchain(device, swapchain->handle);
        layer_timing_leave(swapchain);
        layer_contexts_leave(swapchain);
        layer_swapchain_free(swapchain);
    }
    layer_contexts_finish(device);
    layer_swapchains_finish(device);
    layer_aliases_finish(device);
}

/* The loader unloads the driver with its last instance, whatever is left of it: contexts have
 * threads in there. */
void layer_devices_leave(const struct layer_instance *instance)
{
    struct layer_device *device;
    while ((device = layer_registry_take_device_of(instance)) != NULL) {
        leave(device);
        free_device(device);
    }
}

VKAPI_ATTR void VKAPI_CALL layer_DestroyDevice(VkDevice handle,
                                               const VkAllocationCallbacks *allocator)
{
    struct layer_device *device = handle ? layer_registry_device(handle) : NULL;
    if (!device) {
        return;
    }
    if (!layer_instance_is_parents(device->instance)) {
        leave(device);
    }
    layer_registry_take_device(handle);
    layer_made_forget(handle, VK_NULL_HANDLE);
    device->vk.DestroyDevice(handle, allocator);
    free_device(device);
}

/* ---- Queues: seen when the program asks for them --------------------------------------------- */

static bool can_compute(const struct layer_device *device, uint32_t family)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    device->instance->vk.GetPhysicalDeviceQueueFamilyProperties(device->physical, &count, families);
    return family < count && (families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
}

static void note_queue(VkDevice handle, uint32_t family, bool is_protected, VkQueue queue)
{
    struct layer_device *device = layer_registry_device(handle);
    if (queue && !device->inert) {
        const struct layer_queue entry = {
            .handle = queue,
            .family = family,
            .usable = !is_protected && can_compute(device, family),
        };
        layer_registry_add_queue(device, &entry);
    }
}

VKAPI_ATTR void VKAPI_CALL layer_GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index,
                                                VkQueue *out_queue)
{
    layer_registry_device(device)->vk.GetDeviceQueue(device, family, index, out_queue);
    note_queue(device, family, false, *out_queue);
}

VKAPI_ATTR void VKAPI_CALL layer_GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *info,
                                                 VkQueue *out_queue)
{
    layer_registry_device(device)->vk.GetDeviceQueue2(device, info, out_queue);
    note_queue(device, info->queueFamilyIndex,
               (info->flags & VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT) != 0, *out_queue);
}
