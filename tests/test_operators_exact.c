/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Operators on the processor against their references: formats, lights, sizes, layouts, batches. */

#include "operators/scene.h"
#include "sanitized.h"

#include "core/thread_pool.h"
#include "kernels/operators.h"

static struct thread_pool *pool;

static int first_of(const struct scene_set *set)
{
    return set->each ? 0 : test_first((int)set->host);
}

static int next_of(const struct scene_set *set, int i)
{
    return i + (set->each ? 1 : TEST_STEP(i));
}

static void images_are_the_reference(void **state)
{
    const struct operator_test *test = *state;
    for (int i = first_of(test->set); i < (int)test->set->host; i = next_of(test->set, i)) {
        const struct operator_scene scene = operator_scene_of_set(test->of, test->set, (uint64_t)i);
        scene_check_on_host(pool, &scene, (struct image_layout){0});
    }
}

static void layouts_do_not_matter(void **state)
{
    static const struct image_layout layouts[] = {
        {.row_gap = 3}, {.bottom_up = true}, {.pixel_gap = 1}, {.bottom_up = true, .row_gap = 5}};
    const struct operator_test *test = *state;
    for (int i = first_of(test->set); i < (int)test->set->host; i = next_of(test->set, i)) {
        const struct operator_scene scene = operator_scene_of_set(test->of, test->set, (uint64_t)i);
        scene_check_on_host(pool, &scene, layouts[i % 4]);
    }
}

static void every_bit_is_copied(void **state)
{
    const struct operator_test *test = *state;
    for (uint64_t i = 0; i < test->set->host; i++) {
        const struct operator_scene scene = operator_scene_of_set(test->of, test->set, i);
        OWNED_IMAGE src = scene_draw(&scene);
        OWNED_IMAGE dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
        scene_run_on_host(
            pool, &scene,
            &(struct operator_images){.count = 1, .src = &src.view, .dst = &dst.view});
        compare_assert_all_same(&dst.view, &src.view, test->name);
    }
}

static void a_batch_is_its_images(void **state)
{
    const struct operator_test *test = *state;
    for (uint64_t i = 0; i < test->set->host; i++) {
        const struct operator_scene scene = operator_scene_of_set(test->of, test->set, i);
        const uint32_t count = test->of->batch_count;
        OWNED(scene_batch_free)
        struct scene_batch batch = scene_batch_make(&scene, 37, count, i % 4 == 3);
        struct fovea_image first[2];
        const struct operator_images images =
            scene_batch_images(&batch, &batch.src.view, &batch.dst.view, first);
        scene_run_on_host(pool, &batch.scene, &images);
        scene_batch_assert_exact(&batch, count / 2 - 1);
    }
}

/* A plan is for its settings, light and size, and no other. */
static void a_plan_fits_its_settings_alone(void **state)
{
    const struct operator_test *test = *state;
    const struct operator_api *api = test->of->api;
    const struct operator_scene scene = operator_scene_of(test->of, test->of->change_of);
    struct operator_plan *plan = scene_plan(&scene);
    struct operator_scene other = scene;
    const struct operator_plan_desc wider = {
        .settings = &other.settings, .width_px = scene.width_px + 1, .height_px = scene.height_px};
    const struct operator_plan_desc same = {
        .settings = &other.settings, .width_px = scene.width_px, .height_px = scene.height_px};
    assert_false(api->plan_fits(plan, &wider));
    assert_true(api->plan_fits(plan, &same));
    test->of->change(&other.settings);
    assert_false(api->plan_fits(plan, &same));
    other = scene;
    other.settings.foveation.light = FOVEA_LIGHT_LINEAR;
    assert_false(api->plan_fits(plan, &same));
    api->plan_destroy(&plan);
    assert_null(plan);
}

/* In blur a value that is not finite reaches no farther than README.md says. */
static void what_is_not_finite_stays_near(void **state)
{
    struct operator_scene scene = operator_scene_of(&blur_under_test, 6);
    scene.settings.foveation.transfer = FOVEA_TRANSFER_SRGB;
    scene.width_px = 140;
    scene.height_px = 60;
    scene.settings.own.blur_sigma_px = 4.0;
    OWNED_IMAGE src = scene_draw(&scene);
    OWNED_IMAGE dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
    image_set(&src.view, 20, 30, 0, (double)NAN);
    scene_run_on_host(pool, &scene,
                      &(struct operator_images){.count = 1, .src = &src.view, .dst = &dst.view});
    assert_true(isnan(image_get(&dst.view, 22, 30, 0)));
    for (uint32_t x = 20 + (uint32_t)ceil(8.0 * 4.0); x < scene.width_px; x++) {
        assert_true(isfinite(image_get(&dst.view, x, 30, 0)));
    }
}

/* A program that runs none of them, as fovea-run, goes by the lines. */
static void operators_need_depths_as_their_lines_say(void **state)
{
    static const bool lines[FOVEA_OPERATOR_COUNT] = {
#define OPERATOR_DEPTH(name) [FOVEA_OPERATOR_##name] = true,
#include "kernels/operators.def"
    };
    for (int i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        const struct operator_api *api = operators_at((enum fovea_operator)i);
        assert_that(api->needs_depth == lines[i], "%s", api->name);
    }
}

int main(void)
{
    static const struct CMUnitTest of_blur[] = {cmocka_unit_test(what_is_not_finite_stays_near)};
    static const CMUnitTestFunction by_kind[SCENE_KINDS] = {
        [SCENES_ALONE] = images_are_the_reference,
        [SCENES_LAID_OUT] = layouts_do_not_matter,
        [SCENES_COPIED] = every_bit_is_copied,
        [SCENES_OF_BATCHES] = a_batch_is_its_images,
    };
    static struct operator_tests tests;
    operator_tests_add_sets(&tests, SCENES_ON_HOST, by_kind);
    operator_tests_add(&tests, "plan_fits_its_settings_alone", a_plan_fits_its_settings_alone);
    static const struct CMUnitTest of_lines[] = {
        cmocka_unit_test(operators_need_depths_as_their_lines_say)};
    if (thread_pool_create(3, &pool) < 0) {
        return 1;
    }
    int failed = _cmocka_run_group_tests("tests", tests.tests, tests.count, NULL, NULL);
    failed += cmocka_run_group_tests(of_blur, NULL, NULL);
    failed += cmocka_run_group_tests(of_lines, NULL, NULL);
    thread_pool_destroy(&pool);
    return failed;
}
