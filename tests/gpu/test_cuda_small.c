/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Small pictures, a block each (foveate/cuda/small/small.h). Batches of them are in
 * test_cuda_batch.c. */

#include "kernels/foveate/cuda/plan.h"
#include "kernels/foveate/cuda/small/params.h"
#include "smooth_scene.h"

static struct cuda_fixture fixture;

static const enum fovea_format formats[] = {FOVEA_FORMAT_RGB8, FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_R8};
static const enum fovea_light lights[] = {FOVEA_LIGHT_ENCODED, FOVEA_LIGHT_LINEAR};

static struct scene small_scene(void)
{
    struct scene scene = smooth_scene_default();
    scene.format = FOVEA_FORMAT_RGB8;
    scene.width_px = scene.height_px = 128;
    return scene;
}

static void prepare(struct prepared *p, const struct scene *scene)
{
    scene_prepare(&fixture, p, scene);
    assert_true(foveate_cuda_as_small(fixture.foveate, p->tables, scene->format));
}

static void check(const struct scene *scene)
{
    struct prepared p = {0};
    prepare(&p, scene);
    scene_finish(&fixture, &p);
    smooth_assert(&fixture, scene);
}

static void every_format_pattern_and_light_is_right(void **state)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        for (int pattern = 0; pattern < IMAGE_PATTERN_COUNT; pattern += fixture.quick ? 3 : 1) {
            for (size_t k = 0; k < COUNT(lights); k++) {
                struct scene scene = small_scene();
                scene.format = formats[i];
                scene.pattern = (enum image_pattern)pattern;
                scene.foveation.light = lights[k];
                check(&scene);
            }
        }
    }
}

static void every_size_is_right(void **state)
{
    static const uint32_t sizes[][2] = {{127, 128}, {128, 125}, {122, 119},
                                        {128, 113}, {121, 128}, {117, 126}};
    for (size_t i = 0; i < COUNT(sizes); i += fixture.quick ? 2 : 1) {
        for (size_t k = 0; k < COUNT(formats); k++) {
            struct scene scene = small_scene();
            scene.width_px = sizes[i][0];
            scene.height_px = sizes[i][1];
            scene.format = formats[k];
            scene.pattern = IMAGE_STROKES;
            check(&scene);
        }
    }
}

static void gaze_anywhere_is_right(void **state)
{
    static const struct fovea_point_uv gazes[] = {{0.0, 0.0},  {1.0, 1.0},    {0.5, 0.0},
                                                  {0.99, 0.3}, {-0.2, 0.5},   {1.3, -0.4},
                                                  {-3.0, 3.0}, {0.501, 0.497}};
    for (size_t i = 0; i < COUNT(gazes); i++) {
        struct scene scene = small_scene();
        scene.gaze = gazes[i];
        scene.pattern = i % 2 ? IMAGE_CHECKER : IMAGE_RANDOM;
        scene.foveation.light = lights[i % 2];
        check(&scene);
    }
}

static void strides_gaps_and_alignment_are_respected(void **state)
{
    static const struct image_layout layouts[] = {
        {.bottom_up = true}, {.row_gap = 3}, {.pixel_gap = 1}, {.row_gap = 16}};
    for (size_t i = 0; i < COUNT(layouts); i++) {
        for (size_t k = 0; k < COUNT(formats); k++) {
            struct scene scene = small_scene();
            scene.layout = layouts[i];
            scene.format = formats[k];
            scene.shift = (uint32_t)i;
            check(&scene);
        }
    }
}

static void premultiplied_alpha_is_blurred_like_a_colour(void **state)
{
    for (size_t k = 0; k < COUNT(lights); k++) {
        struct scene scene = small_scene();
        scene.format = FOVEA_FORMAT_RGBA8;
        scene.foveation.alpha = FOVEA_ALPHA_PREMULTIPLIED;
        scene.foveation.light = lights[k];
        check(&scene);
    }
}

static void laws_by_angle_are_right(void **state)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct scene scene = small_scene();
        scene.foveation.model = FOVEA_MODEL_PHYSICAL;
        scene.foveation.physical.alpha *= 28.6;
        scene.foveation.geometry = (struct fovea_geometry){.ppd = 7.7};
        scene.format = formats[i];
        scene.gaze = (struct fovea_point_uv){0.3, 0.3 * (double)i};
        check(&scene);
    }
}

/* Laws that rise within a block, or between entries of the weights; that fall, so that a gaze far
 * outside leaves all of the picture sharp; that go on far beyond the picture; and the tip of one in
 * tiles. Every way has to be right, and the small one takes what it can. */
static void steep_laws_and_far_gazes_are_right(void **state)
{
    (void)state;
    static const enum fovea_model laws[] = {FOVEA_MODEL_RELATIVE, FOVEA_MODEL_RELATIVE,
                                            FOVEA_MODEL_CURVE,    FOVEA_MODEL_CURVE,
                                            FOVEA_MODEL_PHYSICAL, FOVEA_MODEL_PHYSICAL};
    static const enum image_pattern patterns[] = {IMAGE_PHOTO,  IMAGE_STROKES, IMAGE_RANDOM,
                                                  IMAGE_RANDOM, IMAGE_STROKES, IMAGE_STROKES};
    static const int kinds[] = {2, 1, 0, 0, 0, 1}; /* of formats */
    /* width, height, gaze; strength, gain; ppd, alpha or sharp, halving; a curve */
    static const double numbers[][13] = {
        {43, 25, 0.394, -0.682, 3.337, 0.6065, 1.512, 0.25},
        {25, 30, 0.997, -0.9365, 1.686, 0.0714, 3.0787, 0.0889},
        {128, 128, 3.7, 0.5, 1, 0.6065, 8, 0, 30, 34, 0.5, 0.55, 60},
        {28, 51, 0.95, 0.355, 2.19, 0.3313, 1.163, 0, 1.08, 2.08, 0.76, 0.37, 0.31},
        {52, 35, -3.5, 2, 1.856, 0.7308, 9.02, 1.246},
        {48, 51, 0.7827, 0.7246, 1.0105, 0.5988, 36.69, 0.8},
    };
    for (size_t i = 0; i < COUNT(numbers); i++) {
        const double *n = numbers[i];
        struct scene scene = small_scene();
        scene.width_px = (uint32_t)n[0];
        scene.height_px = (uint32_t)n[1];
        scene.gaze = (struct fovea_point_uv){n[2], n[3]};
        scene.format = formats[kinds[i]];
        scene.pattern = patterns[i];
        scene.foveation.model = laws[i];
        scene.foveation.strength = n[4];
        scene.foveation.cutoff_gain = n[5];
        scene.foveation.geometry = (struct fovea_geometry){.ppd = n[6]};
        scene.foveation.physical.alpha = n[7];
        scene.foveation.relative = (struct fovea_relative){n[6], n[7]};
        scene.foveation.curve = (struct fovea_curve){3, {0, n[8], n[9]}, {n[10], n[11], n[12]}};
        smooth_assert(&fixture, &scene);
    }
}

/* Runs a picture of random pixels, or of one level. */
static struct test_image run(const struct scene *scene, const struct prepared *p, int level,
                             struct test_image *out_src)
{
    *out_src = image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct test_image dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    image_draw(&out_src->view, IMAGE_RANDOM, 3);
    for (uint32_t y = 0; level >= 0 && y < scene->height_px; y++) {
        memset(image_pixel(&out_src->view, 0, y), level, (size_t)3 * scene->width_px);
    }
    scene_run_linear(&fixture, p, out_src, &dst, 0);
    return dst;
}

static void flat_pictures_stay_flat(void **state)
{
    for (size_t k = 0; k < COUNT(lights); k++) {
        struct scene scene = small_scene();
        struct prepared p = {0};
        scene.foveation.light = lights[k];
        prepare(&p, &scene);
        for (int level = 0; level < 256; level += fixture.quick ? 51 : 5) {
            struct test_image src;
            struct test_image dst = run(&scene, &p, level, &src);
            for (uint32_t y = 0; y < scene.height_px; y++) {
                assert_memory_equal(image_pixel(&dst.view, 0, y), image_pixel(&src.view, 0, y),
                                    (size_t)3 * scene.width_px);
            }
            image_free(&src);
            image_free(&dst);
        }
        scene_finish(&fixture, &p);
    }
}

static void what_is_sharp_is_copied_bit_by_bit(void **state)
{
    for (size_t k = 0; k < COUNT(lights); k++) {
        struct scene scene = small_scene();
        struct prepared p = {0};
        struct test_image src;
        int copied = 0;
        scene.foveation.light = lights[k];
        prepare(&p, &scene);
        struct test_image dst = run(&scene, &p, -1, &src);
        for (uint32_t y = 0; y < scene.height_px; y++) {
            for (uint32_t x = 0; x < scene.width_px; x++) {
                if (foveate_sigma_at(p.plan, &p.frame, (int32_t)x, (int32_t)y) > 0.0f) {
                    continue;
                }
                copied++;
                assert_memory_equal(image_pixel(&dst.view, x, y), image_pixel(&src.view, x, y), 3);
            }
        }
        assert_true(copied > 0);
        image_free(&src);
        image_free(&dst);
        scene_finish(&fixture, &p);
    }
}

static void ways_to_read_are_told_apart(void **state)
{
    static const struct {
        uint64_t data;
        int64_t row_bytes, pixel_bytes, next_bytes;
        enum foveate_small_way expected;
    } cases[] = {
        {4096, 384, 3, 49152, FOVEATE_SMALL_PLAIN},   {4096, -384, 3, 49152, FOVEATE_SMALL_PLAIN},
        {4096, 512, 4, 65536, FOVEATE_SMALL_SPREAD},  {4096, -512, 4, 65536, FOVEATE_SMALL_SPREAD},
        {4096, 528, 4, -67584, FOVEATE_SMALL_SPREAD}, {4096, 512, 4, 0, FOVEATE_SMALL_SPREAD},
        {4097, 512, 4, 65536, FOVEATE_SMALL_ANY},     {4096, 516, 4, 65536, FOVEATE_SMALL_ANY},
        {4096, 512, 4, 65540, FOVEATE_SMALL_ANY},     {4096, 0, 4, 65536, FOVEATE_SMALL_ANY},
        {4096, 496, 4, 65536, FOVEATE_SMALL_ANY},     {4096, 512, -4, 65536, FOVEATE_SMALL_ANY},
        {4096, 1024, 8, 131072, FOVEATE_SMALL_ANY},
    };
    const struct foveate_frame frame = {.width_px = 128, .height_px = 128};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct image_linear view = {.data = cases[i].data,
                                          .row_stride_bytes = cases[i].row_bytes,
                                          .pixel_stride_bytes = cases[i].pixel_bytes};
        const enum foveate_small_way way =
            foveate_small_way_of(&frame, &view, cases[i].next_bytes, 3);
        if (way != cases[i].expected) {
            fail_msg("case %zu is %d", i, (int)way);
        }
    }
}

static void views_of_rgba_give_what_packed_pictures_give(void **state)
{
    static const struct image_layout layouts[] = {
        {.pixel_gap = 1}, {.pixel_gap = 1, .bottom_up = true}, {.pixel_gap = 1, .row_gap = 4}};
    for (size_t i = 0; i < 2 * COUNT(layouts); i++) {
        struct scene scene = small_scene();
        struct prepared p = {0};
        struct test_image packed;
        scene.foveation.light = lights[i % 2];
        scene.height_px = i < 3 ? 128 : 123;
        scene.width_px = i < 4 ? 128 : 124;
        prepare(&p, &scene);
        struct test_image expected = run(&scene, &p, -1, &packed);
        struct test_image view =
            image_make(scene.width_px, scene.height_px, scene.format, layouts[i / 2]);
        struct test_image dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
        image_mirror(&packed.view, &view.view, false, false);
        scene_run_linear(&fixture, &p, &view, &dst, 0);
        assert_memory_equal(dst.memory, expected.memory, dst.memory_bytes);
        scene_finish(&fixture, &p);
        image_free(&packed);
        image_free(&expected);
        image_free(&view);
        image_free(&dst);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_pattern_and_light_is_right),
        cmocka_unit_test(every_size_is_right),
        cmocka_unit_test(gaze_anywhere_is_right),
        cmocka_unit_test(strides_gaps_and_alignment_are_respected),
        cmocka_unit_test(premultiplied_alpha_is_blurred_like_a_colour),
        cmocka_unit_test(laws_by_angle_are_right),
        cmocka_unit_test(steep_laws_and_far_gazes_are_right),
        cmocka_unit_test(flat_pictures_stay_flat),
        cmocka_unit_test(ways_to_read_are_told_apart),
        cmocka_unit_test(views_of_rgba_give_what_packed_pictures_give),
        cmocka_unit_test(what_is_sharp_is_copied_bit_by_bit),
    };
    return CUDA_RUN(&fixture, tests);
}
