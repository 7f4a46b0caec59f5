/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The protocol between a native plugin and Unity on 64-bit Linux: our own declarations of the few
 * interfaces that Fovea uses. Unity's headers have a licence of their own, and the one of Vulkan is
 * C++ alone. Sizes, offsets and slots are those of Unity's headers; tests/unity/ has a host that
 * offers the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#define UNITY_EXPORT __attribute__((visibility("default")))

/* ---- Interfaces are found by the two halves of their GUIDs ---- */

#define UNITY_GRAPHICS_HIGH 0x7CBA0A9CA4DDB544ull
#define UNITY_GRAPHICS_LOW 0x8C5AD4926EB17B11ull
#define UNITY_VULKAN_HIGH 0x95355348D4EF4E11ull
#define UNITY_VULKAN_LOW 0x9789313DFCFFCC87ull
#define UNITY_VULKAN_V2_HIGH 0x329334C09DCA4787ull
#define UNITY_VULKAN_V2_LOW 0xB347DD92A0097FFCull

struct unity_guid {
    uint64_t high;
    uint64_t low;
};

struct unity_interfaces {
    void *(*get_interface)(struct unity_guid);
    void (*register_interface)(struct unity_guid, void *);
    void *(*get_interface_split)(unsigned long long high, unsigned long long low);
    void (*register_interface_split)(unsigned long long high, unsigned long long low, void *);
};

enum unity_renderer { UNITY_RENDERER_NULL = 4, UNITY_RENDERER_VULKAN = 21 };

enum unity_device_event {
    UNITY_DEVICE_INITIALIZE = 0,
    UNITY_DEVICE_SHUTDOWN = 1,
    UNITY_DEVICE_BEFORE_RESET = 2,
    UNITY_DEVICE_AFTER_RESET = 3,
};

typedef void (*unity_device_event_fn)(enum unity_device_event event);

struct unity_graphics {
    enum unity_renderer (*get_renderer)(void);
    void (*register_device_event_callback)(unity_device_event_fn callback);
    void (*unregister_device_event_callback)(unity_device_event_fn callback);
    int (*reserve_event_id_range)(int count);
};

/* ---- Vulkan ---- */

struct unity_vulkan_instance {
    VkPipelineCache pipeline_cache;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkQueue graphics_queue;
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    uint32_t queue_family_index;
    void *reserved[8];
};

struct unity_vulkan_memory {
    VkDeviceMemory memory;
    VkDeviceSize offset;
    VkDeviceSize size;
    void *mapped;
    VkMemoryPropertyFlags flags;
    uint32_t memory_type_index;
    void *reserved[4];
};

struct unity_vulkan_image {
    struct unity_vulkan_memory memory;
    VkImage image;
    VkImageLayout layout;
    VkImageAspectFlags aspect;
    VkImageUsageFlags usage;
    VkFormat format;
    VkExtent3D extent;
    VkImageTiling tiling;
    VkImageType type;
    VkSampleCountFlagBits samples;
    int layers;
    int mip_count;
    void *reserved[4];
};

struct unity_vulkan_recording_state {
    VkCommandBuffer command_buffer;
    VkCommandBufferLevel command_buffer_level;
    VkRenderPass render_pass;
    VkFramebuffer framebuffer;
    int sub_pass_index;
    unsigned long long current_frame_number; /* of what is recorded now */
    unsigned long long safe_frame_number; /* up to here the GPU is done */
    void *reserved[4];
};

enum unity_resource_access {
    UNITY_ACCESS_OBSERVE_ONLY = 0,
    UNITY_ACCESS_PIPELINE_BARRIER = 1,
    UNITY_ACCESS_RECREATE = 2,
};

enum unity_render_pass {
    UNITY_RENDER_PASS_DONT_CARE = 0,
    UNITY_RENDER_PASS_ENSURE_INSIDE = 1,
    UNITY_RENDER_PASS_ENSURE_OUTSIDE = 2,
};

enum unity_queue_access { UNITY_QUEUE_DONT_CARE = 0, UNITY_QUEUE_ALLOW = 1 };

enum unity_event_flag {
    UNITY_EVENT_ENSURE_PREVIOUS_FRAME_SUBMISSION = 1,
    UNITY_EVENT_FLUSH_COMMAND_BUFFERS = 2,
    UNITY_EVENT_SYNC_WORKER_THREADS = 4,
    UNITY_EVENT_MODIFIES_COMMAND_BUFFERS_STATE = 8,
};

struct unity_event_config {
    enum unity_render_pass render_pass_precondition;
    enum unity_queue_access graphics_queue_access;
    uint32_t flags;
};

typedef void (*unity_event_and_data_fn)(int event, void *data);
typedef PFN_vkGetInstanceProcAddr (*unity_vulkan_init_fn)(PFN_vkGetInstanceProcAddr next,
                                                          void *user);

/* Both versions: the first 13 functions are the same. Those that Fovea does not call have no
 * signature here. */
struct unity_vulkan {
    bool (*intercept_initialization)(unity_vulkan_init_fn callback, void *user);
    void (*intercept_vulkan_api)(void);
    void (*configure_event)(int event, const struct unity_event_config *config);
    struct unity_vulkan_instance (*instance)(void);
    bool (*command_recording_state)(struct unity_vulkan_recording_state *out_state,
                                    enum unity_queue_access queue_access);
    /* The subresource NULL is all of the image. */
    bool (*access_texture)(void *native_texture, const VkImageSubresource *subresource,
                           VkImageLayout layout, VkPipelineStageFlags stages, VkAccessFlags access,
                           enum unity_resource_access mode, struct unity_vulkan_image *out_image);
    void (*access_render_buffer_texture)(void);
    void (*access_render_buffer_resolve_texture)(void);
    void (*access_buffer)(void);
    void (*ensure_outside_render_pass)(void);
    void (*ensure_inside_render_pass)(void);
    void (*access_queue)(void);
    void (*configure_swapchain)(void);
    /* The second version alone has these. */
    void (*access_texture_by_id)(void);
    bool (*add_intercept_initialization)(unity_vulkan_init_fn callback, void *user,
                                         int32_t priority);
    bool (*remove_intercept_initialization)(unity_vulkan_init_fn callback);
};

#define UNITY_SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
#define UNITY_AT(type, member, offset)                                                             \
    _Static_assert(offsetof(struct type, member) == (offset), #type "." #member)

UNITY_SIZE(unity_interfaces, 32);
UNITY_SIZE(unity_graphics, 32);
UNITY_SIZE(unity_vulkan, 16 * 8);
UNITY_AT(unity_vulkan, configure_event, 2 * 8);
UNITY_AT(unity_vulkan, access_texture, 5 * 8);
UNITY_AT(unity_vulkan, configure_swapchain, 12 * 8);
UNITY_AT(unity_vulkan, add_intercept_initialization, 14 * 8);

UNITY_SIZE(unity_vulkan_instance, 120);
UNITY_AT(unity_vulkan_instance, get_instance_proc_addr, 40);
UNITY_AT(unity_vulkan_instance, queue_family_index, 48);
UNITY_AT(unity_vulkan_instance, reserved, 56);

UNITY_SIZE(unity_vulkan_memory, 72);
UNITY_AT(unity_vulkan_memory, flags, 32);
UNITY_AT(unity_vulkan_memory, reserved, 40);

UNITY_SIZE(unity_vulkan_image, 160);
UNITY_AT(unity_vulkan_image, image, 72);
UNITY_AT(unity_vulkan_image, layout, 80);
UNITY_AT(unity_vulkan_image, usage, 88);
UNITY_AT(unity_vulkan_image, format, 92);
UNITY_AT(unity_vulkan_image, extent, 96);
UNITY_AT(unity_vulkan_image, samples, 116);
UNITY_AT(unity_vulkan_image, layers, 120);
UNITY_AT(unity_vulkan_image, reserved, 128);

UNITY_SIZE(unity_vulkan_recording_state, 88);
UNITY_AT(unity_vulkan_recording_state, render_pass, 16);
UNITY_AT(unity_vulkan_recording_state, sub_pass_index, 32);
UNITY_AT(unity_vulkan_recording_state, current_frame_number, 40);
UNITY_AT(unity_vulkan_recording_state, safe_frame_number, 48);
UNITY_AT(unity_vulkan_recording_state, reserved, 56);

UNITY_SIZE(unity_event_config, 12);
