/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A program for headsets that has what hello_xr has not. Each frame shows blocks of many colours,
 * others in each frame and view. FOVEA_TEST_XR_FORMAT: the VkFormat of its swapchains.
 *
 * FOVEA_TEST_XR_DEPTH: depths are handed over in swapchains like those of the colours, of the
 * VkFormat FOVEA_TEST_XR_DEPTH_FORMAT, with these words: reversed; infinite or largest: so is the
 * far plane; part: values are from 0.25 to 1. What is wrong of them: null, outside, layer, small,
 * equal, behind, empty; one: the left eye has some; old: only in the first frame; early: the next
 * image is waited for before the frame ends. */
#pragma once

#include "plugin/openxr/openxr_loader.h"

#include <stdbool.h>

#define PROGRAM_IMAGES 8
#define PROGRAM_VIEWS 4
#define PROGRAM_QUADS 16 /* of a crowd */
#define PROGRAM_BYTES (20u << 20) /* of the pictures of one swapchain */

struct gpu {
    bool old; /* made without the runtime: XR_KHR_vulkan_enable */
    bool least; /* of the version that the runtime asks for at least, where that is later */
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

struct program_chain {
    XrSwapchain handle;
    VkImage images[PROGRAM_IMAGES];
    uint32_t image; /* the next one, as far as the program has it */
    bool acquired;
    bool waited;
};

struct program {
    const char *kind;
    bool blended; /* by its alpha */
    const char *layer; /* of OpenXR, that it asks for; NULL: none */
    XrInstance instance;
    XrSystemId system;
    XrActionSet set;
    XrAction look; /* XR_NULL_HANDLE: it asks for no eyes */
    struct gpu gpu;
};

struct program_session {
    struct program *program;
    XrSession handle;
    XrSpace space;
    XrSpace eyes; /* likewise */
    XrViewConfigurationType type;
    uint32_t view_count;
    int64_t format;
    uint32_t texel_bytes;
    uint32_t chain_count;
    struct program_chain chains[PROGRAM_VIEWS];
    struct program_chain depths[PROGRAM_VIEWS];
    XrExtent2Di whole; /* of the first view, as the runtime recommends it */
    XrSwapchainSubImage places[PROGRAM_VIEWS];
    float frusta_part; /* of the runtime's, that is drawn */
    bool quad_alone; /* no projection layer is shown */
    XrSwapchainSubImage depth_places[PROGRAM_VIEWS];
};

/* A call that does not succeed ends the program. */
#define MUST(call) must((long)(call), #call)
void must(long result, const char *call);
PFN_xrVoidFunction function_of(XrInstance instance, const char *name);

/* ---- program_session.c ---- */
bool program_is(const struct program *program, const char *kind);
/* Instance and device. */
void program_start(struct program *program);
void program_begin(struct program *program, struct program_session *session);
void program_look(const struct program_session *session, XrTime time);
/* Waits for the next frame's turn; a program of several threads begins it on another one. */
XrTime program_wait_frame(const struct program_session *session);
/* Waits for it and begins it. */
XrTime program_begin_frame(const struct program_session *session);
/* Writes blocks of 8 pixels to gpu.texels. */
void program_paint(const struct program_session *session, uint32_t frame, uint32_t view);
/* Acquires the next image, or waits for it too, unless that was done. */
void program_acquire(struct program_chain *chain);
void program_wait(struct program_chain *chain);
/* Acquires it and waits for it. */
uint32_t program_next_image(XrSwapchain handle);
/* Hands the runtime what was released. */
void program_end_frame(const struct program_session *session, XrTime time);
void program_finish(const struct program_session *session);

/* ---- program_depth.c ---- */
bool program_has_depths(const struct program *program);
int64_t program_depth_format(void);
void program_draw_depths(struct program_session *session, uint32_t frame);
/* False: the view has none. */
bool program_say_depths(const struct program_session *session, uint32_t view,
                        XrCompositionLayerDepthInfoKHR *out);

/* ---- program_vulkan.c ---- */
void gpu_make(XrInstance instance, XrSystemId system, struct gpu *gpu);
void gpu_drop(const struct gpu *gpu);
/* Draws gpu->texels into a rectangle of one layer; the image stays a colour attachment. */
void gpu_draw(const struct gpu *gpu, VkImage image, const XrRect2Di *rect, uint32_t layer);
/* The same of values of depths of that format, which stays a depth attachment. */
void gpu_draw_depths(const struct gpu *gpu, VkImage image, const XrRect2Di *rect, uint32_t layer,
                     int64_t format);
