/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures foveated by maps on the cpu against the double-precision reference. */

#include "test_foveate_support.h"

#include "compare.h"
#include "images.h"

static const double gazes[][2] = {{0.5, 0.5}, {0, 0}, {1, 1}, {0.31, 0.8}, {1.4, -0.3}};

/* Case i: of every kind, law and degrees, patterns, formats and gazes in turn. */
static void check(int i, uint32_t width_px, uint32_t height_px)
{
    static const enum fovea_map_kind kinds[] = {FOVEA_MAP_HUMAN, FOVEA_MAP_STREAK, FOVEA_MAP_ARRAY};
    struct fovea_foveation f = map_settings(kinds[i % 3]);
    f.map.law = (enum fovea_map_law)(i / 3 % 2);
    f.map.degrees = (enum fovea_map_degrees)(i / 6 % 2);
    f.map.eye = (enum fovea_map_eye)(i / 12 % 3);
    f.map.floor = 1e-4;
    f.light = (enum fovea_light)(i % 3);
    /* Few pixels a degree, so that a small picture is a wide view. */
    f.map.cutoff_cpd = f.map.degrees == FOVEA_MAP_DEGREES_VIEW ? 4.0 : 0.0;
    f.paper.alpha = f.map.degrees == FOVEA_MAP_DEGREES_VIEW ? 0.4 : 0.106;
    f.geometry =
        (struct fovea_geometry){.tan_left = 0.7, .tan_right = 1.1, .tan_up = 0.8, .tan_down = 0.4};
    const enum fovea_format format = (enum fovea_format)(1 + i % 7);
    const enum image_pattern pattern = (enum image_pattern)(i % IMAGE_PATTERN_COUNT);
    const double gaze_x = gazes[i % 5][0] * width_px;
    const double gaze_y = gazes[i % 5][1] * height_px;
    assert_exact(f, &(struct exact_case){width_px, height_px, format, pattern, gaze_x, gaze_y});
}

TEST(every_kind_law_and_mapping)
{
    for (int i = 0; i < 36; i++) {
        check(i, 160, 90);
    }
}

/* The other method takes sigma at the middles of its fragments. */
TEST(blockwise_by_a_map)
{
    static const enum fovea_map_kind kinds[] = {FOVEA_MAP_HUMAN, FOVEA_MAP_STREAK, FOVEA_MAP_ARRAY};
    for (int i = 0; i < 6; i++) {
        struct fovea_foveation f = map_settings(kinds[i % 3]);
        f.method = FOVEA_METHOD_BLOCKWISE;
        f.paper.fragment_px = 16;
        f.map.law = (enum fovea_map_law)(i / 3);
        assert_exact(f, &(struct exact_case){150, 110, FOVEA_FORMAT_RGBA8, IMAGE_STROKES, 40, 71});
    }
}

TEST(every_odd_size)
{
    static const uint32_t sizes[][2] = {{1, 1}, {2, 1}, {1, 90}, {90, 1}, {17, 33}, {63, 65}};
    for (int i = 0; i < 36; i++) {
        check(i, sizes[i % 5][0], sizes[i % 5][1]);
    }
}

/* Mirrored picture, gaze and eye: the mirrored result. */
TEST(eyes_are_each_others_mirror)
{
    struct fovea_foveation f = map_settings(FOVEA_MAP_HUMAN);
    f.map.eye = FOVEA_MAP_EYE_RIGHT;
    struct test_image src = image_make_packed(140, 100, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(140, 100, FOVEA_FORMAT_RGBA8);
    struct test_image mirrored_src = image_make_packed(140, 100, FOVEA_FORMAT_RGBA8);
    struct test_image mirrored_dst = image_make_packed(140, 100, FOVEA_FORMAT_RGBA8);
    struct test_image expected = image_make_packed(140, 100, FOVEA_FORMAT_RGBA8);
    image_draw(&src.view, IMAGE_STROKES, 3);
    image_mirror(&src.view, &mirrored_src.view, true, false);
    struct rig right = rig_make(f, 140, 100);
    f.map.eye = FOVEA_MAP_EYE_LEFT;
    struct rig left = rig_make(f, 140, 100);
    struct compare_rect where;
    rig_run(&right, &src.view, &dst.view, 31, 66);
    image_mirror(&dst.view, &expected.view, true, false);
    rig_run(&left, &mirrored_src.view, &mirrored_dst.view, 109, 66);
    assert_true(compare_largest(&mirrored_dst.view, &expected.view, &where) <= 1.0);
    rig_run(&right, &mirrored_src.view, &mirrored_dst.view, 109, 66);
    assert_true(compare_largest(&mirrored_dst.view, &expected.view, &where) > 3.0);
    rig_finish(&right);
    rig_finish(&left);
    image_free(&src);
    image_free(&dst);
    image_free(&mirrored_src);
    image_free(&mirrored_dst);
    image_free(&expected);
}
