/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A program for headsets that has what hello_xr has not. Each frame shows blocks of many colours,
 * others in each frame and view. */
#ifndef FOVEA_TEST_XR_PROGRAM_H
#define FOVEA_TEST_XR_PROGRAM_H

#include "plugin/openxr/openxr_loader.h"

#include <stdbool.h>

#define PROGRAM_IMAGES 8
#define PROGRAM_VIEWS 4
#define PROGRAM_BYTES (8u << 20) /* of the pictures of one swapchain */

struct gpu {
    bool old; /* made without the runtime: XR_KHR_vulkan_enable */
    uint32_t version;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint8_t *texels;
};

/* What does not succeed ends the program. */
#define MUST(call) must((long)(call), #call)
void must(long result, const char *call);
PFN_xrVoidFunction function_of(XrInstance instance, const char *name);

/* ---- program_vulkan.c ---- */
void gpu_make(XrInstance instance, XrSystemId system, struct gpu *gpu);
void gpu_drop(const struct gpu *gpu);
/* What gpu->texels has, into a rectangle of one layer; the image stays a colour attachment. */
void gpu_draw(const struct gpu *gpu, VkImage image, const XrRect2Di *rect, uint32_t layer);

#endif
