/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This is drawn into pictures of depths of Vulkan frames; dof's reference of it is here, too. */
#pragma once

#include "kernels/dof/dof.h"
#include "operators/scene_depths.h"

#include <vulkan/vulkan_core.h>

struct depth_drawn {
    enum scene_depths scenery;
    struct fovea_depth values; /* what they mean */
};

/* Number i of those that suit a format. */
struct fovea_depth depth_scale_of(uint64_t i, VkFormat format);
/* depth_image_create calls it; `user` is a struct depth_drawn. */
double depth_value_at(const void *user, uint32_t x, uint32_t y);

/* 67x45 pixels of 8 bits, stored as sRGB, blue first, with a focus that follows the gaze. */
struct operator_scene depth_plain_scene(void);

/* Fails the running test unless the result is within dof's bound of what the reference makes of
 * src, the values of a picture of depths, and what is in focus. */
void depth_assert_exact(const struct operator_scene *scene, const struct fovea_depth *depth,
                        double *values, double focus_m, const struct fovea_image *src,
                        const struct fovea_image *actual);
