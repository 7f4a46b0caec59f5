/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles: pictures large enough for it, and every kind of tile in them. What is
 * in tiles and what is not looks the same to test_cuda_smooth.c. */

#include "compare.h"
#include "kernels/foveate/cuda/tiles/common/params.h"
#include "smooth_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As steep as tiles can be: small pictures are enough. */
static struct cuda_fixture fixture = {.tile_slope = FOVEATE_TILE_SLOPE_FOR_TESTS};

static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8,      FOVEA_FORMAT_RGB8,
                                            FOVEA_FORMAT_R8,         FOVEA_FORMAT_A2B10G10R10,
                                            FOVEA_FORMAT_B10G11R11F, FOVEA_FORMAT_RGBA16F};
static const enum fovea_format floats[] = {FOVEA_FORMAT_B10G11R11F, FOVEA_FORMAT_RGBA16F};
static const enum fovea_light lights[] = {FOVEA_LIGHT_LINEAR, FOVEA_LIGHT_ENCODED};

/* Nothing is a multiple of anything. */
static struct scene tile_scene(void)
{
    struct scene scene = smooth_scene_default();
    scene.width_px = 401;
    scene.height_px = 273;
    return scene;
}

static void check(const struct scene *scene)
{
    struct prepared p = {0};
    scene_prepare(&fixture, &p, scene);
    assert_true(smooth_in_tiles(&fixture, &p, scene->format));
    scene_finish(&fixture, &p);
    smooth_assert(&fixture, scene);
}

static void check_picture(const struct scene *scene, const struct test_image *src)
{
    smooth_assert_picture(&fixture, scene, src);
}

static const struct scene_way tiles = {
    .fixture = &fixture,
    .scene = tile_scene,
    .check = check,
    .check_picture = check_picture,
    .formats = formats,
    .format_count = COUNT(formats),
    .lights = lights,
    .light_count = COUNT(lights),
};

/* ---- Formats, kinds of tiles, sizes ---------------------------------------------------------- */

static void every_format_pattern_and_light_is_right(void **state)
{
    way_has_every_format_pattern_and_light(&tiles);
}

/* A strip of a whole screen's width, so that sigma grows as it does on one. */
static void every_strength_is_right(void **state)
{
    static const double strengths[] = {1e-3, 0.1, 0.3, 1.0, 2.0, 3.0, 4.0};
    for (size_t i = 0; i < COUNT(strengths); i += fixture.quick ? 2 : 1) {
        for (size_t k = 0; k < COUNT(lights); k++) {
            struct scene scene = tile_scene();
            scene.width_px = 2191;
            scene.height_px = 69;
            scene.foveation.strength = strengths[i];
            scene.foveation.light = lights[k];
            scene.pattern = i % 2 ? IMAGE_CHECKER : IMAGE_STROKES;
            scene.no_reference = strengths[i] > 1.0;
            check(&scene);
        }
    }
}

/* Where sigma is below a pixel, across as wide a picture as products take there
 * (FOVEATE_TILE_NARROW_SLOPE). */
static void narrow_subtiles_are_right(void **state)
{
    static const struct fovea_point_uv gazes[] = {{0.41, 0.58}, {0.5, 0.02}, {0.999, 0.4}};
    for (int pattern = 0; pattern < IMAGE_PATTERN_COUNT; pattern += fixture.quick ? 2 : 1) {
        for (size_t i = 0; i < (fixture.quick ? 1 : COUNT(gazes)); i++) {
            struct scene scene = tile_scene();
            scene.width_px = 1301;
            scene.height_px = 97;
            scene.gaze = gazes[i];
            scene.pattern = (enum image_pattern)pattern;
            scene.foveation.light = FOVEA_LIGHT_ENCODED;
            check(&scene);
        }
    }
}

static void gaze_anywhere_is_right(void **state)
{
    static const struct fovea_point_uv gazes[] = {
        {0, 0}, {1, 1}, {0.04, 0.97}, {-0.3, 0.5}, {1.02, 4.9}, {0.5, 0.5}, {0.16, 0.235}};
    for (size_t i = 0; i < COUNT(gazes); i += fixture.quick ? 3 : 1) {
        struct scene scene = tile_scene();
        scene.gaze = gazes[i];
        scene.pattern = IMAGE_ZONE_PLATE;
        check(&scene);
    }
}

/* Wide views, whose sigma falls with the distance here and there, and mild ones. */
static void laws_by_angle_are_right(void **state)
{
    static const struct fovea_geometry geometries[] = {
        {.ppd = 6.0},
        {.tan_left = 0.6, .tan_right = 1.4, .tan_up = 0.9, .tan_down = 0.7},
    };
    for (size_t i = 0; i < COUNT(geometries); i++) {
        for (int model = FOVEA_MODEL_PHYSICAL; model <= FOVEA_MODEL_CURVE; model++) {
            for (int far = 0; far <= 1; far++) {
                struct scene scene = tile_scene();
                scene.foveation.model = (enum fovea_model)model;
                scene.foveation.geometry = geometries[i];
                scene.foveation.cutoff_gain = 0.3;
                scene.gaze = far ? (struct fovea_point_uv){-0.8, 1.3} : scene.gaze;
                scene.pattern = IMAGE_CHECKER;
                smooth_assert(&fixture, &scene);
            }
        }
    }
}

/* With a strength that leaves the law as flat as it is on a screen. */
static void every_size_is_covered(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1},   {2, 1},   {1, 3},   {4, 4},    {5, 7},
                                        {31, 33}, {33, 31}, {64, 64}, {65, 63},  {70, 70},
                                        {66, 3},  {3, 129}, {128, 1}, {321, 243}};
    for (size_t i = 0; i < COUNT(sizes); i += fixture.quick ? 3 : 1) {
        for (size_t k = 0; k < COUNT(lights); k++) {
            struct scene scene = tile_scene();
            scene.width_px = sizes[i][0];
            scene.height_px = sizes[i][1];
            scene.foveation.light = lights[k];
            scene.foveation.strength = hypot(sizes[i][0], sizes[i][1]) / 600.0;
            check(&scene);
        }
    }
}

static void the_longest_sides_work(void **state)
{
    way_works_for_the_longest_sides(&tiles);
}

/* Sigma up to 86 pixels: beyond what products reach, tiles of the coarsest level, in subtiles where
 * the list has no room, as far right as a list can say. */
static void the_widest_blur_is_right(void **state)
{
    struct scene scene = tile_scene();
    scene.width_px = 16384;
    scene.height_px = 9;
    scene.foveation.strength = 8.0;
    scene.gaze = (struct fovea_point_uv){0.1, 0.5};
    scene.no_reference = fixture.quick;
    check(&scene);
}

/* Tiles in subtiles are made by one block where there are enough of them. */
static void a_large_picture_is_right(void **state)
{
    struct scene scene = tile_scene();
    scene.width_px = 9001;
    scene.height_px = 563;
    scene.no_reference = true;
    check(&scene);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void strides_and_gaps_are_respected(void **state)
{
    way_respects_strides_and_gaps(&tiles);
}

/* Rows of a multiple of four pixels, from any byte on. */
static void pixels_need_no_more_than_their_channels_alignment(void **state)
{
    for (uint32_t shift = 0; shift < 16; shift += fixture.quick ? 5 : 1) {
        struct scene scene = tile_scene();
        scene.width_px = 400;
        scene.format = shift % 3 == 1 ? FOVEA_FORMAT_RGB8 : FOVEA_FORMAT_RGBA8;
        scene.shift = shift;
        check(&scene);
    }
}

static void premultiplied_alpha_is_blurred_like_a_colour(void **state)
{
    way_blurs_premultiplied_alpha(&tiles);
}

/* A view lies at any place of a larger picture, on bytes of any alignment, and gets the same
 * bits. */
static void a_view_is_as_it_would_be_alone(void **state)
{
    static const int32_t origins[][2] = {{0, 0}, {4, 1}, {2, 8}, {61, 5}, {7, 64}};
    for (size_t i = 0; i < COUNT(origins); i += fixture.quick ? 2 : 1) {
        struct scene scene = tile_scene();
        struct prepared p = {0};
        scene_prepare(&fixture, &p, &scene);
        struct test_image large = image_make_packed(480, 340, scene.format);
        struct test_image large_dst = image_make_packed(480, 340, scene.format);
        struct test_image alone = image_make_packed(401, 273, scene.format);
        struct test_image expected = image_make_packed(401, 273, scene.format);
        image_draw(&large.view, IMAGE_RANDOM, 3);
        struct fovea_image view = large_dst.view;
        view.width_px = 401;
        view.height_px = 273;
        view.data = image_pixel(&large.view, (uint32_t)origins[i][0], (uint32_t)origins[i][1]);
        image_mirror(&view, &alone.view, false, false);
        scene_run_linear(&fixture, &p, &alone, &expected, 0);
        p.view.origin_x_px = origins[i][0];
        p.view.origin_y_px = origins[i][1];
        scene_run_linear(&fixture, &p, &large, &large_dst, 0);
        view.data = image_pixel(&large_dst.view, (uint32_t)origins[i][0], (uint32_t)origins[i][1]);
        compare_assert_all_same(&view, &expected.view, "view");
        scene_run_surface(&fixture, &p, &large.view, &large_dst.view);
        compare_assert_all_same(&view, &expected.view, "view of a surface");
        image_free(&large);
        image_free(&large_dst);
        image_free(&alone);
        image_free(&expected);
        scene_finish(&fixture, &p);
    }
}

/* ---- Exactness ------------------------------------------------------------------------------- */

static void what_is_sharp_is_copied_bit_by_bit(void **state)
{
    for (size_t i = 0; i < 2 * COUNT(formats); i++) {
        struct scene scene = tile_scene();
        scene.format = formats[i / 2];
        scene.foveation.light = lights[i % 2];
        scene.foveation.alpha = i / 2 % 2 ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
        scene.foveation.paper.f_max_cpd = 10.0; /* sharp for some 15 px around the gaze */
        assert_true(scene_assert_sharp_is_copied(&fixture, &scene) > 100);
    }
}

static void flat_pictures_stay_flat(void **state)
{
    static const enum fovea_format kinds[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_A2B10G10R10};
    for (size_t i = 0; i < 2 * COUNT(kinds); i++) {
        struct scene scene = tile_scene();
        scene.format = kinds[i / 2];
        scene.foveation.light = lights[i % 2];
        scene_assert_flat_stays_flat(&fixture, &scene);
    }
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* As far as by the pixel, and not as far as the tiles that read them. */
static void bad_numbers_stay_within_reach(void **state)
{
    static const struct bad_number bad[] = {
        {20, 30, 0, NAN}, {166, 150, 1, INFINITY}, {240, 116, 2, NAN}, {400, 272, 0, INFINITY}};
    way_keeps_bad_numbers_within_reach(&tiles, bad, COUNT(bad));
}

static void the_largest_numbers_stay_finite(void **state)
{
    static const double largest[] = {64512.0, 65504.0};
    for (size_t i = 0; i < COUNT(floats); i++) {
        struct scene scene = tile_scene();
        scene.format = floats[i];
        scene.no_reference = true;
        struct test_image src = image_make_packed(401, 273, scene.format);
        struct test_image dst = image_make_packed(401, 273, scene.format);
        image_fill(&src.view, largest[i]);
        struct prepared p = {0};
        scene_prepare(&fixture, &p, &scene);
        scene_run_linear(&fixture, &p, &src, &dst, 0);
        compare_assert_all_same(&dst.view, &src.view, "largest");
        scene_finish(&fixture, &p);
        image_free(&dst);
        image_free(&src);
    }
}

/* A sun in the dark: what is within reach of it counts by the weight, and what is not is as dark as
 * ever. */
static void what_is_dark_stays_dark_beside_what_is_bright(void **state)
{
    struct scene scene = tile_scene();
    scene.format = FOVEA_FORMAT_RGBA16F;
    struct test_image src = image_make_packed(401, 273, scene.format);
    image_fill(&src.view, 0.001);
    image_set(&src.view, 40, 40, 0, 60000.0);
    image_set(&src.view, 180, 140, 1, 60000.0);
    struct test_image dst = image_make_packed(401, 273, scene.format);
    struct prepared p = {0};
    scene_prepare(&fixture, &p, &scene);
    scene_run_linear(&fixture, &p, &src, &dst, 0);
    assert_float_equal(image_get(&dst.view, 350, 230, 0), 0.001, 2e-6);
    assert_float_equal(image_get(&dst.view, 250, 60, 1), 0.001, 2e-6);
    assert_true(image_get(&dst.view, 41, 41, 0) > 100.0);
    scene_finish(&fixture, &p);
    image_free(&dst);
    image_free(&src);
}

/* The list of tiles is left as the next frame wants it, whatever gaze the one before had. */
static void frames_leave_nothing_behind(void **state)
{
    struct scene scene = tile_scene();
    struct test_image src = image_make_packed(401, 273, scene.format);
    struct test_image first = image_make_packed(401, 273, scene.format);
    struct test_image later = image_make_packed(401, 273, scene.format);
    image_draw(&src.view, IMAGE_RANDOM, 5);
    struct prepared p = {0};
    scene_prepare(&fixture, &p, &scene);
    scene_run_linear(&fixture, &p, &src, &first, 0);
    for (int i = 0; i < 9; i++) {
        scene_look(&p, (struct fovea_point_uv){i / 7.0 - 0.1, 1.1 - i / 8.0});
        scene_run_linear(&fixture, &p, &src, &later, 0);
        scene_look(&p, scene.gaze);
        scene_run_linear(&fixture, &p, &src, &later, 0);
        compare_assert_all_same(&later.view, &first.view, "again");
    }
    scene_finish(&fixture, &p);
    image_free(&src);
    image_free(&first);
    image_free(&later);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_pattern_and_light_is_right),
        cmocka_unit_test(every_strength_is_right),
        cmocka_unit_test(narrow_subtiles_are_right),
        cmocka_unit_test(gaze_anywhere_is_right),
        cmocka_unit_test(laws_by_angle_are_right),
        cmocka_unit_test(every_size_is_covered),
        cmocka_unit_test(the_longest_sides_work),
        cmocka_unit_test(the_widest_blur_is_right),
        cmocka_unit_test(strides_and_gaps_are_respected),
        cmocka_unit_test(pixels_need_no_more_than_their_channels_alignment),
        cmocka_unit_test(premultiplied_alpha_is_blurred_like_a_colour),
        cmocka_unit_test(a_view_is_as_it_would_be_alone),
        cmocka_unit_test(what_is_sharp_is_copied_bit_by_bit),
        cmocka_unit_test(flat_pictures_stay_flat),
        cmocka_unit_test(bad_numbers_stay_within_reach),
        cmocka_unit_test(the_largest_numbers_stay_finite),
        cmocka_unit_test(what_is_dark_stays_dark_beside_what_is_bright),
        cmocka_unit_test(frames_leave_nothing_behind),
    };
    static const struct CMUnitTest heavy_tests[] = {
        cmocka_unit_test(a_large_picture_is_right),
    };
    return CUDA_RUN_WITH_HEAVY(&fixture, tests, heavy_tests);
}
