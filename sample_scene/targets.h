/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The images of one size: what the engine draws into, what Fovea writes, depth, and buffers to read
 * both back. One set for each frame in flight. */
#pragma once

#include "foveation.h"
#include "renderer.h"

struct targets_desc {
    VkExtent2D extent;
    uint32_t eyes; /* side by side in it */
    bool made; /* Fovea makes the images: no copies */
    bool own_dst; /* there is no swapchain to write to */
    bool readback;
    bool copied; /* pictures are copied to what the engine draws into elsewhere */
};

struct targets {
    struct targets_desc desc;
    VkFormat format;
    struct arena arena;
    VkImage depth;
    VkImageView depth_view;
    struct foveation_image src[FRAMES_IN_FLIGHT];
    struct foveation_image dst[FRAMES_IN_FLIGHT];
    VkFramebuffer framebuffers[FRAMES_IN_FLIGHT];
    VkBuffer readback;
    void *readback_mapped;
    VkDeviceSize picture_bytes; /* slot 0's source, slot 0's result, slot 1's source, ... */
    VkDeviceSize depths_at; /* behind them: a float a pixel for each slot */
};

/* On failure nothing is left to finish. */
bool targets_init(struct targets *targets, const struct renderer *renderer,
                  struct foveation *foveation, const struct targets_desc *desc);
/* The GPU must be done with them. Accepts zeroed ones. */
void targets_finish(struct targets *targets);

/* Records a copy for the host. The image is in layout `before`, and afterwards in
 * TRANSFER_SRC_OPTIMAL. */
void targets_read(const struct targets *targets, VkCommandBuffer commands, VkImage image,
                  VkImageLayout before, uint32_t picture);
/* The same of the depths that were drawn, in their layout before and afterwards. */
void targets_read_depth(const struct targets *targets, VkCommandBuffer commands, uint32_t slot);
/* NULL: they were made without readback. */
const void *targets_picture(const struct targets *targets, uint32_t picture);
const float *targets_depth(const struct targets *targets, uint32_t slot);
