/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "lightfield.h"

#include "fovea_lightfield_vk.h"
#include "pixels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RAW_FORMAT VK_FORMAT_R8G8B8A8_UNORM

/* Raw pictures are as displays want them, and so are numbers of such a format. */
static VkFormat stored_format(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_B8G8R8A8_SRGB:
        return VK_FORMAT_B8G8R8A8_UNORM;
    case VK_FORMAT_R8G8B8A8_SRGB:
        return VK_FORMAT_R8G8B8A8_UNORM;
    default:
        return format;
    }
}

static bool make_view(const struct gpu *gpu, VkImage image, VkFormat format, VkImageView *out)
{
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VK_TRY(vkCreateImageView(gpu->device, &info, NULL, out));
    return true;
}

static VkImageCreateInfo image_info(VkFormat format, VkExtent2D extent, VkImageUsageFlags usage)
{
    return (VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = format,
                               .extent = {extent.width, extent.height, 1},
                               .mipLevels = 1,
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .usage = usage};
}

static void barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier info = gpu_layout_change(image, from, to);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &info);
}

/* ---- The raw picture, once */

struct upload {
    struct arena arena;
    VkBuffer buffer;
    void *mapped;
    VkCommandPool pool;
    VkCommandBuffer commands;
};

static bool run_upload(const struct lightfield *lightfield, struct upload *upload)
{
    const struct gpu *gpu = lightfield->gpu;
    const VkImageLayout writing = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    const VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {lightfield->geometry.raw_width_px, lightfield->geometry.raw_height_px, 1}};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                          .queueFamilyIndex = gpu->family};
    VK_TRY(vkCreateCommandPool(gpu->device, &pool, NULL, &upload->pool));
    const VkCommandBufferAllocateInfo buffer = {.sType =
                                                    VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = upload->pool,
                                                .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                .commandBufferCount = 1};
    VK_TRY(vkAllocateCommandBuffers(gpu->device, &buffer, &upload->commands));
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VK_TRY(vkBeginCommandBuffer(upload->commands, &begin));
    barrier(upload->commands, lightfield->raw, VK_IMAGE_LAYOUT_UNDEFINED, writing);
    vkCmdCopyBufferToImage(upload->commands, upload->buffer, lightfield->raw, writing, 1, &region);
    barrier(upload->commands, lightfield->raw, writing, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VK_TRY(vkEndCommandBuffer(upload->commands));
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &upload->commands};
    VK_TRY(vkQueueSubmit(gpu->queue, 1, &submit, VK_NULL_HANDLE));
    VK_TRY(vkQueueWaitIdle(gpu->queue));
    return true;
}

static bool upload_raw(const struct lightfield *lightfield, const struct raw_picture *raw)
{
    const size_t bytes = (size_t)4 * raw->geometry.raw_width_px * raw->geometry.raw_height_px;
    const struct arena_buffer_desc desc = {bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, ARENA_UPLOAD};
    struct upload upload = {0};
    arena_init(&upload.arena, lightfield->gpu);
    bool fine = arena_add_buffer(&upload.arena, &desc, &upload.buffer, &upload.mapped) &&
                arena_bind(&upload.arena);
    if (fine) {
        memcpy(upload.mapped, raw->rgba, bytes);
        fine = run_upload(lightfield, &upload);
    }
    vkDestroyCommandPool(lightfield->gpu->device, upload.pool, NULL);
    arena_finish(&upload.arena);
    return fine;
}

static bool make_raw(struct lightfield *lightfield)
{
    const VkExtent2D extent = {lightfield->geometry.raw_width_px,
                               lightfield->geometry.raw_height_px};
    const VkImageCreateInfo info = image_info(
        RAW_FORMAT, extent, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    const struct arena_buffer_desc focus = {FOVEA_LIGHTFIELD_VK_FOCUS_BYTES,
                                            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, ARENA_READBACK};
    const uint32_t most_px = lightfield->gpu->properties.limits.maxImageDimension2D;
    void *mapped = NULL;
    if (extent.width > most_px || extent.height > most_px) {
        say_error("--lightfield: the raw picture is %ux%u, and images of %s have %u pixels at most",
                  extent.width, extent.height, lightfield->gpu->properties.deviceName, most_px);
        return false;
    }
    if (!arena_add_image(&lightfield->arena, &info, &lightfield->raw) ||
        !arena_add_buffer(&lightfield->arena, &focus, &lightfield->focus, &mapped) ||
        !arena_bind(&lightfield->arena)) {
        return false;
    }
    memset(mapped, 0, FOVEA_LIGHTFIELD_VK_FOCUS_BYTES);
    lightfield->focus_mapped = mapped;
    return make_view(lightfield->gpu, lightfield->raw, RAW_FORMAT, &lightfield->raw_view);
}

static bool size_of(const struct fovea_lightfield_geometry *geometry, struct options_focus focus,
                    double usual_px, double *out_px)
{
    const struct fovea_log log = say_log(FOVEA_LOG_WARNING);
    *out_px = focus.value > 0.0 ? focus.value : usual_px;
    return focus.value <= 0.0 || focus.unit == 'p' ||
           fovea_lightfield_patch_of(geometry, focus.unit == 'm' ? 1.0 / focus.value : focus.value,
                                     &log, out_px) == FOVEA_OK;
}

static bool choose_sizes(struct lightfield *lightfield, const struct options *options,
                         const struct raw_picture *raw)
{
    const double pitch_px = raw->geometry.pitch_x_px;
    if (!size_of(&raw->geometry, options->far, raw->far_px, &lightfield->far_px) ||
        !size_of(&raw->geometry, options->near, raw->near_px, &lightfield->near_px)) {
        return false;
    }
    if (lightfield->far_px < 1.0 || lightfield->near_px < lightfield->far_px ||
        lightfield->near_px > pitch_px) {
        say_error("--focus: patch sizes are %.2f and %.2f px; they must be 1 to the array's pitch, "
                  "which is %.2f px, the far one first",
                  lightfield->far_px, lightfield->near_px, pitch_px);
        return false;
    }
    return true;
}

static bool build(struct lightfield *lightfield, const struct options *options)
{
    struct raw_picture raw = {0};
    const bool is_drawn = strcmp(options->lightfield, OPTIONS_DRAWN) == 0;
    bool fine = is_drawn ? raw_picture_draw(&raw)
                         : raw_picture_load(options->lightfield, options->geometry, &raw);
    lightfield->geometry = raw.geometry;
    fine = fine && choose_sizes(lightfield, options, &raw) && make_raw(lightfield) &&
           upload_raw(lightfield, &raw);
    raw_picture_finish(&raw);
    return fine;
}

bool lightfield_create(const struct gpu *gpu, const struct options *options, VkFormat format,
                       struct lightfield **out_lightfield)
{
    struct lightfield *lightfield = calloc(1, sizeof *lightfield);
    *out_lightfield = lightfield;
    if (pixels_hold_light(format)) {
        say_error("--lightfield: not with a --format of light; raw pictures are as displays want "
                  "them");
        return false;
    }
    if (!lightfield) {
        say_error("out of memory");
        return false;
    }
    lightfield->gpu = gpu;
    lightfield->format = stored_format(format);
    arena_init(&lightfield->arena, gpu);
    arena_init(&lightfield->picture_arena, gpu);
    return build(lightfield, options);
}

/* ---- Pictures of one size */

static void drop_picture(struct lightfield *lightfield)
{
    fovea_lightfield_vk_destroy(&lightfield->field);
    vkDestroyImageView(lightfield->gpu->device, lightfield->picture_view, NULL);
    lightfield->picture_view = VK_NULL_HANDLE;
    arena_finish(&lightfield->picture_arena);
}

void lightfield_destroy(struct lightfield **lightfield)
{
    struct lightfield *own = *lightfield;
    if (own && own->gpu) {
        drop_picture(own);
        vkDestroyImageView(own->gpu->device, own->raw_view, NULL);
        arena_finish(&own->arena);
        fovea_settings_destroy(&own->settings);
    }
    free(own);
    *lightfield = NULL;
}

static bool make_field(struct lightfield *lightfield)
{
    struct fovea_lightfield_vk_desc desc;
    fovea_lightfield_vk_desc_init(&desc);
    desc.instance = lightfield->gpu->instance;
    desc.physical_device = lightfield->gpu->physical;
    desc.device = lightfield->gpu->device;
    desc.get_instance_proc_addr = vkGetInstanceProcAddr;
    desc.queue_family = lightfield->gpu->family;
    desc.geometry = &lightfield->geometry;
    desc.width_px = lightfield->extent.width;
    desc.height_px = lightfield->extent.height;
    desc.log = say_log(FOVEA_LOG_WARNING);
    const enum fovea_result result = fovea_lightfield_vk_create(&desc, &lightfield->field);
    if (result < 0) {
        say_error("--lightfield: no light field on this device: %s", fovea_result_name(result));
    }
    return result >= 0;
}

bool lightfield_fit(struct lightfield *lightfield, VkExtent2D extent)
{
    const VkFormat raw = fovea_vk_raw_format(lightfield->format);
    const VkImageCreateInfo info =
        image_info(raw, extent, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    drop_picture(lightfield);
    lightfield->extent = extent;
    lightfield->has_rings = false;
    return arena_add_image(&lightfield->picture_arena, &info, &lightfield->picture) &&
           arena_bind(&lightfield->picture_arena) &&
           make_view(lightfield->gpu, lightfield->picture, raw, &lightfield->picture_view) &&
           make_field(lightfield);
}

/* ---- Frames */

static struct fovea_lightfield_refocusing refocusing_of(const struct lightfield *lightfield)
{
    struct fovea_lightfield_refocusing refocusing;
    fovea_lightfield_refocusing_init(&refocusing);
    refocusing.first_px = lightfield->far_px;
    refocusing.last_px = lightfield->near_px;
    return refocusing;
}

bool lightfield_set(struct lightfield *lightfield, const struct fovea_settings *settings)
{
    struct fovea_settings *copy = NULL;
    if (fovea_settings_copy(settings, &copy) < 0) {
        say_error("out of memory");
        return false;
    }
    fovea_settings_destroy(&lightfield->settings);
    lightfield->settings = copy;
    lightfield->has_rings = false;
    return true;
}

/* Call it once for these settings and this size: it takes milliseconds. */
static bool find_rings(struct lightfield *lightfield)
{
    const struct fovea_lightfield_refocusing refocusing = refocusing_of(lightfield);
    if (lightfield->has_rings) {
        return true;
    }
    fovea_lightfield_foveation_init(&lightfield->foveation);
    const enum fovea_result result = fovea_lightfield_rings(
        lightfield->settings, &lightfield->geometry, &refocusing, lightfield->extent.width,
        lightfield->extent.height, &lightfield->foveation);
    if (result < 0) {
        say_error("--lightfield: no rings of these settings: %s", fovea_result_name(result));
    }
    lightfield->has_rings = result >= 0;
    return lightfield->has_rings;
}

static bool refocus(struct lightfield *lightfield, const struct lightfield_frame *frame)
{
    struct fovea_vk_recording recording;
    struct fovea_lightfield_vk_raw raw;
    struct fovea_lightfield_refocusing refocusing;
    const struct fovea_lightfield_vk_image picture = {lightfield->picture_view, lightfield->format,
                                                      VK_IMAGE_LAYOUT_GENERAL};
    const struct fovea_lightfield_vk_focus focus = {lightfield->focus, 0};
    fovea_vk_recording_init(&recording);
    recording.commands = frame->commands;
    recording.frame = frame->number + frame->frames_in_flight;
    recording.finished_frame = frame->number;
    fovea_lightfield_vk_raw_init(&raw);
    raw.view = lightfield->raw_view;
    raw.format = RAW_FORMAT;
    refocusing = refocusing_of(lightfield);
    refocusing.elapsed_s = frame->elapsed_s;
    if (frame->gaze.usable && !find_rings(lightfield)) {
        return false;
    }
    lightfield->foveation.gaze = frame->gaze.point;
    refocusing.foveation = frame->gaze.usable ? &lightfield->foveation : NULL;
    const enum fovea_result result = fovea_lightfield_vk_refocus(
        lightfield->field, &recording, &raw, &refocusing, &picture, &focus);
    if (result != FOVEA_OK) {
        say_error("--lightfield: no picture: %s", fovea_result_name(result));
    }
    return result == FOVEA_OK;
}

/* lightfield_words reads the patch size once the frame is over. */
static void give_focus_to_host(VkCommandBuffer commands)
{
    const VkMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &info, 0, NULL, 0, NULL);
}

bool lightfield_record(struct lightfield *lightfield, const struct lightfield_frame *frame)
{
    const VkImageLayout writing = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    const VkImageCopy region = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .extent = {lightfield->extent.width, lightfield->extent.height, 1}};
    barrier(frame->commands, lightfield->picture, VK_IMAGE_LAYOUT_UNDEFINED,
            VK_IMAGE_LAYOUT_GENERAL);
    if (!refocus(lightfield, frame)) {
        return false;
    }
    give_focus_to_host(frame->commands);
    barrier(frame->commands, frame->to, VK_IMAGE_LAYOUT_UNDEFINED, writing);
    vkCmdCopyImage(frame->commands, lightfield->picture, VK_IMAGE_LAYOUT_GENERAL, frame->to,
                   writing, 1, &region);
    return true;
}

void lightfield_words(const struct lightfield *lightfield, const char *before,
                      char out[LIGHTFIELD_WORDS_BYTES])
{
    const double patch_px = (double)*lightfield->focus_mapped;
    const double diopters = fovea_lightfield_diopters(&lightfield->geometry, patch_px);
    char distance[32] = "";
    if (isfinite(diopters)) {
        snprintf(distance, sizeof distance, ", %.2f dioptres,", diopters);
    }
    snprintf(out, LIGHTFIELD_WORDS_BYTES, "%spatch size %.2f px%s in focus", before, patch_px,
             distance);
}
