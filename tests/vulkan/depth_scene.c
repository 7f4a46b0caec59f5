/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "depth_scene.h"

#include "operators/scene_depths.h"
#include "operators/scene_vk.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Depths */

/* Returns what values mean, for formats from 0 to 1 and for floats. */
struct fovea_depth depth_scale_of(uint64_t i, VkFormat format)
{
    static const struct {
        enum fovea_depth_kind kind;
        double zero_m, one_m;
    } scales[] = {{FOVEA_DEPTH_LINEAR, 0.0, 1.0},
                  {FOVEA_DEPTH_PERSPECTIVE, 0.25, 100.0},
                  {FOVEA_DEPTH_PERSPECTIVE, (double)INFINITY, 0.25},
                  {FOVEA_DEPTH_LINEAR, 0.5, 40.5},
                  {FOVEA_DEPTH_PERSPECTIVE, 60.0, 0.1}};
    const bool floats = format == VK_FORMAT_R32_SFLOAT || format == VK_FORMAT_R16_SFLOAT;
    const size_t at = floats ? i % COUNT(scales) : 1 + i % (COUNT(scales) - 1);
    struct fovea_depth depth;
    fovea_depth_init(&depth);
    depth.kind = scales[at].kind;
    depth.zero_m = scales[at].zero_m;
    depth.one_m = scales[at].one_m;
    return depth;
}

double depth_value_at(const void *user, uint32_t x, uint32_t y)
{
    const struct depth_drawn *drawn = user;
    const struct fovea_depth *values = &drawn->values;
    const double distance_m = scene_distance(drawn->scenery, x, y);
    return values->kind == FOVEA_DEPTH_LINEAR
               ? (distance_m - values->zero_m) / (values->one_m - values->zero_m)
               : (1.0 / distance_m - 1.0 / values->zero_m) /
                     (1.0 / values->one_m - 1.0 / values->zero_m);
}

/* ---- Scenes */

/* Stored sRGB of 8 bits, with a focus that follows the gaze. */
struct operator_scene depth_plain_scene(void)
{
    struct operator_scene scene = operator_scene_of(&dof_under_test, 0);
    const struct fovea_operator_settings own = scene.settings.own;
    scene.settings = rig_settings();
    scene.settings.own = own;
    scene.settings.own.dof_focus = 0;
    scene.settings.operators = scene_vk_operators(&dof_under_test);
    scene.format = FOVEA_FORMAT_RGBA8;
    scene.blue_first = true;
    scene.width_px = 67;
    scene.height_px = 45;
    scene.settings.own.dof_sensor_mm = 3.0;
    return scene;
}

void depth_assert_exact(const struct operator_scene *scene, const struct fovea_depth *depth,
                        double *values, double focus_m, const struct fovea_image *src,
                        const struct fovea_image *actual)
{
    const struct depths depths = {.depth = *depth, .values = values};
    dof_assert_focused(scene, &depths, focus_m, src, actual);
}
