/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs on a program's Vulkan device. */
#pragma once

#include "fovea_blobs_vk.h"

#include "kernels/saliency/glsl/saliency_glsl.h"
#include "plugin/recorder/recorder.h"

struct fovea_blobs_vk {
    struct recorder recorder;
    struct saliency_glsl *glsl;
    struct vk_buffer tables, work, planes;
    bool ran; /* a run was recorded */
};

/* Does as fovea_blobs_vk_create, with another most that planes take at once. */
FOVEA_MUST_CHECK enum fovea_result blobs_vk_create_within(const struct fovea_blobs_vk_desc *desc,
                                                          uint64_t plane_bytes_most,
                                                          struct fovea_blobs_vk **out_blobs);
