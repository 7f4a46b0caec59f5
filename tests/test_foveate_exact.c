/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The cpu backend against the double-precision reference, pixel by pixel. */

#include "test_foveate_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(struct fovea_foveation foveation, const struct exact_case *c)
{
    assert_exact(foveation, c);
}

static void every_pattern_at_640x360(void **state)
{
    for (int pattern = 0; pattern < IMAGE_PATTERN_COUNT; pattern++) {
        check(paper_settings(32), &(struct exact_case){640, 360, FOVEA_FORMAT_RGBA8,
                                                       (enum image_pattern)pattern, 251.5, 97.25});
    }
}

static void every_pattern_in_half_floats(void **state)
{
    for (int pattern = 0; pattern < IMAGE_PATTERN_COUNT; pattern++) {
        check(paper_settings(16), &(struct exact_case){320, 180, FOVEA_FORMAT_RGBA16F,
                                                       (enum image_pattern)pattern, 20, 170});
    }
}

static void every_fragment_size(void **state)
{
    static const uint32_t sides[] = {4, 5, 7, 8, 16, 31, 32, 33, 64, 127, 128};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        check(paper_settings(sides[i]),
              &(struct exact_case){211, 167, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 70.75, 41.125});
    }
}

static void every_odd_size(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1},   {3, 5},   {5, 3},     {31, 33},  {32, 32},
                                        {33, 31}, {1, 200}, {200, 1},   {2, 97},   {97, 2},
                                        {64, 64}, {65, 63}, {129, 127}, {641, 359}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check(paper_settings(32),
              &(struct exact_case){sizes[i][0], sizes[i][1], FOVEA_FORMAT_RGBA8, IMAGE_RANDOM,
                                   sizes[i][0] * 0.3, sizes[i][1] * 0.9});
    }
}

static void gaze_in_corners_on_edges_and_outside(void **state)
{
    for (size_t i = 0; i < EXACT_GAZES; i++) {
        check(paper_settings(16), &(struct exact_case){160, 96, FOVEA_FORMAT_RGB8, IMAGE_RANDOM,
                                                       exact_gazes_px[i][0], exact_gazes_px[i][1]});
    }
}

static void every_strength_and_both_rules(void **state)
{
    static const double strengths[] = {1e-6, 0.05, 0.3, 1.0, 2.0, 8.0};
    for (size_t i = 0; i < 12; i++) {
        struct fovea_foveation settings = paper_settings(16);
        settings.strength = strengths[i / 2];
        settings.paper.filter_length = (enum fovea_filter_length)(i % 2);
        check(settings, &(struct exact_case){150, 100, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 75, 50});
    }
}

/* sigma 250: the filter reaches 13 times further than the image. */
static void filters_far_longer_than_the_image(void **state)
{
    struct fovea_foveation settings = paper_settings(32);
    settings.paper.f_max_cpd = 30.0 * 11.8;
    settings.strength = 2.0;
    check(settings, &(struct exact_case){60, 40, FOVEA_FORMAT_R8, IMAGE_RANDOM, 0, 0});
}

static void other_constants_of_the_model(void **state)
{
    struct fovea_foveation settings = paper_settings(16);
    settings.paper.ct0 = 0.0133;
    settings.paper.f_max_cpd = 50.0;
    settings.paper.e2_deg = 1.1;
    settings.paper.e_max_deg = 40.0;
    settings.paper.alpha = 0.09;
    check(settings, &(struct exact_case){200, 120, FOVEA_FORMAT_RGBA8, IMAGE_STROKES, 33, 90});
}

static void random_settings_sizes_and_gazes(void **state)
{
    srand(11);
    for (int i = 0; i < 60; i++) {
        struct fovea_foveation settings = paper_settings(4 + (uint32_t)rand() % 61);
        settings.strength = (rand() % 300) / 100.0;
        settings.alpha = (enum fovea_alpha)(rand() % 2);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_at_640x360),
        cmocka_unit_test(every_pattern_in_half_floats),
        cmocka_unit_test(every_fragment_size),
        cmocka_unit_test(every_odd_size),
        cmocka_unit_test(gaze_in_corners_on_edges_and_outside),
        cmocka_unit_test(every_strength_and_both_rules),
        cmocka_unit_test(filters_far_longer_than_the_image),
        cmocka_unit_test(other_constants_of_the_model),
        cmocka_unit_test(random_settings_sizes_and_gazes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
