/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures of depths for scenes, as a program stores them. */
#pragma once

#include "scene.h"

#define SCENE_FOCUS_M 2.0

/* Returns the distance of what is drawn, in metres. */
double scene_distance(enum scene_depths depths, uint32_t x, uint32_t y);

/* The values mean one of so many distances: kinds and projections. 0 is metres, in floats alone. */
#define SCENE_SCALES 7

/* A picture as it is stored, and its values as they then are. */
struct depths {
    struct fovea_depth depth;
    struct test_image memory;
    double *values;
};

/* Draws those of so many images of the scene, below each other; one where they share it. */
struct depths scene_draw_depths(const struct operator_scene *scene, uint32_t count);
void scene_depths_free(struct depths *depths);
/* The same picture in other memory, as it is there. */
struct fovea_depth scene_depth_at(const struct depths *depths, const struct fovea_image *memory);

/* Fails the running test unless dof has made actual of src, focused there (dof_scenes.c). */
void dof_assert_focused(const struct operator_scene *scene, const struct depths *depths,
                        double focus_m, const struct fovea_image *src,
                        const struct fovea_image *actual);
