/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Operators against their references, by tables: on the processor (test_operators_exact), on a CUDA
 * device (gpu/test_cuda_operators), in contexts (test_context_operators) and in frames of a Vulkan
 * engine (vulkan/test_frame_operators).
 *
 * A new operator takes a file <name>_scenes.c with its struct operator_under_test, a line in
 * scene.c's table, and the file's name in kernels.cmake. All four programs then run its sets. What
 * it alone promises is in a program of its own, as test_lens_exact. */
#pragma once

#include "cmocka_all.h"
#include "compare.h"
#include "images.h"
#include "kernels/operator/operator.h"

struct thread_pool;

/* One of these is drawn into a picture of sigmas. */
enum scene_sigmas {
    SIGMAS_NONE, /* none is given */
    SIGMAS_FLAT,
    SIGMAS_RAMP,
    SIGMAS_STEP, /* in the middle of a tile, from none */
    SIGMAS_CHECKER, /* of pixels */
    SIGMAS_RANDOM,
    SIGMAS_ODD, /* NaN, infinities, negative, too small and too large ones between others */
    SIGMAS_COPIED, /* those of them that leave a pixel as it is */
    SIGMAS_KINDS
};

/* A picture of depths shows one of these. */
enum scene_depths {
    DEPTHS_NONE, /* none is given */
    DEPTHS_NEAR_BLOCKS, /* before what is in focus */
    DEPTHS_FAR_BLOCKS,
    DEPTHS_BLOCKS, /* near, in focus and far */
    DEPTHS_SLOPE, /* from before the focus to behind it */
    DEPTHS_RANDOM,
    DEPTHS_ODD, /* with what is unknown and what is infinite */
    DEPTHS_IN_FOCUS,
    DEPTHS_SPOTS, /* few out of focus */
    DEPTHS_NOISE, /* less before what is in focus than behind it */
    DEPTHS_KINDS
};

/* A picture and what an operator does to it. */
struct operator_scene {
    const struct operator_under_test *of;
    struct fovea_settings settings;
    enum fovea_format format;
    uint32_t width_px;
    uint32_t height_px;
    int picture; /* enum image_pattern or image_contrast */
    bool blue_first;
    struct fovea_point_uv gaze;
    struct fovea_point_uv others[GAZE_OTHERS_MAX]; /* places as sharp as the gaze */
    uint32_t other_count;
    uint64_t random; /* the scene's own number */
    enum scene_sigmas sigmas;
    enum fovea_format sigmas_format;
    double sigmas_most_px; /* of those drawn, but for odd ones */
    uint64_t sigmas_of; /* number of the image in its batch; the picture depends on it */
    bool sigmas_shared; /* all images of a batch have the first one's */
    enum scene_depths depths; /* scene_depths.h */
    enum fovea_depth_format depths_format;
    uint32_t depths_scale; /* below SCENE_SCALES */
    uint64_t depths_of; /* as sigmas_of */
    bool depths_shared;
    int shared_bytes; /* that a CUDA device must have for a block; 0: all devices have enough */
};

/* A set's scenes show this. */
enum scene_kind {
    SCENES_ALONE, /* pictures are the reference */
    SCENES_LAID_OUT, /* so they are with gaps, and bottom up */
    SCENES_COPIED, /* nothing is changed, bit for bit */
    SCENES_OF_VIEWS, /* a part of a larger picture is one of its own */
    SCENES_OF_BATCHES, /* each picture of many is what it is alone */
    SCENE_KINDS
};

/* The scenes 0, 1, .. of an operator, changed by choose, and how many of them each program takes;
 * 0: it has no such test. */
struct scene_set {
    const char *name; /* of the test */
    enum scene_kind kind;
    void (*choose)(uint64_t i, struct operator_scene *scene); /* NULL: as they are */
    uint32_t host;
    uint32_t cuda;
    uint32_t cuda_quick; /* where a tool or the host takes the device's place */
    uint32_t frames;
    uint32_t shift_every; /* CUDA: so many in a row lie alike to the device's alignment; 0: all */
    bool each; /* every time, and not in turns (sanitized.h) */
};

struct operator_under_test {
    const char *name; /* as settings have it */
    const struct operator_api *api;
    enum fovea_operator id;
    /* The operator's own settings of scene number i. */
    void (*choose)(uint64_t i, struct operator_scene *scene);
    /* Fails the running test unless the result is within the bound of the operator's README.md of
     * what the reference makes of src. */
    void (*assert_exact)(const struct operator_scene *scene, const struct fovea_image *src,
                         const struct fovea_image *actual);
    const struct scene_set *sets;
    size_t set_count;
    /* A setting to try in contexts, and the same in a scene. */
    const char *setting;
    const char *value;
    void (*set)(struct fovea_settings *settings);
    /* Changes a setting by so little that only another plan can tell. */
    void (*change)(struct fovea_settings *settings);
    uint64_t change_of; /* the scene that it is done to */
    uint32_t batch_count; /* on the processor: more than fit in memory together */
};

extern const struct operator_under_test foveate_under_test;
extern const struct operator_under_test blur_under_test;
extern const struct operator_under_test lens_under_test;
extern const struct operator_under_test dof_under_test;

/* Number i of scenes that take in all formats, lights, kinds of alpha, and pictures. */
struct operator_scene operator_scene_of(const struct operator_under_test *of, uint64_t i);
/* The same as a set has it. */
struct operator_scene operator_scene_of_set(const struct operator_under_test *of,
                                            const struct scene_set *set, uint64_t i);

/* A number that tells nothing of i. */
uint64_t scene_mixed(uint64_t i);

struct operator_plan *scene_plan(const struct operator_scene *scene);
struct operator_frame scene_frame(const struct operator_scene *scene);
/* A packed picture. */
struct test_image scene_draw(const struct operator_scene *scene);
/* The value of the picture of sigmas at a pixel, and the pictures of so many images below each
 * other, of one where they share it. */
double scene_sigma(const struct operator_scene *scene, uint32_t x, uint32_t y);
struct test_image scene_draw_sigmas(const struct operator_scene *scene, uint32_t count);
/* With images of that picture, whose first is kept by the caller. */
struct operator_images scene_with_sigmas(const struct operator_scene *scene,
                                         const struct operator_images *images,
                                         const struct fovea_image *sigmas,
                                         struct fovea_image *out_first);
/* Puts into values, as compare_expected_by makes them, the alpha of src, which was not blurred. */
void scene_keep_alpha(const struct fovea_image *src, double *values);
void scene_assert_exact(const struct operator_scene *scene, const struct fovea_image *src,
                        const struct fovea_image *actual);

/* ---- On the processor */

/* The scene's sigmas and depths are drawn and come with the images. */
void scene_run_on_host(struct thread_pool *pool, const struct operator_scene *scene,
                       const struct operator_images *images);
/* One picture, against the reference, with its guards intact. */
void scene_check_on_host(struct thread_pool *pool, const struct operator_scene *scene,
                         struct image_layout layout);

/* ---- Pictures below each other in one */

struct scene_batch {
    struct operator_scene scene; /* of one */
    struct operator_scene whole;
    uint32_t count;
    bool shared; /* they are all made of the first */
    struct test_image src;
    struct test_image dst;
};

struct scene_batch scene_batch_make(const struct operator_scene *scene, uint32_t height_px,
                                    uint32_t count, bool shared);
/* Images of that batch, whose first lie at these pictures; out_first is kept by the caller. */
struct operator_images scene_batch_images(const struct scene_batch *batch,
                                          const struct fovea_image *src,
                                          const struct fovea_image *dst,
                                          struct fovea_image out_first[2]);
/* One in so many of dst is the reference. */
void scene_batch_assert_exact(const struct scene_batch *batch, uint32_t one_in);
void scene_batch_free(struct scene_batch *batch);

/* ---- Tests of all operators */

/* A test's state. */
struct operator_test {
    const struct operator_under_test *of;
    const struct scene_set *set; /* NULL: the test has none */
    char name[80];
};

#define OPERATOR_TESTS_MOST 64

struct operator_tests {
    struct CMUnitTest tests[OPERATOR_TESTS_MOST];
    struct operator_test states[OPERATOR_TESTS_MOST];
    size_t count;
};

enum scene_place { SCENES_ON_HOST, SCENES_ON_CUDA, SCENES_IN_FRAMES };

/* Adds a test for each operator and set that has scenes there. */
void operator_tests_add_sets(struct operator_tests *tests, enum scene_place place,
                             const CMUnitTestFunction by_kind[SCENE_KINDS]);
/* Adds a test for each operator. */
void operator_tests_add(struct operator_tests *tests, const char *name, CMUnitTestFunction run);
