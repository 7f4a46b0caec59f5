/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields on Vulkan: what fovea_lightfield.h makes in CPU and CUDA memory, recorded into a
 * program's own command buffers, on any device with Vulkan 1.1. Pictures are images of the
 * program's; nothing is copied, nothing comes back to the host, no queue is used, and nothing is
 * waited for.
 *
 * Usage, without error checks:
 *
 *     struct fovea_lightfield_vk_desc desc;
 *     fovea_lightfield_vk_desc_init(&desc);
 *     desc.instance = instance;  desc.physical_device = physical_device;  desc.device = device;
 *     desc.get_instance_proc_addr = vkGetInstanceProcAddr;
 *     desc.queue_family = family;
 *     desc.geometry = &geometry; // fovea_lightfield_geometry_read
 *     desc.width_px = 1056;  desc.height_px = 792;
 *     struct fovea_lightfield_vk *field = NULL;
 *     fovea_lightfield_vk_create(&desc, &field);
 *
 *     // each frame, while `commands` is being recorded
 *     // of older frames than the last two nothing is left on the GPU
 *
 *     struct fovea_vk_recording recording;
 *     fovea_vk_recording_init(&recording);
 *     recording.commands = commands;
 *     recording.frame = number;
 *     recording.finished_frame = number > 2 ? number - 2 : 0;
 *
 *     struct fovea_lightfield_vk_raw raw;
 *     fovea_lightfield_vk_raw_init(&raw);
 *     raw.view = raw_view;
 *     raw.format = VK_FORMAT_R8G8B8A8_UNORM;
 *
 *     struct fovea_lightfield_vk_image picture = {.view = view_of_r32_uint};
 *     picture.format = VK_FORMAT_R8G8B8A8_UNORM;
 *     picture.layout = VK_IMAGE_LAYOUT_GENERAL;
 *
 *     fovea_lightfield_vk_refocus(field, &recording, &raw, &refocusing, &picture, NULL);
 *
 *     vkDeviceWaitIdle(device);
 *     fovea_lightfield_vk_destroy(&field);
 *
 * The parameters are those of fovea_lightfield.h, and so are the numbers: the same definition in
 * double precision tests all of them. What this version does not have: raw pictures of three
 * channels (RGB8, RGB16), calibration and vignetting, which are for the host before a picture is
 * uploaded.
 *
 * Recording: a call binds its own compute pipeline, descriptor set and push constants. It records a
 * barrier before its work, so that whatever came before on the queue has written what it reads, and
 * one behind it, so that whatever comes after reads what it wrote, at any stage. Layouts are as the
 * images say and stay so; images belong to the queue's family, or are of concurrent sharing. The
 * program submits what was recorded once, to one queue, in the order of the calls, or drops it.
 *
 * Memory: create allocates 32 bytes for each column and 16 for each row of a picture, and of
 * lenses. Depths with a box or a confidence keep costs: the first of them allocates up to 80 MiB.
 * The first call of a kind (format, filter, what it makes) compiles a pipeline, which takes some
 * milliseconds, or more where a pipeline cache has none: a program that does not want that in a
 * frame makes such a call at its start and drops the commands.
 *
 * Threads: one at a time for each object. */
#ifndef FOVEA_LIGHTFIELD_VK_H
#define FOVEA_LIGHTFIELD_VK_H

#include "fovea_lightfield.h"
#include "fovea_vulkan.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fovea_lightfield_vk_desc {
    size_t struct_bytes; /* fovea_lightfield_vk_desc_init */
    VkInstance instance; /* of Vulkan 1.1 or later; the three handles are required */
    VkPhysicalDevice physical_device;
    VkDevice device; /* no extension and no feature is needed */
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    uint32_t queue_family; /* of the queue that commands are submitted to; it has COMPUTE */
    /* Calls that may be recorded and not finished, of all frames together, 1 .. 1024; 0: 16 */
    uint32_t calls_in_flight;
    const struct fovea_lightfield_geometry *geometry; /* until create returns */
    uint32_t width_px; /* of all pictures, depths and patch sizes, 1 .. 16384 */
    uint32_t height_px;
    const VkAllocationCallbacks *allocator; /* as in struct fovea_vk_desc; may be NULL */
    VkPipelineCache pipeline_cache; /* likewise; may be none */
    struct fovea_log log;
};

static inline void fovea_lightfield_vk_desc_init(struct fovea_lightfield_vk_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

struct fovea_lightfield_vk;

/* FOVEA_ERROR_INVALID_ARGUMENT: the log names the field. FOVEA_ERROR_UNSUPPORTED: the instance is
 * of Vulkan 1.0, or the queue family cannot compute. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_vk_create(
    const struct fovea_lightfield_vk_desc *desc, struct fovea_lightfield_vk **out_field);
/* The device is done with all that was recorded, as for vkDestroyPipeline. NULL is fine. */
FOVEA_API void fovea_lightfield_vk_destroy(struct fovea_lightfield_vk **field);

/* A raw picture: an image, and no buffer, since images of all its formats are read alike, may be
 * larger than what devices see of a buffer (128 MiB is all that Vulkan promises, and 7176x5382
 * pixels of four bytes are more), and lie in memory so that rows and columns of a micro-image are
 * near each other. A camera's bytes come into it by vkCmdCopyBufferToImage. */
struct fovea_lightfield_vk_raw {
    size_t struct_bytes; /* fovea_lightfield_vk_raw_init */
    /* A two-dimensional view of the geometry's size, one layer and mip, usage SAMPLED. Stored
     * values are light: it is no view of an SRGB format */
    VkImageView view;
    /* R8_UNORM, R8G8B8A8_UNORM, B8G8R8A8_UNORM, A8B8G8R8_UNORM_PACK32; R16_UNORM and
     * R16G16B16A16_UNORM where the device samples them. Alpha does not count */
    VkFormat format;
    /* GENERAL, READ_ONLY_OPTIMAL, or as fovea_lightfield_vk_raw_init: SHADER_READ_ONLY_OPTIMAL */
    VkImageLayout layout;
    uint32_t maximum; /* as in struct fovea_lightfield_raw */
    /* R8_UNORM and R16_UNORM may be mosaics, whose colours are interpolated in the same pass */
    enum fovea_lightfield_bayer bayer;
};

static inline void fovea_lightfield_vk_raw_init(struct fovea_lightfield_vk_raw *raw)
{
    memset(raw, 0, sizeof *raw);
    raw->struct_bytes = sizeof *raw;
    raw->layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
}

/* Another image, of the object's size. */
struct fovea_lightfield_vk_image {
    /* Two-dimensional, one layer and mip.
     *
     * Of a picture: for a format of frames (fovea_vulkan.h) the view is of
     * fovea_vk_raw_format(format), as raw_view of struct fovea_vk_frame_target is, so that the
     * picture can be the src of a frame; or of R32G32B32A32_SFLOAT itself. Usage STORAGE.
     * Of depths and confidences: R32_SFLOAT, usage STORAGE; of patch sizes that are read,
     * R32_SFLOAT, usage SAMPLED. */
    VkImageView view;
    VkFormat format; /* white is 1 of it, alpha is opaque */
    /* An image that is written: GENERAL. Patch sizes: GENERAL, SHADER_READ_ONLY_OPTIMAL or
     * READ_ONLY_OPTIMAL */
    VkImageLayout layout;
};

/* Calls record into recording->commands, which are outside of render passes, and take part in
 * recording->frame; what earlier frames took is used again when they are said to be finished. Some
 * calls may have one frame.
 *
 * FOVEA_OK. FOVEA_NOT_READY: calls_in_flight calls are not said to be finished.
 * FOVEA_ERROR_INVALID_ARGUMENT: the log names the field. After these nothing was recorded; after
 * other errors (no memory, the device is lost) the program drops the commands. */

/* A picture. rendering->patches is NULL: patches, an image of the same size on the device, does
 * that here, and may be NULL. It may be what fovea_lightfield_vk_depth wrote. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_vk_render(
    struct fovea_lightfield_vk *field, const struct fovea_vk_recording *recording,
    const struct fovea_lightfield_vk_raw *raw, const struct fovea_lightfield_rendering *rendering,
    const struct fovea_lightfield_vk_image *patches, const struct fovea_lightfield_vk_image *dst);

/* For plenoptic 1.0: a view, or the shifted sum of some. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_vk_sum_views(
    struct fovea_lightfield_vk *field, const struct fovea_vk_recording *recording,
    const struct fovea_lightfield_vk_raw *raw, const struct fovea_lightfield_sum *sum,
    const struct fovea_lightfield_vk_image *dst);

/* The patch size of each pixel, and how sure it is; confidence may be NULL. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_vk_depth(
    struct fovea_lightfield_vk *field, const struct fovea_vk_recording *recording,
    const struct fovea_lightfield_vk_raw *raw, const struct fovea_lightfield_matching *matching,
    const struct fovea_lightfield_vk_image *depth,
    const struct fovea_lightfield_vk_image *confidence);

/* Keeps the focus under a gaze in FOVEA_LIGHTFIELD_VK_FOCUS_BYTES of a buffer of the
 * program's, usage STORAGE_BUFFER, all 0 at first, at a multiple of 256. The first float in it is
 * the patch size in focus, in pixels. */
struct fovea_lightfield_vk_focus {
    VkBuffer buffer;
    VkDeviceSize offset;
};

#define FOVEA_LIGHTFIELD_VK_FOCUS_BYTES 16

/* A picture in focus under the gaze. refocusing->focus is NULL. focus: where it is kept, or NULL:
 * the object keeps it. elapsed_s and the gaze are those of this recording. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_vk_refocus(
    struct fovea_lightfield_vk *field, const struct fovea_vk_recording *recording,
    const struct fovea_lightfield_vk_raw *raw, const struct fovea_lightfield_refocusing *refocusing,
    const struct fovea_lightfield_vk_image *dst, const struct fovea_lightfield_vk_focus *focus);

#ifdef __cplusplus
}
#endif

#endif
