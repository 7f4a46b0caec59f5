/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator blur on the processor against its reference: formats, lights, sizes, layouts,
 * batches. */

#include "sanitized.h"
#include "test_blur_support.h"

#include "core/thread_pool.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct thread_pool *pool;

static void run(const struct blur_scene *scene, const struct operator_images *images)
{
    struct operator_plan *plan = blur_scene_plan(scene);
    struct operator_host *host = NULL;
    const struct operator_frame frame = blur_scene_frame(scene);
    assert_int_equal(blur_operator.host.create(pool, plan, &host), FOVEA_OK);
    assert_int_equal(blur_operator.host.reserve(host, images), FOVEA_OK);
    blur_operator.host.run(host, images, &frame);
    blur_operator.host.destroy(&host);
    blur_operator.plan_destroy(&plan);
}

static void check(const struct blur_scene *scene, struct image_layout layout)
{
    struct test_image src = blur_scene_draw(scene);
    struct test_image dst = image_make(scene->width_px, scene->height_px, scene->format, layout);
    const struct operator_images images = {.count = 1, .src = &src.view, .dst = &dst.view};
    run(scene, &images);
    blur_assert_exact(scene, &src.view, &dst.view);
    assert_true(image_guards_intact(&dst));
    image_free(&src);
    image_free(&dst);
}

static void it_is_the_reference(void **state)
{
    (void)state;
    for (uint64_t i = (uint64_t)test_first(165); i < 165; i += TEST_STEP(i)) {
        const struct blur_scene scene = blur_scene_of(i, 40.0);
        check(&scene, (struct image_layout){0});
    }
}

static void widest_sigmas_are_the_reference(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 14; i++) {
        struct blur_scene scene = blur_scene_of(i, 256.0);
        scene.settings.own.blur_sigma_px = 256.0 - (double)(i % 4) * 60.0;
        check(&scene, (struct image_layout){0});
    }
}

static void layouts_do_not_matter(void **state)
{
    (void)state;
    static const struct image_layout layouts[] = {
        {.row_gap = 3}, {.bottom_up = true}, {.pixel_gap = 1}, {.bottom_up = true, .row_gap = 5}};
    for (uint64_t i = (uint64_t)test_first(44); i < 44; i += TEST_STEP(i)) {
        const struct blur_scene scene = blur_scene_of(i, 8.0);
        check(&scene, layouts[i % 4]);
    }
}

static void sigma_0_copies_every_bit(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 11; i++) {
        struct blur_scene scene = blur_scene_of(i, 1.0);
        scene.settings.own.blur_sigma_px = 0.0;
        struct test_image src = blur_scene_draw(&scene);
        struct test_image dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
        const struct operator_images images = {.count = 1, .src = &src.view, .dst = &dst.view};
        run(&scene, &images);
        compare_assert_all_same(&dst.view, &src.view, "sigma 0");
        image_free(&src);
        image_free(&dst);
    }
}

/* Images below each other in one picture; more than fit in memory together. */
static void a_batch_is_its_images(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 14; i++) {
        struct blur_scene scene = blur_scene_of(i, 12.0);
        scene.height_px = 37;
        const uint32_t count = 60;
        const bool shared = i % 4 == 3;
        struct blur_scene whole = scene;
        whole.height_px = scene.height_px * count;
        struct test_image src = blur_scene_draw(&whole);
        struct test_image dst = image_make_packed(whole.width_px, whole.height_px, whole.format);
        struct fovea_image first_src = src.view;
        struct fovea_image first_dst = dst.view;
        first_src.height_px = first_dst.height_px = scene.height_px;
        const ptrdiff_t next = (ptrdiff_t)scene.height_px * src.view.row_stride_bytes;
        run(&scene, &(struct operator_images){.count = count,
                                              .src = &first_src,
                                              .dst = &first_dst,
                                              .src_next_bytes = shared ? 0 : next,
                                              .dst_next_bytes = next});
        for (uint32_t k = 0; k < count; k += 29) {
            struct fovea_image one_src = first_src;
            struct fovea_image one_dst = first_dst;
            one_src.data = (unsigned char *)one_src.data + (shared ? 0 : k * next);
            one_dst.data = (unsigned char *)one_dst.data + k * next;
            blur_assert_exact(&scene, &one_src, &one_dst);
        }
        image_free(&src);
        image_free(&dst);
    }
}

/* A plan is for one sigma, light and size, and no other. */
static void a_plan_fits_its_settings_alone(void **state)
{
    (void)state;
    const struct blur_scene scene = blur_scene_of(0, 9.0);
    struct operator_plan *plan = blur_scene_plan(&scene);
    struct blur_scene other = scene;
    const struct operator_plan_desc wider = {&other.settings, scene.width_px + 1, scene.height_px};
    const struct operator_plan_desc same = {&other.settings, scene.width_px, scene.height_px};
    assert_false(blur_operator.plan_fits(plan, &wider));
    assert_true(blur_operator.plan_fits(plan, &same));
    other.settings.own.blur_sigma_px += 1e-9;
    assert_false(blur_operator.plan_fits(plan, &same));
    other = scene;
    other.settings.foveation.light = FOVEA_LIGHT_LINEAR;
    assert_false(blur_operator.plan_fits(plan, &same));
    blur_operator.plan_destroy(&plan);
    assert_null(plan);
}

/* A value that is not finite reaches no farther than README.md says. */
static void what_is_not_finite_stays_near(void **state)
{
    (void)state;
    struct blur_scene scene = blur_scene_of(6, 1.0);
    scene.settings.foveation.transfer = FOVEA_TRANSFER_SRGB;
    scene.width_px = 140;
    scene.height_px = 60;
    scene.settings.own.blur_sigma_px = 4.0;
    struct test_image src = blur_scene_draw(&scene);
    struct test_image dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
    image_set(&src.view, 20, 30, 0, (double)NAN);
    run(&scene, &(struct operator_images){.count = 1, .src = &src.view, .dst = &dst.view});
    assert_true(isnan(image_get(&dst.view, 22, 30, 0)));
    for (uint32_t x = 20 + (uint32_t)ceil(8.0 * 4.0); x < scene.width_px; x++) {
        assert_true(isfinite(image_get(&dst.view, x, 30, 0)));
    }
    image_free(&src);
    image_free(&dst);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_reference),
        cmocka_unit_test(widest_sigmas_are_the_reference),
        cmocka_unit_test(layouts_do_not_matter),
        cmocka_unit_test(sigma_0_copies_every_bit),
        cmocka_unit_test(a_batch_is_its_images),
        cmocka_unit_test(a_plan_fits_its_settings_alone),
        cmocka_unit_test(what_is_not_finite_stays_near),
    };
    if (thread_pool_create(3, &pool) < 0) {
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    thread_pool_destroy(&pool);
    return failed;
}
