/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images of PQ and HLG through the plain CUDA kernels, linear and surfaces, against the
 * double-precision reference, with pictures of full contrast. */

#include "compare.h"
#include "cuda_scene.h"
#include "kernels/foveate/cuda/plan.h"

static struct cuda_fixture fixture;

static const double peaks[] = {1000, 400, 2000, 100, 10000};

static void expect_plain_kernels(const struct prepared *p, enum fovea_format format)
{
    assert_false(foveate_cuda_in_tiles(p->tables, format));
    assert_false(foveate_cuda_as_small(fixture.foveate, p->tables, format));
}

static void check(const struct scene *scene, int picture, bool blue_first)
{
    struct test_image src = image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct test_image linear = image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct test_image surface = image_make_packed(scene->width_px, scene->height_px, scene->format);
    image_draw_contrast(&src.view, picture);
    struct prepared p = {0};
    scene_prepare(&fixture, &p, scene);
    p.frame.light = image_light_in_order(p.frame.light, blue_first);
    expect_plain_kernels(&p, scene->format);
    double *expected = compare_expected(&scene->foveation, &src.view, &p.frame);
    struct compare_budget budget = compare_budget_for(&scene->foveation, scene->format);
    budget.max_mean_abs = picture == IMAGE_CHECKER ? 0.5 : 0.1;
    char what[128];
    snprintf(what, sizeof what,
             "transfer %d, peak %g, method %d, model %d, format %d, picture %d, light %d, table %u",
             (int)scene->foveation.transfer, scene->foveation.display.hlg_peak_cd_m2,
             (int)scene->foveation.method, (int)scene->foveation.model, (int)scene->format, picture,
             (int)p.frame.light, scene->foveation.display.table_count);
    scene_run_linear(&fixture, &p, &src, &linear, 0);
    compare_assert_close(&linear.view, expected, budget, what);
    if (scene_has_surface(scene->format)) {
        scene_run_surface(&fixture, &p, &src.view, &surface.view);
        compare_assert_close(&surface.view, expected, budget, what);
    }
    free(expected);
    scene_finish(&fixture, &p);
    image_free(&src);
    image_free(&linear);
    image_free(&surface);
}

static void check_all(enum fovea_method method)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_A2B10G10R10, FOVEA_FORMAT_RGBA8,
                                                FOVEA_FORMAT_RGB8, FOVEA_FORMAT_R8};
    for (int i = 0; i < 8 * IMAGE_CONTRAST_COUNT; i += fixture.quick ? 7 : 1) {
        struct scene scene = scene_default();
        scene.width_px = 128;
        scene.height_px = 72;
        scene.foveation.method = method;
        scene.foveation.light = FOVEA_LIGHT_LINEAR;
        scene.foveation.transfer = i % 2 ? FOVEA_TRANSFER_HLG : FOVEA_TRANSFER_PQ;
        scene.foveation.display.hlg_peak_cd_m2 = peaks[i / 2 % 5];
        scene.foveation.model = i % 3 == 2 ? FOVEA_MODEL_PHYSICAL : FOVEA_MODEL_PAPER;
        scene.foveation.geometry.ppd = 4.0;
        scene.foveation.alpha = i % 5 == 4 ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
        scene.format = formats[i / 2 % 4];
        scene.gaze = (struct fovea_point_uv){i % 7 == 6 ? 0.02 : 0.39, 0.27};
        check(&scene, i / 8, false);
    }
}

TEST(coloured_hlg_is_the_reference)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_A2B10G10R10, FOVEA_FORMAT_RGBA8,
                                                FOVEA_FORMAT_RGB8, FOVEA_FORMAT_R8};
    for (int i = 0; i < 20; i++) {
        struct scene scene = scene_default();
        scene.width_px = 128;
        scene.height_px = 72;
        scene.foveation.method = (enum fovea_method)(i / 10);
        scene.foveation.light = FOVEA_LIGHT_LINEAR;
        scene.foveation.transfer = FOVEA_TRANSFER_HLG;
        scene.foveation.display.hlg_peak_cd_m2 = peaks[i % 5];
        scene.format = formats[i % 4];
        check(&scene, IMAGE_COLORS, i / 5 % 2);
    }
}

TEST(blockwise_is_the_reference)
{
    check_all(FOVEA_METHOD_BLOCKWISE);
}

TEST(smooth_is_the_reference)
{
    check_all(FOVEA_METHOD_SMOOTH);
}

TEST(a_display_of_its_own_is_the_reference)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_A2B10G10R10, FOVEA_FORMAT_RGBA8,
                                                FOVEA_FORMAT_RGB8, FOVEA_FORMAT_R8};
    for (int i = 0; i < 5 * COMPARE_DISPLAYS; i++) {
        const bool strong = i < 4 * COMPARE_DISPLAYS; /* else a copy, by the same kernels */
        struct scene scene = scene_default();
        scene.width_px = 128;
        scene.height_px = 72;
        scene.foveation.strength = strong ? 1.0 : 0.0;
        scene.foveation.method =
            strong ? (enum fovea_method)(i / 2 / COMPARE_DISPLAYS) : FOVEA_METHOD_SMOOTH;
        scene.foveation.light = compare_display(i % COMPARE_DISPLAYS, &scene.foveation.display);
        scene.foveation.model = i % 5 ? FOVEA_MODEL_PAPER : FOVEA_MODEL_PHYSICAL;
        scene.format = formats[i % 4];
        check(&scene, i % (IMAGE_COLORS + 1), false);
    }
}

/* Strengths at which every tile has many nodes. */
TEST(steep_laws_are_the_reference)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_A2B10G10R10, FOVEA_FORMAT_RGBA8,
                                                FOVEA_FORMAT_RGB8, FOVEA_FORMAT_R8};
    for (int i = 0; i < (fixture.quick ? 4 : 24); i++) {
        struct scene scene = scene_default();
        scene.width_px = 128;
        scene.height_px = 72;
        scene.foveation.method = FOVEA_METHOD_SMOOTH;
        scene.foveation.strength = 2 << i / 2 % 3;
        scene.foveation.light = FOVEA_LIGHT_LINEAR;
        scene.foveation.transfer = i % 2 ? FOVEA_TRANSFER_HLG : FOVEA_TRANSFER_PQ;
        scene.foveation.display.hlg_peak_cd_m2 = 1000.0;
        if (i % 4 == 3) {
            scene.foveation.transfer = FOVEA_TRANSFER_SRGB;
            scene.foveation.light =
                compare_display(i / 4 % COMPARE_DISPLAYS, &scene.foveation.display);
        }
        scene.format = formats[i / 3 % 4];
        scene.gaze = (struct fovea_point_uv){i % 5 / 4.0, 0.3};
        check(&scene, i % (IMAGE_COLORS + 1), false);
    }
}

int main(void)
{
    return cuda_fixture_run_tests(&fixture);
}
