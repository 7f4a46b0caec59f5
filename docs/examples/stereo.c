/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include <fovea_vulkan.h>

/* A runtime says this about an eye. */
struct eye {
    struct fovea_gaze gaze; /* uv over this eye's picture */
    double tan_left, tan_right, tan_up, tan_down; /* its frustum */
};

/* Both eyes side by side in one image: drawn and shown are as wide as two pictures. */
static inline enum fovea_result foveate_side_by_side(struct fovea_vk *fovea,
                                                     struct fovea_vk_frame frame, uint32_t width_px,
                                                     uint32_t height_px, const struct eye eyes[2])
{
    struct fovea_geometry frustums[2] = {{0}};
    struct fovea_vk_view views[2] = {{0}};
    for (uint32_t i = 0; i < 2; i++) {
        frustums[i].tan_left = eyes[i].tan_left;
        frustums[i].tan_right = eyes[i].tan_right;
        frustums[i].tan_up = eyes[i].tan_up;
        frustums[i].tan_down = eyes[i].tan_down;
        views[i] = (struct fovea_vk_view){.struct_bytes = sizeof(struct fovea_vk_view),
                                          .x_px = i * width_px,
                                          .width_px = width_px,
                                          .height_px = height_px,
                                          .gaze = eyes[i].gaze,
                                          .geometry = &frustums[i],
                                          .eye = i == 0 ? FOVEA_MAP_EYE_LEFT : FOVEA_MAP_EYE_RIGHT};
    }
    frame.views = views;
    frame.view_count = 2;
    return fovea_vk_foveate(fovea, &frame);
}

/* One layer for each eye, as multiview rendering draws them, with the settings' geometry. */
static inline enum fovea_result foveate_layers(struct fovea_vk *fovea, struct fovea_vk_frame frame,
                                               uint32_t width_px, uint32_t height_px,
                                               const struct eye eyes[2])
{
    struct fovea_vk_view views[2] = {{0}};
    for (uint32_t i = 0; i < 2; i++) {
        views[i] = (struct fovea_vk_view){.struct_bytes = sizeof(struct fovea_vk_view),
                                          .width_px = width_px,
                                          .height_px = height_px,
                                          .layer = i,
                                          .gaze = eyes[i].gaze};
    }
    frame.src.layer_count = 2;
    frame.dst.layer_count = 2;
    frame.views = views;
    frame.view_count = 2;
    return fovea_vk_foveate(fovea, &frame);
}
