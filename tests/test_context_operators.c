/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Operators as a program asks for them: by settings, in one frame and in a row with foveation. */

#include "test_context_support.h"

#include "operators/scene_depths.h"

static struct fovea_context *context_for(const struct operator_under_test *of,
                                         const char *operators, struct said *said)
{
    const char *const words[] = {"operators", operators, of->setting, of->value,
                                 "backend",   "cpu",     NULL};
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = settings_with(words, said);
    struct fovea_context *context = context_of(settings, said);
    return context;
}

/* With the scene's depths, where it has any. */
static void run_scene(struct fovea_context *context, const struct operator_scene *scene,
                      const struct fovea_image *src, const struct fovea_image *dst)
{
    const float gaze_uv[] = {(float)scene->gaze.x_uv, (float)scene->gaze.y_uv};
    if (scene->depths == DEPTHS_NONE) {
        assert_ok(fovea_context_run(context, src, dst, scene->gaze, NULL));
        return;
    }
    OWNED(scene_depths_free) struct depths depths = scene_draw_depths(scene, 1);
    struct fovea_batch batch;
    fovea_batch_init(&batch);
    batch.count = 1;
    batch.src = *src;
    batch.dst = *dst;
    batch.gazes_uv = gaze_uv;
    batch.depth = &depths.depth;
    assert_ok(fovea_context_run_batch(context, &batch, NULL));
}

static void pictures_are_the_reference(void **state)
{
    const struct operator_test *test = *state;
    struct said said = {0};
    struct fovea_context *context = context_for(test->of, test->of->name, &said);
    for (uint64_t i = 0; i < 14; i++) {
        struct operator_scene scene = operator_scene_of(test->of, i);
        if (i > 10) { /* which operators do not have by themselves */
            scene.format = (enum fovea_format)(FOVEA_FORMAT_RGBA16 + i - 11);
        }
        scene.settings.foveation = fovea_settings_default().foveation;
        test->of->set(&scene.settings);
        scene.blue_first = false;
        OWNED_IMAGE src = scene_draw(&scene);
        OWNED_IMAGE dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
        scene.gaze = (struct fovea_point_uv){0.1 * (double)i, 0.5};
        run_scene(context, &scene, &src.view, &dst.view);
        scene_assert_exact(&scene, &src.view, &dst.view);
    }
    fovea_context_destroy(&context);
    assert_silent(&said);
}

/* One operator takes the picture that the one before has made. */
static void a_row_is_one_after_the_other(void **state)
{
    const struct operator_test *test = *state;
    struct operator_scene scene = operator_scene_of(test->of, 0);
    struct said said = {0};
    struct test_image images[4];
    char row[64];
    const char *first = strcmp(test->of->name, "foveate") == 0 ? "blur" : "foveate";
    snprintf(row, sizeof row, "%s,%s", first, test->of->name);
    for (int i = 0; i < 4; i++) {
        images[i] = image_make_packed(150, 100, FOVEA_FORMAT_RGBA8);
    }
    image_draw(&images[0].view, IMAGE_STROKES, 3);
    scene.width_px = 150;
    scene.height_px = 100;
    const struct {
        const char *operators;
        int from, to;
    } runs[] = {{first, 0, 1}, {test->of->name, 1, 2}, {row, 0, 3}};
    for (int i = 0; i < 3; i++) {
        OWNED(fovea_context_destroy)
        struct fovea_context *context = context_for(test->of, runs[i].operators, &said);
        struct operator_scene of_run = scene;
        of_run.depths = i == 0 ? DEPTHS_NONE : scene.depths;
        run_scene(context, &of_run, &images[runs[i].from].view, &images[runs[i].to].view);
    }
    compare_assert_all_same(&images[3].view, &images[2].view, "a row");
    for (int i = 0; i < 4; i++) {
        image_free(&images[i]);
    }
    assert_silent(&said);
}

int main(void)
{
    static struct operator_tests tests;
    operator_tests_add(&tests, "pictures_are_the_reference", pictures_are_the_reference);
    operator_tests_add(&tests, "behind_another", a_row_is_one_after_the_other);
    return _cmocka_run_group_tests("tests", tests.tests, tests.count, NULL, NULL);
}
