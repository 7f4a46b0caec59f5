/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One picture foveated by the CUDA kernels, and its comparison with the reference and with the cpu
 * backend: in linear memory with guards and gaps around the pixels and, where the format has them,
 * in arrays through surfaces. Every destination is canaries before. */
#pragma once

#include "cuda_fixture.h"

/* The smooth method's pictures are made by these kernels (gauss/cuda/ways.h). */
enum scene_way {
    SCENE_ANY_WAY,
    SCENE_IN_TILES, /* also small pictures, whose laws are steep */
    SCENE_BY_NODES, /* nodes, and where light or floats are wide their twin */
    SCENE_BY_BLOCKS, /* the same, each small picture by one block */
};

/* One run and what it is compared with. */
struct scene {
    struct fovea_foveation foveation;
    enum scene_way way;
    struct fovea_point_uv gaze;
    enum fovea_format format;
    uint32_t width_px;
    uint32_t height_px;
    enum image_pattern pattern;
    struct image_layout layout;
    uint32_t shift; /* bytes off the alignment */
    bool no_reference; /* too large for it: the cpu backend alone */
};

/* Random RGBA8, 203 x 117, blockwise with fragments of 16 px; smooth, of linear light. */
struct scene scene_default(void);
struct scene scene_smooth(void);

/* Draws the pattern and fails the running test where the result is not as expected. */
void scene_assert(const struct scene *scene);
/* ---- The steps of it */

struct prepared {
    struct gauss_plan *plan;
    struct operator_cuda_plan *tables;
    struct gauss_frame frame; /* what `view` comes to */
    struct operator_frame view;
    struct operator_cuda_run run; /* of the view */
};

/* Fails the running test where the picture is not made the scene's way. */
void scene_prepare(struct prepared *p, const struct scene *scene);
/* Moves the gaze. */
void scene_look(struct prepared *p, struct fovea_point_uv gaze);
void scene_finish(struct prepared *p);

/* dst has to hold canaries and gets the result; src must be the same afterwards. */
void scene_run_linear(const struct prepared *p, const struct test_image *src,
                      const struct test_image *dst, uint32_t shift);
/* Packed pictures. */
void scene_run_surface(const struct prepared *p, const struct fovea_image *src,
                       const struct fovea_image *dst);
/* Bits of every kind, signalling NaN included, through linear memory and surfaces: where nothing is
 * blurred, they are copied. Returns how many such pixels there are. */
uint32_t scene_assert_sharp_is_copied(const struct scene *scene);
/* Pictures of each level stay as they are. */
void scene_assert_flat_stays_flat(const struct scene *scene);
