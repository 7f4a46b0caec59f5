/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An engine's image of depths, of all formats that frames take. */
#pragma once

#include "engine.h"

struct depth_image {
    struct engine_image image; /* its view of the depths is raw_view */
    VkImageLayout layout;
    double *values; /* as they are stored, a pixel each */
};

/* The format, or one that every device has. */
VkFormat depth_image_format_or(const struct engine *engine, VkFormat format);

/* Stores what is nearest to the value of each pixel, in a layout in which shaders read it. */
struct depth_image depth_image_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                      uint32_t height_px,
                                      double (*value)(const void *user, uint32_t x, uint32_t y),
                                      const void *user);
/* Brings it to the layout of an attachment, from that one to the one of synchronization2. */
void depth_image_attach(struct engine *engine, struct depth_image *image);
void depth_image_destroy(struct engine *engine, struct depth_image *image);

/* The whole of it. */
struct fovea_vk_depth depth_image_given(const struct depth_image *image,
                                        const struct fovea_depth *values);
