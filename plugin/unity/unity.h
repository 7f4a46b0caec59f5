/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Declarations that the parts of the plugin share. */
#pragma once

#include "fovea_unity.h"
#include "unity_abi.h"

#include "core/said.h"
#include "fovea_vulkan.h"
#include "plugin/engine/feed.h"

/* ---- unity_log.c ---- */

/* Messages go into the ring that scripts empty. */
struct fovea_log unity_log(void);
__attribute__((format(printf, 2, 3))) void unity_say(enum fovea_log_level level, const char *format,
                                                     ...);

/* ---- unity_intercept.c ---- */

/* Asks to see how Unity makes its instance and device; false: it is too late for that. */
bool unity_intercept_start(const struct unity_vulkan *vulkan, bool second_version);
void unity_intercept_stop(const struct unity_vulkan *vulkan, bool second_version);
/* Fills what a context must know of how the device was made; false: not through these hooks. */
bool unity_intercept_describe(VkDevice device, struct fovea_vk_desc *out_desc);
bool unity_intercept_saw(VkDevice device);
/* The device goes: another one may come to have its handle. */
void unity_intercept_forget(VkDevice device);

/* ---- unity_settings.c ---- */

/* The person's own configuration files. */
void unity_settings_start(void);
void unity_settings_stop(void);
/* The setting "backend". */
enum fovea_backend unity_settings_backend(void);
bool unity_settings_need_depth(void);
/* Those in force, until this is called again; NULL: there are none. */
const struct engine_settings *unity_settings_take(void);
/* Reads the settings' source; while that is being changed it is the last gaze of the one before. */
struct fovea_gaze unity_settings_gaze(uint32_t width_px, uint32_t height_px);
/* How far away both eyes look by that reading; 0: not known. */
double unity_settings_vergence_m(void);
/* The context's next frame, to a source that looks at pictures. */
void unity_settings_show(struct fovea_vk *fovea, bool bottom_up);

/* ---- unity_camera.c: what each camera's frames are made with; for the render thread ---- */

/* The facts of Unity's device. */
struct unity_device {
    const struct unity_vulkan *vulkan; /* NULL: there is none */
    struct unity_vulkan_instance made;
};

struct unity_camera {
    uint64_t id; /* 0: free */
    struct fovea_vk *fovea;
    uint64_t serial; /* of the settings that it has; or that it cannot be made with */
    bool lacks_memory; /* for a context; it is tried again */
    uint32_t until_retry; /* frames of its own */
    double strength; /* its own, in place of theirs; -1: theirs */
    bool by_queue; /* how its frames come: they are submitted, or recorded into Unity's commands */
    uint64_t frame; /* Unity's number of its newest frame */
    struct unity_vulkan_image image; /* of the frame that is between its events */
    bool begun;
    struct {
        bool given; /* in the newest frame */
        struct unity_vulkan_image image;
        VkImageView views[FOVEA_UNITY_EYES];
    } depth;
    struct said said; /* of its enum unity_trouble */
    uint32_t until_stats; /* frames of its own */
};

/* NULL: there are too many. */
struct unity_camera *unity_camera_find(uint64_t id, bool make);
/* Makes the context that its settings need, or brings those of its context up to date. strength: of
 * this camera alone; -1: that of the settings. False: it has none. */
bool unity_camera_prepare(struct unity_camera *camera, const struct unity_device *device,
                          bool by_queue, double strength);
void unity_camera_release(struct unity_camera *camera);
/* Frees what frames up to this number have used, and cameras that were not seen for long. */
void unity_cameras_sweep(uint64_t frame, uint64_t finished_frame);
/* All of them; no frame may be on the GPU. */
void unity_cameras_end(void);

/* Said once until it has been right again. */
enum unity_trouble {
    UNITY_TROUBLE_BLOCK,
    UNITY_TROUBLE_TEXTURE,
    UNITY_TROUBLE_IMAGE,
    UNITY_TROUBLE_DEPTH,
    UNITY_TROUBLE_COMMANDS,
    UNITY_TROUBLE_CAMERAS,
    UNITY_TROUBLE_FRAME,
    UNITY_TROUBLE_BUSY,
    UNITY_TROUBLE_CUDA,
    UNITY_TROUBLE_MEMORY,
};
/* NULL: of no camera. */
struct said *unity_camera_said(struct unity_camera *camera);
#define unity_camera_trouble(camera, trouble, ...)                                                 \
    log_once(unity_camera_said(camera), trouble, FOVEA_LOG_WARNING, unity_log(), __VA_ARGS__)
void unity_camera_lacks_memory(struct unity_camera *camera); /* says so */
void unity_camera_count(struct unity_camera *camera);

/* ---- unity_depth.c; for the render thread ---- */

void unity_depths_start(const struct unity_device *device);
/* Frees what frames up to this number have used. */
void unity_depths_sweep(uint64_t finished_frame);
/* The camera goes, or its depths; false: something stays, as too much waits for the GPU. */
bool unity_depth_release(struct unity_camera *camera);
/* Brings the block's depths into a layout that shaders read, where the settings need them; Unity's
 * commands are others afterwards. What is wrong is said once. */
void unity_depth_access(struct unity_camera *camera, const struct unity_device *device,
                        const struct fovea_unity_block *block);
/* Adds them to a view, where there are any. The second eye has the focus of the first. */
void unity_depth_describe(const struct unity_camera *camera, const struct fovea_unity_block *block,
                          struct fovea_depth *out_values, struct fovea_vk_view *view);

/* ---- unity_events.c ---- */

void unity_events_start(const struct unity_device *made, int base);
/* Waits for the device and frees everything. */
void unity_events_stop(void);
