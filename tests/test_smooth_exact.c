/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method on the cpu against the double-precision reference, pixel by pixel. */

#include "test_foveate_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(struct fovea_foveation foveation, const struct exact_case *c)
{
    assert_exact(foveation, c);
}

static void every_pattern(enum fovea_light light, uint32_t width_px, uint32_t height_px)
{
    for (int pattern = 0; pattern < IMAGE_PATTERN_COUNT; pattern++) {
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
        settings.light = light;
        check(settings,
              &(struct exact_case){width_px, height_px, FOVEA_FORMAT_RGBA8,
                                   (enum image_pattern)pattern, 0.39 * width_px, 0.27 * height_px});
    }
}

static void every_pattern_as_stored(void **state)
{
    every_pattern(FOVEA_LIGHT_ENCODED, 320, 180);
    every_pattern(FOVEA_LIGHT_ENCODED, 128, 128);
}

static void every_pattern_as_light(void **state)
{
    every_pattern(FOVEA_LIGHT_LINEAR, 320, 180);
    every_pattern(FOVEA_LIGHT_LINEAR, 128, 128);
}

static void every_format_and_both_kinds_of_alpha(void **state)
{
    for (int i = 0; i < 14; i++) {
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
        settings.alpha = (enum fovea_alpha)(i % 2);
        check(settings,
              &(struct exact_case){113, 71, (enum fovea_format)(1 + i / 2), IMAGE_PHOTO, 30, 60});
    }
}

/* Small pictures are all border: margins of the levels, edges of the picture. */
static void every_odd_size(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1},  {2, 1},  {1, 9},  {3, 5},   {16, 16}, {17, 33},
                                        {1, 90}, {90, 1}, {2, 97}, {63, 65}, {40, 20}, {127, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
        settings.strength = 2.0;
        check(settings, &(struct exact_case){sizes[i][0], sizes[i][1], FOVEA_FORMAT_RGBA8,
                                             IMAGE_RANDOM, sizes[i][0] * 0.3, sizes[i][1] * 0.9});
    }
}

static void gaze_in_corners_on_edges_and_outside(void **state)
{
    static const double gazes[][2] = {{0, 0},   {110, 0},    {0, 70},   {110, 70}, {-0.5, 30},
                                      {55, 71}, {-40, -140}, {300, 20}, {55, 1e5}, {30.004, 31.1}};
    for (size_t i = 0; i < sizeof gazes / sizeof *gazes; i++) {
        static const enum fovea_model models[] = {FOVEA_MODEL_PAPER, FOVEA_MODEL_PHYSICAL,
                                                  FOVEA_MODEL_CURVE, FOVEA_MODEL_RELATIVE};
        check(smooth_settings(models[i % 4]),
              &(struct exact_case){110, 70, FOVEA_FORMAT_RGB8, IMAGE_STROKES, gazes[i][0],
                                   gazes[i][1]});
    }
}

/* The picture on a wall before the eye, in a headset, off the axis. */
static void every_model_and_view(void **state)
{
    for (int i = 0; i < 8; i++) {
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PHYSICAL);
        settings.model = i % 2 ? FOVEA_MODEL_CURVE : FOVEA_MODEL_PHYSICAL;
        settings.cutoff_gain = i % 2 ? 0.5 : 0.1;
        if (i / 2 == 3) {
            settings.model = FOVEA_MODEL_RELATIVE;
            settings.strength = i % 2 ? 1.0 : 4.0;
        } else if (i / 2 == 0) {
            settings.geometry.distance_m = 0.05;
        } else if (i / 2 == 1) {
            settings.geometry.ppd = 3.0;
        } else {
            settings.geometry.tan_left = 1.4;
            settings.geometry.tan_right = 0.7;
            settings.geometry.tan_up = 1.0;
            settings.geometry.tan_down = 1.2;
        }
        check(settings,
              &(struct exact_case){160, 90, FOVEA_FORMAT_RGBA8, IMAGE_ZONE_PLATE, 20, 71.5});
    }
}

/* No pixel lies within the last thousandth of a degree of the window's edge, where the table's line
 * is not the law's. */
static void a_window_and_a_scotoma(void **state)
{
    static const double inside_cpd[] = {60.0, 0.5};
    for (int i = 0; i < 2; i++) {
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_CURVE);
        const double outside_cpd = i ? 60.0 : 2.0;
        settings.curve = (struct fovea_curve){
            .count = 4,
            .eccentricity_deg = {0.0, 5.0, i ? 5.2 : 5.01, 90.0},
            .cutoff_cpd = {inside_cpd[i], inside_cpd[i], outside_cpd, outside_cpd}};
        settings.geometry.ppd = 9.0;
        check(settings,
              &(struct exact_case){160, 90, FOVEA_FORMAT_RGBA8, IMAGE_STROKES, 71, 39.75});
    }
}

/* From a blur of a hundredth of a pixel to one that is wider than the picture. */
static void every_strength(void **state)
{
    static const double strengths[] = {1e-9, 1e-5, 0.001, 0.02, 0.05, 0.12, 0.25, 0.5, 3.0};
    for (size_t i = 0; i < 2 * sizeof strengths / sizeof *strengths; i++) {
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
        settings.strength = strengths[i / 2];
        settings.light = i % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
        check(settings, &(struct exact_case){50, 30, FOVEA_FORMAT_RGBA8, IMAGE_CHECKER, 26, 17});
    }
}

/* Up to half a pixel, weights are no line of sigma: between two nodes, or across a kink of the
 * law. */
static void a_narrow_blur_that_changes_slowly(void **state)
{
    (void)state;
    static const struct {
        enum fovea_model model;
        double strength, gain, ppd, e_max_deg;
        struct exact_case at;
    } cases[] = {
        {FOVEA_MODEL_PAPER, 0.0423, 0.6065, 0, 100, {96, 79, 1, IMAGE_CHECKER, 152.25, 0}},
        {FOVEA_MODEL_PAPER, 0.2612, 0.6065, 0, 13.14, {127, 49, 1, IMAGE_CHECKER, 0, 36.95}},
        {FOVEA_MODEL_CURVE, 1.5119, 0.7, 34.56, 100, {72, 58, 2, IMAGE_ZONE_PLATE, 19.4, 58}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fovea_foveation settings = smooth_settings(cases[i].model);
        settings.strength = cases[i].strength;
        settings.cutoff_gain = cases[i].gain;
        settings.paper.e_max_deg = cases[i].e_max_deg;
        settings.geometry.ppd = cases[i].ppd;
        settings.light = FOVEA_LIGHT_LINEAR;
        settings.curve = (struct fovea_curve){
            .count = 3, .eccentricity_deg = {0.0, 6.08, 34.3}, .cutoff_cpd = {11.84, 23.03, 48.68}};
        check(settings, &cases[i].at);
    }
}

static void a_blur_far_wider_than_the_picture(void **state)
{
    struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
    settings.strength = 8.0;
    settings.paper.f_max_cpd = 30.0 * 2.0;
    check(settings, &(struct exact_case){10, 6, FOVEA_FORMAT_R8, IMAGE_RANDOM, 0, 0});
}

/* ---- Light on dark: where the slope of sRGB is steepest, and an error of light the most levels */

static void draw_night(const struct fovea_image *image, uint32_t every)
{
    image_fill(image, 0);
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            if (x % every == 3 || y % (every + 2) == 5) {
                image_set(image, x, y, 0, 255);
            }
            if ((x * 7 + y * 13) % (every * every) == 0) {
                image_set(image, x, y, 1, 255);
            }
            if ((x / every + y / every) % 2) {
                image_set(image, x, y, 2, 255);
            }
        }
    }
}

static void light_lines_dots_and_squares_on_dark(void **state)
{
    for (int i = 0; i < 8; i++) {
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
        settings.strength = 0.03 * pow(2.0, 0.75 * i);
        struct test_image src = image_make_packed(120, 80, FOVEA_FORMAT_RGB8);
        draw_night(&src.view, 4 + 3 * ((uint32_t)i % 4));
        assert_exact_picture(settings,
                             &(struct exact_case){120, 80, FOVEA_FORMAT_RGB8, IMAGE_RANDOM, 40, 30},
                             &src.view, 1.0);
        image_free(&src);
    }
}

static void random_settings_sizes_and_gazes(void **state)
{
    srand(11);
    for (int i = 0; i < 40; i++) {
        struct fovea_foveation settings = smooth_settings((enum fovea_model)(rand() % 3));
        settings.strength = (rand() % 200) / 100.0;
        settings.light = (enum fovea_light)(rand() % 3);
        settings.alpha = (enum fovea_alpha)(rand() % 2);
        settings.cutoff_gain = 0.1 + (rand() % 80) / 100.0;
        settings.geometry.distance_m = 0.1 + (rand() % 100) / 200.0;
        const struct exact_case c = {
            .width_px = 1 + (uint32_t)rand() % 90,
            .height_px = 1 + (uint32_t)rand() % 90,
            .format = (enum fovea_format)(1 + rand() % 7),
            .pattern = (enum image_pattern)(rand() % IMAGE_PATTERN_COUNT),
            .gaze_x_px = (rand() % 40000 - 8000) / 256.0,
            .gaze_y_px = (rand() % 40000 - 8000) / 256.0,
        };
        check(settings, &c);
    }
}

/* The other method, in light because the settings say so. */
static void blockwise_in_light(void **state)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_A2B10G10R10,
                                                FOVEA_FORMAT_R8, FOVEA_FORMAT_RGBA16F};
    for (int i = 0; i < 8; i++) {
        struct fovea_foveation settings = paper_settings(16);
        settings.light = FOVEA_LIGHT_LINEAR;
        settings.alpha = (enum fovea_alpha)(i % 2);
        assert_exact(settings,
                     &(struct exact_case){140, 90, formats[i / 2], IMAGE_STROKES, 61, 33});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_as_stored),
        cmocka_unit_test(every_pattern_as_light),
        cmocka_unit_test(every_format_and_both_kinds_of_alpha),
        cmocka_unit_test(every_odd_size),
        cmocka_unit_test(gaze_in_corners_on_edges_and_outside),
        cmocka_unit_test(every_model_and_view),
        cmocka_unit_test(a_window_and_a_scotoma),
        cmocka_unit_test(every_strength),
        cmocka_unit_test(a_narrow_blur_that_changes_slowly),
        cmocka_unit_test(a_blur_far_wider_than_the_picture),
        cmocka_unit_test(light_lines_dots_and_squares_on_dark),
        cmocka_unit_test(random_settings_sizes_and_gazes),
        cmocka_unit_test(blockwise_in_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
