/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* All objects that record into a program's command buffers have this in common: the program's
 * device, pipelines, calls that are not finished, barriers, and refusals that name the field. */
#pragma once

#include "fovea_vulkan.h"

#include "vulkan/vk_compute.h"

#define RECORDER_SETS 2 /* of a call */

/* A call has this until its frame is finished. */
struct recorder_call {
    VkDescriptorSet sets[RECORDER_SETS];
    uint64_t frame; /* 0: none yet */
};

struct recorder {
    const char *what; /* as the log says it: "light field" */
    struct vk_device device;
    struct vk_compute compute;
    struct recorder_call *calls;
    uint32_t call_count;
};

struct recorder_desc {
    const char *what, *desc; /* and the program's struct */
    struct vk_device_desc device;
    uint32_t calls_in_flight; /* 0: the default */
    uint32_t width_px, height_px; /* of images */
};

/* Makes it of the program's struct, whose fields have the same names everywhere. */
#define RECORDER_DESC(own, what_it_is, struct_name)                                                \
    {                                                                                              \
        .what = (what_it_is), .desc = (struct_name),                                               \
        .device = {.instance = (own)->instance,                                                    \
                   .physical = (own)->physical_device,                                             \
                   .device = (own)->device,                                                        \
                   .queue_family = (own)->queue_family,                                            \
                   .get_instance_proc_addr = (own)->get_instance_proc_addr,                        \
                   .allocator = (own)->allocator,                                                  \
                   .pipeline_cache = (own)->pipeline_cache,                                        \
                   .log = (own)->log},                                                             \
        .calls_in_flight = (own)->calls_in_flight, .width_px = (own)->width_px,                    \
        .height_px = (own)->height_px                                                              \
    }

/* FOVEA_ERROR_INVALID_ARGUMENT, and a line with the struct's name. */
FOVEA_MUST_CHECK enum fovea_result recorder_refuse_desc(const struct recorder_desc *desc,
                                                        const char *problem);
FOVEA_MUST_CHECK enum fovea_result recorder_check_desc(const struct recorder_desc *desc);
/* On failure there is nothing to finish. */
FOVEA_MUST_CHECK enum fovea_result recorder_init(struct recorder *recorder,
                                                 const struct recorder_desc *desc);
void recorder_finish(struct recorder *recorder);

/* ---- Arguments, checked; the log names what is wrong */

FOVEA_MUST_CHECK enum fovea_result recorder_refuse(const struct recorder *recorder,
                                                   const char *format, ...)
    __attribute__((format(printf, 2, 3)));
FOVEA_MUST_CHECK enum fovea_result recorder_take_recording(const struct recorder *recorder,
                                                           const struct fovea_vk_recording *given,
                                                           struct fovea_vk_recording *out);
/* An image that is read or written; its struct is there. */
FOVEA_MUST_CHECK enum fovea_result recorder_check_image(const struct recorder *recorder,
                                                        const char *name, VkImageView view,
                                                        VkImageLayout layout, bool is_read);
bool recorder_samples(const struct recorder *recorder, VkFormat format);

/* ---- Commands */

/* FOVEA_NOT_READY: none is finished. */
FOVEA_MUST_CHECK enum fovea_result recorder_take_call(struct recorder *recorder,
                                                      const struct fovea_vk_recording *recording,
                                                      struct recorder_call **out_call);
/* Makes the pipelines of passes, before anything is recorded. */
FOVEA_MUST_CHECK enum fovea_result recorder_prepare(struct recorder *recorder,
                                                    const struct operator_pass *passes,
                                                    uint32_t count);
/* Before a call's passes. */
void recorder_begin(struct recorder *recorder, VkCommandBuffer commands);
/* With its barrier, if it has one; behind the last of a call anything may follow. */
void recorder_dispatch(struct recorder *recorder, VkCommandBuffer commands,
                       const struct operator_pass *pass, VkDescriptorSet set, bool is_last);
