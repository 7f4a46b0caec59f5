/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smallest engine that can use Fovea: what the tests of Vulkan frames drive. Validation (core,
 * synchronisation, best practice) is on, and every message is counted. It waits wherever that is
 * simplest, except where a test says otherwise. */
#pragma once

#include "config/settings.h"
#include "fovea_vulkan.h"
#include "vulkan_parts.h"

struct engine {
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    VkPhysicalDeviceMemoryProperties memory;
    struct fovea_vk_requirements needs;
    bool validation; /* the layer answered */
    bool has_synchronization2; /* the feature is on */
    uint32_t messages; /* errors, and warnings of validation */
    char first_message[1024];
};

struct engine_options {
    bool nvidia; /* only an NVIDIA GPU will do; else the first device of any kind */
    bool without_graphics; /* a queue that has none, where there is one */
    bool no_sharing; /* enable neither extensions nor timeline semaphores */
    bool no_timeline;
    bool no_validation; /* for times: the layer would be measured too */
    bool host_signals; /* the host will signal what the queue waits for: core validation only */
    PFN_vkGetInstanceProcAddr get; /* makes instance and device; NULL: the loader's own */
};

/* False where there is no such device; with FOVEA_REQUIRE_GPU=1 (nvidia) or FOVEA_REQUIRE_VULKAN=1
 * that fails the test instead. */
bool engine_open(struct engine *engine, const struct engine_options *options);
void engine_close(struct engine *engine);
/* Fails the test if validation said anything since the last call. */
void engine_expect_silence(struct engine *engine);
/* How many messages since the last call; forgets them. */
uint32_t engine_take_messages(struct engine *engine);

/* Says to any of Fovea's descriptors on which device it is. */
#define ENGINE_DESCRIBE(engine, desc)                                                              \
    do {                                                                                           \
        (desc)->instance = (engine)->instance;                                                     \
        (desc)->physical_device = (engine)->physical;                                              \
        (desc)->device = (engine)->device;                                                         \
        (desc)->get_instance_proc_addr = vkGetInstanceProcAddr;                                    \
    } while (0)

/* Fovea on this engine, with a log that collects; fails the test if it cannot be made. */
struct fovea_vk_desc engine_fovea_desc(struct engine *engine,
                                       const struct fovea_settings *settings);

#define ENGINE_SEEN_LAYERS 5

struct engine_image {
    VkImage image;
    VkDeviceMemory memory;
    VkFormat format;
    uint32_t width_px;
    uint32_t height_px;
    uint32_t layer_count;
    /* of layer 0 and of the others, for kernels of Fovea's; most images have none */
    VkImageView raw_view;
    VkImageView raw_layers[ENGINE_SEEN_LAYERS];
};

uint32_t engine_pixel_bytes(VkFormat format);
struct engine_image engine_image_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                        uint32_t height_px);
struct engine_image engine_array_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                        uint32_t height_px, uint32_t layer_count);
/* engine_seen.c: the same with raw views. */
struct engine_image engine_seen_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                       uint32_t height_px, uint32_t layer_count);
/* One layer, whose view of the image's own format is raw_view, with copies both ways. */
struct engine_image engine_plain_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                        uint32_t height_px, VkImageUsageFlags usage);
/* Rows without gaps, into a new image; waits. */
void engine_plain_write(struct engine *engine, const struct engine_image *image, const void *pixels,
                        size_t bytes, VkImageLayout layout);
/* The same, for pictures of floats that shaders read: its own view of R32_SFLOAT or R16_SFLOAT is
 * raw_view. */
struct engine_image engine_sampled_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                          uint32_t height_px);
/* Fails the test where the device has no such memory. */
VkDeviceMemory engine_allocate(struct engine *engine, VkMemoryRequirements needs,
                               VkMemoryPropertyFlags flags);
/* engine_seen.c: memory on the device, bound to the image. */
void engine_image_allocate(struct engine *engine, struct engine_image *image);
void engine_image_destroy(struct engine *engine, struct engine_image *image);

struct engine_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint8_t *mapped;
    VkDeviceSize bytes;
};

struct engine_buffer engine_buffer_create(struct engine *engine, VkDeviceSize bytes);
void engine_buffer_destroy(struct engine *engine, struct engine_buffer *buffer);

/* Records copies between an image and a place in a buffer (rows without gaps), with the image's
 * layouts before and after. */
void engine_record_upload(VkCommandBuffer commands, VkImage image, uint32_t width_px,
                          uint32_t height_px, VkBuffer buffer, VkDeviceSize offset,
                          VkImageLayout before, VkImageLayout after);
void engine_record_download(VkCommandBuffer commands, VkImage image, uint32_t width_px,
                            uint32_t height_px, VkBuffer buffer, VkDeviceSize offset,
                            VkImageLayout before, VkImageLayout after);
void engine_record_barrier(VkCommandBuffer commands, VkImage image, VkImageLayout before,
                           VkImageLayout after);

VkCommandBuffer engine_begin(struct engine *engine);
/* Submits and frees nothing; wait and signal may be VK_NULL_HANDLE. */
void engine_submit(struct engine *engine, VkCommandBuffer commands, VkSemaphore wait,
                   VkSemaphore signal);
void engine_idle(struct engine *engine);
VkSemaphore engine_semaphore(struct engine *engine, VkSemaphoreType type);
void engine_signal(struct engine *engine, VkSemaphore semaphore, uint64_t value);

/* All at once, waiting. */
void engine_write(struct engine *engine, VkImage image, uint32_t width_px, uint32_t height_px,
                  VkFormat format, const void *pixels, VkImageLayout before, VkImageLayout after);
void engine_read(struct engine *engine, VkImage image, uint32_t width_px, uint32_t height_px,
                 VkFormat format, void *pixels, VkImageLayout before, VkImageLayout after);
/* The same for all layers of an array: pixels are those of a picture as high as all of them
 * together. */
void engine_write_array(struct engine *engine, const struct engine_image *image, const void *pixels,
                        VkImageLayout before, VkImageLayout after);
void engine_read_array(struct engine *engine, const struct engine_image *image, void *pixels,
                       VkImageLayout before, VkImageLayout after);
