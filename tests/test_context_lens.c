/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator lens as a program asks for it: by settings, in one frame and in a row with
 * foveation. */

#include "test_context_support.h"

#include "test_lens_support.h"

static struct fovea_context *context_for(const char *operators, struct said *said)
{
    struct fovea_settings *settings = NULL;
    assert_int_equal(fovea_settings_create(&settings), FOVEA_OK);
    assert_int_equal(fovea_settings_set(settings, "operators", operators, said_log(said)),
                     FOVEA_OK);
    assert_int_equal(fovea_settings_set(settings, "lens.r2", "0.3", said_log(said)), FOVEA_OK);
    assert_int_equal(fovea_settings_set(settings, "backend", "cpu", said_log(said)), FOVEA_OK);
    struct fovea_context *context = context_of(settings, said);
    fovea_settings_destroy(&settings);
    return context;
}

static void pictures_are_warped_as_the_reference_has_it(void **state)
{
    (void)state;
    struct said said = {0};
    struct fovea_context *context = context_for("lens", &said);
    for (uint64_t i = 0; i < 11; i++) {
        struct lens_scene scene = lens_scene_of(i);
        scene.settings.foveation = fovea_settings_default().foveation;
        scene.settings.own = fovea_settings_default().own;
        scene.settings.own.lens_r2 = 0.3;
        scene.blue_first = false;
        struct test_image src = lens_scene_draw(&scene);
        struct test_image dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
        const struct fovea_point_uv gaze = {0.1 * (double)i, 0.5};
        assert_int_equal(fovea_context_run(context, &src.view, &dst.view, gaze, NULL), FOVEA_OK);
        lens_assert_exact(&scene, &src.view, &dst.view);
        image_free(&src);
        image_free(&dst);
    }
    fovea_context_destroy(&context);
    assert_silent(&said);
}

/* What foveation makes of a picture is what lens takes. */
static void a_row_is_one_after_the_other(void **state)
{
    (void)state;
    struct said said = {0};
    struct fovea_context *foveates = context_for("foveate", &said);
    struct fovea_context *warps = context_for("lens", &said);
    struct fovea_context *both = context_for("foveate,lens", &said);
    const struct fovea_point_uv gaze = {0.3, 0.6};
    struct test_image images[4];
    for (int i = 0; i < 4; i++) {
        images[i] = image_make_packed(150, 100, FOVEA_FORMAT_RGBA8);
    }
    image_draw(&images[0].view, IMAGE_STROKES, 3);
    const struct {
        struct fovea_context *context;
        int from, to;
    } runs[] = {{foveates, 0, 1}, {warps, 1, 2}, {both, 0, 3}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fovea_context_run(runs[i].context, &images[runs[i].from].view,
                                           &images[runs[i].to].view, gaze, NULL),
                         FOVEA_OK);
    }
    compare_assert_all_same(&images[3].view, &images[2].view, "a row");
    for (int i = 0; i < 4; i++) {
        image_free(&images[i]);
    }
    fovea_context_destroy(&foveates);
    fovea_context_destroy(&warps);
    fovea_context_destroy(&both);
    assert_silent(&said);
}

/* The program is told what is wrong, and gets no picture. */
static void a_map_that_folds_is_refused_in_words(void **state)
{
    (void)state;
    struct said said = {0};
    struct fovea_settings *settings = NULL;
    assert_int_equal(fovea_settings_create(&settings), FOVEA_OK);
    assert_int_equal(fovea_settings_set(settings, "operators", "lens", said_log(&said)), FOVEA_OK);
    assert_int_equal(fovea_settings_set(settings, "lens.r2", "-1", said_log(&said)), FOVEA_OK);
    assert_int_equal(fovea_settings_set(settings, "backend", "cpu", said_log(&said)), FOVEA_OK);
    struct fovea_context *context = context_of(settings, &said);
    struct test_image src = image_make_packed(32, 32, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(32, 32, FOVEA_FORMAT_RGBA8);
    image_draw(&src.view, IMAGE_PHOTO, 3);
    assert_silent(&said);
    assert_int_equal(
        fovea_context_run(context, &src.view, &dst.view, (struct fovea_point_uv){0.5, 0.5}, NULL),
        FOVEA_ERROR_INVALID_ARGUMENT);
    assert_said(&said, "red folds back");
    assert_true(image_guards_intact(&dst));
    image_free(&src);
    image_free(&dst);
    fovea_context_destroy(&context);
    fovea_settings_destroy(&settings);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_warped_as_the_reference_has_it),
        cmocka_unit_test(a_row_is_one_after_the_other),
        cmocka_unit_test(a_map_that_folds_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
