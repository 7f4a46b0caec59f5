/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One picture foveated by the CUDA kernels, and its comparison with the reference and with the cpu
 * backend: in linear memory with guards and gaps around the pixels and, where the format has them,
 * in arrays through surfaces. Every destination is canaries before. */
#ifndef FOVEA_TESTS_CUDA_SCENE_H
#define FOVEA_TESTS_CUDA_SCENE_H

#include "cuda_fixture.h"

/* One run and what it is compared with. */
struct scene {
    struct fovea_foveation foveation;
    struct fovea_point_uv gaze;
    enum fovea_format format;
    uint32_t width_px;
    uint32_t height_px;
    enum image_pattern pattern;
    struct image_layout layout;
    uint32_t shift; /* bytes off the alignment */
    bool no_reference; /* too large for it: the cpu backend alone */
};

/* Random RGBA8, 203 x 117, blockwise with fragments of 16 px. */
struct scene scene_default(void);
bool scene_has_surface(enum fovea_format format);

/* Draws the pattern and fails the running test where the result is not as expected. */
void scene_assert(const struct cuda_fixture *fixture, const struct scene *scene);
/* The same for a picture of that size and format. */
void scene_assert_picture(const struct cuda_fixture *fixture, const struct scene *scene,
                          const struct test_image *src);

/* ---- The steps of it */

struct prepared {
    struct foveate_plan *plan;
    struct operator_cuda_plan *tables;
    struct foveate_frame frame; /* what `view` comes to */
    struct operator_frame view;
    struct operator_cuda_run run; /* of the view */
};

void scene_prepare(const struct cuda_fixture *fixture, struct prepared *p,
                   const struct scene *scene);
/* Moves the gaze. */
void scene_look(struct prepared *p, struct fovea_point_uv gaze);
void scene_finish(const struct cuda_fixture *fixture, struct prepared *p);

/* dst has to hold canaries and gets the result; src must be the same afterwards. */
void scene_run_linear(const struct cuda_fixture *fixture, const struct prepared *p,
                      const struct test_image *src, const struct test_image *dst, uint32_t shift);
/* Packed pictures. */
void scene_run_surface(const struct cuda_fixture *fixture, const struct prepared *p,
                       const struct fovea_image *src, const struct fovea_image *dst);
/* Bits of every kind, signalling NaN included. */
void scene_scramble(const struct test_image *image);
/* Such bits through linear memory and surfaces: where nothing is
 * blurred, they are copied. Returns how many such pixels there are. */
uint32_t scene_assert_sharp_is_copied(const struct cuda_fixture *fixture,
                                      const struct scene *scene);
/* Pictures of each level stay as they are. */
void scene_assert_flat_stays_flat(const struct cuda_fixture *fixture, const struct scene *scene);
/* What the cpu backend makes of it; the caller frees it. */
double *scene_run_cpu(const struct prepared *p, const struct fovea_image *src);

/* ---- What every way of foveating has to do right */

struct scene_way {
    const struct cuda_fixture *fixture;
    struct scene (*scene)(void); /* the usual one */
    void (*check)(const struct scene *scene);
    void (*check_picture)(const struct scene *scene, const struct test_image *src);
    const enum fovea_format *formats;
    size_t format_count;
    const enum fovea_light *lights;
    size_t light_count;
    uint32_t small_px[2]; /* enough for layouts and alpha; 0: the usual size */
};

void way_has_every_format_pattern_and_light(const struct scene_way *way);
void way_respects_strides_and_gaps(const struct scene_way *way);
void way_needs_no_more_than_its_channels_alignment(const struct scene_way *way);
void way_blurs_premultiplied_alpha(const struct scene_way *way);
void way_works_for_the_longest_sides(const struct scene_way *way);

/* NaN and Inf spread as far as the method reaches and not one pixel further. */
struct bad_number {
    uint32_t x, y, channel;
    double value;
};
void way_keeps_bad_numbers_within_reach(const struct scene_way *way, const struct bad_number *bad,
                                        size_t count);

#endif
