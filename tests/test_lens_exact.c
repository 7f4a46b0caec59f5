/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator lens on the processor against its reference: formats, lights, sizes, layouts,
 * batches. */

#include "sanitized.h"
#include "test_lens_support.h"

#include "core/thread_pool.h"
#include "kernels/lens/blank.h"
#include "kernels/lens/lens.h"
#include "kernels/lens/place.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct thread_pool *pool;

static void run(const struct lens_scene *scene, const struct operator_images *images)
{
    struct operator_plan *plan = lens_scene_plan(scene);
    struct operator_host *host = NULL;
    const struct operator_frame frame = lens_scene_frame(scene);
    assert_int_equal(lens_operator.host.create(pool, plan, &host), FOVEA_OK);
    assert_int_equal(lens_operator.host.reserve(host, images), FOVEA_OK);
    lens_operator.host.run(host, images, &frame);
    lens_operator.host.destroy(&host);
    lens_operator.plan_destroy(&plan);
}

static void check(const struct lens_scene *scene, struct image_layout layout)
{
    struct test_image src = lens_scene_draw(scene);
    struct test_image dst = image_make(scene->width_px, scene->height_px, scene->format, layout);
    const struct operator_images images = {.count = 1, .src = &src.view, .dst = &dst.view};
    run(scene, &images);
    lens_assert_exact(scene, &src.view, &dst.view);
    assert_true(image_guards_intact(&dst));
    image_free(&src);
    image_free(&dst);
}

static void it_is_the_reference(void **state)
{
    (void)state;
    for (uint64_t i = (uint64_t)test_first(165); i < 165; i += TEST_STEP(i)) {
        const struct lens_scene scene = lens_scene_of(i);
        check(&scene, (struct image_layout){0});
    }
}

static void grids_are_the_reference(void **state)
{
    (void)state;
    for (uint64_t i = (uint64_t)test_first(132); i < 132; i += TEST_STEP(i)) {
        struct lens_scene scene = lens_scene_of(i);
        lens_scene_use_points(i / 2, &scene);
        check(&scene, (struct image_layout){0});
    }
}

static void headsets_are_the_reference(void **state)
{
    (void)state;
    for (uint64_t i = (uint64_t)test_first(33); i < 33; i += TEST_STEP(i)) {
        struct lens_scene scene = lens_scene_of(i);
        lens_scene_use_headset(&scene);
        check(&scene, (struct image_layout){0});
    }
}

/* Says whether no pixel of a tile has a source, and counts those that were
 * asked. */
static bool tile_has_no_source(const struct lens_plan *plan, int32_t column, int32_t row)
{
    for (int32_t i = 0; i < LENS_TILE_PX * LENS_TILE_PX * LENS_COLORS; i++) {
        const int32_t color = i % LENS_COLORS;
        const int32_t x = column * LENS_TILE_PX + i / LENS_COLORS % LENS_TILE_PX;
        const int32_t y = row * LENS_TILE_PX + i / LENS_COLORS / LENS_TILE_PX;
        if (x >= plan->shape.width_px || y >= plan->shape.height_px) {
            continue;
        }
        const struct lens_place place =
            plan->ways ? lens_grid_place_of(&plan->shape, plan->ways, color, x, y)
                       : lens_place_of(&plan->shape, color, x, y);
        if (!lens_is_outside(&plan->shape, &place)) {
            return false;
        }
    }
    return true;
}

/* No tile is blank by mistake, and of large pictures most that are blank are
 * known to be. */
static void blank_tiles_have_no_source(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 14; i++) {
        struct lens_scene scene = lens_scene_of(i);
        scene.width_px = 1000 + 16 * (uint32_t)i;
        scene.height_px = 700;
        if (i % 2) {
            lens_scene_use_points(i / 2, &scene);
        }
        struct operator_plan *made = lens_scene_plan(&scene);
        const struct lens_plan *plan = lens_plan_of(made);
        const int32_t columns = lens_tiles(plan->shape.width_px);
        int blank = 0;
        int known = 0;
        for (int32_t tile = 0; tile < columns * lens_tiles(plan->shape.height_px); tile++) {
            const bool is_known =
                plan->blank_words &&
                lens_tile_is_blank(plan->blank_words, columns, tile % columns, tile / columns);
            const bool is_blank = tile_has_no_source(plan, tile % columns, tile / columns);
            assert_true(is_blank || !is_known);
            blank += is_blank;
            known += is_known;
        }
        const struct lens_grid *grid = &plan->shape.grid;
        const bool tells = !plan->ways || (!grid->quadratic && grid->start == 0.0f &&
                                           grid->columns > 100); /* cells as small as tiles */
        if (tells && known < blank * 3 / 4) {
            fail_msg("scene %d: %d of %d blank tiles are known", (int)i, known, blank);
        }
        lens_operator.plan_destroy(&made);
    }
}

static void layouts_do_not_matter(void **state)
{
    (void)state;
    static const struct image_layout layouts[] = {
        {.row_gap = 3}, {.bottom_up = true}, {.pixel_gap = 1}, {.bottom_up = true, .row_gap = 5}};
    for (uint64_t i = (uint64_t)test_first(44); i < 44; i += TEST_STEP(i)) {
        const struct lens_scene scene = lens_scene_of(i);
        check(&scene, layouts[i % 4]);
    }
}

static void set_straight(struct fovea_operator_settings *own)
{
    const double blank = own->lens_blank_red;
    *own = fovea_settings_default().own;
    own->lens_r2 = 0.0;
    own->lens_blank_red = blank;
}

static void no_lens_copies_every_bit(void **state)
{
    (void)state;
    for (uint64_t i = (uint64_t)test_first(33); i < 33; i += TEST_STEP(i)) {
        struct lens_scene scene = lens_scene_of(i);
        set_straight(&scene.settings.own);
        scene.settings.own.lens_filter = (uint32_t)(i / 11);
        struct test_image src = lens_scene_draw(&scene);
        struct test_image dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
        const struct operator_images images = {.count = 1, .src = &src.view, .dst = &dst.view};
        run(&scene, &images);
        compare_assert_all_same(&dst.view, &src.view, "no lens");
        image_free(&src);
        image_free(&dst);
    }
}

/* The paper's table, made as its equation 1 has it: a whole pixel for every pixel, or none. The
 * k1 is the one that leaves 22.21 % of 1920 x 1080 blank, as the paper says. */
static void nearest_is_the_papers_table_pixel_for_pixel(void **state)
{
    (void)state;
    const int width = 1920;
    const int height = 1080;
    struct lens_scene scene = {.settings = fovea_settings_default(),
                               .format = FOVEA_FORMAT_RGBA8,
                               .width_px = (uint32_t)width,
                               .height_px = (uint32_t)height};
    scene.settings.own.lens_filter = 0;
    scene.settings.own.lens_blank_green = 1.0;
    struct test_image src = image_make_packed(1920, 1080, scene.format);
    struct test_image dst = image_make_packed(1920, 1080, scene.format);
    image_draw(&src.view, IMAGE_RANDOM, 5);
    run(&scene, &(struct operator_images){.count = 1, .src = &src.view, .dst = &dst.view});
    int inside = 0;
    int unsure = 0;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const double dx = x + 0.5 - width / 2.0;
            const double dy = y + 0.5 - height / 2.0;
            const double r2 = (dx * dx + dy * dy) / (width / 2.0 * width / 2.0);
            const double from_x = width / 2.0 + dx * (1.0 + 0.2054 * r2);
            const double from_y = height / 2.0 + dy * (1.0 + 0.2054 * r2);
            const bool is_inside = from_x >= 0 && from_y >= 0 && from_x < width && from_y < height;
            inside += is_inside;
            if (fabs(from_x - round(from_x)) < 1e-3 || fabs(from_y - round(from_y)) < 1e-3) {
                unsure++; /* half way between two pixels */
                continue;
            }
            const uint32_t blank = 0xff00ff00u;
            const void *expected = is_inside
                                       ? image_pixel(&src.view, (uint32_t)from_x, (uint32_t)from_y)
                                       : (const void *)&blank;
            assert_memory_equal(image_pixel(&dst.view, (uint32_t)x, (uint32_t)y), expected, 4);
        }
    }
    const double all = (double)width * height;
    assert_true(fabs(inside / all - 0.7779) < 0.001);
    assert_true(unsure / all < 0.01);
    image_free(&src);
    image_free(&dst);
}

/* Fractions of 1920 x 1080 that have a source, r over half the width: another program's numbers. */
static void other_lenses_leave_as_much_blank_as_is_known(void **state)
{
    (void)state;
    static const struct {
        double k1, k2, inside;
    } known[] = {{0.441, 0.156, 0.624}, {0.34, 0.55, 0.596}, {0.22, 0.24, 0.689},
                 {0.1, 0.1, 0.803},     {0.2, 0.0, 0.782},   {0.15, 0.05, 0.792}};
    struct test_image src = image_make_packed(1920, 1080, FOVEA_FORMAT_R8);
    struct test_image dst = image_make_packed(1920, 1080, FOVEA_FORMAT_R8);
    image_fill(&src.view, 255);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct lens_scene scene = {.settings = fovea_settings_default(),
                                   .format = FOVEA_FORMAT_R8,
                                   .width_px = 1920,
                                   .height_px = 1080};
        scene.settings.own.lens_filter = 0;
        scene.settings.own.lens_r2 = known[i].k1;
        scene.settings.own.lens_r4 = known[i].k2;
        run(&scene, &(struct operator_images){.count = 1, .src = &src.view, .dst = &dst.view});
        int inside = 0;
        for (uint32_t p = 0; p < 1920 * 1080; p++) {
            inside += image_get(&dst.view, p % 1920, p / 1920, 0) > 0.0;
        }
        assert_true(fabs(inside / (1920.0 * 1080.0) - known[i].inside) < 0.0011);
    }
    image_free(&src);
    image_free(&dst);
}

static enum fovea_result make(const struct fovea_settings *settings, uint32_t width_px,
                              uint32_t height_px)
{
    const struct operator_plan_desc desc = {settings, width_px, height_px};
    struct operator_plan *plan = NULL;
    char words[OPERATOR_DESCRIPTION_BYTES] = "";
    const enum fovea_result result = lens_operator.plan_create(&desc, &plan);
    assert_int_equal(lens_operator.plan_complain(&desc, words, sizeof words), result < 0);
    assert_int_equal(strstr(words, "folds back") != NULL, result < 0);
    lens_operator.plan_destroy(&plan);
    return result;
}

/* r - 0.2 r^3 turns back at r = sqrt(1 / 0.6) = 1.291; the corner of a square is at sqrt(2), that
 * of a wide picture nearer. */
static void maps_that_fold_are_refused(void **state)
{
    (void)state;
    struct fovea_settings settings = fovea_settings_default();
    settings.own.lens_r2 = -0.2;
    assert_int_equal(make(&settings, 100, 100), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(make(&settings, 160, 90), FOVEA_OK);
    settings.own.lens_shift_x = -0.4;
    assert_int_equal(make(&settings, 160, 90), FOVEA_ERROR_INVALID_ARGUMENT);
    settings.own.lens_shift_x = 0.0;
    settings.own.lens_blue_r2 = -0.1;
    assert_int_equal(make(&settings, 160, 90), FOVEA_ERROR_INVALID_ARGUMENT);
    settings.own.lens_blue_r2 = 0.0;
    assert_int_equal(make(&settings, 1, 1), FOVEA_ERROR_INVALID_ARGUMENT);
    settings.own.lens_r2 = 10.0;
    assert_int_equal(make(&settings, 1, 16384), FOVEA_OK);
}

/* A lens whose numbers are as large as they may be reads nothing outside the picture. */
static void the_strongest_lens_is_safe(void **state)
{
    (void)state;
    for (uint32_t filter = 0; filter < 3; filter++) {
        struct lens_scene scene = {.settings = fovea_settings_default(),
                                   .format = FOVEA_FORMAT_RGBA32F,
                                   .width_px = 3,
                                   .height_px = 3000};
        struct fovea_operator_settings *own = &scene.settings.own;
        own->lens_r0 = own->lens_r1 = own->lens_r2 = own->lens_r3 = own->lens_r4 = 10.0;
        own->lens_shift_x = own->lens_shift_y = 1.5;
        own->lens_filter = filter;
        struct test_image src = image_make_packed(3, 3000, scene.format);
        struct test_image dst = image_make_packed(3, 3000, scene.format);
        image_draw(&src.view, IMAGE_RANDOM, 5);
        run(&scene, &(struct operator_images){.count = 1, .src = &src.view, .dst = &dst.view});
        for (uint32_t y = 0; y < 3000; y++) {
            assert_true(image_get(&dst.view, 1, y, 1) == 0.0);
        }
        assert_true(image_guards_intact(&dst));
        image_free(&src);
        image_free(&dst);
    }
}

/* Images below each other in one picture. */
static void a_batch_is_its_images(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 14; i++) {
        struct lens_scene scene = lens_scene_of(i);
        scene.height_px = 37;
        const uint32_t count = 12;
        const bool shared = i % 4 == 3;
        struct lens_scene whole = scene;
        whole.height_px = scene.height_px * count;
        struct test_image src = lens_scene_draw(&whole);
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
        for (uint32_t k = 0; k < count; k += 5) {
            struct fovea_image one_src = first_src;
            struct fovea_image one_dst = first_dst;
            one_src.data = (unsigned char *)one_src.data + (shared ? 0 : k * next);
            one_dst.data = (unsigned char *)one_dst.data + k * next;
            lens_assert_exact(&scene, &one_src, &one_dst);
        }
        image_free(&src);
        image_free(&dst);
    }
}

/* A plan is for one lens, light and size, and no other. */
static void a_plan_fits_its_settings_alone(void **state)
{
    (void)state;
    const struct lens_scene scene = lens_scene_of(1);
    struct operator_plan *plan = lens_scene_plan(&scene);
    struct lens_scene other = scene;
    const struct operator_plan_desc wider = {&other.settings, scene.width_px + 1, scene.height_px};
    const struct operator_plan_desc same = {&other.settings, scene.width_px, scene.height_px};
    assert_false(lens_operator.plan_fits(plan, &wider));
    assert_true(lens_operator.plan_fits(plan, &same));
    other.settings.own.lens_r2 += 1e-6;
    assert_false(lens_operator.plan_fits(plan, &same));
    other = scene;
    other.settings.foveation.light = FOVEA_LIGHT_LINEAR;
    assert_false(lens_operator.plan_fits(plan, &same));
    lens_operator.plan_destroy(&plan);
    assert_null(plan);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_reference),
        cmocka_unit_test(grids_are_the_reference),
        cmocka_unit_test(headsets_are_the_reference),
        cmocka_unit_test(blank_tiles_have_no_source),
        cmocka_unit_test(layouts_do_not_matter),
        cmocka_unit_test(no_lens_copies_every_bit),
        cmocka_unit_test(nearest_is_the_papers_table_pixel_for_pixel),
        cmocka_unit_test(other_lenses_leave_as_much_blank_as_is_known),
        cmocka_unit_test(maps_that_fold_are_refused),
        cmocka_unit_test(the_strongest_lens_is_safe),
        cmocka_unit_test(a_batch_is_its_images),
        cmocka_unit_test(a_plan_fits_its_settings_alone),
    };
    if (thread_pool_create(3, &pool) < 0) {
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    thread_pool_destroy(&pool);
    return failed;
}
