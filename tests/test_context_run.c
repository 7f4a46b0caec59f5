/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_context as a program uses it. */

#include "test_context_support.h"

#include "compare.h"
#include "settings_for.h"

static const struct fovea_point_uv center = {0.5, 0.5};

struct scene {
    struct said said;
    struct fovea_context *context;
    struct test_image src;
    struct test_image dst;
};

static struct scene *scene_make(const struct fovea_settings *settings, uint32_t width_px,
                                uint32_t height_px)
{
    struct scene *scene = test_memory(1, sizeof *scene);
    scene->context = context_of(settings, &scene->said);
    scene->src = image_make_packed(width_px, height_px, FOVEA_FORMAT_RGBA8);
    scene->dst = image_make_packed(width_px, height_px, FOVEA_FORMAT_RGBA8);
    image_draw(&scene->src.view, IMAGE_RANDOM, 2);
    return scene;
}

static void scene_free(struct scene **own)
{
    OWNED(owned_free) struct scene *scene = *own;
    assert_silent(&scene->said);
    fovea_context_destroy(&scene->context);
    assert_null(scene->context);
    image_free(&scene->src);
    image_free(&scene->dst);
}

static void scene_run(struct scene *scene, struct fovea_point_uv gaze)
{
    assert_ok(fovea_context_run(scene->context, &scene->src.view, &scene->dst.view, gaze, NULL));
}

static void assert_reference(const struct scene *scene, const struct fovea_foveation *foveation,
                             struct fovea_point_uv gaze)
{
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = NULL;
    const struct fovea_image *src = &scene->src.view;
    assert_ok(foveate_plan_create(foveation, src->width_px, src->height_px, &plan));
    const struct gauss_frame frame = gauss_frame_make(plan, gaze);
    OWNED(owned_free) double *expected = compare_expected(foveation, src, &frame);
    compare_assert_close(&scene->dst.view, expected, compare_budget_for(foveation, src->format),
                         "context");
}

TEST(defaults_foveate_a_host_image)
{
    const struct fovea_settings settings = fovea_settings_default();
    OWNED(scene_free) struct scene *scene = scene_make(NULL, 300, 200);
    const struct fovea_point_uv gaze = {0.21, 0.83};
    scene_run(scene, gaze);
    assert_reference(scene, &settings.foveation, gaze);
}

TEST(new_settings_hold_from_the_next_frame)
{
    struct fovea_foveation foveation = fovea_settings_default().foveation;
    OWNED(scene_free) struct scene *scene = scene_make(NULL, 120, 90);
    scene_run(scene, center);
    foveation.strength = 2.0;
    foveation.paper.fragment_px = 8;
    assert_ok(fovea_context_set_settings(scene->context, settings_for(&foveation)));
    scene_run(scene, center);
    assert_reference(scene, &foveation, center);
}

TEST(wrong_settings_leave_the_old_ones_in_force)
{
    const struct fovea_foveation old = fovea_settings_default().foveation;
    struct fovea_foveation wrong = old;
    OWNED(scene_free) struct scene *scene = scene_make(NULL, 120, 90);
    wrong.paper.fragment_px = 3;
    assert_invalid(fovea_context_set_settings(scene->context, settings_for(&wrong)));
    assert_said(&scene->said, "foveation.paper.fragment_px");
    scene_run(scene, center);
    assert_reference(scene, &old, center);
}

TEST(more_sizes_than_are_kept_still_work)
{
    const struct fovea_settings settings = fovea_settings_default();
    struct said said = {0};
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(NULL, &said);
    for (uint32_t i = 0; i < 30; i++) {
        struct scene scene = {.src = image_make_packed(40 + i % 7, 30, FOVEA_FORMAT_RGBA8),
                              .dst = image_make_packed(40 + i % 7, 30, FOVEA_FORMAT_RGBA8)};
        image_draw(&scene.src.view, IMAGE_RANDOM, i);
        assert_ok(fovea_context_run(context, &scene.src.view, &scene.dst.view, center, NULL));
        assert_reference(&scene, &settings.foveation, center);
        image_free(&scene.src);
        image_free(&scene.dst);
    }
    assert_silent(&said);
}

/* Packed stereo: the two eyes' halves of one buffer do not overlap, though their ranges do. */
TEST(the_other_half_of_the_same_rows_is_not_an_overlap)
{
    OWNED(scene_free) struct scene *scene = scene_make(NULL, 128, 40);
    struct fovea_image left = scene->src.view;
    left.width_px = 64;
    struct fovea_image right = left;
    right.data = image_pixel(&scene->src.view, 64, 0);
    assert_ok(fovea_context_run(scene->context, &left, &right, center, NULL));
    right.data = image_pixel(&scene->src.view, 63, 0);
    assert_invalid(fovea_context_run(scene->context, &left, &right, center, NULL));
    assert_said(&scene->said, "overlap");
}

TEST(two_contexts_may_have_other_settings)
{
    const struct fovea_settings usual = fovea_settings_default();
    struct fovea_settings strong = usual;
    strong.foveation.strength = 3.0;
    strong.backend = FOVEA_BACKEND_CPU;
    strong.cpu_threads = 2;
    OWNED(scene_free) struct scene *a = scene_make(NULL, 90, 70);
    OWNED(scene_free) struct scene *b = scene_make(&strong, 90, 70);
    scene_run(a, center);
    scene_run(b, center);
    assert_reference(a, &usual.foveation, center);
    assert_reference(b, &strong.foveation, center);
}

/* ---- Pictures of sigma */

TEST(sigma_map_says_what_run_does)
{
    struct fovea_foveation foveation = fovea_settings_default().foveation;
    OWNED(owned_free) float *map = calloc(200 * 150, sizeof *map);
    assert_non_null(map);
    assert_ok(
        fovea_sigma_map(&(struct fovea_settings){.foveation = foveation}, 200, 150, center, map));
    assert_true(map[75 * 200 + 100] == 0.0f);
    assert_true(map[0] > 5.0f && map[0] < 11.0f);
    foveation.strength = 0.0;
    assert_ok(
        fovea_sigma_map(&(struct fovea_settings){.foveation = foveation}, 200, 150, center, map));
    assert_true(map[0] == 0.0f);
}

TEST(sigma_map_refuses_wrong_arguments)
{
    struct fovea_foveation foveation = fovea_settings_default().foveation;
    float map[4];
    const struct fovea_point_uv nowhere = {(double)NAN, 0.5};
    assert_invalid(fovea_sigma_map(NULL, 2, 2, center, map));
    assert_invalid(
        fovea_sigma_map(&(struct fovea_settings){.foveation = foveation}, 2, 2, center, NULL));
    assert_invalid(
        fovea_sigma_map(&(struct fovea_settings){.foveation = foveation}, 0, 2, center, map));
    assert_invalid(
        fovea_sigma_map(&(struct fovea_settings){.foveation = foveation}, 2, 2, nowhere, map));
    foveation.paper.ct0 = 2.0;
    assert_invalid(
        fovea_sigma_map(&(struct fovea_settings){.foveation = foveation}, 2, 2, center, map));
}

TEST(eccentricity_of_a_view_is_along_the_flat_picture)
{
    struct fovea_foveation foveation = fovea_settings_default().foveation;
    foveation.model = FOVEA_MODEL_PHYSICAL;
    /* 0.53 m are 1920 px, so 0.6 m are 2173.6 px. */
    assert_float_equal(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1920,
                                             1080, center, 0.0, 10.0),
                       383.26, 0.01);
    assert_float_equal(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1920,
                                             1080, center, 0.0, 45.0),
                       2173.58, 0.01);
    assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1920, 1080,
                                      center, 0.0, 90.0) < 0.0);
    foveation.model = FOVEA_MODEL_CURVE;
    foveation.geometry.ppd = 30.0;
    assert_float_equal(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1920,
                                             1080, center, 0.0, 1.0),
                       30.0, 0.01);
    foveation.geometry.tan_left = 1.5;
    foveation.geometry.tan_right = 0.5;
    foveation.geometry.tan_up = 1.0;
    foveation.geometry.tan_down = 1.0;
    const struct fovea_point_uv axis = {0.75, 0.5};
    assert_float_equal(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1000,
                                             100, axis, 0.0, 45.0),
                       500.0, 1e-9);
    foveation.geometry.ppd = 2.0; /* does not count */
    assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1000, 100,
                                      center, 0.0, 45.0) > 0.0);
    foveation.geometry.tan_right = -1.5;
    assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1000, 100,
                                      center, 0.0, 45.0) < 0.0);
}

/* ---- Views */

TEST(a_view_is_described_once)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.model = FOVEA_MODEL_PHYSICAL;
    OWNED(scene_free) struct scene *scene = scene_make(&settings, 120, 90);
    for (int i = 0; i < 4; i++) {
        scene_run(scene, center);
    }
    scene->src.view.width_px = scene->dst.view.width_px = 60;
    scene_run(scene, center);
    assert_int_equal(scene->said.info_count, 1);
    assert_non_null(
        strstr(scene->said.info, "model physical: a screen of 0.53 m at 0.6 m, 120x90"));
    settings.foveation.model = FOVEA_MODEL_CURVE;
    assert_ok(fovea_context_set_settings(scene->context, &settings));
    scene_run(scene, center);
    scene_run(scene, center);
    assert_int_equal(scene->said.info_count, 2);
    assert_non_null(strstr(scene->said.info, "model curve"));
    settings.foveation.model = FOVEA_MODEL_PAPER;
    assert_ok(fovea_context_set_settings(scene->context, &settings));
    scene_run(scene, center);
    assert_int_equal(scene->said.info_count, 2);
}

TEST(a_view_that_asks_for_too_much_of_an_image_is_refused_with_it)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.model = FOVEA_MODEL_PHYSICAL;
    settings.foveation.strength = 8.0;
    settings.foveation.physical.alpha = 0.6;
    settings.foveation.physical.e2_deg = 0.1;
    settings.foveation.geometry.screen_width_m = 100.0;
    OWNED(scene_free) struct scene *scene = scene_make(&settings, 1024, 16);
    for (int i = 0; i < 3; i++) {
        assert_invalid(
            fovea_context_run(scene->context, &scene->src.view, &scene->dst.view, center, NULL));
    }
    assert_said(&scene->said, "for this image");
}

TEST(eccentricity_is_a_share_of_half_the_diagonal)
{
    const struct fovea_foveation foveation = fovea_settings_default().foveation;
    assert_float_equal(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1920,
                                             1080, center, 0.0, 100.0),
                       1101.4536, 1e-3);
    assert_float_equal(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1920,
                                             1080, center, 0.0, 10.0),
                       110.14536, 1e-4);
    assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1920, 1080,
                                      center, 0.0, 0.0) == 0.0);
    assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1920, 1080,
                                      center, 0.0, -1.0) < 0.0);
    assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 0, 1080,
                                      center, 0.0, 1.0) < 0.0);
    assert_true(fovea_eccentricity_px(NULL, 1920, 1080, center, 0.0, 1.0) < 0.0);
    assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, 1920, 1080,
                                      center, 0.0, (double)NAN) < 0.0);
}
