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

/* Up to half a pixel, weights are no line of sigma: between two nodes, or across a kink of the
 * law. */
TEST(a_narrow_blur_that_changes_slowly)
{
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

TEST(a_blur_far_wider_than_the_picture)
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

TEST(light_lines_dots_and_squares_on_dark)
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
