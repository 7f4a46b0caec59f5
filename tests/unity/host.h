/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Unity as a native plugin sees it, on any Vulkan device: interfaces, a device that is made through
 * the plugin's hooks, frames with numbers, textures behind native pointers whose layouts it tracks,
 * and the plugin's events. What a plugin may not do fails the test. It runs on our own declarations
 * (plugin/unity/unity_abi.h) and is no proof of what Unity does. */
#pragma once

#include "engine.h"
#include "images.h"

#include "plugin/unity/fovea_unity.h"
#include "plugin/unity/unity_abi.h"

#define HOST_SAFE_BEHIND 2 /* frames that the GPU may still have */
#define HOST_STAGING 4

struct host_options {
    bool first_version; /* IUnityGraphicsVulkan alone, without a slot behind its 13 */
    bool late; /* Vulkan's device is there before the plugin */
    bool refuse_extensions; /* a device with any cannot be made */
    bool no_interfaces; /* a Unity that has none of those that are asked for */
    struct engine_options engine; /* what else the device must be */
};

/* A native texture pointer points to this. */
struct host_texture {
    struct engine_image image;
    VkImageAspectFlags aspect;
    VkImageUsageFlags usage;
    VkSampleCountFlagBits samples;
    VkImageLayout layout; /* as Unity knows it */
    VkPipelineStageFlags stages; /* of its last use */
    VkAccessFlags access;
};

struct host_frame {
    VkFence fence;
    bool submitted;
    struct engine_buffer staging[HOST_STAGING];
    uint32_t staging_count;
};

/* The plugin's functions. */
struct host_plugin {
    void *library;
    void (*load)(struct unity_interfaces *interfaces);
    void (*unload)(void);
    void *(*event_function)(void);
    int32_t (*event_base)(void);
    int32_t (*uses_queue)(void);
    int32_t (*needs_depth)(void);
    int32_t (*configure)(const char *json, char *out_error, int32_t bytes);
    int32_t (*configure_file)(const char *file, char *out_error, int32_t bytes);
    int32_t (*set)(const char *path, const char *value, char *out_error, int32_t bytes);
    int32_t (*get)(const char *path, char *out_text, int32_t bytes);
    int32_t (*log)(char *out_text, int32_t bytes);
    int32_t (*stats)(uint64_t camera, struct fovea_unity_stats *out_stats);
};

#define HOST_EXTENSIONS 32

struct host {
    struct engine engine;
    struct host_plugin plugin;
    struct host_options options;
    enum unity_renderer renderer;
    unity_device_event_fn device_event;
    unity_vulkan_init_fn intercept;
    PFN_vkGetInstanceProcAddr chain; /* with the plugin's hooks in it */
    int reserved; /* events that have a number */
    struct unity_event_config configs[64];
    bool configured[64];
    /* The device was made with these. */
    char extensions[HOST_EXTENSIONS][VK_MAX_EXTENSION_NAME_SIZE];
    uint32_t extension_count;
    bool timeline;
    uint32_t api_version; /* of the instance */
    /* The frame that is recorded. */
    uint64_t number;
    uint64_t safe;
    struct host_frame frames[HOST_SAFE_BEHIND + 1];
    VkCommandBuffer commands;
    bool in_event;
    bool queue_is_theirs;
    bool down; /* between Shutdown and Initialize */
    bool in_device_event;
    bool refuse_extensions;
    bool deny_texture; /* AccessTexture returns false */
    const struct host_texture *deny_one; /* for that one */
    bool deny_commands; /* CommandRecordingState gives no command buffer */
    void (*on_wait)(struct host *host); /* called when the plugin waits for the device */
    uint32_t allocated; /* pieces of memory, by the plugin */
    uint32_t
        memory_left; /* the first piece that the device has no memory for, from 1; 0: it has all */
    uint32_t destroyed; /* objects of the plugin's */
    uint32_t destroyed_views; /* of images, likewise */
    uint32_t submits; /* of the host's own */
    int64_t event_ns; /* in events: the plugin's part, without what the host submits in them */
};

/* False where there is no device for it. */
bool host_open(struct host *host, const struct host_options *options);
void host_close(struct host *host);
/* The device events that Unity sends. */
void host_shutdown(struct host *host);
void host_initialize(struct host *host);

struct host_texture host_texture_create(struct host *host, VkFormat format, uint32_t width_px,
                                        uint32_t height_px, uint32_t layers);
/* Another image behind the same pointer; the GPU is waited for. */
void host_texture_resize(struct host *host, struct host_texture *texture, uint32_t width_px,
                         uint32_t height_px);
void host_texture_destroy(struct host *host, struct host_texture *texture);
/* Makes a texture of depths, as Unity has drawn them: values of a layer one below the other.
 * D32_SFLOAT or R32_SFLOAT. */
struct host_texture host_depths_create(struct host *host, VkFormat format, uint32_t width_px,
                                       uint32_t height_px, uint32_t layers, const float *values);

void host_frame_begin(struct host *host);
void host_frame_end(struct host *host);
/* Records that a picture is drawn: all layers, one below the other. */
void host_draw(struct host *host, struct host_texture *texture, const struct fovea_image *pixels);
void host_event(struct host *host, enum fovea_unity_event event, struct fovea_unity_block *block);
/* Waits, and reads what the texture has. */
void host_read(struct host *host, struct host_texture *texture, const struct fovea_image *out);

struct fovea_unity_block host_block(struct host_texture *texture, double x_uv, double y_uv);
/* One whole frame: drawn, foveated by the events of that way, submitted. */
void host_frame(struct host *host, struct host_texture *texture, const struct fovea_image *pixels,
                struct fovea_unity_block *block, bool by_queue);

/* Takes all messages of the log: how many there are of `level` or more; the last of them. */
int host_log(struct host *host, enum fovea_log_level level, char *out_last, int bytes);
