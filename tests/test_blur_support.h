/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the tests of the operator blur share: a scene, its source, and what the reference makes of
 * it. */
#ifndef FOVEA_TESTS_BLUR_SUPPORT_H
#define FOVEA_TESTS_BLUR_SUPPORT_H

#include "compare.h"
#include "images.h"
#include "kernels/operator/operator.h"

extern const struct operator_api blur_operator;

struct blur_scene {
    struct fovea_settings settings;
    enum fovea_format format;
    uint32_t width_px;
    uint32_t height_px;
    int picture; /* enum image_pattern or image_contrast */
    bool blue_first;
};

/* Number i of scenes that take in all formats, lights, kinds of alpha and pictures, with sigmas of
 * up to most_sigma_px. */
struct blur_scene blur_scene_of(uint64_t i, double most_sigma_px);

struct operator_plan *blur_scene_plan(const struct blur_scene *scene);
struct operator_frame blur_scene_frame(const struct blur_scene *scene);
/* A packed picture. */
struct test_image blur_scene_draw(const struct blur_scene *scene);

/* Fails the running test unless the result is within the bound of README.md of what the reference
 * makes of src. */
void blur_assert_exact(const struct blur_scene *scene, const struct fovea_image *src,
                       const struct fovea_image *actual);

#endif
