/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Scenes as frames of a Vulkan engine. */
#pragma once

#include "scene.h"
#include "stereo.h"

/* The operator alone. */
struct fovea_operators scene_vk_operators(const struct operator_under_test *of);

/* Number i of all formats that frames have, red first and blue first. */
VkFormat scene_vk_format(unsigned i);

/* The scene's picture of sigmas as an image that kernels may read; none where it has none. It is
 * destroyed by engine_image_destroy. */
struct engine_image scene_vk_sigmas(struct rig *rig, const struct operator_scene *scene,
                                    struct fovea_vk_sigmas *out_sigmas);

/* A frame of the scene, which takes on the format, and what came of it. The caller frees both. */
void scene_vk_run(struct rig *rig, VkFormat format, enum rig_path path,
                  struct operator_scene *scene, struct test_image *out_src,
                  struct test_image *out_dst);
/* The same against the reference. */
void scene_vk_check(struct rig *rig, VkFormat format, enum rig_path path,
                    struct operator_scene *scene);

/* A frame of several views, of which each is the picture of its own scene. */
void scene_vk_check_views(struct rig *rig, const struct stereo *views, enum rig_path path,
                          const struct operator_scene *const scenes[]);
