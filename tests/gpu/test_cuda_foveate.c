/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The CUDA kernels against the reference and against the cpu backend. */

#include "compare.h"
#include "cuda_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct cuda_fixture fixture;

static const enum fovea_format formats[] = {
    FOVEA_FORMAT_RGBA8,      FOVEA_FORMAT_RGB8,    FOVEA_FORMAT_R8,      FOVEA_FORMAT_A2B10G10R10,
    FOVEA_FORMAT_B10G11R11F, FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_RGBA32F, FOVEA_FORMAT_RGB16F,
    FOVEA_FORMAT_R16F,       FOVEA_FORMAT_RGB32F,  FOVEA_FORMAT_R32F,
};

static void check(const struct scene *scene)
{
    scene_assert(&fixture, scene);
}

static void check_picture(const struct scene *scene, const struct test_image *src)
{
    scene_assert_picture(&fixture, scene, src);
}

static const enum fovea_light lights[] = {FOVEA_LIGHT_AUTO};
static const struct scene_way blockwise = {
    .fixture = &fixture,
    .scene = scene_default,
    .check = check,
    .check_picture = check_picture,
    .formats = formats,
    .format_count = COUNT(formats),
    .lights = lights,
    .light_count = COUNT(lights),
    .small_px = {61, 43},
};

/* ---- Formats, sizes, fragments --------------------------------------------------------------- */

static void every_format_and_pattern_is_as_the_reference_has_it(void **state)
{
    way_has_every_format_pattern_and_light(&blockwise);
}

static void a_picture_of_8k_is_as_the_cpu_has_it(void **state)
{
    struct scene scene = scene_default();
    scene.width_px = 7680;
    scene.height_px = 4320;
    scene.foveation.paper.fragment_px = 32;
    scene.gaze = (struct fovea_point_uv){0.01, 0.03};
    scene.pattern = IMAGE_PHOTO;
    scene.no_reference = true;
    scene_assert(&fixture, &scene);
}

static void the_longest_sides_work(void **state)
{
    way_works_for_the_longest_sides(&blockwise);
}

/* ---- Gaze ------------------------------------------------------------------------------------ */

/* The published program left rows and columns unwritten at 48 of 64 positions. */
static void every_shift_of_the_grid_writes_every_pixel(void **state)
{
    const int positions = 64;
    for (int i = 0; i < positions; i += fixture.quick ? 9 : 1) {
        struct scene scene = scene_default();
        scene.width_px = 83;
        scene.height_px = 67;
        scene.foveation.paper.fragment_px = 32;
        scene.gaze = (struct fovea_point_uv){(9.0 + i) / 83.0, (1.0 + (i * 37) % positions) / 67.0};
        scene.no_reference = i % 8 != 0;
        scene_assert(&fixture, &scene);
    }
}

/* ---- Layouts --------------------------------------------------------------------------------- */

static void strides_and_gaps_are_respected(void **state)
{
    way_respects_strides_and_gaps(&blockwise);
}

static void pixels_need_no_more_than_their_channels_alignment(void **state)
{
    way_needs_no_more_than_its_channels_alignment(&blockwise);
}

/* ---- Settings -------------------------------------------------------------------------------- */

static void premultiplied_alpha_is_blurred_like_a_colour(void **state)
{
    way_blurs_premultiplied_alpha(&blockwise);
}

/* ---- Exactness ------------------------------------------------------------------------------- */

static void strength_zero_copies_every_bit(void **state)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct scene scene = scene_default();
        scene.format = formats[i];
        scene.foveation.strength = 0.0;
        assert_int_equal(scene_assert_sharp_is_copied(&fixture, &scene),
                         scene.width_px * scene.height_px);
    }
}

static void the_fragment_at_the_gaze_is_copied_bit_by_bit(void **state)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct scene scene = scene_default();
        scene.format = formats[i];
        scene.gaze = (struct fovea_point_uv){100.0 / scene.width_px, 60.0 / scene.height_px};
        struct test_image src = image_make_packed(scene.width_px, scene.height_px, formats[i]);
        struct test_image dst = image_make_packed(scene.width_px, scene.height_px, formats[i]);
        struct prepared p = {0};
        scene_prepare(&fixture, &p, &scene);
        scene_scramble(&src);
        scene_run_linear(&fixture, &p, &src, &dst, 0);
        compare_assert_same(&dst.view, &src.view, (struct compare_rect){92, 52, 16, 16}, "fovea");
        scene_finish(&fixture, &p);
        image_free(&src);
        image_free(&dst);
    }
}

static void flat_pictures_stay_flat(void **state)
{
    struct scene scene = scene_default();
    scene.width_px = 129;
    scene.height_px = 65;
    scene.format = FOVEA_FORMAT_RGB8;
    scene.foveation.strength = 3.0;
    scene_assert_flat_stays_flat(&fixture, &scene);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Each plan is retired while launches that read its tables are still queued. */
static void plans_may_be_retired_in_flight(void **state)
{
    struct scene scene = scene_default();
    struct test_image src = image_make_packed(scene.width_px, scene.height_px, scene.format);
    struct test_image dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
    image_draw(&src.view, IMAGE_RANDOM, 5);
    struct device_image device_src = device_image_make(&fixture, &src, 0);
    struct device_image device_dst = device_image_make(&fixture, &dst, 0);
    struct prepared p = {0};
    for (int round = 0; round < (fixture.quick ? 3 : 40); round++) {
        scene.foveation.strength = 1.0 + round % 3;
        scene_prepare(&fixture, &p, &scene);
        for (int i = 0; i < (fixture.quick ? 6 : 20); i++) {
            assert_int_equal(
                cuda_fixture_run_linear(&fixture, &p.run, &device_src.view, &device_dst.view),
                FOVEA_OK);
        }
        foveate_operator_cuda.plan_retire(fixture.foveate, &p.tables);
        if (round % 3 != 2) {
            foveate_plan_destroy(&p.plan);
            continue;
        }
        cuda_fixture_wait(&fixture);
        device_image_download(&fixture, &device_dst, &dst);
        double *expected = scene_run_cpu(&p, &src.view);
        compare_assert_close(&dst.view, expected,
                             compare_budget_for(&scene.foveation, scene.format), "in flight");
        free(expected);
        foveate_plan_destroy(&p.plan);
    }
    cuda_fixture_wait(&fixture);
    device_image_free(&fixture, &device_src);
    device_image_free(&fixture, &device_dst);
    image_free(&src);
    image_free(&dst);
}

static void a_surface_format_that_is_not_done_is_refused(void **state)
{
    struct scene scene = scene_default();
    struct prepared p = {0};
    scene_prepare(&fixture, &p, &scene);
    assert_int_equal(
        foveate_operator_cuda.run_surface(fixture.foveate, &p.run, FOVEA_FORMAT_RGB8, 0, 0),
        FOVEA_ERROR_UNSUPPORTED);
    scene_finish(&fixture, &p);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_and_pattern_is_as_the_reference_has_it),
        cmocka_unit_test(the_longest_sides_work),
        cmocka_unit_test(every_shift_of_the_grid_writes_every_pixel),
        cmocka_unit_test(strides_and_gaps_are_respected),
        cmocka_unit_test(pixels_need_no_more_than_their_channels_alignment),
        cmocka_unit_test(premultiplied_alpha_is_blurred_like_a_colour),
        cmocka_unit_test(strength_zero_copies_every_bit),
        cmocka_unit_test(the_fragment_at_the_gaze_is_copied_bit_by_bit),
        cmocka_unit_test(flat_pictures_stay_flat),
        cmocka_unit_test(plans_may_be_retired_in_flight),
        cmocka_unit_test(a_surface_format_that_is_not_done_is_refused),
    };
    static const struct CMUnitTest heavy_tests[] = {
        cmocka_unit_test(a_picture_of_8k_is_as_the_cpu_has_it),
    };
    return CUDA_RUN_WITH_HEAVY(&fixture, tests, heavy_tests);
}
