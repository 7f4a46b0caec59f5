/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The protocol between OpenXR's loader, its layers and its runtimes (the specification of the
 * loader, interface version 1). Debian 12 has no header of it. */
#pragma once

#include <vulkan/vulkan_core.h>

#define XR_USE_GRAPHICS_API_VULKAN
#include <openxr/openxr.h>
#include <openxr/openxr_platform.h>

#include <stddef.h>
#include <stdint.h>

#define XR_LOADER_INTERFACE 1u

enum xr_loader_struct {
    XR_LOADER_INFO = 1,
    XR_LOADER_LAYER_REQUEST = 2,
    XR_LOADER_RUNTIME_REQUEST = 3,
    XR_LOADER_LAYER_CREATE_INFO = 4,
    XR_LOADER_LAYER_NEXT_INFO = 5,
};

struct xr_loader_info {
    enum xr_loader_struct type;
    uint32_t version;
    size_t bytes;
    uint32_t least_interface;
    uint32_t most_interface;
    XrVersion least_api;
    XrVersion most_api;
};

struct xr_layer_create_info;
typedef XrResult(XRAPI_PTR *xr_create_layer_instance)(const XrInstanceCreateInfo *info,
                                                      const struct xr_layer_create_info *layer,
                                                      XrInstance *out_instance);

struct xr_layer_request {
    enum xr_loader_struct type;
    uint32_t version;
    size_t bytes;
    uint32_t interface_version;
    XrVersion api_version;
    PFN_xrGetInstanceProcAddr get_instance_proc_addr;
    xr_create_layer_instance create_instance;
};

struct xr_runtime_request {
    enum xr_loader_struct type;
    uint32_t version;
    size_t bytes;
    uint32_t interface_version;
    XrVersion api_version;
    PFN_xrGetInstanceProcAddr get_instance_proc_addr;
};

struct xr_layer_next_info {
    enum xr_loader_struct type;
    uint32_t version;
    size_t bytes;
    char name[XR_MAX_API_LAYER_NAME_SIZE];
    PFN_xrGetInstanceProcAddr get_instance_proc_addr;
    xr_create_layer_instance create_instance;
    struct xr_layer_next_info *next;
};

struct xr_layer_create_info {
    enum xr_loader_struct type;
    uint32_t version;
    size_t bytes;
    void *loader_instance;
    char settings_file[512];
    struct xr_layer_next_info *next;
};
