/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs of a packed picture in CPU memory, found on a Vulkan device. */
#pragma once

#include "engine.h"
#include "plugin/blobs_vk/blobs_vk.h"

/* A list, and responses of all scales; both have room for what the desc asks for. */
struct blobs_found {
    uint32_t count;
    struct fovea_blob *blobs;
    float *responses;
};

/* The desc has the picture's size, and its blobs have numbers for all that may be 0. Fails where
 * validation has anything to say. */
void blobs_run_vk(struct engine *engine, const struct fovea_blobs_vk_desc *desc, VkFormat format,
                  uint64_t plane_bytes, const struct fovea_image *image, struct blobs_found *out);
