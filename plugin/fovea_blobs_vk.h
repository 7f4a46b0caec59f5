/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs on Vulkan: what fovea_blobs.h finds in pictures in CPU and CUDA memory, recorded into a
 * program's own command buffers, on any device with Vulkan 1.1. The picture is an image of the
 * program's, the list goes into a buffer of its; no queue is used, and nothing is waited for.
 *
 * Usage, without error checks:
 *
 *     struct fovea_blobs_vk_desc desc;
 *     fovea_blobs_vk_desc_init(&desc);
 *     desc.instance = instance;  desc.physical_device = physical_device;  desc.device = device;
 *     desc.get_instance_proc_addr = vkGetInstanceProcAddr;
 *     desc.queue_family = family;
 *     desc.width_px = 640;  desc.height_px = 480;
 *     struct fovea_blobs_vk *blobs = NULL;
 *     fovea_blobs_vk_create(&desc, &blobs);
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
 *     struct fovea_blobs_vk_image picture = {.view = view};
 *     picture.format = VK_FORMAT_R8G8B8A8_UNORM;
 *     picture.layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
 *     struct fovea_blobs_vk_buffer list = {.buffer = buffer};
 *
 *     fovea_blobs_vk_run(blobs, &recording, &picture, &list);
 *
 *     vkDeviceWaitIdle(device);
 *     fovea_blobs_vk_destroy(&blobs);
 *
 * The parameters and results are those of fovea_blobs.h. So are the numbers: sums and products are
 * the processor's, in its order, so that responses and lists have its bits on Mesa's lavapipe. A
 * driver may still round one in another way: responses are within 1e-6, and lists have the same
 * blobs, in the same order where strengths differ by more than 4e-6. Overlap is worked out in
 * another way, to 1e-6: of two discs that have the part `overlap` in common but for less, either
 * may go.
 *
 * Recording: a call binds its own compute pipelines, descriptor set and push constants. It records
 * a barrier before its work, so that whatever came before on the queue has written what it reads,
 * and one behind it, so that whatever comes after reads what it wrote, at any stage; for the host
 * the program records one to VK_PIPELINE_STAGE_HOST_BIT. Layouts are as the images say and stay so;
 * images belong to the queue's family, or are of concurrent sharing. The program submits what was
 * recorded once, to one queue, in the order of the calls, or drops it. All calls of an object work
 * in the same memory, one after the other.
 *
 * Memory: create allocates of the device's, in buffers that it can bind: 30 bytes a pixel and 0.9
 * MB, or 860 bytes for each blob of blob_max; and for planes of coarser levels 285 bytes a pixel of
 * 640x480, 330 of 224x224, and 256 MiB at most, in which more of them are made after each other.
 * The first call of a kind (one channel or three, a
 * response) compiles pipelines, which takes some milliseconds, or more where a pipeline cache has
 * none: a program that does not want that in a frame makes such a call at its start and drops the
 * commands.
 *
 * Threads: one at a time for each object. */
#ifndef FOVEA_BLOBS_VK_H
#define FOVEA_BLOBS_VK_H

#include "fovea_blobs.h"
#include "fovea_vulkan.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fovea_blobs_vk_desc {
    size_t struct_bytes; /* fovea_blobs_vk_desc_init */
    VkInstance instance; /* of Vulkan 1.1 or later; the three handles are required */
    VkPhysicalDevice physical_device;
    VkDevice device; /* no extension and no feature is needed */
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    uint32_t queue_family; /* of the queue that commands are submitted to; it has COMPUTE */
    /* Calls that may be recorded and not finished, of all frames together, 1 .. 1024; 0: 16 */
    uint32_t calls_in_flight;
    /* Until create returns; its cpu_threads and log do not count. NULL: defaults */
    const struct fovea_blobs_desc *blobs;
    uint32_t width_px; /* of all pictures, 1 .. 16384 */
    uint32_t height_px;
    const VkAllocationCallbacks *allocator; /* as in struct fovea_vk_desc; may be NULL */
    VkPipelineCache pipeline_cache; /* likewise; may be none */
    struct fovea_log log;
};

static inline void fovea_blobs_vk_desc_init(struct fovea_blobs_vk_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

struct fovea_blobs_vk;

/* FOVEA_ERROR_INVALID_ARGUMENT: the log names the field. FOVEA_ERROR_UNSUPPORTED: the instance is
 * of Vulkan 1.0, the queue family cannot compute, workgroups have less than 32 KiB of shared
 * memory, or the picture takes more of a buffer than the device binds; the log says which. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_blobs_vk_create(
    const struct fovea_blobs_vk_desc *desc, struct fovea_blobs_vk **out_blobs);
/* The device is done with all that was recorded, as for vkDestroyPipeline. NULL is fine. */
FOVEA_API void fovea_blobs_vk_destroy(struct fovea_blobs_vk **blobs);

/* A view of the object's size, two-dimensional, one layer and mip. */
struct fovea_blobs_vk_image {
    /* A picture's has usage SAMPLED. Stored values count as they are: it is no view of an SRGB
     * format. A response's has usage STORAGE */
    VkImageView view;
    /* A picture has R8_UNORM, R8G8B8A8_UNORM, B8G8R8A8_UNORM, A8B8G8R8_UNORM_PACK32,
     * A2B10G10R10_UNORM_PACK32, A2R10G10B10_UNORM_PACK32, B10G11R11_UFLOAT_PACK32, R16_SFLOAT,
     * R16G16B16A16_SFLOAT, R32_SFLOAT, R32G32B32A32_SFLOAT, where the device samples it; formats
     * of one channel have one. A response has R32_SFLOAT */
    VkFormat format;
    /* A picture's is GENERAL, SHADER_READ_ONLY_OPTIMAL or READ_ONLY_OPTIMAL, a response's GENERAL
     */
    VkImageLayout layout;
};

/* A list goes here: FOVEA_BLOBS_VK_LIST_BYTES(blob_max) of a buffer of the program's, usage
 * STORAGE_BUFFER, at a multiple of 256. In it, for the host or a shader (std430):
 *
 *     uint count;                 // of blobs, blob_max at most
 *     uint unused[3];             // zeros
 *     vec4 blobs[];               // struct fovea_blob: x_px, y_px, sigma_px, strength
 *
 * What lies behind the last blob stays as it is. */
struct fovea_blobs_vk_buffer {
    VkBuffer buffer;
    VkDeviceSize offset;
};

#define FOVEA_BLOBS_VK_LIST_BYTES(blob_max) (16 + 16 * (VkDeviceSize)(blob_max))

/* Calls record into recording->commands, which are outside of render passes, and take part in
 * recording->frame; what earlier frames took is used again when they are said to be finished. Some
 * calls may have one frame.
 *
 * FOVEA_OK. FOVEA_NOT_READY: calls_in_flight calls are not said to be finished.
 * FOVEA_ERROR_INVALID_ARGUMENT: the log names the field. FOVEA_ERROR_UNSUPPORTED: no picture has
 * the format, or the device does not sample it. After these nothing was recorded; after other
 * errors (no memory, the device is lost) the program drops the commands. */

/* The blobs of a picture, as fovea_blobs_run finds them. A picture with more candidates than one
 * for each four pixels, and than 8192 or 8 times blob_max, loses some of them: their scales' discs
 * are too large to lie so near to each other. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_blobs_vk_run(
    struct fovea_blobs_vk *blobs, const struct fovea_vk_recording *recording,
    const struct fovea_blobs_vk_image *picture, const struct fovea_blobs_vk_buffer *list);

/* The response at scale number `scale` of the picture of the run that was recorded before, at every
 * pixel. FOVEA_ERROR_INVALID_STATE: no run was. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_blobs_vk_response(
    struct fovea_blobs_vk *blobs, const struct fovea_vk_recording *recording, uint32_t scale,
    const struct fovea_blobs_vk_image *response);

/* Bytes of the device's memory that it holds. */
FOVEA_API size_t fovea_blobs_vk_bytes(const struct fovea_blobs_vk *blobs);

#ifdef __cplusplus
}
#endif

#endif
