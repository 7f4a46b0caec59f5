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

/* Of the picture's size, with the desc's blobs, which has numbers for all that may be 0. Validation
 * had nothing to say. */
void blobs_run_vk(struct engine *engine, const struct fovea_blobs_vk_desc *desc, VkFormat format,
                  uint64_t plane_bytes, const struct fovea_image *image, struct blobs_found *out);
