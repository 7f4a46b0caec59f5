/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator lens promises this beside what all operators do (test_operators_exact): maps that
 * fold. Known tables are in test_lens_paper, known lenses in test_lens_calibration. */

#include "operators/lens_scenes.h"

#include "core/thread_pool.h"
#include "kernels/lens/lens.h"

static struct thread_pool *pool;

static enum fovea_result make(const struct fovea_settings *settings, uint32_t width_px,
                              uint32_t height_px)
{
    const struct operator_plan_desc desc = {
        .settings = settings, .width_px = width_px, .height_px = height_px};
    struct operator_plan *plan = NULL;
    char words[OPERATOR_DESCRIPTION_BYTES] = "";
    const enum fovea_result result = lens_under_test.api->plan_create(&desc, &plan);
    assert_int_equal(lens_under_test.api->plan_complain(&desc, words, sizeof words), result < 0);
    assert_int_equal(strstr(words, "folds back") != NULL, result < 0);
    lens_under_test.api->plan_destroy(&plan);
    return result;
}

/* r - 0.2 r^3 turns back at r = sqrt(1 / 0.6) = 1.291; the corner of a square is at sqrt(2), that
 * of a wide picture nearer. */
TEST(maps_that_fold_are_refused)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.own.lens_r2 = -0.2;
    assert_int_equal(make(&settings, 100, 100), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_ok(make(&settings, 160, 90));
    settings.own.lens_shift_x = -0.4;
    assert_int_equal(make(&settings, 160, 90), FOVEA_ERROR_INVALID_ARGUMENT);
    settings.own.lens_shift_x = 0.0;
    settings.own.lens_blue_r2 = -0.1;
    assert_int_equal(make(&settings, 160, 90), FOVEA_ERROR_INVALID_ARGUMENT);
    settings.own.lens_blue_r2 = 0.0;
    assert_int_equal(make(&settings, 1, 1), FOVEA_ERROR_INVALID_ARGUMENT);
    settings.own.lens_r2 = 10.0;
    assert_ok(make(&settings, 1, 16384));
}

/* A lens whose numbers are as large as they may be reads nothing outside the picture. */
TEST(the_strongest_lens_is_safe)
{
    for (uint32_t filter = 0; filter < 3; filter++) {
        struct operator_scene scene = {.of = &lens_under_test,
                                       .settings = fovea_settings_default(),
                                       .format = FOVEA_FORMAT_RGBA32F,
                                       .width_px = 3,
                                       .height_px = 3000};
        struct fovea_operator_settings *own = &scene.settings.own;
        own->lens_r0 = own->lens_r1 = own->lens_r2 = own->lens_r3 = own->lens_r4 = 10.0;
        own->lens_shift_x = own->lens_shift_y = 1.5;
        own->lens_filter = filter;
        OWNED_IMAGE src = image_drawn(3, 3000, scene.format, IMAGE_RANDOM, 5);
        OWNED_IMAGE dst = image_make_packed(3, 3000, scene.format);
        scene_run_on_host(
            pool, &scene,
            &(struct operator_images){.count = 1, .src = &src.view, .dst = &dst.view});
        for (uint32_t y = 0; y < 3000; y++) {
            assert_true(image_get(&dst.view, 1, y, 1) == 0.0);
        }
        assert_true(image_guards_intact(&dst));
    }
}

int main(void)
{
    if (thread_pool_create(3, &pool) < 0) {
        return 1;
    }
    const int failed = tests_run(NULL, NULL);
    thread_pool_destroy(&pool);
    return failed;
}
