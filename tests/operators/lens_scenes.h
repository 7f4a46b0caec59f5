/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Scenes of the operator lens: its polynomials, points, eyes and headsets, and what the reference
 * makes of them. */
#pragma once

#include "scene.h"

/* operator_scene_of(&lens_under_test, i): lenses of all kinds that a polynomial has. */
struct operator_scene lens_scene_of(uint64_t i);

/* The same with a grid of points instead of the polynomial: linear and quadratic, few and many, one
 * for all colours or one each. */
void lens_scene_use_points(uint64_t i, struct operator_scene *scene);

/* The same with a polynomial of a calibration's, for both eyes. */
void lens_scene_use_polynomial(struct operator_scene *scene);

/* Writes that scene's grid as a file, from which the same one is read. */
void lens_scene_write_points(const struct operator_scene *scene, const char *path);

/* Writes one with the lenses of two scenes, for the left eye and for the right one. */
void lens_scenes_write_eyes(const struct operator_scene eyes[2], const char *path);

/* Two scenes, of the left eye and of the right one, with these settings; returns them with both
 * lenses in a file. */
struct fovea_settings lens_scenes_of_eyes(const struct fovea_settings *settings,
                                          struct operator_scene out_eyes[2], const char *path);

/* The same of RGBA8, for whose light CUDA has kernels of its own: filters and samples by turns. */
void lens_scene_use_bytes(uint64_t i, struct operator_scene *scene);

/* How far values may be from what the reference makes of src. */
struct lens_bound {
    double off_px; /* at places that are up to so far away, along either axis */
    double levels; /* beyond rounding, in formats of levels */
};

/* README.md's bound, beside 0.25 levels. */
double lens_scene_off_px(const struct operator_scene *scene);

/* Finds where in the picture the reference sees each pixel: it is given a picture whose values are
 * their own places. x and y of green, in pixels; NAN where a pixel shows nothing, or the edge's
 * colour, repeated. The caller frees it. */
double *lens_scene_places(const struct operator_scene *scene);
