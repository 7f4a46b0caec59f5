/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields on a program's Vulkan device. */
#pragma once

#include "fovea_lightfield_vk.h"

#include "kernels/lightfield/glsl/lightfield_glsl.h"
#include "plugin/recorder/recorder.h"

struct fovea_lightfield_vk {
    struct recorder recorder;
    struct lightfield_glsl glsl;
    struct vk_buffer tables;
    struct vk_buffer focus; /* and the costs of a search */
    struct vk_buffer costs; /* of depths; nothing before the first that keeps them */
};

/* Arguments, copied and checked; the log names the field that is wrong. */
struct lightfield_vk_raw {
    VkDescriptorImageInfo image;
    struct lightfield_glsl_raw kind;
};

FOVEA_MUST_CHECK enum fovea_result lightfield_vk_take_desc(
    const struct fovea_lightfield_vk_desc *given, struct recorder_desc *out,
    struct lightfield_glsl *out_glsl);
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
