/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This header of version 0.2 without its comments: programs that were built with it still run.
 * It stays as it is (tests/test_abi.py). */
#ifndef FOVEA_VULKAN_H
#define FOVEA_VULKAN_H
#include "fovea.h"
#include <vulkan/vulkan_core.h>
#ifdef __cplusplus
extern "C" {
#endif
#define FOVEA_VK_MAX_EXTENSIONS 8
struct fovea_vk_requirements {
    size_t struct_bytes;
    const char *device_extensions[FOVEA_VK_MAX_EXTENSIONS];
    uint32_t device_extension_count;
    bool timeline_semaphore;
    bool cuda;
    uint8_t reserved[2];
};
static inline void fovea_vk_requirements_init(struct fovea_vk_requirements *requirements)
{
    memset(requirements, 0, sizeof *requirements);
    requirements->struct_bytes = sizeof *requirements;
}
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_query(
    VkInstance instance, VkPhysicalDevice physical_device,
    PFN_vkGetInstanceProcAddr get_instance_proc_addr,
    struct fovea_vk_requirements *out_requirements);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_query_vulkan(
    VkInstance instance, VkPhysicalDevice physical_device,
    PFN_vkGetInstanceProcAddr get_instance_proc_addr,
    struct fovea_vk_requirements *out_requirements);
struct fovea_vk_desc {
    size_t struct_bytes;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    VkQueue queue;
    uint32_t queue_family;
    uint32_t frames_in_flight;
    const char *const *device_extensions;
    uint32_t device_extension_count;
    bool timeline_semaphore;
    uint8_t reserved[3];
    const struct fovea_settings *settings;
    struct fovea_log log;
    const VkAllocationCallbacks *allocator;
    VkPipelineCache pipeline_cache;
};
static inline void fovea_vk_desc_init(struct fovea_vk_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}
static inline void fovea_vk_desc_use(struct fovea_vk_desc *desc,
                                     const struct fovea_vk_requirements *requirements)
{
    desc->device_extensions = requirements->device_extensions;
    desc->device_extension_count = requirements->device_extension_count;
    desc->timeline_semaphore = requirements->timeline_semaphore;
}
struct fovea_vk;
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_create(const struct fovea_vk_desc *desc,
                                                             struct fovea_vk **out_fovea);
FOVEA_API void fovea_vk_destroy(struct fovea_vk **fovea);
FOVEA_API void fovea_vk_wait(struct fovea_vk *fovea);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_set_settings(
    struct fovea_vk *fovea, const struct fovea_settings *settings);
struct fovea_vk_image_desc {
    size_t struct_bytes;
    VkFormat format;
    uint32_t width_px;
    uint32_t height_px;
    VkImageUsageFlags usage;
};
static inline void fovea_vk_image_desc_init(struct fovea_vk_image_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}
struct fovea_vk_image;
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_image_create(
    struct fovea_vk *fovea, const struct fovea_vk_image_desc *desc,
    struct fovea_vk_image **out_image);
FOVEA_API void fovea_vk_image_destroy(struct fovea_vk_image **image);
FOVEA_API VkImage fovea_vk_image_handle(const struct fovea_vk_image *image);
FOVEA_API VkImageView fovea_vk_image_view(const struct fovea_vk_image *image);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_image_acquire(struct fovea_vk_image *image,
                                                                    VkImageLayout *out_layout);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_image_release(struct fovea_vk_image *image,
                                                                    VkImageLayout layout);
struct fovea_vk_frame_target {
    struct fovea_vk_image *made;
    VkImage image;
    VkFormat format;
    uint32_t width_px;
    uint32_t height_px;
    VkImageLayout layout_before;
    VkImageLayout layout_after;
    bool transfer_ownership;
    uint32_t queue_family;
    uint32_t layer_count;
    VkImageView raw_view;
};
FOVEA_API VkFormat fovea_vk_raw_format(VkFormat format);
struct fovea_vk_semaphore {
    VkSemaphore semaphore;
    uint64_t value;
};
#define FOVEA_VK_MAX_SEMAPHORES 8
#define FOVEA_VK_MAX_VIEWS 4
struct fovea_vk_view {
    size_t struct_bytes;
    uint32_t x_px;
    uint32_t y_px;
    uint32_t width_px;
    uint32_t height_px;
    uint32_t layer;
    enum fovea_map_eye eye;
    struct fovea_gaze gaze;
    const struct fovea_geometry *geometry;
};
static inline void fovea_vk_view_init(struct fovea_vk_view *view)
{
    memset(view, 0, sizeof *view);
    view->struct_bytes = sizeof *view;
}
struct fovea_vk_frame {
    size_t struct_bytes;
    struct fovea_vk_frame_target src;
    struct fovea_vk_frame_target dst;
    const struct fovea_vk_semaphore *waits;
    const struct fovea_vk_semaphore *signals;
    uint32_t wait_count;
    uint32_t signal_count;
    struct fovea_gaze gaze;
    const struct fovea_vk_view *views;
    uint32_t view_count;
    uint32_t reserved;
};
static inline void fovea_vk_frame_init(struct fovea_vk_frame *frame)
{
    memset(frame, 0, sizeof *frame);
    frame->struct_bytes = sizeof *frame;
}
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_foveate(struct fovea_vk *fovea,
                                                              const struct fovea_vk_frame *frame);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_follow_gaze(struct fovea_vk *fovea,
                                                                  struct fovea_gaze_source *source);
FOVEA_API void fovea_vk_set_hud_text(struct fovea_vk *fovea, const char *lines, const char *gaze);
struct fovea_vk_stats {
    size_t struct_bytes;
    enum fovea_backend backend;
    bool gpu_time_known;
    bool gpu_is_cpu;
    uint8_t reserved[2];
    const char *backend_reason;
    const char *device_name;
    const char *sync;
    uint64_t frames;
    uint64_t frames_passed_through;
    double late_age_p50_ms;
    double late_age_p99_ms;
    double gpu_p50_us;
    double gpu_p99_us;
    double cpu_p50_us;
    double cpu_p99_us;
};
static inline void fovea_vk_stats_init(struct fovea_vk_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    stats->struct_bytes = sizeof *stats;
}
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_get_stats(const struct fovea_vk *fovea,
                                                                struct fovea_vk_stats *out_stats);
#ifdef __cplusplus
}
#endif
#endif
