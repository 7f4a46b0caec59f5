/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method where laws are steep, so that tiles are blended from nodes: against the
 * double-precision reference over sizes, strengths, laws, lights and gazes, on pictures that show
 * errors most. */

#include "sanitized.h"
#include "test_foveate_support.h"

#include "compare.h"
#include "images.h"
#include "kernels/foveate/cpu/tiles/tile.h"
#include "kernels/foveate/model/slope.h"

enum drawing { CHECKER, HALF_PLANE, DOTS, NOISE, LINES, DRAWINGS };

/* Up to 254: what becomes the middle of it is a level and not between two. */
static double level_at(enum drawing drawing, uint32_t x, uint32_t y, uint32_t c)
{
    switch (drawing) {
    case CHECKER:
        return (x + y + c) % 2 ? 254 : 0;
    case HALF_PLANE:
        return 3 * x + (c + 1) * y > 150 ? 254 : 0;
    case DOTS:
        return x % 7 == 3 && y % (5 + c) == 2 ? 254 : 0;
    case NOISE:
        return ((x * 2654435761u ^ y * 2246822519u ^ c * 3266489917u) >> 13) % 255;
    default:
        return (x / 3 + (y / 9) * c) % 4 == 0 ? 0 : 254;
    }
}

static void draw(const struct fovea_image *image, enum drawing drawing)
{
    for (uint32_t i = 0; i < image->width_px * image->height_px; i++) {
        const uint32_t x = i % image->width_px;
        const uint32_t y = i / image->width_px;
        for (uint32_t c = 0; c < image_channels(image->format); c++) {
            image_set(image, x, y, c, level_at(drawing, x, y, c));
        }
    }
}

struct point {
    uint32_t width_px, height_px;
    enum fovea_format format;
    enum drawing drawing;
    double gaze_x_px, gaze_y_px;
};

static void check(const struct fovea_foveation *foveation, const struct point *point)
{
    char what[200];
    snprintf(what, sizeof what,
             "%ux%u format %d drawing %d model %d light %d strength %g gaze %g,%g", point->width_px,
             point->height_px, (int)point->format, (int)point->drawing, (int)foveation->model,
             (int)foveation->light, foveation->strength, point->gaze_x_px, point->gaze_y_px);
    struct test_image src = image_make_packed(point->width_px, point->height_px, point->format);
    struct test_image dst = image_make_packed(point->width_px, point->height_px, point->format);
    draw(&src.view, point->drawing);
    struct rig rig = rig_make(*foveation, point->width_px, point->height_px);
    const struct foveate_frame frame =
        rig_run(&rig, &src.view, &dst.view, point->gaze_x_px, point->gaze_y_px);
    double *expected = compare_expected(foveation, &src.view, &frame);
    struct compare_budget budget = compare_budget_smooth(point->format);
    budget.max_mean_abs *= 2.0; /* every pixel is one that shows errors most */
    compare_assert_close(&dst.view, expected, budget, what);
    assert_true(image_guards_intact(&dst));
    free(expected);
    rig_finish(&rig);
    image_free(&src);
    image_free(&dst);
}

/* In the picture, in its corner, outside it. */
static void place_gaze(struct point *point, int which)
{
    static const double gazes[][2] = {{0.41, 0.57}, {0.0, 1.0}, {1.2, -0.15}, {0.93, 0.08}};
    point->gaze_x_px = gazes[which % 4][0] * point->width_px;
    point->gaze_y_px = gazes[which % 4][1] * point->height_px;
}

static const uint32_t sizes[][2] = {{84, 84}, {97, 61}, {128, 128}, {160, 120}, {61, 97}};

static struct fovea_foveation law_of(int which)
{
    if (which >= 3) {
        struct fovea_foveation settings =
            map_settings(which == 3 ? FOVEA_MAP_ARRAY : FOVEA_MAP_HUMAN);
        settings.map.degrees = which % 2 ? FOVEA_MAP_DEGREES_PAPER : FOVEA_MAP_DEGREES_VIEW;
        settings.geometry = (struct fovea_geometry){.ppd = 2.0};
        return settings;
    }
    struct fovea_foveation settings = smooth_settings((enum fovea_model)which);
    settings.geometry = which == 1 ? (struct fovea_geometry){.tan_left = 1.4,
                                                             .tan_right = 0.7,
                                                             .tan_up = 1.0,
                                                             .tan_down = 1.2}
                                   : (struct fovea_geometry){.ppd = 3.0};
    return settings;
}

static void every_law_at_every_size_as(enum fovea_light light)
{
    for (int i = test_first(25); i < 25; i += TEST_STEP(i)) {
        struct fovea_foveation foveation = law_of(i % 5);
        struct point point = {.width_px = sizes[i / 5][0],
                              .height_px = sizes[i / 5][1],
                              .format = i % 2 ? FOVEA_FORMAT_RGB8 : FOVEA_FORMAT_RGBA8,
                              .drawing = (enum drawing)((i + i / 5) % DRAWINGS)};
        foveation.light = light;
        foveation.strength = 0.5 + 0.3 * (i % 3);
        place_gaze(&point, i + i / 4);
        check(&foveation, &point);
    }
}

TEST(every_law_at_every_size_as_stored)
{
    every_law_at_every_size_as(FOVEA_LIGHT_ENCODED);
}

TEST(every_law_at_every_size_in_light)
{
    every_law_at_every_size_as(FOVEA_LIGHT_LINEAR);
}

TEST(every_strength_on_every_drawing)
{
    static const double strengths[] = {0.5, 1.0, 2.0, 4.0, 8.0};
    for (int i = test_first(2 * 5 * DRAWINGS); i < 2 * 5 * DRAWINGS; i += TEST_STEP(i)) {
        struct fovea_foveation foveation = smooth_settings(FOVEA_MODEL_PAPER);
        struct point point = {.width_px = 84, .height_px = 84, .format = FOVEA_FORMAT_RGB8};
        point.drawing = (enum drawing)(i / 2 % DRAWINGS);
        point.format = i / (2 * DRAWINGS) < 2 ? FOVEA_FORMAT_RGB8 : FOVEA_FORMAT_R8; /* for time */
        foveation.light = i % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
        foveation.strength = strengths[i / (2 * DRAWINGS)];
        place_gaze(&point, i % 3);
        check(&foveation, &point);
    }
}

/* Their levels are chosen as for wide light, whose ladder the plan has. */
TEST(floats_are_averaged_as_they_are_whatever_the_transfer)
{
    static const enum fovea_transfer transfers[] = {FOVEA_TRANSFER_PQ, FOVEA_TRANSFER_HLG};
    for (int i = 0; i < 4; i++) {
        struct fovea_foveation foveation = smooth_settings(FOVEA_MODEL_PAPER);
        struct point point = {.width_px = 97, .height_px = 61, .drawing = (enum drawing)i};
        point.format = i / 2 ? FOVEA_FORMAT_RGBA32F : FOVEA_FORMAT_RGBA16F;
        foveation.light = FOVEA_LIGHT_LINEAR;
        foveation.transfer = transfers[i % 2];
        place_gaze(&point, i);
        check(&foveation, &point);
    }
}

/* Its codes have a kink at each sample. */
TEST(a_table_of_a_few_samples_is_the_reference)
{
    for (int i = 0; i < DRAWINGS; i++) {
        struct fovea_foveation foveation = smooth_settings(FOVEA_MODEL_PAPER);
        struct point point = {.width_px = 61,
                              .height_px = 97,
                              .format = FOVEA_FORMAT_RGB8,
                              .drawing = (enum drawing)i};
        foveation.light = FOVEA_LIGHT_TABLE;
        foveation.display =
            (struct fovea_display){.table_count = 6, .table = {0.1, 0.9, 7, 31, 80, 150}};
        place_gaze(&point, i);
        check(&foveation, &point);
    }
}

/* These are the laws that no square takes. */
TEST(laws_of_small_pictures_are_steep)
{
    struct fovea_foveation foveation = smooth_settings(FOVEA_MODEL_PAPER);
    for (int i = 0; i < 5; i++) {
        foveation.strength = 0.5 * (1 << i);
        struct foveate_plan *plan = plan_of(&foveation, 84, 84);
        assert_true(foveate_slope_of(plan).slope > FOVEATE_CPU_TILE_MAX_SLOPE);
        foveate_plan_destroy(&plan);
    }
}
