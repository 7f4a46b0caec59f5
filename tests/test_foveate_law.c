/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method with the models that have a law, on the cpu, against the double-precision
 * reference. */

#include "sanitized.h"
#include "test_foveate_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fovea_foveation law_settings(enum fovea_model model, uint32_t fragment_px)
{
    struct fovea_foveation settings = smooth_settings(model);
    settings.method = FOVEA_METHOD_BLOCKWISE;
    settings.paper.fragment_px = fragment_px;
    settings.geometry.ppd = 4.0; /* a view so wide that there is something to blur */
    return settings;
}

/* Any number: the models in turn, maps by degrees of the view and of the paper. */
static struct fovea_foveation law_at(int i, uint32_t fragment_px)
{
    struct fovea_foveation settings =
        law_settings(i % 2 ? FOVEA_MODEL_CURVE : FOVEA_MODEL_PHYSICAL, fragment_px);
    if (i % 5 == 1 && i / 5 % 2) {
        settings.model = FOVEA_MODEL_RELATIVE;
    } else if (i % 5 >= 2) {
        static const enum fovea_map_kind kinds[] = {FOVEA_MAP_HUMAN, FOVEA_MAP_STREAK,
                                                    FOVEA_MAP_ARRAY};
        settings.model = FOVEA_MODEL_MAP;
        settings.map = map_settings(kinds[i % 5 - 2]).map;
        settings.map.degrees = i % 2 ? FOVEA_MAP_DEGREES_VIEW : FOVEA_MAP_DEGREES_PAPER;
        settings.map.cutoff_cpd = i % 2 ? 8.0 : 0.0;
        settings.map.eye = FOVEA_MAP_EYE_LEFT;
    }
    return settings;
}

static void check(struct fovea_foveation foveation, const struct exact_case *c)
{
    assert_exact(foveation, c);
}

static void every_pattern(void **state)
{
    for (int i = test_first(5 * IMAGE_PATTERN_COUNT); i < 5 * IMAGE_PATTERN_COUNT;
         i += TEST_STEP(i)) {
        check(law_at(i, 16), &(struct exact_case){320, 180, FOVEA_FORMAT_RGBA8,
                                                  (enum image_pattern)(i / 5), 211.5, 47.25});
    }
}

static void every_pattern_in_half_floats(void **state)
{
    for (int i = test_first(5 * IMAGE_PATTERN_COUNT); i < 5 * IMAGE_PATTERN_COUNT;
         i += TEST_STEP(i)) {
        check(law_at(i, 16), &(struct exact_case){240, 135, FOVEA_FORMAT_RGBA16F,
                                                  (enum image_pattern)(i / 5), 20, 130});
    }
}

static void every_format_light_and_alpha(void **state)
{
    for (int i = test_first(70); i < 70; i += TEST_STEP(i)) {
        struct fovea_foveation settings = law_at(i, 20);
        settings.alpha = (enum fovea_alpha)(i / 2 % 2);
        settings.light = i % 3 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
        check(settings,
              &(struct exact_case){113, 71, (enum fovea_format)(1 + i / 10), IMAGE_PHOTO, 30, 60});
    }
}

static void every_fragment_size(void **state)
{
    static const uint32_t sides[] = {4, 5, 7, 8, 16, 31, 32, 33, 64, 127, 128};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        check(law_at((int)i, sides[i]),
              &(struct exact_case){211, 167, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 70.75, 41.125});
    }
}

/* Fragments larger than the image among them. */
static void every_odd_size(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1},   {3, 5},   {5, 3},    {31, 33}, {32, 32},
                                        {33, 31}, {1, 200}, {200, 1},  {2, 97},  {97, 2},
                                        {64, 64}, {65, 63}, {129, 127}};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const uint32_t *size = sizes[i / 2];
        check(law_at((int)i, i % 4 < 2 ? 32 : 128),
              &(struct exact_case){size[0], size[1], FOVEA_FORMAT_RGBA8, IMAGE_RANDOM,
                                   size[0] * 0.3, size[1] * 0.9});
    }
}

static void gaze_in_corners_on_edges_and_outside(void **state)
{
    for (size_t i = 0; i < 2 * EXACT_GAZES; i++) {
        check(law_at((int)i, 16),
              &(struct exact_case){160, 96, FOVEA_FORMAT_RGB8, IMAGE_RANDOM,
                                   exact_gazes_px[i / 2][0], exact_gazes_px[i / 2][1]});
    }
}

/* From filters that hardly reach a neighbour to ones that reach beyond the picture. */
static void every_strength_and_both_rules(void **state)
{
    static const double strengths[] = {1e-7, 1e-4, 0.05, 0.11, 0.3, 1.0, 2.0, 8.0};
    for (size_t i = 0; i < 32; i++) {
        struct fovea_foveation settings = law_at((int)i, 16);
        settings.strength = strengths[i / 4];
        settings.paper.filter_length = (enum fovea_filter_length)(i / 2 % 2);
        check(settings, &(struct exact_case){150, 100, FOVEA_FORMAT_RGBA8,
                                             i % 3 ? IMAGE_CHECKER : IMAGE_RANDOM, 75, 50});
    }
}

/* sigma of hundreds of pixels */
static void filters_far_longer_than_the_image(void **state)
{
    struct fovea_foveation settings = law_settings(FOVEA_MODEL_CURVE, 32);
    settings.curve = (struct fovea_curve){
        .count = 2, .eccentricity_deg = {0.0, 4.0}, .cutoff_cpd = {3.0, 0.0035}};
    check(settings, &(struct exact_case){60, 40, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 0, 0});
}

static void every_view(void **state)
{
    for (int i = 0; i < 6; i++) {
        struct fovea_foveation settings = law_at(i, 16);
        settings.geometry.ppd = i / 2 == 1 ? 3.0 : 0.0;
        settings.geometry.distance_m = i / 2 == 0 ? 0.05 : 0.6;
        if (i / 2 == 2) {
            settings.geometry.tan_left = 1.4;
            settings.geometry.tan_right = 0.7;
            settings.geometry.tan_up = 1.0;
            settings.geometry.tan_down = 1.2;
        }
        check(settings,
              &(struct exact_case){160, 90, FOVEA_FORMAT_RGBA8, IMAGE_ZONE_PLATE, 20, 71.5});
    }
}

static void random_settings_sizes_and_gazes(void **state)
{
    srand(11);
    for (int i = 0; i < 200; i++) {
        struct fovea_foveation settings = law_at(i, 4 + (uint32_t)rand() % 61);
        settings.strength = (rand() % 300) / 100.0;
        settings.alpha = (enum fovea_alpha)(rand() % 2);
        settings.light = (enum fovea_light)(rand() % 3);
        settings.cutoff_gain = 0.1 + (rand() % 80) / 100.0;
        settings.geometry.ppd = 2.0 + (rand() % 100) / 10.0;
        settings.paper.filter_length = (enum fovea_filter_length)(rand() % 2);
        const struct exact_case c = {
            .width_px = 1 + (uint32_t)rand() % 130,
            .height_px = 1 + (uint32_t)rand() % 130,
            .format = (enum fovea_format)(1 + rand() % 7),
            .pattern = (enum image_pattern)(rand() % IMAGE_PATTERN_COUNT),
            .gaze_x_px = (rand() % 60000 - 10000) / 256.0,
            .gaze_y_px = (rand() % 60000 - 10000) / 256.0,
        };
        check(settings, &c);
    }
}

static void sigma_zero_everywhere_copies(void **state)
{
    for (int i = 0; i < 3; i++) {
        struct fovea_foveation settings = law_settings(FOVEA_MODEL_CURVE, 16);
        settings.strength = i == 0 ? 0.0 : i == 1 ? 1e-9 : 1.0;
        settings.curve = (struct fovea_curve){.count = 1, .cutoff_cpd = {i == 2 ? 1000.0 : 0.1}};
        settings.alpha = FOVEA_ALPHA_PREMULTIPLIED;
        settings.light = FOVEA_LIGHT_LINEAR;
        struct test_image src = image_make_packed(61, 47, FOVEA_FORMAT_RGBA8);
        struct test_image dst = image_make_packed(61, 47, FOVEA_FORMAT_RGBA8);
        image_draw(&src.view, IMAGE_RANDOM, 23);
        struct rig rig = rig_make(settings, 61, 47);
        const struct foveate_frame frame = rig_run(&rig, &src.view, &dst.view, 11, 13);
        assert_true(foveate_sigma_at(rig.plan, &frame, 60, 46) == 0.0f);
        compare_assert_all_same(&dst.view, &src.view, "sigma 0");
        rig_finish(&rig);
        image_free(&src);
        image_free(&dst);
    }
}

static void fragments_of_no_size_are_refused(void **state)
{
    static const uint32_t sides[] = {0, 3, 129, UINT32_MAX};
    for (size_t i = 0; i < 2 * sizeof sides / sizeof *sides; i++) {
        struct fovea_foveation settings = law_at((int)i % 2, sides[i / 2]);
        struct foveate_plan *plan = NULL;
        assert_int_equal(foveate_plan_create(&settings, 64, 64, &plan),
                         FOVEA_ERROR_INVALID_ARGUMENT);
        settings.method = FOVEA_METHOD_SMOOTH;
        assert_int_equal(foveate_plan_create(&settings, 64, 64, &plan), FOVEA_OK);
        foveate_plan_destroy(&plan);
    }
}

/* What the smooth method does not use must not make it another plan, and blockwise needs it. */
static void a_plan_fits_by_what_its_method_uses(void **state)
{
    for (int i = 0; i < 4; i++) {
        struct fovea_foveation settings = law_at(i, 16);
        settings.method = i / 2 ? FOVEA_METHOD_SMOOTH : FOVEA_METHOD_BLOCKWISE;
        struct foveate_plan *plan = plan_of(&settings, 64, 48);
        assert_true(foveate_plan_fits(plan, &settings, 64, 48));
        settings.paper.fragment_px = 17;
        assert_int_equal(foveate_plan_fits(plan, &settings, 64, 48), i / 2);
        settings.paper.fragment_px = 16;
        foveate_plan_destroy(&plan);
    }
}

/* ---- Properties */

static void mirrored_picture_and_gaze_give_the_mirrored_result(void **state)
{
    static const int even[] = {0, 1, 3}; /* the human map is none: up and down differ */
    for (int i = 0; i < 9; i++) {
        const bool x = i / 3 != 1;
        const bool y = i / 3 != 0;
        const struct fovea_foveation settings = law_at(even[i % 3], 16);
        struct test_image images[4];
        for (int j = 0; j < 4; j++) {
            images[j] = image_make_packed(176, 128, FOVEA_FORMAT_RGBA8);
        }
        struct rig rig = rig_make(settings, 176, 128);
        image_draw(&images[0].view, IMAGE_RANDOM, 23);
        image_mirror(&images[0].view, &images[1].view, x, y);
        rig_run(&rig, &images[0].view, &images[2].view, 37, 90);
        rig_run(&rig, &images[1].view, &images[3].view, x ? 176 - 37 : 37, y ? 128 - 90 : 90);
        image_mirror(&images[3].view, &images[1].view, x, y);
        struct compare_rect where;
        assert_true(compare_largest(&images[1].view, &images[2].view, &where) <= 1.0);
        rig_finish(&rig);
        for (int j = 0; j < 4; j++) {
            image_free(&images[j]);
        }
    }
}

static void a_constant_picture_stays_constant(void **state)
{
    for (int i = 0; i < 14; i++) {
        const enum fovea_format format = (enum fovea_format)(1 + i / 2);
        struct fovea_foveation settings = law_at(i, 16);
        settings.alpha = FOVEA_ALPHA_PREMULTIPLIED;
        struct test_image src = image_make_packed(120, 90, format);
        struct test_image dst = image_make_packed(120, 90, format);
        image_fill(&src.view, 0.5 * image_white(format, 0));
        struct rig rig = rig_make(settings, 120, 90);
        rig_run(&rig, &src.view, &dst.view, 30, 60);
        struct compare_rect where;
        const double largest = compare_largest(&dst.view, &src.view, &where);
        assert_true(largest <=
                    (format == FOVEA_FORMAT_RGBA32F ? 1e-6 : 0.0) * image_white(format, 0));
        rig_finish(&rig);
        image_free(&src);
        image_free(&dst);
    }
}

/* The fragment at the gaze has its centre within half a pixel of it, where these models copy. */
static void the_fovea_is_copied_bit_by_bit(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct fovea_foveation settings = law_at(i, 32);
        settings.geometry.ppd = 30.0;
        struct test_image src = image_make_packed(200, 150, FOVEA_FORMAT_RGBA8);
        struct test_image dst = image_make_packed(200, 150, FOVEA_FORMAT_RGBA8);
        image_draw(&src.view, IMAGE_RANDOM, 5);
        struct rig rig = rig_make(settings, 200, 150);
        rig_run(&rig, &src.view, &dst.view, 100, 75);
        compare_assert_same(&dst.view, &src.view, (struct compare_rect){84, 59, 32, 32}, "fovea");
        rig_finish(&rig);
        image_free(&src);
        image_free(&dst);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern),
        cmocka_unit_test(every_pattern_in_half_floats),
        cmocka_unit_test(every_format_light_and_alpha),
        cmocka_unit_test(every_fragment_size),
        cmocka_unit_test(every_odd_size),
        cmocka_unit_test(gaze_in_corners_on_edges_and_outside),
        cmocka_unit_test(every_strength_and_both_rules),
        cmocka_unit_test(filters_far_longer_than_the_image),
        cmocka_unit_test(every_view),
        cmocka_unit_test(random_settings_sizes_and_gazes),
        cmocka_unit_test(sigma_zero_everywhere_copies),
        cmocka_unit_test(fragments_of_no_size_are_refused),
        cmocka_unit_test(a_plan_fits_by_what_its_method_uses),
        cmocka_unit_test(mirrored_picture_and_gaze_give_the_mirrored_result),
        cmocka_unit_test(a_constant_picture_stays_constant),
        cmocka_unit_test(the_fovea_is_copied_bit_by_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
