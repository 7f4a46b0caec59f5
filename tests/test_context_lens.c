/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator lens as a program asks for it: by settings, in one frame and in a row with
 * foveation. */

#include "test_context_support.h"

#include "test_lens_support.h"

#include <math.h>

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

#define BATCH 6
#define BATCH_ROWS 40

/* Pictures one below the other. */
static struct fovea_batch batch_of(const struct test_image *src, const struct test_image *dst,
                                   const float *gazes_uv)
{
    struct fovea_batch batch;
    fovea_batch_init(&batch);
    batch.count = BATCH;
    batch.src = src->view;
    batch.dst = dst->view;
    batch.src.height_px = batch.dst.height_px = BATCH_ROWS;
    batch.src_next_bytes = BATCH_ROWS * src->view.row_stride_bytes;
    batch.dst_next_bytes = BATCH_ROWS * dst->view.row_stride_bytes;
    batch.gazes_uv = gazes_uv;
    return batch;
}

static struct fovea_image picture_of(const struct test_image *images, uint32_t index)
{
    struct fovea_image picture = images->view;
    picture.height_px = BATCH_ROWS;
    picture.data =
        (char *)picture.data + (ptrdiff_t)(index * BATCH_ROWS) * picture.row_stride_bytes;
    return picture;
}

/* foveate has nothing to do there, and lens does what it does. */
static void a_picture_without_a_gaze_is_warped(void **state)
{
    (void)state;
    static const double none[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    struct said said = {0};
    struct fovea_context *warps = context_for("lens", &said);
    struct fovea_context *both = context_for("foveate,lens", &said);
    struct test_image src = image_make_packed(150, 100, FOVEA_FORMAT_RGBA8);
    struct test_image expected = image_make_packed(150, 100, FOVEA_FORMAT_RGBA8);
    image_draw(&src.view, IMAGE_STROKES, 3);
    assert_int_equal(fovea_context_run(warps, &src.view, &expected.view,
                                       (struct fovea_point_uv){0.5, 0.5}, NULL),
                     FOVEA_OK);
    for (int i = 0; i < 6; i++) {
        struct test_image dst = image_make_packed(150, 100, FOVEA_FORMAT_RGBA8);
        const struct fovea_point_uv gaze = {i % 2 ? none[i / 2] : 0.5, i % 2 ? 0.5 : none[i / 2]};
        assert_int_equal(fovea_context_run(i < 3 ? warps : both, &src.view, &dst.view, gaze, NULL),
                         FOVEA_OK);
        compare_assert_all_same(&dst.view, &expected.view, "no gaze");
        image_free(&dst);
    }
    image_free(&src);
    image_free(&expected);
    fovea_context_destroy(&warps);
    fovea_context_destroy(&both);
    assert_silent(&said);
}

/* Each picture of a batch is what it would be alone, whatever comes before and after it. */
static void pictures_of_a_batch_without_a_gaze_are_warped(void **state)
{
    (void)state;
    static const float gazes_uv[2 * BATCH] = {0.3f, 0.6f, NAN,  0.5f, 0.5f, INFINITY,
                                              0.1f, 0.9f, 0.7f, 0.2f, NAN,  NAN};
    struct said said = {0};
    struct fovea_context *both = context_for("foveate,lens", &said);
    struct test_image src = image_make_packed(70, BATCH * BATCH_ROWS, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(70, BATCH * BATCH_ROWS, FOVEA_FORMAT_RGBA8);
    struct test_image expected = image_make_packed(70, BATCH * BATCH_ROWS, FOVEA_FORMAT_RGBA8);
    image_draw(&src.view, IMAGE_PHOTO, 3);
    for (uint32_t i = 0; i < BATCH; i++) {
        const struct fovea_image from = picture_of(&src, i);
        const struct fovea_image to = picture_of(&expected, i);
        const struct fovea_point_uv gaze = {(double)gazes_uv[2 * i], (double)gazes_uv[2 * i + 1]};
        assert_int_equal(fovea_context_run(both, &from, &to, gaze, NULL), FOVEA_OK);
    }
    const struct fovea_batch batch = batch_of(&src, &dst, gazes_uv);
    assert_int_equal(fovea_context_run_batch(both, &batch, NULL), FOVEA_OK);
    compare_assert_all_same(&dst.view, &expected.view, "a batch");
    image_free(&src);
    image_free(&dst);
    image_free(&expected);
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
        cmocka_unit_test(a_picture_without_a_gaze_is_warped),
        cmocka_unit_test(pictures_of_a_batch_without_a_gaze_are_warped),
        cmocka_unit_test(a_map_that_folds_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
