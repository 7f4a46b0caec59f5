/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the tests of the operator lens share: a scene, its source, and what the reference makes of
 * it. */
#ifndef FOVEA_TESTS_LENS_SUPPORT_H
#define FOVEA_TESTS_LENS_SUPPORT_H

#include "compare.h"
#include "images.h"
#include "kernels/operator/operator.h"

extern const struct operator_api lens_operator;

struct lens_scene {
    struct fovea_settings settings;
    enum fovea_format format;
    uint32_t width_px;
    uint32_t height_px;
    int picture; /* enum image_pattern or image_contrast */
    bool blue_first;
};

/* Number i of scenes that take in all formats, lights, kinds of alpha and pictures, and lenses. */
struct lens_scene lens_scene_of(uint64_t i);

/* The same with a grid of points instead of the polynomial: linear and quadratic, few and many, one
 * for all colours or one each. */
void lens_scene_use_points(uint64_t i, struct lens_scene *scene);

/* The same with a polynomial of a calibration's, for both eyes. */
void lens_scene_use_polynomial(struct lens_scene *scene);

/* The same with a lens for each eye, a polynomial and points, of which that eye's counts. */
void lens_scene_use_eyes(enum fovea_map_eye eye, struct lens_scene *scene);

/* The same with Monado's values of a headset, whose viewport has another aspect than the scene. */
void lens_scene_use_headset(struct lens_scene *scene);

/* Writes that scene's grid as a file, from which the same one is read. */
void lens_scene_write_points(const struct lens_scene *scene, const char *path);

/* Writes one with the lenses of two scenes, for the left eye and for the right one. */
void lens_scenes_write_eyes(const struct lens_scene eyes[2], const char *path);

/* Two scenes, of the left eye and of the right one, with these settings; returns them with both
 * lenses in a file. */
struct fovea_settings lens_scenes_of_eyes(const struct fovea_settings *settings,
                                          struct lens_scene out_eyes[2], const char *path);

struct operator_plan *lens_scene_plan(const struct lens_scene *scene);
struct operator_frame lens_scene_frame(const struct lens_scene *scene);
/* A packed picture. */
struct test_image lens_scene_draw(const struct lens_scene *scene);

/* How far values may be from what the reference makes of src. */
struct lens_bound {
    double off_px; /* at places that are up to so far away, along either axis */
    double levels; /* beyond rounding, in formats of levels */
};

/* Fails the running test unless every value is within the bound. Returns by how many levels at most
 * one is beyond rounding; 0 for floats. */
double lens_assert_within(const struct lens_scene *scene, struct lens_bound bound,
                          const struct fovea_image *src, const struct fovea_image *actual);

/* The same with the bound of README.md: 0.25 levels, and lens_scene_off_px. */
double lens_scene_off_px(const struct lens_scene *scene);
void lens_assert_exact(const struct lens_scene *scene, const struct fovea_image *src,
                       const struct fovea_image *actual);

/* Finds where in the picture the reference sees each pixel: it is given a picture whose values are
 * their own places. x and y of green, in pixels; NAN where a pixel shows nothing, or the edge's
 * colour, repeated. The caller frees it. */
double *lens_scene_places(const struct lens_scene *scene);

#endif
