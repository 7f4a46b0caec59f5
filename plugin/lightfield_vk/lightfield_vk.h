/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields on a program's Vulkan device. */
#ifndef FOVEA_LIGHTFIELD_VK_LIGHTFIELD_VK_H
#define FOVEA_LIGHTFIELD_VK_LIGHTFIELD_VK_H

#include "fovea_lightfield_vk.h"

#include "kernels/lightfield/glsl/lightfield_glsl.h"
#include "vulkan/vk_compute.h"

/* What a call has until its frame is finished. */
struct lightfield_vk_call {
    VkDescriptorSet sets[2]; /* the second for confidences, which are another result */
    uint64_t frame; /* 0: none yet */
};

struct fovea_lightfield_vk {
    struct vk_device device;
    struct vk_compute compute;
    struct lightfield_glsl glsl;
    struct vk_buffer tables;
    struct vk_buffer focus; /* and the costs of a search */
    struct vk_buffer costs; /* of depths; nothing before the first that keeps them */
    struct lightfield_vk_call *calls;
    uint32_t call_count;
};

/* Arguments, copied and checked; the log names the field that is wrong. */
struct lightfield_vk_raw {
    VkDescriptorImageInfo image;
    struct lightfield_glsl_raw kind;
};

FOVEA_MUST_CHECK enum fovea_result lightfield_vk_refuse(const struct fovea_lightfield_vk *field,
                                                        const char *format, ...)
    __attribute__((format(printf, 2, 3)));
FOVEA_MUST_CHECK enum fovea_result lightfield_vk_take_desc(
    const struct fovea_lightfield_vk_desc *given, struct fovea_lightfield_vk_desc *out,
    struct lightfield_glsl *out_glsl);
FOVEA_MUST_CHECK enum fovea_result lightfield_vk_take_recording(
    const struct fovea_lightfield_vk *field, const struct fovea_vk_recording *given,
    struct fovea_vk_recording *out);
FOVEA_MUST_CHECK enum fovea_result lightfield_vk_take_raw(
    const struct fovea_lightfield_vk *field, const struct fovea_lightfield_vk_raw *given,
    struct lightfield_vk_raw *out);
FOVEA_MUST_CHECK enum fovea_result lightfield_vk_take_picture(
    const struct fovea_lightfield_vk *field, const struct fovea_lightfield_vk_image *given,
    struct lightfield_glsl_picture *out);
/* One float a pixel: what is written, or what is read. */
FOVEA_MUST_CHECK enum fovea_result lightfield_vk_check_floats(
    const struct fovea_lightfield_vk *field, const char *name,
    const struct fovea_lightfield_vk_image *given, bool is_read);

#endif
