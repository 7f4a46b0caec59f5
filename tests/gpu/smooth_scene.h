/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* cuda_scene.h for the smooth method: a picture foveated by the kernels, in linear memory and
 * through surfaces, against the method in double precision and against the reference. */
#ifndef FOVEA_TESTS_SMOOTH_SCENE_H
#define FOVEA_TESTS_SMOOTH_SCENE_H

#include "cuda_scene.h"

/* scene_default with the smooth method in linear light. */
struct scene smooth_scene_default(void);

/* Draws the pattern and fails the running test where the result is not as expected. no_reference
 * leaves the reference out: where sigma is large it takes minutes. */
void smooth_assert(const struct cuda_fixture *fixture, const struct scene *scene);
/* The same for a picture of that size and format. Where the method gives no finite number, anything
 * may come. */
void smooth_assert_picture(const struct cuda_fixture *fixture, const struct scene *scene,
                           const struct test_image *src);

/* What was prepared runs in tiles (foveate/cuda/tiles/tiles.h). */
bool smooth_in_tiles(const struct cuda_fixture *fixture, const struct prepared *p,
                     enum fovea_format format);

#endif
