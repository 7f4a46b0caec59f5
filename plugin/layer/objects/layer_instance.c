/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/layer/layer.h"
#include "plugin/layer/present/layer_reserve.h"
#include "plugin/layer/session/layer_dump.h"
#include "plugin/layer/session/layer_programs.h"
#include "plugin/layer/session/layer_session.h"

#include "core/log.h"
#include "core/process.h"

#include <stdlib.h>

static VkLayerInstanceCreateInfo *find_link(const VkInstanceCreateInfo *info)
{
    const VkLayerInstanceCreateInfo *link = info->pNext;
    while (link && !(link->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
                     link->function == VK_LAYER_LINK_INFO)) {
        link = link->pNext;
    }
    return (VkLayerInstanceCreateInfo *)link; /* the loader's; to be advanced by each layer */
}

/* With the version that Fovea needs: 1.2, for timeline semaphores. Loaders and drivers since 2018
 * take any; the next layer cannot be asked without an instance, Mesa's device selection crashes at
 * that. */
static VkResult create_for_fovea(struct layer_instance *instance, PFN_vkCreateInstance create,
                                 const VkInstanceCreateInfo *info,
                                 const VkAllocationCallbacks *allocator, VkInstance *out_instance)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
    if (info->pApplicationInfo) {
        application = *info->pApplicationInfo;
    }
    if (application.apiVersion < VK_API_VERSION_1_2) {
        application.apiVersion = VK_API_VERSION_1_2;
    }
    instance->version = application.apiVersion;
    VkInstanceCreateInfo own = *info;
    own.pApplicationInfo = &application;
    return create(&own, allocator, out_instance);
}

static VkResult create_below(struct layer_instance *instance, VkLayerInstanceCreateInfo *link,
                             PFN_vkCreateInstance create, const VkInstanceCreateInfo *info,
                             const VkAllocationCallbacks *allocator, VkInstance *out_instance)
{
    VkLayerInstanceLink *next = link->u.pLayerInfo->pNext;
    if (!instance->inert) {
        link->u.pLayerInfo = next;
        const VkResult result = create_for_fovea(instance, create, info, allocator, out_instance);
        if (result == VK_SUCCESS) {
            return result;
        }
        instance->inert = true;
    }
    link->u.pLayerInfo = next; /* layers below have moved it on */
    instance->version = info->pApplicationInfo && info->pApplicationInfo->apiVersion
                            ? info->pApplicationInfo->apiVersion
                            : VK_API_VERSION_1_0;
    return create(info, allocator, out_instance);
}

static void load(struct layer_instance *instance, PFN_vkGetInstanceProcAddr next)
{
    instance->vk.GetInstanceProcAddr = next;
#define LOAD(name) instance->vk.name = (PFN_vk##name)next(instance->handle, "vk" #name);
    LAYER_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
}

/* Once, however many instances. */
static void tell_names(const struct program_names *names)
{
    static struct said said;
    log_once(&said, 0, FOVEA_LOG_INFO, layer_log(), "apps know this program as \"%s%s%s\"",
             names->name, names->script[0] ? " " : "", names->script);
}

static void note(struct layer_instance *instance)
{
    struct program_names names;
    program_names_find(&names);
    const char *refusal = layer_programs_refusal(&names);
    if (instance->inert) {
        log_warning(layer_log(), "this program is left alone: out of memory");
    } else if (refusal) {
        instance->inert = true;
        log_info(layer_log(), "this program is left alone: %s", refusal);
    } else {
        tell_names(&names);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL layer_CreateInstance(const VkInstanceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkInstance *out_instance)
{
    VkLayerInstanceCreateInfo *link = find_link(info);
    if (!link || !link->u.pLayerInfo) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    layer_leave_out_instance_twins(link->u.pLayerInfo);
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next(NULL, "vkCreateInstance");
    if (!create) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    struct layer_instance *instance = layer_reserve_instance();
    if (!instance) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    layer_session_enter();
    layer_dump_open();
    note(instance);
    const VkResult result = create_below(instance, link, create, info, allocator, out_instance);
    if (result != VK_SUCCESS) {
        layer_reserve_free_instance(instance);
        layer_session_leave();
        return result;
    }
    instance->process = getpid();
    instance->handle = *out_instance;
    instance->key = layer_key(*out_instance);
    load(instance, next);
    layer_registry_add_instance(instance);
    return VK_SUCCESS;
}

bool layer_instance_is_parents(const struct layer_instance *instance)
{
    return process_is_child_of(instance->process);
}

VKAPI_ATTR void VKAPI_CALL layer_DestroyInstance(VkInstance handle,
                                                 const VkAllocationCallbacks *allocator)
{
    struct layer_instance *instance = handle ? layer_registry_take_instance(handle) : NULL;
    if (!instance) {
        return;
    }
    const bool is_parents = layer_instance_is_parents(instance);
    if (!is_parents) {
        layer_devices_leave(instance); /* of a program that has forgotten them */
    }
    instance->vk.DestroyInstance(handle, allocator);
    while (instance->windows) {
        struct layer_window *window = instance->windows;
        instance->windows = window->next;
        free(window);
    }
    layer_reserve_free_instance(instance);
    if (!is_parents) {
        layer_session_leave();
    }
}
