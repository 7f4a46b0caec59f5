/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every space with every origin, through the public interface; and degrees. */
#include "plugin/gaze/gaze_coords.h"
#include "support/random.h"
#include "test_gaze_support.h"

struct coords_case {
    enum fovea_gaze_space space;
    enum fovea_gaze_origin origin;
    double x;
    double y;
    double u;
    double v;
};

#define UV FOVEA_GAZE_SPACE_UV
#define NDC FOVEA_GAZE_SPACE_NDC
#define PX FOVEA_GAZE_SPACE_PIXELS
#define DEG FOVEA_GAZE_SPACE_DEGREES
#define TOP FOVEA_GAZE_ORIGIN_TOP_LEFT
#define BOTTOM FOVEA_GAZE_ORIGIN_BOTTOM_LEFT
#define CENTER FOVEA_GAZE_ORIGIN_CENTER

/* The image is 1280 x 720. For each pair: zero, a corner, an inner point, a point outside. */
static const struct coords_case CASES[] = {
    {UV, TOP, 0, 0, 0, 0},
    {UV, TOP, 1, 1, 1, 1},
    {UV, TOP, 0.25, 0.125, 0.25, 0.125},
    {UV, TOP, -0.5, 2, -0.5, 2},
    {UV, BOTTOM, 0, 0, 0, 1},
    {UV, BOTTOM, 1, 1, 1, 0},
    {UV, BOTTOM, 0.25, 0.125, 0.25, 0.875},
    {UV, BOTTOM, -0.5, 2, -0.5, -1},
    {UV, CENTER, 0, 0, 0.5, 0.5},
    {UV, CENTER, -0.5, 0.5, 0, 0},
    {UV, CENTER, 0.25, 0.125, 0.75, 0.375},
    {UV, CENTER, 1, -1, 1.5, 1.5},
    {NDC, TOP, 0, 0, 0.5, 0.5},
    {NDC, TOP, -1, -1, 0, 0},
    {NDC, TOP, 0.5, 0.25, 0.75, 0.625},
    {NDC, TOP, 2, -2, 1.5, -0.5},
    {NDC, BOTTOM, 0, 0, 0.5, 0.5},
    {NDC, BOTTOM, -1, -1, 0, 1},
    {NDC, BOTTOM, 0.5, 0.25, 0.75, 0.375},
    {NDC, BOTTOM, 2, -2, 1.5, 1.5},
    {NDC, CENTER, 0, 0, 0.5, 0.5},
    {NDC, CENTER, -1, 1, 0, 0},
    {NDC, CENTER, 0.5, 0.25, 0.75, 0.375},
    {NDC, CENTER, 2, 2, 1.5, -0.5},
    {PX, TOP, 0, 0, 0, 0},
    {PX, TOP, 1280, 720, 1, 1},
    {PX, TOP, 320, 90, 0.25, 0.125},
    {PX, TOP, -640, 1440, -0.5, 2},
    {PX, BOTTOM, 0, 0, 0, 1},
    {PX, BOTTOM, 1280, 720, 1, 0},
    {PX, BOTTOM, 320, 90, 0.25, 0.875},
    {PX, BOTTOM, -640, 1440, -0.5, -1},
    {PX, CENTER, 0, 0, 0.5, 0.5},
    {PX, CENTER, -640, 360, 0, 0},
    {PX, CENTER, 320, 90, 0.75, 0.375},
    {PX, CENTER, 1280, -720, 1.5, 1.5},
    /* a screen of 90 and 60 degrees, whose edges are at 45 and 30: tan 30 is 0.5774 */
    {DEG, TOP, 0, 0, 0.5, 0.5},
    {DEG, TOP, -45, 30, 0, 1},
    {DEG, TOP, 14.036243467926479, -16.102113751986011, 0.625, 0.25},
    {DEG, BOTTOM, 45, 30, 1, 0},
    {DEG, CENTER, 45, 30, 1, 0},
    {DEG, CENTER, -63.43494882292201, 0, -0.5, 0.5},
};

static struct fovea_point_uv converted(const struct fovea_gaze_settings *settings,
                                       uint32_t width_px, uint32_t height_px)
{
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(settings);
    struct fovea_gaze gaze;
    assert_ok(fovea_gaze_source_read(source, 0, width_px, height_px, &gaze));
    return gaze.point;
}

TEST(every_space_and_origin_becomes_uv)
{
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_FIXED);
        settings.space = CASES[i].space;
        settings.origin = CASES[i].origin;
        settings.screen_deg[0] = 90;
        settings.screen_deg[1] = 60;
        settings.fixed = (struct fovea_point_uv){CASES[i].x, CASES[i].y};
        const struct fovea_point_uv point = converted(&settings, 1280, 720);
        assert_that(
            fabs(point.x_uv - CASES[i].u) <= 1e-12 && fabs(point.y_uv - CASES[i].v) <= 1e-12,
            "case %zu: %g, %g; wanted %g, %g", i, point.x_uv, point.y_uv, CASES[i].u, CASES[i].v);
    }
}

TEST(pixels_refer_to_the_screen_when_it_is_given)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_FIXED);
    settings.space = FOVEA_GAZE_SPACE_PIXELS;
    settings.fixed = (struct fovea_point_uv){480, 270};
    settings.screen_px[0] = 1920;
    settings.screen_px[1] = 1080;
    struct fovea_point_uv point = converted(&settings, 640, 480);
    assert_near(point.x_uv, 0.25, 1e-12);
    assert_near(point.y_uv, 0.25, 1e-12);
    settings.screen_px[1] = 0;
    point = converted(&settings, 640, 540);
    assert_near(point.x_uv, 0.25, 1e-12);
    assert_near(point.y_uv, 0.5, 1e-12);
}

TEST(far_away_gaze_is_clamped_to_a_few_images)
{
    static const double huge[] = {6, 1e6, 1e300, 1.7e308};
    for (size_t i = 0; i < COUNT_OF(huge); i++) {
        struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_FIXED);
        settings.fixed = (struct fovea_point_uv){huge[i], -huge[i]};
        const struct fovea_point_uv point = converted(&settings, 1, 1);
        assert_near(point.x_uv, 5, 0);
        assert_near(point.y_uv, -4, 0);
    }
}

TEST(degrees_and_back_is_the_way_to_uv)
{
    uint64_t random = 4;
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    settings.screen_deg[0] = 47;
    settings.screen_deg[1] = 28;
    settings.screen_px[0] = 1920;
    settings.screen_px[1] = 1080;
    for (int i = 0; i < 300; i++) {
        settings.space = (enum fovea_gaze_space)(i % 4);
        settings.origin = (enum fovea_gaze_origin)(i % 3);
        const double x = random_uniform(&random, -40, 40);
        const double y = random_uniform(&random, -40, 40);
        const double at[2] = {gaze_coords_to_deg(&settings, 0, x),
                              gaze_coords_to_deg(&settings, 1, y)};
        assert_near(gaze_coords_from_deg(&settings, 0, at[0]), x, 1e-7);
        assert_near(gaze_coords_from_deg(&settings, 1, at[1]), y, 1e-7);
        const struct fovea_point_uv uv = gaze_coords_to_uv(&settings, 7, 5, x, y);
        struct fovea_gaze_settings angles = settings;
        angles.space = FOVEA_GAZE_SPACE_DEGREES;
        const struct fovea_point_uv again = gaze_coords_to_uv(&angles, 7, 5, at[0], at[1]);
        assert_near(again.x_uv, uv.x_uv, 1e-7);
        assert_near(again.y_uv, uv.y_uv, 1e-7);
    }
}
