/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "recorder.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "vulkan/vk_image.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLS_MOST 1024
#define CALLS_DEFAULT 16
#define PROBLEM_BYTES 256

/* ---- Creation */

enum fovea_result recorder_refuse_desc(const struct recorder_desc *desc, const char *problem)
{
    log_error(desc->device.log, "%s: %s", desc->desc, problem);
    return FOVEA_ERROR_INVALID_ARGUMENT;
}

static bool is_side(uint32_t length_px)
{
    return length_px >= 1 && length_px <= OPERATOR_MAX_SIZE_PX;
}

enum fovea_result recorder_check_desc(const struct recorder_desc *desc)
{
    const struct vk_device_desc *device = &desc->device;
    if (!device->instance || !device->physical || !device->device ||
        !device->get_instance_proc_addr) {
        return recorder_refuse_desc(desc, "instance, physical_device, device and "
                                          "get_instance_proc_addr are required");
    }
    if (!is_side(desc->width_px) || !is_side(desc->height_px)) {
        return recorder_refuse_desc(desc, "width_px or height_px is not 1 .. 16384");
    }
    return desc->calls_in_flight > CALLS_MOST
               ? recorder_refuse_desc(desc, "calls_in_flight is more than 1024")
               : FOVEA_OK;
}

static enum fovea_result build(struct recorder *recorder, uint32_t count)
{
    FOVEA_TRY(vk_compute_init(&recorder->compute, &recorder->device, count));
    recorder->calls = calloc(count, sizeof *recorder->calls);
    FOVEA_TRY_MEMORY(recorder->calls);
    recorder->call_count = count;
    for (uint32_t i = 0; i < RECORDER_SETS * count; i++) {
        FOVEA_TRY(
            vk_compute_allocate_set(&recorder->compute, &recorder->device,
                                    &recorder->calls[i / RECORDER_SETS].sets[i % RECORDER_SETS]));
    }
    return FOVEA_OK;
}

enum fovea_result recorder_init(struct recorder *recorder, const struct recorder_desc *desc)
{
    *recorder = (struct recorder){.what = desc->what};
    FOVEA_TRY(vk_device_init(&recorder->device, &desc->device));
    const enum fovea_result result =
        build(recorder, desc->calls_in_flight ? desc->calls_in_flight : CALLS_DEFAULT);
    if (result < 0) {
        recorder_finish(recorder);
    }
    return result;
}

void recorder_finish(struct recorder *recorder)
{
    vk_compute_finish(&recorder->compute, &recorder->device);
    free(recorder->calls);
    recorder->calls = NULL;
}

/* ---- Arguments */

enum fovea_result recorder_refuse(const struct recorder *recorder, const char *format, ...)
{
    char problem[PROBLEM_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    log_error(recorder->device.log, "%s: %s", recorder->what, problem);
    return FOVEA_ERROR_INVALID_ARGUMENT;
}

enum fovea_result recorder_take_recording(const struct recorder *recorder,
                                          const struct fovea_vk_recording *given,
                                          struct fovea_vk_recording *out)
{
    if (!given || !struct_take(out, sizeof *out, given)) {
        return recorder_refuse(recorder, "recording %s", given ? struct_refusal(given) : "is NULL");
    }
    if (!out->commands) {
        return recorder_refuse(recorder, "recording.commands is NULL");
    }
    if (out->frame <= out->finished_frame) {
        return recorder_refuse(recorder, "recording.frame is %llu, not above finished_frame",
                               (unsigned long long)out->frame);
    }
    return FOVEA_OK;
}

enum fovea_result recorder_check_image(const struct recorder *recorder, const char *name,
                                       VkImageView view, VkImageLayout layout, bool is_read)
{
    if (!view) {
        return recorder_refuse(recorder, "%s.view is NULL", name);
    }
    if (layout != VK_IMAGE_LAYOUT_GENERAL && !(is_read && vk_image_layout_is_read(layout))) {
        return recorder_refuse(recorder, "%s.layout is not GENERAL%s", name,
                               is_read ? ", SHADER_READ_ONLY_OPTIMAL or READ_ONLY_OPTIMAL" : "");
    }
    return FOVEA_OK;
}

bool recorder_samples(const struct recorder *recorder, VkFormat format)
{
    const struct vk_device *device = &recorder->device;
    VkFormatProperties properties;
    device->vk.GetPhysicalDeviceFormatProperties(device->physical, format, &properties);
    return ((properties.optimalTilingFeatures | properties.linearTilingFeatures) &
            VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0;
}

/* ---- Commands */

#define ANY_ACCESS (VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT)
#define KERNEL_ACCESS (VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT)

enum fovea_result recorder_take_call(struct recorder *recorder,
                                     const struct fovea_vk_recording *recording,
                                     struct recorder_call **out_call)
{
    for (uint32_t i = 0; i < recorder->call_count; i++) {
        struct recorder_call *call = &recorder->calls[i];
        if (call->frame <= recording->finished_frame) {
            call->frame = recording->frame;
            *out_call = call;
            return FOVEA_OK;
        }
    }
    return FOVEA_NOT_READY;
}

enum fovea_result recorder_prepare(struct recorder *recorder, const struct operator_pass *passes,
                                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        FOVEA_TRY(vk_compute_prepare(&recorder->compute, &recorder->device,
                                     vk_compute_kind_of(&passes[i].shader, FOVEA_FORMAT_NONE)));
    }
    return FOVEA_OK;
}

static void barrier(struct recorder *recorder, VkCommandBuffer commands, bool from_kernels,
                    bool to_kernels)
{
    const VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = from_kernels ? VK_ACCESS_SHADER_WRITE_BIT
                                                                  : VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = to_kernels ? KERNEL_ACCESS : ANY_ACCESS};
    const VkPipelineStageFlags kernels = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    recorder->device.vk.CmdPipelineBarrier(commands, from_kernels ? kernels : all,
                                           to_kernels ? kernels : all, 0, 1, &memory, 0, NULL, 0,
                                           NULL);
}

void recorder_begin(struct recorder *recorder, VkCommandBuffer commands)
{
    barrier(recorder, commands, false, true);
}

void recorder_dispatch(struct recorder *recorder, VkCommandBuffer commands,
                       const struct operator_pass *pass, VkDescriptorSet set, bool is_last)
{
    const struct vk_dispatch work = {
        .kind = vk_compute_kind_of(&pass->shader, FOVEA_FORMAT_NONE),
        .set = set,
        .constants = pass->constants,
        .constant_bytes = pass->constant_bytes,
        .groups = {pass->groups[0], pass->groups[1]},
    };
    vk_compute_record(&recorder->compute, &recorder->device, commands, &work);
    if (pass->barrier) {
        barrier(recorder, commands, true, !is_last);
    }
}
