/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "probe.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static PFN_vkGetInstanceProcAddr open_loader(struct probe *probe)
{
    void *loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = loader ? dlsym(loader, "vkGetInstanceProcAddr") : NULL;
    struct link_map *map;
    if (!symbol) {
        snprintf(probe->loader_fault, sizeof probe->loader_fault, "%s", dlerror());
        return NULL;
    }
    if (dlinfo(loader, RTLD_DI_LINKMAP, &map) == 0) {
        path_print(probe->loader, "%s", map->l_name);
    }
    PFN_vkGetInstanceProcAddr find;
    memcpy(&find, &symbol, sizeof find);
    return find;
}

static void ask_version(struct probe *probe, PFN_vkGetInstanceProcAddr find)
{
    PFN_vkEnumerateInstanceVersion enumerate =
        (PFN_vkEnumerateInstanceVersion)find(NULL, "vkEnumerateInstanceVersion");
    if (!enumerate || enumerate(&probe->loader_version) != VK_SUCCESS) {
        probe->loader_version = VK_API_VERSION_1_0;
    }
}

static void ask_layers(struct probe *probe, PFN_vkGetInstanceProcAddr find)
{
    PFN_vkEnumerateInstanceLayerProperties enumerate =
        (PFN_vkEnumerateInstanceLayerProperties)find(NULL, "vkEnumerateInstanceLayerProperties");
    uint32_t count = 0;
    if (!enumerate || enumerate(&count, NULL) != VK_SUCCESS) {
        return;
    }
    VkLayerProperties *layers = calloc(count ? count : 1, sizeof *layers);
    if (layers && enumerate(&count, layers) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            probe->listed |= strcmp(layers[i].layerName, LAYER_NAME) == 0;
        }
    }
    free(layers);
}

static int note_library(struct dl_phdr_info *info, size_t size, void *user)
{
    struct probe *probe = user;
    (void)size;
    if (info->dlpi_name && strcmp(file_name(info->dlpi_name), LAYER_LIBRARY) == 0) {
        path_print(probe->active, "%s", info->dlpi_name);
    }
    return 0;
}

/* ---- Devices --------------------------------------------------------------------------------- */

static void ask_device(struct probe_device *device, PFN_vkGetInstanceProcAddr find,
                       VkInstance instance, VkPhysicalDevice physical)
{
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    PFN_vkGetPhysicalDeviceProperties get =
        (PFN_vkGetPhysicalDeviceProperties)find(instance, "vkGetPhysicalDeviceProperties");
    PFN_vkGetPhysicalDeviceProperties2 get2 =
        (PFN_vkGetPhysicalDeviceProperties2)find(instance, "vkGetPhysicalDeviceProperties2");
    get(physical, &all.properties);
    if (get2 && all.properties.apiVersion >= VK_API_VERSION_1_1) {
        all.pNext = &id;
        id.pNext = all.properties.apiVersion >= VK_API_VERSION_1_2 ? &driver : NULL;
        get2(physical, &all);
        memcpy(device->uuid, id.deviceUUID, sizeof device->uuid);
        device->uuid_known = true;
    }
    snprintf(device->name, sizeof device->name, "%s", all.properties.deviceName);
    snprintf(device->driver, sizeof device->driver, "%s%s%s", driver.driverName,
             driver.driverInfo[0] ? " " : "", driver.driverInfo);
    device->software = all.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

static void ask_devices(struct probe *probe, PFN_vkGetInstanceProcAddr find, VkInstance instance)
{
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)find(instance, "vkEnumeratePhysicalDevices");
    VkPhysicalDevice physical[PROBE_DEVICES_MAX];
    uint32_t count = PROBE_DEVICES_MAX;
    if (!enumerate || enumerate(instance, &count, physical) < VK_SUCCESS) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        ask_device(&probe->devices[i], find, instance, physical[i]);
        probe->device_count = i + 1;
    }
}

void probe_vulkan(struct probe *probe)
{
    PFN_vkGetInstanceProcAddr find = open_loader(probe);
    if (!find) {
        return;
    }
    ask_version(probe, find);
    ask_layers(probe, find);
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "fovea-run",
                                           .apiVersion = probe->loader_version};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)find(NULL, "vkCreateInstance");
    VkInstance instance = NULL;
    probe->instance_result = create ? create(&info, NULL, &instance) : VK_NOT_READY;
    if (probe->instance_result == VK_SUCCESS) {
        dl_iterate_phdr(note_library, probe);
        ask_devices(probe, find, instance);
    }
}

/* ---- The library ----------------------------------------------------------------------------- */

static void ask_library(struct probe *probe, const VkNegotiateLayerInterface *layer)
{
    PFN_vkEnumerateInstanceLayerProperties enumerate =
        (PFN_vkEnumerateInstanceLayerProperties)layer->pfnGetInstanceProcAddr(
            NULL, "vkEnumerateInstanceLayerProperties");
    VkLayerProperties properties = {0};
    uint32_t count = 1;
    if (enumerate && enumerate(&count, &properties) >= VK_SUCCESS && count == 1) {
        probe->library_version = properties.implementationVersion;
    }
}

void probe_library(struct probe *probe, const char *library)
{
    VkNegotiateLayerInterface layer = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT,
                                       .loaderLayerInterfaceVersion = 2};
    void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!opened) {
        snprintf(probe->library_fault, sizeof probe->library_fault, "%s", dlerror());
        return;
    }
    PFN_vkNegotiateLoaderLayerInterfaceVersion negotiate;
    void *symbol = dlsym(opened, "vkNegotiateLoaderLayerInterfaceVersion");
    memcpy(&negotiate, &symbol, sizeof negotiate);
    if (!negotiate || negotiate(&layer) != VK_SUCCESS || !layer.pfnGetInstanceProcAddr) {
        snprintf(probe->library_fault, sizeof probe->library_fault, "it is no Vulkan layer");
        return;
    }
    ask_library(probe, &layer);
}
