/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the operator lens promises beside what all operators do (test_operators_exact): blank tiles,
 * maps that fold. Known tables are in test_lens_paper, known lenses in test_lens_calibration. */

#include "operators/lens_scenes.h"

#include "core/thread_pool.h"
#include "kernels/lens/blank.h"
#include "kernels/lens/lens.h"
#include "kernels/lens/place.h"

static struct thread_pool *pool;

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
TEST(blank_tiles_have_no_source)
{
    for (uint64_t i = 0; i < 14; i++) {
        struct operator_scene scene = lens_scene_of(i);
        scene.width_px = 1000 + 16 * (uint32_t)i;
        scene.height_px = 700;
        if (i % 2) {
            lens_scene_use_points(i / 2, &scene);
        }
        struct operator_plan *made = scene_plan(&scene);
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
        assert_that(!tells || known >= blank * 3 / 4, "scene %d: %d of %d blank tiles are known",
                    (int)i, known, blank);
        lens_under_test.api->plan_destroy(&made);
    }
}

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
