/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method's CUDA kernels. */

#include "compare.h"
#include "smooth_model.h"
#include "smooth_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct cuda_fixture fixture;

static const enum fovea_format formats[] = {
    FOVEA_FORMAT_RGBA8,      FOVEA_FORMAT_RGB8,    FOVEA_FORMAT_R8,      FOVEA_FORMAT_A2B10G10R10,
    FOVEA_FORMAT_B10G11R11F, FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_RGBA32F, FOVEA_FORMAT_RGB16F,
    FOVEA_FORMAT_R16F,       FOVEA_FORMAT_RGB32F,  FOVEA_FORMAT_R32F,
};

static const enum fovea_light lights[] = {FOVEA_LIGHT_LINEAR, FOVEA_LIGHT_ENCODED};

static void check(const struct scene *scene)
{
    smooth_assert(&fixture, scene);
}

static void check_picture(const struct scene *scene, const struct test_image *src)
{
    smooth_assert_picture(&fixture, scene, src);
}

static const struct scene_way smooth = {
    .fixture = &fixture,
    .scene = smooth_scene_default,
    .check = check,
    .check_picture = check_picture,
    .formats = formats,
    .format_count = COUNT(formats),
    .lights = lights,
    .light_count = COUNT(lights),
    .small_px = {61, 43},
};

/* ---- Formats, models, sizes ------------------------------------------------------------------ */

static void every_format_pattern_and_light_is_right(void **state)
{
    way_has_every_format_pattern_and_light(&smooth);
}

/* Wide views, so that there is something to blur in a small picture. */
static void every_model_and_geometry_is_right(void **state)
{
    static const struct fovea_geometry geometries[] = {
        {.screen_width_m = 0.53, .distance_m = 0.6},
        {.ppd = 2.0},
        {.tan_left = 0.6, .tan_right = 1.4, .tan_up = 0.9, .tan_down = 0.7},
    };
    struct scene scotoma = smooth_scene_default();
    scotoma.foveation.model = FOVEA_MODEL_CURVE;
    scotoma.foveation.geometry = geometries[1];
    scotoma.foveation.curve = (struct fovea_curve){
        .count = 4, .eccentricity_deg = {0, 5, 5.2, 90}, .cutoff_cpd = {0.2, 0.2, 60, 60}};
    smooth_assert(&fixture, &scotoma);
    for (size_t i = 0; i < COUNT(geometries); i++) {
        for (int model = FOVEA_MODEL_PHYSICAL; model <= FOVEA_MODEL_CURVE; model++) {
            for (double strength = 2.0; strength <= (fixture.quick ? 2.0 : 8.0); strength *= 2.0) {
                struct scene scene = smooth_scene_default();
                scene.foveation.model = (enum fovea_model)model;
                scene.foveation.geometry = geometries[i];
                scene.foveation.strength = strength;
                scene.foveation.cutoff_gain = 0.1;
                scene.pattern = IMAGE_CHECKER;
                smooth_assert(&fixture, &scene);
            }
        }
    }
}

/* Ten degrees a sample, two peaks, no symmetry. */
static const float map_samples[] = {
    3,  1, 0,  2, 5, 1, 0.5f, 2, 4, 6,  9, 7, 2, 1, 1, 5, 9, 20,
    12, 8, 11, 0, 2, 5, 8,    7, 9, 14, 1, 0, 1, 3, 2, 6, 8,
};

static struct scene map_scene(int i)
{
    static const enum fovea_map_kind kinds[] = {FOVEA_MAP_HUMAN, FOVEA_MAP_STREAK, FOVEA_MAP_ARRAY};
    struct scene scene = smooth_scene_default();
    struct fovea_foveation *f = &scene.foveation;
    const bool view = i / 3 % 2;
    f->model = FOVEA_MODEL_MAP;
    f->map.kind = kinds[i % 3];
    f->map.degrees = view ? FOVEA_MAP_DEGREES_VIEW : FOVEA_MAP_DEGREES_PAPER;
    f->map.law = (enum fovea_map_law)(i / 6 % 2);
    f->map.eye = (enum fovea_map_eye)(i % 2);
    f->map.values = map_samples;
    f->map.width = 7;
    f->map.height = 5;
    f->map.width_deg = 70.0;
    /* Few pixels a degree, so that a small picture is a wide view. */
    f->map.cutoff_cpd = view ? 4.0 : 0.0;
    f->paper.alpha = view ? 0.4 : 0.106;
    f->geometry =
        (struct fovea_geometry){.tan_left = 0.7, .tan_right = 1.1, .tan_up = 0.8, .tan_down = 0.4};
    return scene;
}

/* In the picture's middle, in a corner, outside. */
static void every_map_law_and_mapping_is_right(void **state)
{
    static const struct fovea_point_uv gazes[] = {{0.41, 0.58}, {0, 1}, {1.3, -0.2}, {4.9, -3.9}};
    for (int i = 0; i < (fixture.quick ? 12 : 48); i++) {
        struct scene scene = map_scene(i);
        scene.gaze = gazes[i / 12 % 4];
        scene.pattern = (enum image_pattern)(i % IMAGE_PATTERN_COUNT);
        smooth_assert(&fixture, &scene);
    }
}

/* A table of as many samples as there may be. */
static void the_largest_map_works(void **state)
{
    const size_t side = fixture.quick ? 1024 : 4096;
    float *values = malloc(side * side * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < side * side; i++) {
        values[i] = (float)(1 + i % 97 + i / side);
    }
    for (int i = 0; i < 4; i++) {
        struct scene scene = map_scene(3 * i + 2);
        scene.foveation.map.values = values;
        scene.foveation.map.width = scene.foveation.map.height = (uint32_t)side;
        scene.foveation.map.width_deg = 300.0;
        scene.no_reference = true;
        smooth_assert(&fixture, &scene);
    }
    free(values);
}

static void every_size_is_covered(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1},   {2, 1},   {1, 2},   {3, 5},    {31, 33},
                                        {33, 31}, {1, 300}, {300, 1}, {16, 16},  {17, 15},
                                        {64, 64}, {127, 9}, {9, 129}, {321, 243}};
    for (size_t i = 0; i < COUNT(sizes); i += fixture.quick ? 3 : 1) {
        struct scene scene = smooth_scene_default();
        scene.width_px = sizes[i][0];
        scene.height_px = sizes[i][1];
        smooth_assert(&fixture, &scene);
    }
}

static void the_longest_sides_work(void **state)
{
    way_works_for_the_longest_sides(&smooth);
}

static void a_whole_screen_is_right(void **state)
{
    struct scene scene = smooth_scene_default();
    scene.width_px = 1280;
    scene.height_px = 720;
    scene.no_reference = true;
    smooth_assert(&fixture, &scene);
}

/* ---- Gaze, strength -------------------------------------------------------------------------- */

static void gaze_anywhere_is_right(void **state)
{
    static const double at[] = {-3.9, -0.3, 0.0, 0.37, 1.0, 1.02, 4.9};
    const size_t step = fixture.quick ? 3 : 1;
    for (size_t y = 0; y < COUNT(at); y += step) {
        for (size_t x = 0; x < COUNT(at); x += step) {
            for (int model = FOVEA_MODEL_PAPER; model <= FOVEA_MODEL_PHYSICAL; model++) {
                struct scene scene = smooth_scene_default();
                scene.width_px = 67;
                scene.height_px = 45;
                scene.gaze = (struct fovea_point_uv){at[x], at[y]};
                scene.foveation.model = (enum fovea_model)model;
                scene.foveation.strength = model == FOVEA_MODEL_PAPER ? 1.0 : 8.0;
                smooth_assert(&fixture, &scene);
            }
        }
    }
}

static void every_strength_is_right(void **state)
{
    static const double strengths[] = {1e-30, 0.01, 0.3, 1.7, 8.0};
    for (size_t i = 0; i < COUNT(strengths); i++) {
        struct scene scene = smooth_scene_default();
        scene.width_px = 75;
        scene.height_px = 58;
        scene.foveation.strength = strengths[i];
        scene.pattern = IMAGE_STROKES;
        scene.no_reference = strengths[i] > 4.0;
        smooth_assert(&fixture, &scene);
    }
}

/* Up to 12 samples of the coarsest level for one sigma. */
static void gaussians_far_wider_than_the_picture_work(void **state)
{
    struct scene scene = smooth_scene_default();
    scene.width_px = fixture.quick ? 21 : 333;
    scene.height_px = 58;
    scene.foveation.strength = 8.0;
    scene.foveation.paper.f_max_cpd = 270.0;
    scene.format = FOVEA_FORMAT_RGBA32F;
    scene.no_reference = true;
    smooth_assert(&fixture, &scene);
}

/* ---- Layouts, alpha -------------------------------------------------------------------------- */

static void strides_and_gaps_are_respected(void **state)
{
    way_respects_strides_and_gaps(&smooth);
}

static void pixels_need_no_more_than_their_channels_alignment(void **state)
{
    way_needs_no_more_than_its_channels_alignment(&smooth);
}

static void premultiplied_alpha_is_blurred_like_a_colour(void **state)
{
    way_blurs_premultiplied_alpha(&smooth);
}

/* ---- Exactness ------------------------------------------------------------------------------- */

/* Everywhere, or where nothing is blurred. */
static void what_is_sharp_is_copied_bit_by_bit(void **state)
{
    for (size_t i = 0; i < 2 * COUNT(formats); i++) {
        struct scene scene = smooth_scene_default();
        scene.format = formats[i / 2];
        scene.foveation.strength = i % 2 ? 1.0 : 0.0;
        scene.foveation.paper.f_max_cpd = 10.0; /* sharp for 8 px around the gaze */
        const uint32_t sharp = scene_assert_sharp_is_copied(&fixture, &scene);
        assert_true(i % 2 ? sharp > 100 : sharp == scene.width_px * scene.height_px);
    }
}

static void flat_pictures_stay_flat(void **state)
{
    static const enum fovea_format unorm[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_A2B10G10R10};
    for (size_t i = 0; i < 2 * COUNT(unorm); i++) {
        struct scene scene = smooth_scene_default();
        scene.format = unorm[i / 2];
        scene.foveation.light = lights[i % 2];
        scene.foveation.strength = 3.0;
        scene_assert_flat_stays_flat(&fixture, &scene);
    }
}

static void bad_numbers_stay_within_reach(void **state)
{
    static const struct bad_number bad[] = {
        {20, 30, 0, NAN}, {150, 90, 1, INFINITY}, {202, 116, 2, NAN}};
    way_keeps_bad_numbers_within_reach(&smooth, bad, COUNT(bad));
}

static void the_largest_numbers_stay_finite(void **state)
{
    static const struct {
        enum fovea_format format;
        double largest;
    } cases[] = {{FOVEA_FORMAT_B10G11R11F, 64512.0},
                 {FOVEA_FORMAT_RGBA16F, 65504.0},
                 {FOVEA_FORMAT_RGBA32F, 3.4e38}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene = smooth_scene_default();
        scene.format = cases[i].format;
        scene.no_reference = true;
        struct test_image src = image_make_packed(203, 117, scene.format);
        image_fill(&src.view, cases[i].largest);
        smooth_assert_picture(&fixture, &scene, &src);
        image_free(&src);
    }
}

/* ---- Blockwise in light ---------------------------------------------------------------------- */

static void blockwise_averages_light_where_it_is_told_to(void **state)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct scene scene = scene_default();
        scene.format = formats[i];
        scene.foveation.light = FOVEA_LIGHT_LINEAR;
        struct prepared p = {0};
        scene_prepare(&fixture, &p, &scene);
        struct test_image src = image_make_packed(203, 117, scene.format);
        struct test_image dst = image_make_packed(203, 117, scene.format);
        image_draw(&src.view, IMAGE_STROKES, 5);
        double *expected = exact_picture(p.plan, &p.frame, &src.view);
        scene_run_linear(&fixture, &p, &src, &dst, 0);
        compare_assert_close(&dst.view, expected,
                             compare_budget_for(&scene.foveation, scene.format), "light");
        free(expected);
        image_free(&src);
        image_free(&dst);
        scene_finish(&fixture, &p);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_pattern_and_light_is_right),
        cmocka_unit_test(every_model_and_geometry_is_right),
        cmocka_unit_test(every_map_law_and_mapping_is_right),
        cmocka_unit_test(the_largest_map_works),
        cmocka_unit_test(every_size_is_covered),
        cmocka_unit_test(the_longest_sides_work),
        cmocka_unit_test(gaze_anywhere_is_right),
        cmocka_unit_test(every_strength_is_right),
        cmocka_unit_test(gaussians_far_wider_than_the_picture_work),
        cmocka_unit_test(strides_and_gaps_are_respected),
        cmocka_unit_test(pixels_need_no_more_than_their_channels_alignment),
        cmocka_unit_test(premultiplied_alpha_is_blurred_like_a_colour),
        cmocka_unit_test(what_is_sharp_is_copied_bit_by_bit),
        cmocka_unit_test(flat_pictures_stay_flat),
        cmocka_unit_test(bad_numbers_stay_within_reach),
        cmocka_unit_test(the_largest_numbers_stay_finite),
        cmocka_unit_test(blockwise_averages_light_where_it_is_told_to),
    };
    static const struct CMUnitTest heavy_tests[] = {
        cmocka_unit_test(a_whole_screen_is_right),
    };
    return CUDA_RUN_WITH_HEAVY(&fixture, tests, heavy_tests);
}
